package dsl

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/dsl/source"
)

// shape is what a struct's tags say about the map that fills it. Embedded structs are flattened.
type shape struct {
	fields []field
	byKey  map[string]int
	scalar int // the field that a plain text fills; -1 when there is none
	rules  []rule
	typ    reflect.Type

	selects bool     // it has the keys of a selector
	unless  []string // keys that make an element unnecessary
	takes   []string // what its selector may be in addition to an element of the tree: point, describe
}

type field struct {
	key         string
	typ         reflect.Type // behind a pointer, when it is one
	doc         string
	defaultText string // the default, as it is written
	index       []int
	required    bool
	enum        []string
	minimum     *int
	maximum     *int
	at          source.Pos // of the key, while a map is being read
	minText     int        // the least number of characters, edge white space aside
	minItems    int        // the least number of entries of a list or a map

	form      textForm   // what its texts look like
	only      string     // the one value that makes sense
	fixed     string     // why it cannot hold a variable; empty: it can
	platforms []Platform // where it works; nil: wherever the operation does
	example   string     // how to write it
	tool      string     // its description for assistants; "-": they do not get it
}

// is reports whether the field is of a basic kind: bool, int, string.
func (f field) is(kind string) bool { return f.typ.Kind().String() == kind }

// works reports whether the field has a meaning on a platform.
func (f field) works(p Platform) bool {
	if p == Both {
		return f.works(Android) && f.works(IOS)
	}
	return f.platforms == nil || p == "" || slices.Contains(f.platforms, p)
}

func (s *shape) keys() []string {
	keys := make([]string, len(s.fields))
	for i, f := range s.fields {
		keys[i] = f.key
	}
	return keys
}

func (s *shape) has(key string) bool {
	_, known := s.byKey[key]
	return known
}

// shapes holds those that were asked for, by reflect.Type.
var shapes sync.Map

func shapeOf(t reflect.Type) *shape {
	s, known := shapes.Load(t)
	if !known {
		s, _ = shapes.LoadOrStore(t, newShape(t))
	}
	return s.(*shape)
}

func newShape(t reflect.Type) *shape {
	s := &shape{typ: t, byKey: map[string]int{}, scalar: -1, rules: rulesOf(reflect.Zero(t).Interface()),
		selects: t == selectorType}
	s.add(t, nil)
	return s
}

func (s *shape) add(t reflect.Type, path []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(path[:len(path):len(path)], i)
		if f.Anonymous {
			s.add(f.Type, index)
			s.selects = s.selects || f.Type == selectorType
			s.takes, s.unless = append(s.takes, words(f.Tag.Get("takes"))...), append(s.unless, words(f.Tag.Get("unless"))...)
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" || !f.IsExported() {
			continue
		}
		about := descriptionOf(t, key, f.Tag)
		own := field{key: key, index: index, typ: f.Type, doc: about.doc, defaultText: f.Tag.Get("default"),
			required: f.Tag.Get("required") == "true",
			minimum:  tagInt(f.Tag, "minimum"), maximum: tagInt(f.Tag, "maximum")}
		if own.typ.Kind() == reflect.Pointer {
			own.typ = own.typ.Elem()
		}
		if n := tagInt(f.Tag, "minLength"); n != nil {
			own.minText = *n
		}
		if n := tagInt(f.Tag, "minItems"); n != nil {
			own.minItems = *n
		} else if own.required && own.typ.Kind() == reflect.Slice && own.typ.Elem().Kind() == reflect.String {
			own.minItems = 1
		}
		own.enum = words(f.Tag.Get("enum"))
		own.form, own.only, own.fixed = textForms()[f.Tag.Get("format")], f.Tag.Get("only"), f.Tag.Get("fixed")
		own.example, own.tool = about.example, about.tool
		for _, p := range words(f.Tag.Get("platforms")) {
			own.platforms = append(own.platforms, Platform(p))
		}
		if i, embedded := s.byKey[key]; embedded { // the struct's own field hides that of the one it embeds
			s.fields[i] = own
			continue
		}
		if f.Tag.Get("scalar") == "true" {
			s.scalar = len(s.fields)
		}
		s.byKey[key] = len(s.fields)
		s.fields = append(s.fields, own)
	}
}

// words are those of a tag, with commas between them.
func words(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, ",")
}

// defaults fills in what the author may leave out.
func (s *shape) defaults(dst reflect.Value) {
	for _, f := range s.fields {
		if f.defaultText == "" {
			continue
		}
		switch to := dst.FieldByIndex(f.index); to.Kind() {
		case reflect.String:
			to.SetString(f.defaultText)
		case reflect.Int:
			n, _ := source.Number(f.defaultText)
			to.SetInt(int64(n))
		case reflect.Float64:
			n, _ := strconv.ParseFloat(f.defaultText, 64)
			to.SetFloat(n)
		case reflect.Bool:
			to.SetBool(f.defaultText == "true")
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
func Keys(args any) []string { return shapeOf(reflect.TypeOf(args)).keys() }

// ShortKey is the key that a plain text fills; empty: only a map will do.
func ShortKey(args any) string {
	s := shapeOf(reflect.TypeOf(args))
	if s.scalar < 0 {
		return ""
	}
	return s.fields[s.scalar].key
}
