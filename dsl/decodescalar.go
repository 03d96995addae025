package dsl

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/internal/suggest"
)

func (d *decoding) text(dst reflect.Value, v source.Value, f field) {
	text, ok := d.string(v, f.key)
	if !ok {
		return
	}
	if len([]rune(strings.TrimSpace(text))) < f.minText {
		d.wrong(v, fmt.Sprintf("%q is empty%s", f.key, origin(v)), "give it at least one visible character")
		return
	}
	if f.enum != nil && !slices.Contains(f.enum, text) {
		hint := "write " + oneOf(f.enum)
		near := suggest.Nearest(text, f.enum)
		if near == "" && f.key == "platform" {
			near = foreignPlatform(text)
		}
		if near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		d.wrong(v, fmt.Sprintf("%q cannot be %q%s", f.key, text, origin(v)), hint)
		return
	}
	if f.form.check != nil {
		f.form.check(d, v, text)
	}
	dst.SetString(text)
}

// string reads a text; a number counts as it is written.
func (d *decoding) string(v source.Value, name string) (string, bool) {
	switch v.Kind {
	case source.String, source.Int, source.Float:
		return v.Text, true
	case source.Bool:
		hint := inQuotes(v.Text)
		if name == "skip" {
			hint = "say why the test is not run, or remove the line"
		}
		d.wrong(v, fmt.Sprintf("%q must be a text, not %s", name, describe(v)), hint)
	case source.Null:
		if v.Text == "" {
			hint := "write a value after it, or remove the line"
			if text := commentAfter(d.source.Line(v.Pos.Line), name); text != "" {
				hint = "a # starts a comment: put the text in quotes: " + source.Quote(text)
			}
			d.fail(v.Pos, len([]rune(name)), fmt.Sprintf("%q has no value", name), hint)
			break
		}
		d.wrong(v, fmt.Sprintf("%q has no value", name), inQuotes(v.Text))
	case source.List:
		hint := "write one text; put it in quotes when it starts with [ or {"
		if name == "platform" {
			hint = "write one; both is Android and iOS"
		}
		d.wrong(v, fmt.Sprintf("%q must be a text, not a list", name), hint)
	default:
		d.wrong(v, fmt.Sprintf("%q must be a text, not %s", name, describe(v)),
			"write one text; put it in quotes when it starts with [ or {")
	}
	return "", false
}

func (d *decoding) integer(dst reflect.Value, v source.Value, f field) {
	kind, text := v.Kind, v.Text
	if v.Written != "" {
		kind = source.Resolve(v.Text)
	}
	if whole, ok := wholeJSON(v); ok {
		kind, text = source.Int, whole
	}
	if kind != source.Int {
		hint := "write digits only, for example: " + f.key + ": " + f.sample()
		if v.Kind == source.String && v.Written == "" && source.Resolve(v.Text) == source.Int {
			hint = "write it without quotes: " + v.Text
		}
		d.wrong(v, fmt.Sprintf("%q must be a whole number, not %s%s", f.key, describe(v), origin(v)), hint)
		return
	}
	n, fits := source.Number(text)
	switch {
	case f.minimum != nil && (fits && n < *f.minimum || !fits && text[0] == '-'):
		d.wrong(v, fmt.Sprintf("%q must be at least %d%s", f.key, *f.minimum, origin(v)), "")
	case f.maximum != nil && (!fits || n > *f.maximum):
		d.wrong(v, fmt.Sprintf("%q must be at most %d%s", f.key, *f.maximum, origin(v)), "")
	case !fits:
		d.wrong(v, fmt.Sprintf("%q is too large a number%s", f.key, origin(v)), "")
	default:
		dst.SetInt(int64(n))
	}
}

// wholeJSON writes a whole number of a JSON text as digits: 5.0 and 1e3 are integers there.
func wholeJSON(v source.Value) (string, bool) {
	if v.Kind != source.Float || v.Pos.Line > 0 {
		return "", false
	}
	x, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return "", false
	}
	return strconv.FormatFloat(x, 'f', -1, 64), true
}

func (d *decoding) float(dst reflect.Value, v source.Value, f field) {
	kind := v.Kind
	if v.Written != "" {
		kind = source.Resolve(v.Text)
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	switch {
	case kind != source.Int && kind != source.Float || err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		d.wrong(v, fmt.Sprintf("%q must be a number, not %s%s", f.key, describe(v), origin(v)), "for example: "+f.key+": "+
			cmp.Or(f.defaultText, "0.5"))
	case f.minimum != nil && n < float64(*f.minimum):
		d.wrong(v, fmt.Sprintf("%q must be at least %d%s", f.key, *f.minimum, origin(v)), "")
	case f.maximum != nil && n > float64(*f.maximum):
		d.wrong(v, fmt.Sprintf("%q must be at most %d%s", f.key, *f.maximum, origin(v)), "")
	default:
		dst.SetFloat(n)
	}
}

// sample is a number that the field takes.
func (f field) sample() string {
	if strings.HasSuffix(f.key, "Ms") {
		return "5000"
	}
	return "1"
}

func (d *decoding) boolean(dst reflect.Value, v source.Value, f field) {
	kind := v.Kind
	if v.Written != "" {
		kind = source.Resolve(v.Text)
	}
	if kind == source.Bool {
		if f.only != "" && !strings.EqualFold(v.Text, f.only) {
			d.wrong(v, fmt.Sprintf(`"%s: %s" has no effect`, f.key, strings.ToLower(v.Text)), "write "+f.only+
				", or remove it")
			return
		}
		dst.SetBool(strings.EqualFold(v.Text, "true"))
		return
	}
	hint := "write true or false"
	switch strings.ToLower(v.Text) {
	case "yes", "y", "on", "1":
		hint = "write true"
	case "no", "n", "off", "0":
		hint = "write false"
	case "true", "false":
		hint = "write it without quotes: " + strings.ToLower(v.Text)
	}
	d.wrong(v, fmt.Sprintf("%q must be true or false, not %s%s", f.key, describe(v), origin(v)), hint)
}

// list reads texts; a single one may stand without brackets.
func (d *decoding) list(dst reflect.Value, v source.Value, f field) {
	items := []source.Value{v}
	switch {
	case v.Kind == source.List:
		items = v.Items
	case v.Kind == source.Map && dst.Type().Elem().Kind() == reflect.String:
		d.wrong(v, fmt.Sprintf("%q must be a text or a list of texts, not a map", f.key), "for example: "+f.key+
			": [one, two]")
		return
	}
	d.checkMinItems(v, f)
	for _, item := range items {
		text := reflect.New(dst.Type().Elem()).Elem()
		before := len(d.errs)
		d.field(text, item, field{key: f.key, minText: f.minText, enum: f.enum, form: f.form, minimum: f.minimum,
			maximum: f.maximum, at: item.Pos})
		if len(d.errs) == before {
			dst.Set(reflect.Append(dst, text))
		}
	}
}

// describe names a value in a message.
func describe(v source.Value) string {
	switch v.Kind {
	case source.List:
		return "a list"
	case source.Map:
		return "a map"
	case source.Null:
		return "nothing"
	case source.Bool, source.Int, source.Float:
		return v.Text
	default:
		return fmt.Sprintf("the text %q", shorten.Runes(v.Text, 60))
	}
}

// origin says that a value came out of variables.
func origin(v source.Value) string {
	if v.Written == "" {
		return ""
	}
	return fmt.Sprintf(" (from %s)", shorten.Runes(v.Written, 60))
}

func inQuotes(text string) string {
	return fmt.Sprintf("write %q in quotes", text)
}

func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
