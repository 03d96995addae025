package decode

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/form"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

func (d *Decoding) text(dst reflect.Value, v source.Value, f vocabulary.Key) {
	text, ok := d.string(v, f.Name)
	if !ok {
		return
	}
	if len([]rune(strings.TrimSpace(text))) < f.MinText {
		d.Wrong(v, fmt.Sprintf("%q is empty%s", f.Name, source.Origin(v)), "give it at least one visible character")
		return
	}
	if f.Enum != nil && !slices.Contains(f.Enum, text) {
		hint := "write " + phrase.Or(f.Enum)
		if near := phrase.Nearest(text, f.Enum); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		d.Wrong(v, fmt.Sprintf("%q cannot be %q%s", f.Name, text, source.Origin(v)), hint)
		return
	}
	if form := form.TextForms()[f.Format]; form.Check != nil {
		form.Check(&d.Checker, v, text)
	}
	dst.SetString(text)
}

// string reads a text; a number counts as it is written.
func (d *Decoding) string(v source.Value, name string) (string, bool) {
	switch v.Kind {
	case source.String, source.Int, source.Float:
		return v.Text, true
	case source.Bool:
		hint := inQuotes(v.Text)
		if name == "skip" {
			hint = "say why the test is not run, or remove the line"
		}
		d.Wrong(v, fmt.Sprintf("%q must be a text, not %s", name, source.Describe(v)), hint)
	case source.Null:
		if v.Text == "" {
			hint := "write a value after it, or remove the line"
			if text := commentAfter(d.Source.Line(v.Pos.Line), name); text != "" {
				hint = "a # starts a comment: put the text in quotes: " + source.Quote(text)
			}
			d.Fail(v.Pos, len([]rune(name)), fmt.Sprintf("%q has no value", name), hint)
			break
		}
		d.Wrong(v, fmt.Sprintf("%q has no value", name), inQuotes(v.Text))
	case source.List:
		d.Wrong(v, fmt.Sprintf("%q must be a text, not a list", name),
			"write one text; put it in quotes when it starts with [ or {")
	default:
		d.Wrong(v, fmt.Sprintf("%q must be a text, not %s", name, source.Describe(v)),
			"write one text; put it in quotes when it starts with [ or {")
	}
	return "", false
}

