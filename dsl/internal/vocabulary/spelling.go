package vocabulary

import (
	"reflect"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Named returns an argument of the operation in which keys have their documented names, those of the maps in it too.
// How they are spelled stays in the fields.
func (d *Def) Named(v source.Value) source.Value { return NamedBy(v, d.shapes()...) }

func (d *Def) shapes() []*Shape {
	return []*Shape{ShapeOf(reflect.TypeOf(d.Args)), ShapeOf(reflect.TypeFor[StepOptions]())}
}

// Takes reports whether a step of the operation has a key, among its arguments or its options, in any spelling.
func (d *Def) Takes(key string) bool {
	_, known := keyOf(source.Field{Key: key}, d.shapes())
	return known
}

// Rewritten returns an argument as it is written today: with documented keys, and durations with their units.
func (d *Def) Rewritten(v source.Value) source.Value { return current(d.Named(v), d.shapes()) }

func current(v source.Value, shapes []*Shape) source.Value {
	v.Fields = slices.Clone(v.Fields)
	for i, f := range v.Fields {
		key, _ := keyOf(f, shapes)
		f.Spelled = ""
		n, whole := source.Number(f.Value.Text)
		if key.Format == Duration && f.Value.Kind == source.Int && whole && n > 0 {
			f.Value = source.Value{Pos: f.Value.Pos, Kind: source.String,
				Text: phrase.Duration(time.Duration(n) * time.Millisecond)}
		} else if key.Typ != nil && isStructure(key.Typ) {
			f.Value = current(f.Value, []*Shape{ShapeOf(key.Typ)})
		}
		v.Fields[i] = f
	}
	return v
}

// NamedBy is Named for a map that is read by some shapes.
func NamedBy(v source.Value, shapes ...*Shape) source.Value {
	if v.Kind != source.Map {
		return v
	}
	fields, cloned := v.Fields, false
	for i, f := range v.Fields {
		key, known := keyOf(f, shapes)
		if !known {
			continue
		}
		named := f
		if f.Key != key.Name {
			named.Key, named.Spelled = key.Name, f.Key
		}
		named.Value = namedInside(f.Value, key.Typ)
		if named.Key == f.Key && !differs(named.Value, f.Value) {
			continue
		}
		if !cloned {
			fields, cloned = slices.Clone(fields), true
		}
		fields[i] = named
	}
	v.Fields = fields
	return v
}

func keyOf(f source.Field, shapes []*Shape) (Key, bool) {
	for _, s := range shapes {
		if key, known := s.Find(f.Key); known {
			return key, true
		}
	}
	return Key{}, false
}

// namedInside is NamedBy for a value of a type: a struct, or a list or a map of structs.
func namedInside(v source.Value, t reflect.Type) source.Value {
	switch {
	case isStructure(t):
		return NamedBy(v, ShapeOf(t))
	case t.Kind() != reflect.Slice && t.Kind() != reflect.Map || !isStructure(t.Elem()):
	case t.Kind() == reflect.Slice && v.Kind == source.List:
		items, cloned := v.Items, false
		for i, item := range v.Items {
			if named := namedInside(item, t.Elem()); differs(named, item) {
				if !cloned {
					items, cloned = slices.Clone(items), true
				}
				items[i] = named
			}
		}
		v.Items = items
	case t.Kind() == reflect.Slice: // one entry without brackets
		return namedInside(v, t.Elem())
	case v.Kind == source.Map:
		v.Fields = slices.Clone(v.Fields)
		for i, f := range v.Fields {
			v.Fields[i].Value = namedInside(f.Value, t.Elem())
		}
	}
	return v
}

// isStructure reports whether values of a type are maps with the keys of a struct.
func isStructure(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != valueType && t != ExprType
}

// differs reports whether a value has been copied to be changed.
func differs(a, b source.Value) bool {
	return len(a.Fields) > 0 && &a.Fields[0] != &b.Fields[0] || len(a.Items) > 0 && &a.Items[0] != &b.Items[0]
}
