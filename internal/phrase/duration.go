package phrase

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Duration writes a duration as people write it: 800ms, 5s, 1m30s, 1h.
func Duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// ParseDuration reads 500ms, 1.5s, 1m30s, 1h, or a bare number of milliseconds, with a sign or without. It rounds up to
// whole milliseconds. A duration that is too long for a time.Duration is the longest that there is. If the text is not
// a duration, near is one that is written like it, or "".
func ParseDuration(text string) (d time.Duration, near string, ok bool) {
	text = strings.TrimSpace(text)
	if bareNumber.MatchString(text) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n > math.MaxInt64/int64(time.Millisecond) || n < -math.MaxInt64/int64(time.Millisecond) {
			return longest(text), "", true
		}
		return time.Duration(n) * time.Millisecond, "", true
	}
	if !durationForm.MatchString(text) {
		return 0, unitsMeant(strings.ReplaceAll(text, " ", "")), false
	}
	text = strings.ReplaceAll(text, " ", "")
	d, err := time.ParseDuration(text)
	up := d.Truncate(time.Millisecond)
	switch {
	case err != nil: // its number is too large
		return longest(text), "", true
	case up != d && d > 0:
		return up + time.Millisecond, "", true
	}
	return up, "", true
}

func longest(text string) time.Duration {
	if strings.HasPrefix(text, "-") {
		return math.MinInt64
	}
	return math.MaxInt64
}

var (
	bareNumber   = lazyregexp.New(`^[-+]?[0-9]+$`)
	durationForm = lazyregexp.New(`^[-+]?([0-9]+(\.[0-9]+)? *(ms|s|m|h) *)+$`)
	partForm     = lazyregexp.New(`^([0-9]+)(?:[.,]([0-9]+))?([A-Za-z]+)\.?(?:and|,)?`)
)

// unitsMeant writes a duration with other names of its units, such as 5sec, with those that ParseDuration knows.
func unitsMeant(text string) string {
	out := ""
	for text != "" {
		m := partForm.FindStringSubmatch(text)
		if m == nil {
			return ""
		}
		unit := unitOf(strings.ToLower(m[3]))
		if unit == "" {
			return ""
		}
		out += m[1]
		if m[2] != "" {
			out += "." + m[2]
		}
		out += unit
		text = text[len(m[0]):]
	}
	return out
}

func unitOf(word string) string {
	switch word {
	case "ms", "msec", "msecs", "milli", "millis", "millisecond", "milliseconds":
		return "ms"
	case "s", "sec", "secs", "second", "seconds":
		return "s"
	case "m", "min", "mins", "minute", "minutes":
		return "m"
	case "h", "hr", "hrs", "hour", "hours":
		return "h"
	}
	return ""
}
