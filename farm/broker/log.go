package broker

import (
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"strconv"
)

// logger passes on what the embedded server says.
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

// The server tells of what it refuses by lines of its log alone. What a client calls itself stands in quotes, in which
// quotes are escaped: it can make up no line.
var (
	violation = regexp.MustCompile(
		`^(\S+) - cid:\d+ .*- "[A-Z0-9]+/[^"]*\b(U[A-Z2-7]{55})[^"]*" - (Publish|Subscription) Violation - (?:Subject|Reply) ("(?:[^"\\]|\\.)*")`)
	stranger = regexp.MustCompile(`^(\S+) - cid:\d+ .*- authentication error`)
)

// refusal reads a line.
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
		return Refusal{Address: hostOf(m[1]), What: "connect"}, true // the key is not proven
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
