package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// IsKind reports whether err has a kind already.
func IsKind(err error) bool {
	return drivers.AppIsWrong(err) || errors.Is(err, drivers.ErrDeviceLost) || errors.Is(err, drivers.ErrNotReady) ||
		errors.Is(err, drivers.ErrUnsupported) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Disconnected reports whether the page, the browser or Playwright's process went away during a call.
func Disconnected(err error) bool {
	if err == nil {
		return false
	}
	return errors.Is(err, playwright.ErrTargetClosed) || ProcessDied(err) ||
		TellsOfACrash(err) || ContainsAny(err.Error(), "has been closed")
}

// TellsOfACrash reports whether a call ended because the page's renderer crashed, of which the event may come later.
func TellsOfACrash(err error) bool {
	return ContainsAny(err.Error(), "Target crashed", "Page crashed")
}

// ProcessDied reports whether Playwright's process went away. No event says so, and its browsers end with it.
func ProcessDied(err error) bool {
	return err != nil && ContainsAny(err.Error(), "Connection closed", "transport closed", "could not send message",
		"could not read protocol")
}

// Passing reports whether an error is one of a page that navigates or changes under a call; a later call may succeed.
func Passing(err error) bool {
	return ContainsAny(err.Error(), "taproot: stale reference", "Execution context was destroyed", "Frame was detached",
		"frame was detached", "frame got detached", "Cannot find context", "interrupted", "not attached to the DOM",
		"Failed to find frame", NoCapture)
}

// OfServer returns the error of a WebDriver server that does not know what happened, as that of a hub without its node;
// nil: err is another one. It says nothing about the page or an element, and a touch may have happened.
func OfServer(err error) error {
	if !webdriver.Is(err, webdriver.UnknownError) || Passing(err) || netCodes(err.Error())+NetCode(err) != "" {
		return nil
	}
	return fmt.Errorf("%w: the browser reports: %s", drivers.ErrDeviceLost, Plain(err))
}

// NoCapture is what Chromium says while it changes from one page to another: there is nothing to photograph at that
// moment.
const NoCapture = "Unable to capture screenshot"

func ContainsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

var Ansi = lazyregexp.New("\x1b\\[[0-9;]*m")

// Plain takes Playwright's words without its own chatter: no call log, no colours, one line. Texts that were typed
// are in the call log alone, so they cannot leak.
func Plain(err error) string {
	s := err.Error()
	var inner *playwright.Error
	if errors.As(err, &inner) {
		s = inner.Message
	}
	s = Ansi.ReplaceAllString(s, "")
	s, _, _ = strings.Cut(s, "Call log:")
	s, _, _ = strings.Cut(s, "\n    at ")
	if i := strings.Index(s, ": Error: "); i >= 0 && i < 40 {
		s = s[i+len(": Error: "):]
	}
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:299]) + "…"
	}
	return s
}

var netError = lazyregexp.New(`net::(ERR_[A-Z0-9_]+)`)

// NetCode returns Chromium's code for an error of the network, "" for another error.
func NetCode(err error) string {
	if m := netError.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

// LoadReason says in plain words why an address did not open.
func LoadReason(err error) string {
	if code := cmp.Or(netCodes(err.Error()), NetCode(err)); code != "" {
		return netWords(code)
	}
	return Plain(err)
}

// netWords are Chromium's reasons in plain words.
func netWords(code string) string {
	words := map[string]string{
		"ERR_CONNECTION_REFUSED":       "the connection was refused: nothing listens at that address",
		"ERR_CONNECTION_RESET":         "the server broke the connection off",
		"ERR_CONNECTION_CLOSED":        "the server closed the connection",
		"ERR_CONNECTION_TIMED_OUT":     "the server did not answer in time",
		"ERR_CONNECTION_FAILED":        "the server cannot be reached",
		"ERR_TIMED_OUT":                "the server did not answer in time",
		"ERR_EMPTY_RESPONSE":           "the server closed the connection without an answer",
		"ERR_NAME_NOT_RESOLVED":        "there is no such host",
		"ERR_ADDRESS_UNREACHABLE":      "the address cannot be reached",
		"ERR_ADDRESS_INVALID":          "the address is not valid",
		"ERR_INTERNET_DISCONNECTED":    "this machine has no network",
		"ERR_NETWORK_CHANGED":          "the network changed meanwhile",
		"ERR_PROXY_CONNECTION_FAILED":  "the proxy cannot be reached",
		"ERR_TUNNEL_CONNECTION_FAILED": "the proxy did not let the connection through",
		"ERR_FILE_NOT_FOUND":           "there is no such file",
		"ERR_ACCESS_DENIED":            "the file may not be read",
		"ERR_TOO_MANY_REDIRECTS":       "the server redirects in a circle",
		"ERR_UNSAFE_PORT":              "browsers refuse that port",
		"ERR_INVALID_URL":              "the address is not valid",
		"ERR_SSL_PROTOCOL_ERROR":       "the server does not speak TLS properly",
		"ERR_CERT_AUTHORITY_INVALID":   "the server's certificate comes from an unknown authority",
		"ERR_CERT_DATE_INVALID":        "the server's certificate has expired",
		"ERR_CERT_COMMON_NAME_INVALID": "the server's certificate is for another name",
		"ERR_INVALID_HTTP_RESPONSE":    "the server does not speak HTTP",
		"ERR_INVALID_RESPONSE":         "the server's answer is not valid",
		"ERR_ABORTED":                  "the page stopped loading (a download, or a response without content)",
		"ERR_BLOCKED_BY_CLIENT":        "the browser blocked it",
		"ERR_BLOCKED_BY_RESPONSE":      "the server forbids it to be shown",
	}
	if w := words[code]; w != "" {
		return fmt.Sprintf("%s (%s)", w, code)
	}
	return "the browser says " + code
}

var (
	ErrBrowserLost = fmt.Errorf("%w: the browser crashed or was closed", drivers.ErrDeviceLost)
	ErrCrashed     = fmt.Errorf("%w: the page crashed", drivers.ErrDeviceLost)
)

// CrashError is the error of a page that has crashed, or of a session at a remote that is gone.
func (b *Browser) CrashError() error { return b.orGone(ErrCrashed) }

// LostError is the error of a browser that has ended, or of a session at a remote that is gone.
func (b *Browser) LostError() error { return b.orGone(ErrBrowserLost) }

func (b *Browser) orGone(err error) error {
	if b.Brand.Gone == nil {
		return err
	}
	return cmp.Or(b.Brand.Gone(), err)
}
