package dsl

import (
	"reflect"
	"slices"
)

// Field is a key of an operation's arguments, as a command line shows it.
type Field struct {
	Key, Doc, Default string
	Kind              FieldKind
	Enum              []string
	Main              bool // a plain text in the place of the map fills it
	Required          bool
	List              bool // it takes several
	Selector          bool // it comes from the selector that the operation has among its own keys
}

// FieldKind is what a key takes.
type FieldKind string

// The kinds of fields.
const (
	TextField    FieldKind = "text"
	BoolField    FieldKind = "bool"
	NumberField  FieldKind = "number"
	ElementField FieldKind = "element" // a label, or a whole selector
	ValueField   FieldKind = "value"   // a map, a list, an expression
	StepsField   FieldKind = "steps"
)

// Fields lists the keys of an operation's arguments in the order of the reference.
func (d Def) Fields() []Field {
	t := reflect.TypeOf(d.Args)
	s := shapeOf(t)
	fields := make([]Field, 0, len(s.fields))
	for i, f := range s.fields {
		own := Field{Key: f.key, Doc: f.doc, Default: f.defaultText, Enum: slices.Clone(f.enum), Main: i == s.scalar,
			Required: f.required,
			List:     f.typ.Kind() == reflect.Slice && f.typ != stepsType, Selector: s.selects && t != selectorType &&
				len(f.index) > 1 && shapeOf(selectorType).has(f.key)}
		typ := f.typ
		if own.List {
			typ = typ.Elem()
		}
		own.Kind = kindOf(typ)
		fields = append(fields, own)
	}
	return fields
}

func kindOf(t reflect.Type) FieldKind {
	switch {
	case t == stepsType:
		return StepsField
	case t == selectorType || t == reflect.TypeFor[Target]():
		return ElementField
	case ownForm(t) != nil:
		return ValueField
	}
	switch t.Kind() {
	case reflect.Bool:
		return BoolField
	case reflect.Int, reflect.Float64:
		return NumberField
	case reflect.String:
		return TextField
	}
	return ValueField
}
