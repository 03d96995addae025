package decode

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// duration reads a number of milliseconds, or a text such as 1m30s.
func (d *Decoding) duration(dst reflect.Value, v source.Value, f vocabulary.Key) {
	kind, text := v.Kind, v.Text
	if v.Written != "" && kind < source.List {
		kind = source.Resolve(v.Text)
	}
	if whole, ok := wholeJSON(v); ok {
		kind, text = source.Int, whole
	}
	took, hint, ok := time.Duration(0), "", false
	switch {
	case kind == source.String && v.Written == "" && source.Resolve(v.Text) == source.Int:
		hint = "write it without quotes: " + v.Text
	case kind == source.Int:
		took, ok = milliseconds(text), true
	case kind == source.String:
		if took, hint, ok = phrase.ParseDuration(text); hint != "" {
			hint = "write " + hint
		}
	case kind == source.Float:
		if _, _, seconds := phrase.ParseDuration(v.Text + "s"); seconds {
			hint = fmt.Sprintf("write %ss, or whole milliseconds", v.Text)
		}
	}
	if hint == "" {
		hint = "write milliseconds, or a time with its unit: 500ms, 1.5s, 1m30s"
	}
	limit := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	instead := source.Origin(v)
	if kind == source.String && instead == "" {
		instead = fmt.Sprintf(", not %q", phrase.LimitRunes(text, 60))
	}
	switch {
	case !ok:
		d.Wrong(v, fmt.Sprintf("%q must be a time, not %s%s", f.Name, source.Describe(v), source.Origin(v)), hint)
	case f.Minimum != nil && took < limit(*f.Minimum):
		d.Wrong(v, fmt.Sprintf("%q must be at least %s%s", f.Name, f.Bound(*f.Minimum), instead), "")
	case f.Maximum != nil && took > limit(*f.Maximum):
		d.Wrong(v, fmt.Sprintf("%q must be at most %s%s", f.Name, f.Bound(*f.Maximum), instead), "")
	default:
		dst.SetInt(int64(took / time.Millisecond))
	}
}

// milliseconds reads a whole number; one that no duration holds is the longest duration.
func milliseconds(text string) time.Duration {
	n, fits := source.Number(text)
	const most = math.MaxInt64 / int(time.Millisecond)
	switch {
	case !fits && text[0] == '-', n < -most:
		return math.MinInt64
	case !fits, n > most:
		return math.MaxInt64
	}
	return time.Duration(n) * time.Millisecond
}
