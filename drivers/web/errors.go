package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// isKind reports whether err has a kind already.
func isKind(err error) bool {
	return drivers.AppIsWrong(err) || errors.Is(err, drivers.ErrDeviceLost) || errors.Is(err, drivers.ErrNotReady) ||
		errors.Is(err, drivers.ErrUnsupported) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// disconnected reports whether the page, the browser or Playwright's process went away during a call.
func disconnected(err error) bool {
	if err == nil {
		return false
	}
	return errors.Is(err, playwright.ErrTargetClosed) || processDied(err) ||
		tellsOfACrash(err) || containsAny(err.Error(), "has been closed")
}

// tellsOfACrash reports whether a call ended because the page's renderer crashed, of which the event may come later.
func tellsOfACrash(err error) bool {
	return containsAny(err.Error(), "Target crashed", "Page crashed")
}

// processDied reports whether Playwright's process went away. No event says so, and its browsers end with it.
func processDied(err error) bool {
	return err != nil && containsAny(err.Error(), "Connection closed", "transport closed", "could not send message",
		"could not read protocol")
}

// passing reports whether an error is one of a page that navigates or changes under a call; a later call may succeed.
func passing(err error) bool {
	return containsAny(err.Error(), "taproot: stale reference", "Execution context was destroyed", "Frame was detached",
		"frame was detached", "frame got detached", "Cannot find context", "interrupted", "not attached to the DOM",
		"Failed to find frame", noCapture)
}

// noCapture is what Chromium says while it changes from one page to another: there is nothing to photograph at that
// moment.
const noCapture = "Unable to capture screenshot"

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

var ansi = lazyregexp.New("\x1b\\[[0-9;]*m")

// plain takes Playwright's words without its own chatter: no call log, no colours, one line. Texts that were typed
// are in the call log alone, so they cannot leak.
func plain(err error) string {
	s := err.Error()
	var inner *playwright.Error
	if errors.As(err, &inner) {
		s = inner.Message
	}
	s = ansi.ReplaceAllString(s, "")
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

// netCode returns Chromium's code for an error of the network, "" for another error.
func netCode(err error) string {
	if m := netError.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

// loadReason says in plain words why an address did not open.
func loadReason(err error) string {
	if code := cmp.Or(netCodes(err.Error()), netCode(err)); code != "" {
		return netWords(code)
	}
	return plain(err)
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