func (d *Decoding) integer(dst reflect.Value, v source.Value, f vocabulary.Key) {
	kind, text := v.Kind, v.Text
	if v.Written != "" {
		kind = source.Resolve(v.Text)
	}
	if whole, ok := wholeJSON(v); ok {
		kind, text = source.Int, whole
	}
	if kind != source.Int {
		hint := "write digits only, for example: " + f.Name + ": 1"
		if v.Kind == source.String && v.Written == "" && source.Resolve(v.Text) == source.Int {
			hint = "write it without quotes: " + v.Text
		}
		d.Wrong(v, fmt.Sprintf("%q must be a whole number, not %s%s", f.Name, source.Describe(v), source.Origin(v)), hint)
		return
	}
	n, fits := source.Number(text)
	switch {
	case f.Minimum != nil && (fits && n < *f.Minimum || !fits && text[0] == '-'):
		d.Wrong(v, fmt.Sprintf("%q must be at least %d%s", f.Name, *f.Minimum, source.Origin(v)), "")
	case f.Maximum != nil && (!fits || n > *f.Maximum):
		d.Wrong(v, fmt.Sprintf("%q must be at most %d%s", f.Name, *f.Maximum, source.Origin(v)), "")
	case !fits:
		d.Wrong(v, fmt.Sprintf("%q is too large a number%s", f.Name, source.Origin(v)), "")
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

func (d *Decoding) float(dst reflect.Value, v source.Value, f vocabulary.Key) {
	kind := v.Kind
	if v.Written != "" {
		kind = source.Resolve(v.Text)
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	switch {
	case kind != source.Int && kind != source.Float || err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		d.Wrong(
			v,
			fmt.Sprintf("%q must be a number, not %s%s", f.Name, source.Describe(v), source.Origin(v)),
			"for example: "+f.Name+": "+
				cmp.Or(f.DefaultText, "0.5"),
		)
	case f.Minimum != nil && n < float64(*f.Minimum):
		d.Wrong(v, fmt.Sprintf("%q must be at least %d%s", f.Name, *f.Minimum, source.Origin(v)), "")
	case f.Maximum != nil && n > float64(*f.Maximum):
		d.Wrong(v, fmt.Sprintf("%q must be at most %d%s", f.Name, *f.Maximum, source.Origin(v)), "")
	default:
		dst.SetFloat(n)
	}
}

// number reads a number of any size into a text, which keeps all its digits.
func (d *Decoding) number(dst reflect.Value, v source.Value, f vocabulary.Key) {
	kind := v.Kind
	if v.Written != "" {
		kind = source.Resolve(v.Text)
	}
	x, err := strconv.ParseFloat(v.Text, 64)
	if kind != source.Int && (kind != source.Float || err != nil || math.IsInf(x, 0) || math.IsNaN(x)) {
		hint := "for example: " + f.Name + ": " + cmp.Or(f.DefaultText, "5")
		if n := source.Resolve(v.Text); v.Kind == source.String && (n == source.Int || n == source.Float) {
			hint = "write it without quotes: " + v.Text
		}
		d.Wrong(v, fmt.Sprintf("%q must be a number, not %s%s", f.Name, source.Describe(v), source.Origin(v)), hint)
		return
	}
	dst.SetString(v.Text)
}

func (d *Decoding) boolean(dst reflect.Value, v source.Value, f vocabulary.Key) {
	kind := v.Kind
	if v.Written != "" {
		kind = source.Resolve(v.Text)
	}
	if kind == source.Bool {
		if f.Only != "" && !strings.EqualFold(v.Text, f.Only) {
			d.Wrong(v, fmt.Sprintf(`"%s: %s" has no effect`, f.Name, strings.ToLower(v.Text)), "write "+f.Only+
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
	d.Wrong(v, fmt.Sprintf("%q must be true or false, not %s%s", f.Name, source.Describe(v), source.Origin(v)), hint)
}

// list reads texts; a single one may stand without brackets.
func (d *Decoding) list(dst reflect.Value, v source.Value, f vocabulary.Key) {
	items := []source.Value{v}
	switch {
	case v.Kind == source.List:
		items = v.Items
	case v.Kind == source.Map && dst.Type().Elem().Kind() == reflect.String:
		d.Wrong(v, fmt.Sprintf("%q must be a text or a list of texts, not a map", f.Name), "for example: "+f.Name+
			": [one, two]")
		return
	}
	d.checkMinItems(v, f)
	list := d.at
	defer func() { d.at = list }()
	for n, item := range items {
		d.at.item, d.at.inner = dst.Len(), -1
		if v.Kind == source.List {
			d.at.inner = n
		}
		text := reflect.New(dst.Type().Elem()).Elem()
		before := len(d.Errs)
		d.Field(
			text,
			item,
			vocabulary.Key{Name: f.Name, MinText: f.MinText, Enum: f.Enum, Format: f.Format, Minimum: f.Minimum,
				Maximum: f.Maximum, At: item.Pos},
		)
		if len(d.Errs) == before {
			dst.Set(reflect.Append(dst, text))
		}
	}
}

func inQuotes(text string) string {
	return fmt.Sprintf("write %q in quotes", text)
}

func (d *Decoding) anything(dst reflect.Value, v source.Value) {
	if x := d.Read(v); x != nil {
		dst.Set(reflect.ValueOf(x))
	}
}

// table reads a map with keys of the author's choice.
func (d *Decoding) table(dst reflect.Value, v source.Value, f vocabulary.Key) {
	if v.Kind != source.Map {
		d.Wrong(v, fmt.Sprintf("%q must be a map, not %s", f.Name, source.Describe(v)), "write keys and values: {key: value}")
		return
	}
	dst.Set(reflect.MakeMap(dst.Type()))
	table := d.at
	defer func() { d.at = table }()
	for n, entry := range v.Fields {
		if entry.Key == "" {
			d.Fail(entry.Pos, 1, fmt.Sprintf("an empty key in %q", f.Name), "")
			continue
		}
		value := reflect.New(dst.Type().Elem()).Elem()
		before := len(d.Errs)
		d.at.keyed, d.at.entry, d.at.inner = true, entry.Key, n
		d.Field(value, entry.Value, vocabulary.Key{Name: entry.Key, At: entry.Pos, Enum: f.Enum, MinText: f.MinText})
		if len(d.Errs) == before {
			dst.SetMapIndex(reflect.ValueOf(entry.Key), value)
		}
	}
}
