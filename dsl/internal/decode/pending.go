package decode

import (
	"reflect"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// Pending is a struct that was decoded while some of its values wait for variables. It says where they are, so that
// Bind decodes these values alone when the variables have values. It is not changed after decoding.
type Pending struct {
	object Object
	places []*place
}

// place is a value in a struct that waits for variables, or a struct with such values.
type place struct {
	at     location
	key    vocabulary.Key // what the value may be
	nested *Pending       // nil: the value itself waits
}

// location is where a value is, in the struct above it and in the value from which that struct was decoded.
type location struct {
	field []int  // the field of the struct
	item  int    // of the list that the field holds; -1: it is the field itself
	entry string // of the map that the field holds
	keyed bool   // it is an entry of a map

	nth   int // the field of the value; -1: the value is the short form, and fills the field itself
	inner int // the item or the field in it; -1: the value itself
}

// Waits reports whether any value waits for variables.
func (p *Pending) Waits() bool { return p != nil && len(p.places) > 0 }

// Record runs a function that decodes a struct from a map, and returns what in it waits for variables.
func (d *Decoding) Record(o Object, decode func()) *Pending {
	outer, at := d.pending, d.at
	d.pending = &Pending{object: o}
	decode()
	recorded := d.pending
	d.pending, d.at = outer, at
	return recorded
}

// wait notes that the value at the present location waits for variables.
func (d *Decoding) wait(key vocabulary.Key) {
	if d.pending != nil {
		d.pending.places = append(d.pending.places, &place{at: d.at, key: key})
	}
}

// waitInside notes it of a value that is decoded as a whole and holds variables inside.
func (d *Decoding) waitInside(t reflect.Type, v source.Value, key vocabulary.Key) {
	if d.pending == nil || d.Variables != expr.Deferred || !expr.HoldsVariable(v) {
		return
	}
	if t == reflect.TypeFor[vocabulary.Items]() && v.Kind == source.List || !vocabulary.KeepsVariables(t) {
		d.wait(key)
	}
}

// nested decodes a struct in the present location, and notes what in it waits for variables.
func (d *Decoding) nested(o Object, decode func()) {
	if d.pending == nil {
		decode()
		return
	}
	if inner := d.Record(o, decode); inner.Waits() {
		d.pending.places = append(d.pending.places, &place{at: d.at, nested: inner})
	}
}

// Bind decodes what waits in a struct, which is a copy of the caller's, from the value with its variables filled in.
// What the struct points to is copied before it is changed.
func (d *Decoding) Bind(dst reflect.Value, p *Pending, v source.Value) {
	before := len(d.Errs)
	d.BindFields(dst, p, v)
	if len(d.Errs) > before {
		return
	}
	o := p.object
	s := vocabulary.ShapeOf(dst.Type())
	o.takes = s.Takes
	d.own(dst.Interface(), v, o)
	if len(d.Errs) == before {
		d.Rules(s.Rules, s, v, o)
	}
}

// BindFields is Bind without the checks of the struct as a whole.
func (d *Decoding) BindFields(dst reflect.Value, p *Pending, v source.Value) {
	for i, x := range p.places {
		slot := dst.FieldByIndex(x.at.field)
		fresh := i == 0 || !slices.Equal(p.places[i-1].at.field, x.at.field)
		switch {
		case x.at.keyed:
			if fresh {
				slot.Set(cloneMap(slot))
			}
			d.bindEntry(slot, x, x.at.value(v))
			continue
		case x.at.item >= 0:
			if fresh {
				slot.Set(reflect.AppendSlice(reflect.MakeSlice(slot.Type(), 0, slot.Len()), slot))
			}
			slot = slot.Index(x.at.item)
		}
		d.bindPlace(slot, x, x.at.value(v))
	}
}

func (d *Decoding) bindPlace(slot reflect.Value, x *place, v source.Value) {
	if x.nested == nil {
		d.Field(slot, v, x.key)
		return
	}
	if slot.Kind() == reflect.Pointer {
		fresh := reflect.New(slot.Type().Elem())
		fresh.Elem().Set(slot.Elem())
		slot.Set(fresh)
		slot = fresh.Elem()
	}
	d.Bind(slot, x.nested, v)
}

func (d *Decoding) bindEntry(entries reflect.Value, x *place, v source.Value) {
	value := reflect.New(entries.Type().Elem()).Elem()
	before := len(d.Errs)
	d.Field(value, v, x.key)
	if len(d.Errs) == before && !v.Open {
		entries.SetMapIndex(reflect.ValueOf(x.at.entry), value)
	}
}

func cloneMap(m reflect.Value) reflect.Value {
	out := reflect.MakeMapWithSize(m.Type(), m.Len())
	for _, key := range m.MapKeys() {
		out.SetMapIndex(key, m.MapIndex(key))
	}
	return out
}

// value finds the value of a location in the one that the struct was decoded from.
func (l location) value(v source.Value) source.Value {
	if l.nth >= 0 {
		v = v.Fields[l.nth].Value
	}
	switch {
	case l.inner < 0:
		return v
	case l.keyed:
		return v.Fields[l.inner].Value
	}
	return v.Items[l.inner]
}

// shortForm is the location of a value that is written in place of a whole map, and fills one field.
func shortForm(key vocabulary.Key) location {
	return location{field: key.Index, item: -1, nth: -1, inner: -1}
}
