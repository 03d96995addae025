package dsl

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// decoding turns Values into structs and notes everything that does not fit.
type decoding struct {
	source    *source.Source
	platform  Platform  // what the test runs on; "" when that is not known
	variables variables // what ${…} in a text means
	single    bool      // it is not a step of a test: its result goes back to its caller
	bound     *Step     // the step that is being bound: its inner steps are taken as they are
	errs      source.Errors
}

type variables int

const (
	literal  variables = iota // nothing: the text is final
	deferred                  // the value is not known yet and may be of any type
	refused                   // a mistake: variables do not work here
)

// object is a map that fills a struct, or a plain text in place of one.
type object struct {
	name    string     // the action or the key, as messages call it
	at      source.Pos // the place of its name: missing keys are reported there
	options *shape     // keys that the map may have in addition to those of the struct
	example string     // how to write it
	nested  bool       // it is the value of a key, not of an action
	takes   []string   // what its selector may be in addition to an element of the tree
}

// checker is what an argument struct implements when its tags cannot say all. It is called with the struct filled in.
type checker interface {
	check(d *decoding, v source.Value, o object)
}

// fromValue is what a type implements that is written in a form of its own.
type fromValue interface {
	fromValue(d *decoding, v source.Value, name string)
}

func (d *decoding) fail(pos source.Pos, width int, msg, hint string) {
	d.errs = append(d.errs, &source.Error{Pos: pos, Msg: msg, Hint: hint, Width: width, Source: d.source})
}

// wrong notes a mistake of a value and underlines the value.
func (d *decoding) wrong(v source.Value, msg, hint string) {
	width := 0
	if v.Kind != source.List && v.Kind != source.Map {
		width = len([]rune(v.Text))
		if v.Written != "" {
			width = len([]rune(v.Written))
		}
		if line := d.source.Chars(v.Pos.Line); v.Kind == source.String && v.Pos.Col >= 1 && v.Pos.Col <= len(line) {
			switch line[v.Pos.Col-1] {
			case '"', '\'':
				width += 2
			case '|', '>':
				width = 1
			}
		}
	}
	d.fail(v.Pos, width, msg, hint)
}

// structure fills the struct dst and looks at what its tags, its rules and its own check say.
func (d *decoding) structure(dst reflect.Value, v source.Value, o object) {
	s, before := shapeOf(dst.Type()), len(d.errs)
	o.takes = s.takes
	if !d.fill(dst, v, o, s) || len(d.errs) > before {
		return
	}
	if c, ok := dst.Addr().Interface().(checker); ok {
		c.check(d, v, o)
	}
	if len(d.errs) == before {
		d.rules(s.rules, s, v, o)
	}
}

// fill fills the struct dst from a map, or from a plain value in place of one, and reports whether it could.
func (d *decoding) fill(dst reflect.Value, v source.Value, o object, s *shape) bool {
	s.defaults(dst)
	switch v.Kind {
	case source.Map:
		d.fields(dst, v, o)
	case source.List:
		if s.scalar >= 0 && s.fields[s.scalar].typ.Kind() == reflect.Slice {
			d.field(dst.FieldByIndex(s.fields[s.scalar].index), v, s.fields[s.scalar])
			d.missing(source.Value{Kind: source.Map, Fields: []source.Field{{Key: s.fields[s.scalar].key}}}, o, s)
			break
		}
		d.wrong(v, fmt.Sprintf("%q takes %s, not a list", o.name, s.wants()), example(o))
		return false
	case source.Null:
		if v.Text != "" && s.scalar >= 0 {
			d.wrong(v, fmt.Sprintf("%q has no value", o.name), inQuotes(v.Text))
			return false
		}
		d.missing(v, o, s)
	default:
		if s.scalar < 0 {
			d.wrong(v, fmt.Sprintf("%q takes %s, not %s", o.name, s.wants(), describe(v)), example(o))
			return false
		}
		f := s.fields[s.scalar]
		d.field(dst.FieldByIndex(f.index), v, f)
		d.missing(source.Value{Kind: source.Map, Fields: []source.Field{{Key: f.key}}}, o, s)
	}
	return true
}

// wants describes what is expected in place of a wrong value.
func (s *shape) wants() string {
	switch {
	case len(s.fields) == 0:
		return "no argument but its options"
	case s.scalar < 0:
		return "a map"
	}
	switch t := s.fields[s.scalar].typ; {
	case t.Kind() == reflect.Bool:
		return "true, false or a map"
	case t.Kind() == reflect.Int:
		return "a number or a map"
	case t.Kind() == reflect.Slice:
		return "a text, a list or a map"
	default:
		return "a text or a map"
	}
}

func (d *decoding) fields(dst reflect.Value, v source.Value, o object) {
	s := shapeOf(dst.Type())
	for _, f := range v.Fields {
		i, known := s.byKey[f.Key]
		switch {
		case known:
			own := s.fields[i]
			own.at = f.Pos
			if !own.works(d.platform) {
				d.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("%q works on %s only, and this test runs on %s", f.Key,
					names(own.platforms), d.platform.words()), "remove it")
			}
			d.field(dst.FieldByIndex(own.index), f.Value, own)
		case o.options != nil && o.options.has(f.Key):
		default:
			d.unknown(f, v, o, s)
		}
	}
	d.missing(v, o, s)
}

