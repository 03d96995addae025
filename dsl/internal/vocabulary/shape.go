package vocabulary

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Shape is what a struct's tags say about the map that fills it. Embedded structs are flattened.
type Shape struct {
	Fields []Key
	ByKey  map[string]int // by their names; Find knows the other spellings, too
	Scalar int            // the field that a plain text fills; -1 when there is none
	Other  []int          // the field that holds the keys which no other field has, by their names; nil: there is none
	Rules  []Rule
	Typ    reflect.Type

	Selects bool     // it has the keys of a selector
	Unless  []string // keys that make an element unnecessary
	Takes   []string // what its selector may be in addition to an element of the tree: point, describe
}

// Number is the format of texts that are numbers, of any size.
const Number = "number"

// Duration is the format of fields that hold milliseconds, and are written 5s, 1m30s, or as a number.
const Duration = "duration"

type Key struct {
	Name        string
	Spellings   []string     // further names, which mean the same
	Typ         reflect.Type // behind a pointer, when it is one
	Doc         string
	DefaultText string // the default, as it is written
	Index       []int
	Required    bool
	Enum        []string
	Minimum     *int
	Maximum     *int
	At          source.Pos // of the key, while a map is being read
	MinText     int        // the least number of characters, edge white space aside
	MinItems    int        // the least number of entries of a list or a map

	Format    string     // what its texts look like: see textForms
	Only      string     // the one value that makes sense
	Fixed     string     // why it cannot hold a variable; empty: it can
	Platforms []Platform // where it works; nil: wherever the operation does
	Example   string     // how to write it
	Tool      string     // its description for assistants; "-": they do not get it
}

// Default is the default as the reference shows it; "" without any.
func (f Key) Default() string {
	if f.DefaultText == "" || f.Format != Duration {
		return f.DefaultText
	}
	n, _ := source.Number(f.DefaultText)
	return phrase.Duration(time.Duration(n) * time.Millisecond)
}

// Bound writes one of the field's limits as people write it.
func (f Key) Bound(n int) string {
	if f.Format == Duration {
		return phrase.Duration(time.Duration(n) * time.Millisecond)
	}
	return strconv.Itoa(n)
}

// Is reports whether the field is of a basic kind: bool, int, string.
func (f Key) Is(kind string) bool { return f.Typ.Kind().String() == kind }

// Works reports whether the field has a meaning on a platform.
func (f Key) Works(p Platform) bool {
	return f.Platforms == nil ||
		!slices.ContainsFunc(p.Each(), func(one Platform) bool { return !slices.Contains(f.Platforms, one) })
}

func (s *Shape) Keys() []string {
	keys := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		keys[i] = f.Name
	}
	return keys
}

// Find returns the field of a key in any of its spellings.
func (s *Shape) Find(key string) (Key, bool) {
	i, known := s.ByKey[key]
	if !known {
		i = slices.IndexFunc(s.Fields, func(f Key) bool { return slices.Contains(f.Spellings, key) })
	}
	if i < 0 {
		return Key{}, false
	}
	return s.Fields[i], true
}

func (s *Shape) Has(key string) bool {
	_, known := s.ByKey[key]
	return known
}

// shapes holds those that were asked for, by reflect.Type.
var shapes sync.Map

func ShapeOf(t reflect.Type) *Shape {
	s, known := shapes.Load(t)
	if !known {
		s, _ = shapes.LoadOrStore(t, newShape(t))
	}
	return s.(*Shape)
}

func newShape(t reflect.Type) *Shape {
	s := &Shape{Typ: t, ByKey: map[string]int{}, Scalar: -1, Rules: rulesOf(reflect.Zero(t).Interface()),
		Selects: t == SelectorType}
	s.add(t, nil)
	return s
}

func (s *Shape) add(t reflect.Type, path []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(path[:len(path):len(path)], i)
		if f.Anonymous {
			s.add(f.Type, index)
			s.Selects = s.Selects || f.Type == SelectorType
			s.Takes, s.Unless = append(s.Takes, words(f.Tag.Get("takes"))...), append(s.Unless, words(f.Tag.Get("unless"))...)
			if name, spelling, given := strings.Cut(f.Tag.Get("spelling"), "="); given {
				key := &s.Fields[s.ByKey[name]]
				key.Spellings, key.Doc = []string{spelling}, cmp.Or(descriptionOf(t, name, "").doc, key.Doc)
			}
			continue
		}
		if f.Tag.Get("keys") == "other" {
			s.Other = index
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" || !f.IsExported() {
			continue
		}
		about := descriptionOf(t, key, f.Tag)
		own := Key{Name: key, Index: index, Typ: f.Type, Doc: about.doc, DefaultText: f.Tag.Get("default"),
			Spellings: words(f.Tag.Get("spelling")), Required: f.Tag.Get("required") == "true",
			Minimum: tagInt(f.Tag, "minimum"), Maximum: tagInt(f.Tag, "maximum")}
		if own.Typ.Kind() == reflect.Pointer {
			own.Typ = own.Typ.Elem()
		}
		if n := tagInt(f.Tag, "minLength"); n != nil {
			own.MinText = *n
		}
		if n := tagInt(f.Tag, "minItems"); n != nil {
			own.MinItems = *n
		} else if own.Required && own.Typ.Kind() == reflect.Slice && own.Typ.Elem().Kind() == reflect.String {
			own.MinItems = 1
		}
		if own.Enum = words(f.Tag.Get("enum")); f.Tag.Get("oneOf") != "" { // which may hold commas
			own.Enum = strings.Split(f.Tag.Get("oneOf"), "\n")
		}
		own.Format, own.Only, own.Fixed = f.Tag.Get("format"), f.Tag.Get("only"), f.Tag.Get("fixed")
		own.Example, own.Tool = about.example, about.tool
		for _, p := range words(f.Tag.Get("platforms")) {
			own.Platforms = append(own.Platforms, Platform(p))
		}
		if i, embedded := s.ByKey[key]; embedded { // the struct's own field hides that of the one it embeds
			s.Fields[i] = own
			continue
		}
		if f.Tag.Get("scalar") == "true" {
			s.Scalar = len(s.Fields)
		}
		s.ByKey[key] = len(s.Fields)
		s.Fields = append(s.Fields, own)
	}
}

// words are those of a tag, with commas between them.
func words(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, ",")
}

// Defaults fills in what the author may leave out.
func (s *Shape) Defaults(dst reflect.Value) {
	for _, f := range s.Fields {
		if f.DefaultText == "" {
			continue
		}
		switch to := dst.FieldByIndex(f.Index); to.Kind() {
		case reflect.String:
			to.SetString(f.DefaultText)
		case reflect.Int:
			n, _ := source.Number(f.DefaultText)
			to.SetInt(int64(n))
		case reflect.Float64:
			n, _ := strconv.ParseFloat(f.DefaultText, 64)
			to.SetFloat(n)
		case reflect.Bool:
			to.SetBool(f.DefaultText == "true")
		}
	}
}

func tagInt(tag reflect.StructTag, name string) *int {
	n, err := strconv.Atoi(tag.Get(name))
	if err != nil {
		return nil
	}
	return &n
}

// Keys returns the keys that the map of an argument struct can have, in the order of the reference.
func Keys(args any) []string { return ShapeOf(reflect.TypeOf(args)).Keys() }

// ShortKey is the key that a plain text fills; empty: only a map will do.
func ShortKey(args any) string {
	s := ShapeOf(reflect.TypeOf(args))
	if s.Scalar < 0 {
		return ""
	}
	return s.Fields[s.Scalar].Name
}
