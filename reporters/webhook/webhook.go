// Package webhook reports failures of a run to chats, by webhook: one digest per run and chat. The code is in
// reporters/internal/webhook; this is what other folders need of it.
package webhook

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/reporters/internal/webhook"
)

// Digest is the message about a run: one message, however many tests failed.
type Digest = webhook.Digest

// Wanted reports whether chats receive a message about a run: a test failed, or ended with an error.
func Wanted(r *history.Run) bool {
	return webhook.Wanted(r)
}

// NewDigest sums a run up. link is the URL of the run; it may be empty.
func NewDigest(r *history.Run, link string) Digest {
	return webhook.NewDigest(r, link)
}

// Options of Send; the zero value works.
type Options = webhook.Options

// Send sends to all chats at once, and returns the results in the order of the targets. It repeats only messages that
// the product refused temporarily.
func Send(ctx context.Context, targets []Target, d Digest, o Options) []webhook.Sent {
	return webhook.Send(ctx, targets, d, o)
}

// Preview returns the message that Send would send to a chat, without a signature.
func Preview(p webhook.Product, d Digest, now time.Time) ([]byte, error) {
	return webhook.Preview(p, d, now)
}

// Target is one chat. Its URL is a secret: it is never printed.
type Target = webhook.Target

// Targets returns the chats that the environment names: SLACK_WEBHOOK_URL and FEISHU_WEBHOOK_URL, which may contain a
// URL of any product, and NOTIFY_URLS, separated by commas. The host determines the product; for an unknown host it is
// the one in the variable's name, or generic JSON. "#secret=…" after a URL sets the secret for signatures, "#product=…"
// the product if the host is unknown. Equal URLs are one chat. Errors name the variable, never the URL.
func Targets(getenv func(string) string) (targets []Target, errs []error) {
	return webhook.Targets(getenv)
}
