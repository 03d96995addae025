package maestro

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const maxSettle = 30000

func (r *reader) tap(f source.RawField, c *Command, touch Touch) Do {
	s := r.element(f, c)
	t := Tap{On: s, Touch: touch, RetryUnchanged: s.retry, UntilVisible: s.untilVisible, DelayMs: 100, SettleMs: s.settle}
	if s.delay != nil && *s.delay >= 0 {
		t.DelayMs = *s.delay
	}
	switch {
	case touch == Twice:
		t.Repeat = 2
	case s.repeat != nil:
		t.Repeat = max(*s.repeat, 1)
	}
	if t.SettleMs != nil && *t.SettleMs > maxSettle {
		n := maxSettle
		t.SettleMs = &n
	}
	if s.point == "" {
		return t
	}
	if s.names() {
		t.In = s.point
		return t
	}
	t.On, t.Point = nil, s.point
	return t
}

var (
	pixelPoint   = lazyregexp.New(`^\s*-?\d+\s*,\s*-?\d+\s*$`)
	percentPoint = lazyregexp.New(`^\s*\d+\s*%?\s*,\s*\d+\s*%?\s*$`)
)

func swipe(r *reader, f source.RawField, c *Command) Do {
	do := Swipe{Ms: 400}
	if !r.isMap(f) {
		return do
	}
	if n := r.number(f.Value, "duration"); n != nil {
		do.Ms = *n
	}
	do.SettleMs = r.number(f.Value, "waitToSettleTimeoutMs")
	direction, directed := f.Value.Get("direction")
	from, element := f.Value.Get("from")
	start, hasStart := f.Value.Get("start")
	end, hasEnd := f.Value.Get("end")
	width := len([]rune(f.Key))
	const keys = "direction start end from duration label optional waitToSettleTimeoutMs"
	if element && directed && !hasStart && !hasEnd {
		r.options(f, c, "direction from duration waitToSettleTimeoutMs")
	} else {
		r.keys(f.Value, f.Key, words(keys), false)
		c.Optional = r.flag(f.Value, "optional", false)
		r.label(f, c)
	}
	switch {
	case (hasStart || hasEnd) && directed:
		r.fail(direction.Pos, len("direction"), `"direction" cannot be combined with start and end`, "remove one of the two")
	case hasStart != hasEnd:
		r.fail(f.Pos, width, `"swipe" needs both start and end`, "")
	case hasStart:
		do.Start, do.End = start.Value.Text, end.Value.Text
		r.places(start, end)
	case !directed:
		r.fail(f.Pos, width, `"swipe" needs a direction, or start and end`, "direction: UP")
	default:
		do.Direction = r.direction(direction)
		if element && from.Value.Kind != source.Null {
			do.From = r.selector(from.Value, from.Key)
			do.In = do.From.point
			c.Optional = c.Optional || do.From.Optional
		}
	}
	return do
}

// places checks the ends of a swipe: both in pixels, or both in per cent.
func (r *reader) places(start, end source.RawField) {
	form, hint := pixelPoint, `write "100,200" for pixels or "50%,80%" for per cent`
	if strings.Contains(start.Value.Text+end.Value.Text, "%") {
		form = percentPoint
		for _, f := range []source.RawField{start, end} {
			if !strings.Contains(f.Value.Text, "%") {
				r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q is not in per cent as the other end is", short(f.Value.Text)),
					hint)
				return
			}
		}
	}
	for _, f := range []source.RawField{start, end} {
		text := f.Value.Text
		if f.Value.Kind != source.String || !form.MatchString(text) {
			r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q must be two whole numbers, not %q", f.Key, short(text)), hint)
			continue
		}
		if form == percentPoint {
			for _, part := range strings.Split(strings.ReplaceAll(text, "%", ""), ",") {
				if n, err := strconv.Atoi(strings.TrimSpace(part)); err != nil || n > 100 {
					r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q is outside the screen: more than 100 %%", short(text)), hint)
				}
			}
		}
	}
}

func (r *reader) direction(f source.RawField) dsl.Direction {
	text := f.Value.Text
	lower := strings.ToLower(text)
	for _, d := range []dsl.Direction{dsl.Up, dsl.Down, dsl.Left, dsl.Right} {
		if lower == string(d) {
			return d
		}
	}
	r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("there is no direction %q", short(text)),
		"there are UP, DOWN, LEFT and RIGHT")
	return dsl.Up
}

func scrollUntil(r *reader, f source.RawField, c *Command) Do {
	do := ScrollUntil{Direction: dsl.Down, Timeout: "20000", Speed: "40", Percent: 100}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "direction element timeout speed visibilityPercentage centerElement waitToSettleTimeoutMs")
	if x, given := f.Value.Get("direction"); given {
		do.Direction = r.direction(x)
	}
	x, given := f.Value.Get("element")
	if !given || x.Value.Kind == source.Null {
		r.fail(f.Pos, len([]rune(f.Key)), `"scrollUntilVisible" needs "element"`, "")
		return do
	}
	do.To = r.selector(x.Value, x.Key)
	c.Optional = c.Optional || do.To.Optional
	if text := r.optionalText(f.Value, "timeout"); text != nil {
		do.Timeout = *text
	}
	if text := r.optionalText(f.Value, "speed"); text != nil {
		do.Speed = *text
	}
	if n := r.number(f.Value, "visibilityPercentage"); n != nil {
		do.Percent = min(max(*n, 0), 100)
	}
	do.Centre = r.flag(f.Value, "centerElement", false)
	do.SettleMs = r.number(f.Value, "waitToSettleTimeoutMs")
	return do
}
