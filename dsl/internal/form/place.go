package form

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

var (
	localeForm = lazyregexp.New(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)
	schemeForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:[^\s]`)
)

func (c *Checker) locale(v source.Value, text string) {
	if !localeForm.MatchString(text) {
		c.Wrong(v, fmt.Sprintf("%q is not a locale%s", phrase.LimitRunes(text, 60), source.Origin(v)),
			"write the language, and the country where it matters: en, de-DE, zh-Hans-CN")
	}
}

func (c *Checker) degrees(v source.Value, text string) {
	if _, _, ok := vocabulary.ParseDegrees(text); !ok {
		c.Wrong(v, fmt.Sprintf("%q is not a place%s", phrase.LimitRunes(text, 60), source.Origin(v)),
			`write latitude and longitude in degrees, with a point and in quotes: "52.52,13.405"`)
	}
}

const offsetForms = `write "120,-40" for pixels to the right and down, with the quotes`

func ReadOffset(d *Checker, o *vocabulary.Offset, v source.Value, name string) {
	x, y, ok := v, v, false
	switch v.Kind {
	case source.String:
		x.Text, y.Text, ok = strings.Cut(v.Text, ",")
	case source.Map:
		if x, y, ok = d.coordinates(v, name); !ok {
			return
		}
		if d.Variables == expr.Deferred && strings.Contains(x.Text+y.Text, "${") {
			d.References(x)
			d.References(y)
			return
		}
	}
	dx, xOK := pixels(x)
	dy, yOK := pixels(y)
	if !ok || !xOK || !yOK {
		d.Wrong(
			v,
			fmt.Sprintf("%q must be two numbers of pixels, not %s%s", name, source.Describe(v), source.Origin(v)),
			offsetForms,
		)
		return
	}
	*o = vocabulary.Offset{X: dx, Y: dy}
}

// pixels reads a number of pixels in either direction.
func pixels(v source.Value) (int, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(v.Text), 64)
	if err != nil || !(math.Abs(n) <= vocabulary.MaxOffset) {
		return 0, false
	}
	if v.Kind == source.String && !offsetForm.MatchString(v.Text) {
		return 0, false
	}
	return int(math.Round(n)), true
}

// offsetForm is a number of pixels as a text.
var offsetForm = lazyregexp.New(`^\s*[-+]?[0-9]{1,5}\s*$`)

const pointForms = `write "120,340" for pixels or "50%,80%" for per cent, with the quotes`

func ReadPoint(d *Checker, p *vocabulary.Point, v source.Value, name string) {
	x, y, ok := v, v, false
	switch v.Kind {
	case source.String:
		x.Text, y.Text, ok = strings.Cut(v.Text, ",")
	case source.Map:
		x, y, ok = d.coordinates(v, name)
		if !ok {
			return
		}
		if d.Variables == expr.Deferred && strings.Contains(x.Text+y.Text, "${") {
			d.References(x)
			d.References(y)
			return
		}
	}
	if !ok {
		d.Wrong(v, fmt.Sprintf("%q must be two numbers, not %s%s", name, source.Describe(v), source.Origin(v)), pointForms)
		return
	}
	px, xPercent, xOK := coordinate(x.Text)
	py, yPercent, yOK := coordinate(y.Text)
	switch {
	case !xOK || !yOK:
		d.Wrong(v, fmt.Sprintf("%q must be two numbers, not %s%s", name, source.Describe(v), source.Origin(v)), pointForms)
	case xPercent != yPercent:
		d.Wrong(v, fmt.Sprintf("%q mixes pixels and per cent", name), pointForms)
	case xPercent && (px > 100 || py > 100):
		d.Wrong(v, fmt.Sprintf("%q is outside the screen: more than 100%%", name), "")
	default:
		*p = vocabulary.Point{X: px, Y: py, Percent: xPercent}
	}
}

// coordinates reads the map form.
func (c *Checker) coordinates(v source.Value, name string) (x, y source.Value, ok bool) {
	before := len(c.Errs)
	for _, f := range v.Fields {
		if f.Key != "x" && f.Key != "y" {
			c.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("unknown key %q in %q", phrase.LimitRunes(f.Key, 60), name),
				"allowed here: x, y")
		} else if f.Value.Kind != source.Int && f.Value.Kind != source.Float && f.Value.Kind != source.String {
			c.Wrong(f.Value, fmt.Sprintf("%q must be a number, not %s", f.Key, source.Describe(f.Value)), "")
		}
	}
	xf, xGiven := v.Get("x")
	yf, yGiven := v.Get("y")
	if !xGiven || !yGiven {
		c.Fail(v.Pos, 0, fmt.Sprintf("%q needs both x and y", name), "for example: {x: 120, y: 340}")
	}
	return xf.Value, yf.Value, len(c.Errs) == before
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

// degreesForm is a place on earth: see degrees.
const degreesForm = `^\s*-?([0-8]?[0-9](\.[0-9]*)?|90(\.0*)?)\s*,` +
	`\s*-?(1[0-7][0-9](\.[0-9]*)?|180(\.0*)?|[0-9]?[0-9](\.[0-9]*)?)\s*$`
