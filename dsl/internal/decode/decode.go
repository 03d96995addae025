// Package decode turns values with positions into the structs of the vocabulary, and reports everything in them that is
// unknown, missing or contradictory.
package decode

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/form"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// Decoding turns Values into structs and notes everything that does not fit.
type Decoding struct {
	form.Checker
	Inner func(f source.Field) vocabulary.Steps // reads the steps inside of an action

	pending *Pending // of the struct that is being decoded; nil: outside of Record
	at      location // of the value that is being decoded
}

// Object is a map that fills a struct, or a plain text in place of one.
type Object struct {
	Name    string            // the action or the key, as messages call it
	At      source.Pos        // the place of its name: missing keys are reported there
	Options *vocabulary.Shape // keys that the map may have in addition to those of the struct
	Example string            // how to write it
	Nested  bool              // it is the value of a key, not of an action
	takes   []string          // what its selector may be in addition to an element of the tree
}

// Structure fills the struct dst and looks at what its tags, its rules and its own check say.
func (d *Decoding) Structure(dst reflect.Value, v source.Value, o Object) {
	s, before := vocabulary.ShapeOf(dst.Type()), len(d.Errs)
	o.takes = s.Takes
	if !d.fill(dst, v, o, s) || len(d.Errs) > before {
		return
	}
	d.own(dst.Interface(), v, o)
	if len(d.Errs) == before {
		d.Rules(s.Rules, s, v, o)
	}
}

// fill fills the struct dst from a map, or from a plain value in place of one, and reports whether it could.
func (d *Decoding) fill(dst reflect.Value, v source.Value, o Object, s *vocabulary.Shape) bool {
	s.Defaults(dst)
	switch v.Kind {
	case source.Map:
		d.fields(dst, v, o)
	case source.List:
		if s.Scalar >= 0 && s.Fields[s.Scalar].Typ.Kind() == reflect.Slice {
			d.at = shortForm(s.Fields[s.Scalar])
			d.Field(dst.FieldByIndex(s.Fields[s.Scalar].Index), v, s.Fields[s.Scalar])
			d.missing(source.Value{Kind: source.Map, Fields: []source.Field{{Key: s.Fields[s.Scalar].Name}}}, o, s)
			break
		}
		d.Wrong(v, fmt.Sprintf("%q takes %s, not a list", o.Name, wants(s)), example(o))
		return false
	case source.Null:
		if v.Text != "" && s.Scalar >= 0 {
			d.Wrong(v, fmt.Sprintf("%q has no value", o.Name), inQuotes(v.Text))
			return false
		}
		d.missing(v, o, s)
	default:
		if s.Scalar < 0 {
			d.Wrong(v, fmt.Sprintf("%q takes %s, not %s", o.Name, wants(s), source.Describe(v)), example(o))
			return false
		}
		f := s.Fields[s.Scalar]
		d.at = shortForm(f)
		d.Field(dst.FieldByIndex(f.Index), v, f)
		d.missing(source.Value{Kind: source.Map, Fields: []source.Field{{Key: f.Name}}}, o, s)
	}
	return true
}

// wants describes what is expected in place of a wrong value.
func wants(s *vocabulary.Shape) string {
	switch {
	case s.Other != nil:
		return "a map"
	case len(s.Fields) == 0:
		return "no argument but its options"
	case s.Scalar < 0:
		return "a map"
	}
	switch t := s.Fields[s.Scalar].Typ; {
	case t.Kind() == reflect.Bool:
		return "true, false or a map"
	case s.Fields[s.Scalar].Format == vocabulary.Duration:
		return "a time or a map"
	case t.Kind() == reflect.Int:
		return "a number or a map"
	case t.Kind() == reflect.Slice:
		return "a text, a list or a map"
	default:
		return "a text or a map"
	}
}

func (d *Decoding) fields(dst reflect.Value, v source.Value, o Object) {
	s := vocabulary.ShapeOf(dst.Type())
	for nth, f := range v.Fields {
		i, known := s.ByKey[f.Key]
		switch {
		case known:
			own := s.Fields[i]
			own.At, own.Name = f.Pos, f.Word()
			if !own.Works(d.Platform) {
				d.Fail(f.Pos, len([]rune(own.Name)), fmt.Sprintf("%q works on %s only, and this test runs on %s", own.Name,
					vocabulary.PlatformNames(own.Platforms), d.Platform.Words()), "remove it")
			}
			d.at = location{field: own.Index, item: -1, nth: nth, inner: -1}
			d.Field(dst.FieldByIndex(own.Index), f.Value, own)
		case o.Options != nil && o.Options.Has(f.Key):
		case s.Other != nil:
			d.other(dst.FieldByIndex(s.Other), s.Other, f, nth)
		default:
			d.unknown(f, v, o, s)
		}
	}
	d.missing(v, o, s)
}

