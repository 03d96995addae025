package broker

import (
	"fmt"
	"log/slog"
	"net"
	"strconv"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// logger forwards the log of the embedded server.
type logger struct {
	to      *slog.Logger
	refused func(Refusal)
}

func (l logger) Noticef(format string, v ...any) { l.to.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Warnf(format string, v ...any)   { l.to.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l logger) Errorf(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	l.to.Warn("nats: " + line)
	if r, ok := refusal(line); ok {
		l.refused(r)
	}
}
func (l logger) Fatalf(format string, v ...any) { l.to.Error("nats: " + fmt.Sprintf(format, v...)) }
func (logger) Debugf(string, ...any)            {}
func (logger) Tracef(string, ...any)            {}

// The server reports refusals only as lines of its log. The name of a client is in quotes there, with quotes escaped,
// so a client cannot forge a line.
var (
	violation = lazyregexp.New(
		`^(\S+) - cid:\d+ .*- "[A-Z0-9]+/[^"]*\b(U[A-Z2-7]{55})[^"]*" - (Publish|Subscription) Violation - ` +
			`(?:Subject|Reply) ("(?:[^"\\]|\\.)*")`)
	stranger = lazyregexp.New(`^(\S+) - cid:\d+ .*- authentication error`)
)

// refusal parses a line of the log.
func refusal(line string) (Refusal, bool) {
	if m := violation.FindStringSubmatch(line); m != nil {
		subject, err := strconv.Unquote(m[4])
		if err != nil {
			subject = m[4]
		}
		what := "publish to "
		if m[3] == "Subscription" {
			what = "subscribe to "
		}
		return Refusal{Key: m[2], Address: hostOf(m[1]), What: what + subject}, true
	}
	if m := stranger.FindStringSubmatch(line); m != nil {
		return Refusal{Address: hostOf(m[1]), What: "connect"}, true // the key was not verified
	}
	return Refusal{}, false
}

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}