func (d *decoding) missing(v source.Value, o object, s *shape) {
	for _, f := range s.fields {
		if _, given := v.Get(f.key); f.required && !given {
			d.fail(o.at, len([]rune(o.name)), fmt.Sprintf("%q needs %q", o.name, f.key), d.hint(v, o))
		}
	}
}

func example(o object) string {
	if o.example == "" {
		return ""
	}
	return "for example: " + o.example
}

// hint says how to write what is missing; the usual reason is a "#" that starts a comment.
func (d *decoding) hint(v source.Value, o object) string {
	if v.Kind == source.Null {
		if text := commentAfter(d.source.Line(o.at.Line), o.name); text != "" {
			return "a # starts a comment: put the text in quotes: " + source.Quote(text)
		}
	}
	return example(o)
}

// commentAfter returns a comment right behind a key that was perhaps meant as its value: tap: #menu.
func commentAfter(line, key string) string {
	_, rest, found := strings.Cut(line, key+":")
	rest = strings.TrimSpace(rest)
	if !found || len(rest) < 2 || rest[0] != '#' || rest[1] == ' ' || rest[1] == '#' {
		return ""
	}
	return strings.TrimRight(rest, "}, ")
}

// unknown explains a key that does not belong here.
func (d *decoding) unknown(f source.Field, v source.Value, o object, s *shape) {
	allowed := s.keys()
	hint := "allowed here: " + strings.Join(allowed, ", ")
	if o.options != nil {
		options := slices.DeleteFunc(o.options.keys(), func(key string) bool { return slices.Contains(allowed, key) })
		if hint += "; and of every step: " + strings.Join(options, ", "); len(allowed) == 0 {
			hint = "allowed here: " + strings.Join(options, ", ")
		}
		allowed = append(allowed, options...)
	}
	how, near := foreignArgument(f.Key, allowed), ownKey(f.Key, allowed)
	switch _, point := v.Get("point"); {
	case point && f.Value.Kind == source.Null && source.Resolve(strings.TrimSuffix(f.Key, "%")) != source.String:
		hint = `put the point in quotes: point: "120,340"`
	case how != "":
		hint = how
	case near != "":
		hint = fmt.Sprintf("did you mean %q?", near)
	case len(allowed) == 0:
		hint = "no value is possible here"
	}
	d.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("unknown key %q in %q", shorten.Runes(f.Key, 60), o.name), hint)
}

// field fills one field of a struct.
func (d *decoding) field(dst reflect.Value, v source.Value, f field) {
	if v.Open {
		return
	}
	if v.Kind == source.String && strings.Contains(v.Text, "${") && !keepsVariables(dst.Type()) {
		switch {
		case d.variables == deferred && f.fixed != "":
			d.wrong(v, fmt.Sprintf("%q cannot hold a variable", f.key), f.fixed)
			return
		case d.variables == deferred:
			d.references(v)
			return
		case d.variables == refused:
			d.wrong(v, fmt.Sprintf("%q cannot hold a variable", f.key), "variables work in vars and in steps")
			return
		}
	}
	if own, ok := dst.Addr().Interface().(fromValue); ok {
		own.fromValue(d, v, f.key)
		d.checkMinItems(v, f)
		return
	}
	if dst.Type() == reflect.TypeFor[source.Value]() {
		dst.Set(reflect.ValueOf(v))
		return
	}
	switch dst.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(dst.Type().Elem())
		d.field(fresh.Elem(), v, f)
		dst.Set(fresh)
	case reflect.String:
		d.text(dst, v, f)
	case reflect.Int:
		d.integer(dst, v, f)
	case reflect.Float64:
		d.float(dst, v, f)
	case reflect.Bool:
		d.boolean(dst, v, f)
	case reflect.Slice:
		d.list(dst, v, f)
	case reflect.Map:
		d.table(dst, v, f)
	case reflect.Interface:
		d.anything(dst, v)
	case reflect.Struct:
		d.structure(dst, v, object{name: f.key, at: f.at, nested: true, example: f.sampleMap()})
	default:
		d.fail(v.Pos, 0, fmt.Sprintf("%q cannot be read into %s", f.key, dst.Type()), "")
	}
}

// checkMinItems reports a list or a map with fewer entries than the field needs. A single text counts as a list of one.
func (d *decoding) checkMinItems(v source.Value, f field) {
	n := 1
	switch v.Kind {
	case source.List:
		n = len(v.Items)
	case source.Map:
		n = len(v.Fields)
	}
	switch {
	case n >= f.minItems || d.unknownYet(v):
	case n == 0:
		d.wrong(v, fmt.Sprintf("%q is empty", f.key), cmp.Or(exampleOf(f), "it needs at least one entry"))
	default:
		d.wrong(v, fmt.Sprintf("%q needs at least %d entries", f.key, f.minItems), exampleOf(f))
	}
}

// sampleMap shows how to write a field that is a map; an entry of a list has no key.
func (f field) sampleMap() string {
	if f.typ == nil {
		return ""
	}
	return cmp.Or(f.example, f.key+": Sign in")
}

func exampleOf(f field) string {
	if f.example == "" {
		return ""
	}
	return "for example: " + f.example
}
