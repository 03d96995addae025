package maestro

import (
	"cmp"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
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

func assertTrue(r *reader, f source.RawField, c *Command) Do {
	text := r.typed(f, c, "condition", true)
	return Assert{Condition: Condition{True: &text}}
}

func extendedWait(r *reader, f source.RawField, c *Command) Do {
	var a Assert
	if !r.isMap(f) {
		return a
	}
	r.options(f, c, "visible notVisible timeout")
	if x, given := f.Value.Get("visible"); given && x.Value.Kind != source.Null {
		a.Visible = r.selector(x.Value, x.Key)
	}
	if x, given := f.Value.Get("notVisible"); given && x.Value.Kind != source.Null {
		a.NotVisible = r.selector(x.Value, x.Key)
	}
	if a.Visible == nil && a.NotVisible == nil {
		r.fail(f.Pos, len([]rune(f.Key)), `"extendedWaitUntil" needs visible or notVisible`, "")
	}
	if s := cmp.Or(a.Visible, a.NotVisible); s != nil { // the other one's optional means nothing
		c.Optional = c.Optional || s.Optional
	}
	a.Timeout = r.optionalText(f.Value, "timeout")
	return a
}

func (r *reader) ai(f source.RawField, c *Command, a AI, key string) Do {
	c.Optional = true
	switch {
	case key == "":
		if r.isMap(f) {
			r.options(f, c, "")
		}
	case key == "query":
		a.Output = "aiOutput"
		a.Text, _ = r.text(f, c, key, "outputVariable")
		if text := r.optionalText(f.Value, "outputVariable"); text != nil {
			a.Output = *text
		}
	default:
		a.Text, _ = r.text(f, c, key, "")
	}
	return a
}

func takeScreenshot(r *reader, f source.RawField, c *Command) Do {
	p, _ := r.text(f, c, "path", "cropOn")
	return Screenshot{p, r.crop(f)}
}

var pictureEnding = lazyregexp.New(`(?i)\.(png|jpe?g|gif|bmp|tiff|wbmp|hei[cf])$`)

// PictureFile is the file that assertScreenshot means by a path.
func PictureFile(name string) string {
	if pictureEnding.MatchString(name) {
		return name
	}
	return name + ".png"
}

func assertScreenshot(r *reader, f source.RawField, c *Command) Do {
	p, _ := r.text(f, c, "path", "thresholdPercentage cropOn")
	a := AssertScreenshot{Path: p, Threshold: "95", Crop: r.crop(f), Dir: r.dir()}
	if beside := r.resolve(PictureFile(p)); p != "" && !strings.Contains(p, "${") && r.has(beside) {
		a.Beside = beside
	}
	if text := r.optionalText(f.Value, "thresholdPercentage"); text != nil {
		a.Threshold = *text
	}
	return a
}
