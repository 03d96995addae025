package maestro

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

// Scalars without quotes are YAML 1.1's in Maestro's files: a yes is true, 1.50 is 1.5, 007 is 7. Whether a command
// sees that or the text as it is written depends on the command.

var (
	boolForm = lazyregexp.New(`^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)
	intForm  = lazyregexp.New(`^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+)$`)
	realForm = lazyregexp.New(
		`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?)$`)
	nullForm = lazyregexp.New(`^(?:~|null|Null|NULL)$`)
)

// scalar is what YAML 1.1 makes of a value: a string, bool, int64, float64, or nil.
func scalar(v source.Raw) any {
	text := v.Text
	switch {
	case v.Kind == source.Null:
		return nil
	case v.Quoted:
		return text
	case nullForm.MatchString(text):
		return nil
	case boolForm.MatchString(text):
		return strings.ContainsAny(text[:1], "yYtT") || strings.EqualFold(text, "on")
	case intForm.MatchString(text):
		if n, ok := wholeNumber(text); ok {
			return n
		}
	case realForm.MatchString(text):
		if f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil {
			return f
		}
	}
	return text
}

// wholeNumber reads a number of YAML 1.1: with underscores, in base 2, 8 (a leading zero), 10 or 16.
func wholeNumber(text string) (int64, bool) {
	digits := strings.ReplaceAll(text, "_", "")
	sign := ""
	if strings.HasPrefix(digits, "-") || strings.HasPrefix(digits, "+") {
		sign, digits = strings.TrimPrefix(digits[:1], "+"), digits[1:]
	}
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"):
		base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	}
	n, err := strconv.ParseInt(sign+digits, base, 64)
	return n, err == nil
}

// yamlText is the text of a value after YAML 1.1 has read it.
func yamlText(v source.Raw) string {
	switch x := scalar(v).(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return javaFloat(x)
	case string:
		return x
	}
	return v.Text
}

// javaFloat writes a number as Java does: 1.5, 100.0, 1.0E10.
func javaFloat(f float64) string {
	size := math.Abs(f)
	if size != 0 && (size < 1e-3 || size >= 1e7) {
		text := strconv.FormatFloat(f, 'E', -1, 64)
		mantissa, exponent, _ := strings.Cut(text, "E")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		negative := strings.HasPrefix(exponent, "-")
		exponent = strings.TrimLeft(strings.TrimLeft(exponent, "+-"), "0")
		if negative {
			exponent = "-" + exponent
		}
		return mantissa + "E" + exponent
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// values reads fields as Maestro does, and reports those that it cannot read.
type values struct{ *problems }

// resolved is the text of a field as YAML 1.1 reads it; nil: it is none, which is reported, or nothing.
func (r values) resolved(f source.RawField) *string {
	if !r.isScalar(f) || scalar(f.Value) == nil {
		return nil
	}
	text := yamlText(f.Value)
	return &text
}

// written is the text of a field as it is written.
func (r values) written(f source.RawField) *string {
	if !r.isScalar(f) || f.Value.Kind == source.Null || !f.Value.Quoted && nullForm.MatchString(f.Value.Text) {
		return nil
	}
	text := f.Value.Text
	return &text
}

func (r values) isScalar(f source.RawField) bool {
	if f.Value.Kind == source.List || f.Value.Kind == source.Map {
		r.fail(f.Value.Pos, 0, fmt.Sprintf("%q must be a text, not a %s", f.Key, kindName(f.Value)),
			"put the text behind it in quotes")
		return false
	}
	return true
}

func kindName(v source.Raw) string {
	switch v.Kind {
	case source.List:
		return "list"
	case source.Map:
		return "map"
	case source.Null:
		return "nothing"
	}
	return "text"
}

// whole reads a whole number, quoted or not; nil: there is none.
func (r values) whole(f source.RawField) *int {
	if !r.isScalar(f) {
		return nil
	}
	var n int64
	switch x := scalar(f.Value).(type) {
	case nil:
		return nil
	case int64:
		n = x
	case float64:
		n = int64(x)
	case string:
		parsed, err := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
		if err != nil {
			r.notWhole(f)
			return nil
		}
		n = parsed
	default:
		r.notWhole(f)
		return nil
	}
	if n != int64(int32(n)) {
		r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q is too large a number", f.Key), "")
		return nil
	}
	small := int(n)
	return &small
}

func (r values) notWhole(f source.RawField) {
	hint := ""
	if strings.Contains(f.Value.Text, "${") {
		hint = "Maestro fills in no ${…} here"
	}
	r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q must be a whole number, not %q", f.Key, short(f.Value.Text)), hint)
}

// truth reads true or false.
func (r values) truth(f source.RawField, otherwise bool) bool {
	if !r.isScalar(f) {
		return otherwise
	}
	switch x := scalar(f.Value).(type) {
	case nil:
		return otherwise
	case bool:
		return x
	case int64:
		return x != 0
	case string:
		switch strings.TrimSpace(x) {
		case "true", "True", "TRUE":
			return true
		case "false", "False", "FALSE":
			return false
		}
	}
	r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q must be true or false, not %q", f.Key, short(f.Value.Text)), "")
	return otherwise
}

func short(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

func words(list string) []string { return strings.Fields(list) }

// pairs reads a map of texts, as they are written.
func (r values) pairs(f source.RawField) []Pair {
	if f.Value.Kind != source.Map {
		if f.Value.Kind != source.Null || f.Key == "env" {
			r.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("%q must be a map", f.Key), "NAME: value, one in a line; or remove it")
		}
		return nil
	}
	var all []Pair
	for _, x := range f.Value.Fields {
		if x.Value.Kind == source.List || x.Value.Kind == source.Map {
			r.fail(x.Value.Pos, 0, fmt.Sprintf("%q must be a text, not a %s", short(x.Key), kindName(x.Value)), "")
			continue
		}
		text := r.written(x)
		if text == nil {
			r.fail(x.Pos, len([]rune(x.Key)), fmt.Sprintf("%q has no value", short(x.Key)),
				fmt.Sprintf(`write %s: "" for an empty text, or remove it`, x.Key))
			continue
		}
		all = slices.DeleteFunc(all, func(p Pair) bool { return p.Key == x.Key })
		all = append(all, Pair{Key: x.Key, Value: *text, Pos: x.Value.Pos})
	}
	return all
}

func (r values) required(f source.RawField, key string) (string, bool) {
	x, given := f.Value.Get(key)
	if !given || x.Value.Kind == source.Null {
		r.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("%q needs %q", f.Key, key), "")
		return "", false
	}
	text := r.written(x)
	if text == nil {
		return "", false
	}
	return *text, true
}

func (r values) isMap(f source.RawField) bool {
	if f.Value.Kind == source.Map {
		return true
	}
	r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q takes a map, not a %s", f.Key, kindName(f.Value)), "")
	return false
}

// optionalText returns a field of a map; nil: it is not there.
func (r values) optionalText(v source.Raw, key string) *string {
	if f, given := v.Get(key); given {
		return r.written(f)
	}
	return nil
}

func (r values) flag(v source.Raw, key string, otherwise bool) bool {
	if f, given := v.Get(key); given {
		return r.truth(f, otherwise)
	}
	return otherwise
}

func (r values) number(v source.Raw, key string) *int {
	if f, given := v.Get(key); given {
		return r.whole(f)
	}
	return nil
}

func (r values) texts(f source.RawField) []string {
	if f.Value.Kind == source.Null {
		return nil
	}
	if f.Value.Kind == source.String {
		return []string{f.Value.Text}
	}
	var all []string
	for _, item := range f.Value.Items {
		if text := r.written(source.RawField{Key: f.Key, Pos: item.Pos, Value: item}); text != nil {
			all = append(all, *text)
		}
	}
	return all
}

func (r values) state(f source.RawField) *bool {
	on := r.truth(f, false)
	return &on
}

var (
	pixelPoint   = lazyregexp.New(`^\s*-?\d+\s*,\s*-?\d+\s*$`)
	percentPoint = lazyregexp.New(`^\s*\d+\s*%?\s*,\s*\d+\s*%?\s*$`)
)

// places checks the ends of a swipe: both in pixels, or both in per cent.
func (r values) places(start, end source.RawField) {
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

func (r values) direction(f source.RawField) dsl.Direction {
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
