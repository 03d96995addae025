package dsl

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// shape is what a struct's tags say about the map that fills it. Embedded structs are flattened.
type shape struct {
	fields []field
	byKey  map[string]int
	scalar int // the field that a plain text fills; -1 when there is none
}

type field struct {
	key      string
	typ      reflect.Type // behind a pointer, when it is one
	doc      string
	standard string // the default, as it is written
	index    []int
	required bool
	enum     []string
	minimum  *int
	maximum  *int
	at       Pos // of the key, while a map is being read
	minText  int // the least number of characters, edge white space aside
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

// shapes holds those of the vocabulary, which every step needs.
var shapes = sync.OnceValue(func() map[reflect.Type]*shape {
	known := map[reflect.Type]*shape{}
	for _, t := range []reflect.Type{reflect.TypeFor[header](), reflect.TypeFor[StepOptions](), reflect.TypeFor[Selector](), reflect.TypeFor[Target](), reflect.TypeFor[State]()} {
		known[t] = newShape(t)
	}
	for _, d := range definitions() {
		t := reflect.TypeOf(d.Args)
		known[t] = newShape(t)
	}
	return known
})

func shapeOf(t reflect.Type) *shape {
	if s, known := shapes()[t]; known {
		return s
	}
	return newShape(t)
}

func newShape(t reflect.Type) *shape {
	s := &shape{byKey: map[string]int{}, scalar: -1}
	s.add(t, nil)
	return s
}

func (s *shape) add(t reflect.Type, path []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(path[:len(path):len(path)], i)
		if f.Anonymous {
			s.add(f.Type, index)
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" || !f.IsExported() {
			continue
		}
		own := field{key: key, index: index, typ: f.Type, doc: f.Tag.Get("doc"), standard: f.Tag.Get("default"), required: f.Tag.Get("required") == "true",
			minimum: tagInt(f.Tag, "minimum"), maximum: tagInt(f.Tag, "maximum")}
		if own.typ.Kind() == reflect.Pointer {
			own.typ = own.typ.Elem()
		}
		if n := tagInt(f.Tag, "minLength"); n != nil {
			own.minText = *n
		}
		if list := f.Tag.Get("enum"); list != "" {
			own.enum = strings.Split(list, ",")
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

// defaults fills in what the author may leave out.
func (s *shape) defaults(dst reflect.Value) {
	for _, f := range s.fields {
		if f.standard == "" {
			continue
		}
		switch to := dst.FieldByIndex(f.index); to.Kind() {
		case reflect.String:
			to.SetString(f.standard)
		case reflect.Int:
			n, _ := number(f.standard)
			to.SetInt(int64(n))
		case reflect.Float64:
			n, _ := strconv.ParseFloat(f.standard, 64)
			to.SetFloat(n)
		case reflect.Bool:
			to.SetBool(f.standard == "true")
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

// Keys gives the keys that the map of an argument struct can have, in the order of the reference.
func Keys(args any) []string { return shapeOf(reflect.TypeOf(args)).keys() }

// ShortKey is the key that a plain text fills; empty: only a map will do.
func ShortKey(args any) string {
	s := shapeOf(reflect.TypeOf(args))
	if s.scalar < 0 {
		return ""
	}
	return s.fields[s.scalar].key
}
