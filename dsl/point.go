package dsl

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// Point is a place on the screen, in pixels of the screenshot or in per cent of its size. In YAML it is a text,
// "120,340" or "50%,80%", or a map {x: 120, y: 340}.
type Point struct {
	X, Y    float64
	Percent bool
}

// Offset is a way on the screen in pixels of the screenshot, to the right and down: a text, "120,-40", or a map {x:
// 120, y: -40}.
type Offset struct{ X, Y int }

const offsetForms = `write "120,-40" for pixels to the right and down, with the quotes`

func (o *Offset) fromValue(d *decoding, v source.Value, name string) {
	x, y, ok := v, v, false
	switch v.Kind {
	case source.String:
		x.Text, y.Text, ok = strings.Cut(v.Text, ",")
	case source.Map:
		if x, y, ok = d.coordinates(v, name); !ok {
			return
		}
		if d.variables == deferred && strings.Contains(x.Text+y.Text, "${") {
			d.references(x)
			d.references(y)
			return
		}
	}
	dx, xOK := pixels(x)
	dy, yOK := pixels(y)
	if !ok || !xOK || !yOK {
		d.wrong(v, fmt.Sprintf("%q must be two numbers of pixels, not %s%s", name, describe(v), origin(v)), offsetForms)
		return
	}
	*o = Offset{X: dx, Y: dy}
}

// maxOffset is more than any screen.
const maxOffset = 100000

// pixels reads a number of pixels in either direction.
func pixels(v source.Value) (int, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(v.Text), 64)
	if err != nil || !(math.Abs(n) <= maxOffset) {
		return 0, false
	}
	if v.Kind == source.String && !offsetForm.MatchString(v.Text) {
		return 0, false
	}
	return int(math.Round(n)), true
}

// offsetForm is a number of pixels as a text.
var offsetForm = lazyregexp.New(`^\s*[-+]?[0-9]{1,5}\s*$`)

func (Offset) schema(s *schemas) schema {
	const number = `\s*[-+]?[0-9]{1,5}\s*`
	both, one := "^"+number+","+number+"$", "^"+number+"$"
	if s.variables {
		both, one = both+`|\$\{`, one+`|\$\{`
	}
	part := schema{"anyOf": []any{schema{"type": "number", "minimum": -maxOffset, "maximum": maxOffset},
		schema{"type": "string", "pattern": one}}}
	return schema{"anyOf": []any{schema{"type": "string", "pattern": both, "examples": []any{"120,-40"}},
		schema{"type": "object", "properties": schema{"x": part, "y": part}, "required": []any{"x", "y"},
			"additionalProperties": false}}}
}

func (Offset) words() string { return "offset" }

const pointForms = `write "120,340" for pixels or "50%,80%" for per cent, with the quotes`

func (p *Point) fromValue(d *decoding, v source.Value, name string) {
	x, y, ok := v, v, false
	switch v.Kind {
	case source.String:
		x.Text, y.Text, ok = strings.Cut(v.Text, ",")
	case source.Map:
		x, y, ok = d.coordinates(v, name)
		if !ok {
			return
		}
		if d.variables == deferred && strings.Contains(x.Text+y.Text, "${") {
			d.references(x)
			d.references(y)
			return
		}
	}
	if !ok {
		d.wrong(v, fmt.Sprintf("%q must be two numbers, not %s%s", name, describe(v), origin(v)), pointForms)
		return
	}
	px, xPercent, xOK := coordinate(x.Text)
	py, yPercent, yOK := coordinate(y.Text)
	switch {
	case !xOK || !yOK:
		d.wrong(v, fmt.Sprintf("%q must be two numbers, not %s%s", name, describe(v), origin(v)), pointForms)
	case xPercent != yPercent:
		d.wrong(v, fmt.Sprintf("%q mixes pixels and per cent", name), pointForms)
	case xPercent && (px > 100 || py > 100):
		d.wrong(v, fmt.Sprintf("%q is outside the screen: more than 100%%", name), "")
	default:
		*p = Point{X: px, Y: py, Percent: xPercent}
	}
}

// coordinates reads the map form.
func (d *decoding) coordinates(v source.Value, name string) (x, y source.Value, ok bool) {
	before := len(d.errs)
	for _, f := range v.Fields {
		if f.Key != "x" && f.Key != "y" {
			d.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("unknown key %q in %q", shorten.Runes(f.Key, 60), name),
				"allowed here: x, y")
		} else if f.Value.Kind != source.Int && f.Value.Kind != source.Float && f.Value.Kind != source.String {
			d.wrong(f.Value, fmt.Sprintf("%q must be a number, not %s", f.Key, describe(f.Value)), "")
		}
	}
	xf, xGiven := v.Get("x")
	yf, yGiven := v.Get("y")
	if !xGiven || !yGiven {
		d.fail(v.Pos, 0, fmt.Sprintf("%q needs both x and y", name), "for example: {x: 120, y: 340}")
	}
	return xf.Value, yf.Value, len(d.errs) == before
}

func coordinate(s string) (n float64, percent, ok bool) {
	s, percent = strings.CutSuffix(strings.TrimSpace(s), "%")
	s = strings.TrimSpace(s)
	if kind := source.Resolve(s); kind != source.Int && kind != source.Float {
		return 0, percent, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, percent, err == nil && n >= 0 && !math.IsInf(n, 0) && !math.IsNaN(n)
}

func (Point) schema(s *schemas) schema {
	if s.variables {
		return schema{"$ref": "#/$defs/point"}
	}
	return s.point()
}

func (Point) words() string { return "point" }