// other reads a key that no field has into the field for such keys. They are variables, or devices with their steps.
func (d *Decoding) other(dst reflect.Value, index []int, f source.Field, nth int) {
	if dst.Type() == vocabulary.BranchesType {
		steps := d.Inner(f)
		dst.Set(reflect.Append(dst, reflect.ValueOf(vocabulary.Branch{Device: f.Key, Steps: steps})))
		return
	}
	if !d.NameOf(f) {
		return
	}
	var value any
	d.at = location{field: index, item: -1, keyed: true, entry: f.Key, nth: nth, inner: -1}
	d.Field(reflect.ValueOf(&value).Elem(), f.Value, vocabulary.Key{Name: f.Key, At: f.Pos})
	if dst.IsNil() {
		dst.Set(reflect.MakeMap(dst.Type()))
	}
	if value != nil {
		dst.SetMapIndex(reflect.ValueOf(f.Key), reflect.ValueOf(value))
	} else {
		dst.SetMapIndex(reflect.ValueOf(f.Key), reflect.Zero(dst.Type().Elem()))
	}
}

func (d *Decoding) missing(v source.Value, o Object, s *vocabulary.Shape) {
	for _, f := range s.Fields {
		if _, given := v.Get(f.Name); f.Required && !given {
			d.Fail(o.At, len([]rune(o.Name)), fmt.Sprintf("%q needs %q", o.Name, f.Name), d.hint(v, o))
		}
	}
}

func example(o Object) string {
	if o.Example == "" {
		return ""
	}
	return "for example: " + o.Example
}

// hint says how to write what is missing; the usual reason is a "#" that starts a comment.
func (d *Decoding) hint(v source.Value, o Object) string {
	if v.Kind == source.Null {
		if text := commentAfter(d.Source.Line(o.At.Line), o.Name); text != "" {
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

// Field fills one field of a struct.
func (d *Decoding) Field(dst reflect.Value, v source.Value, f vocabulary.Key) {
	if v.Open {
		return
	}
	if v.Kind == source.String && strings.Contains(v.Text, "${") && !vocabulary.KeepsVariables(dst.Type()) {
		switch {
		case d.Variables == expr.Deferred && f.Fixed != "":
			d.Wrong(v, fmt.Sprintf("%q cannot hold a variable", f.Name), f.Fixed)
			return
		case d.Variables == expr.Deferred:
			d.References(v)
			d.wait(f)
			return
		case d.Variables == expr.Refused:
			d.Wrong(v, fmt.Sprintf("%q cannot hold a variable", f.Name), "variables work in vars and in steps")
			return
		}
	}
	if d.special(dst.Addr().Interface(), v, f) {
		d.checkMinItems(v, f)
		d.waitInside(dst.Type(), v, f)
		return
	}
	switch dst.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(dst.Type().Elem())
		d.Field(fresh.Elem(), v, f)
		dst.Set(fresh)
	case reflect.String:
		if f.Format == "container" && v.Kind == source.Map {
			d.container(dst, v, f)
			d.waitInside(dst.Type(), v, f)
			break
		}
		if f.Format == vocabulary.Number {
			d.number(dst, v, f)
			break
		}
		d.text(dst, v, f)
	case reflect.Int:
		if f.Format == vocabulary.Duration {
			d.duration(dst, v, f)
			break
		}
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
		d.waitInside(dst.Type(), v, f)
	case reflect.Struct:
		o := Object{Name: f.Name, At: f.At, Nested: true, Example: sampleMap(f)}
		d.nested(o, func() { d.Structure(dst, v, o) })
	default:
		d.Fail(v.Pos, 0, fmt.Sprintf("%q cannot be read into %s", f.Name, dst.Type()), "")
	}
}

// checkMinItems reports a list or a map with fewer entries than the field needs. A single text counts as a list of one.
func (d *Decoding) checkMinItems(v source.Value, f vocabulary.Key) {
	n := 1
	switch v.Kind {
	case source.List:
		n = len(v.Items)
	case source.Map:
		n = len(v.Fields)
	}
	switch {
	case n >= f.MinItems || d.UnknownYet(v):
	case n == 0:
		d.Wrong(v, fmt.Sprintf("%q is empty", f.Name), cmp.Or(exampleOf(f), "it needs at least one entry"))
	default:
		d.Wrong(v, fmt.Sprintf("%q needs at least %d entries", f.Name, f.MinItems), exampleOf(f))
	}
}

// sampleMap shows how to write a field that is a map; an entry of a list has no key.
func sampleMap(f vocabulary.Key) string {
	if f.Typ == nil {
		return ""
	}
	return cmp.Or(f.Example, f.Name+": Sign in")
}

func exampleOf(f vocabulary.Key) string {
	if f.Example == "" {
		return ""
	}
	return "for example: " + f.Example
}

// Options fills the keys of a struct that are among others in a map.
func (d *Decoding) Options(dst reflect.Value, v source.Value) {
	s := vocabulary.ShapeOf(dst.Type())
	for nth, f := range v.Fields {
		if i, option := s.ByKey[f.Key]; option {
			own := s.Fields[i]
			own.Name = f.Word()
			d.at = location{field: own.Index, item: -1, nth: nth, inner: -1}
			d.Field(dst.FieldByIndex(own.Index), f.Value, own)
		}
	}
}
