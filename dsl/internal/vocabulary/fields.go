package vocabulary

import (
	"reflect"
	"slices"

	"github.com/taproot-dev/taproot/internal/source"
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
	Spellings         []string
}

// FieldKind is what a key takes.
type FieldKind string

// The kinds of fields.
const (
	TextField    FieldKind = "text"
	BoolField    FieldKind = "bool"
	NumberField  FieldKind = "number"
	TimeField    FieldKind = "time"    // 5s, 1m30s, or a number of milliseconds
	ElementField FieldKind = "element" // a label, or a whole selector
	ValueField   FieldKind = "value"   // a map, a list, an expression
	StepsField   FieldKind = "steps"
)

// Fields lists the keys of an operation's arguments in the order of the reference.
func (d Def) Fields() []Field {
	t := reflect.TypeOf(d.Args)
	s := ShapeOf(t)
	fields := make([]Field, 0, len(s.Fields))
	for i, f := range s.Fields {
		own := Field{Key: f.Name, Doc: f.Doc, Default: f.Default(), Enum: slices.Clone(f.Enum), Main: i == s.Scalar,
			Spellings: f.Spellings,
			Required:  f.Required,
			List:      f.Typ.Kind() == reflect.Slice && f.Typ != StepsType, Selector: s.Selects && t != SelectorType &&
				len(f.Index) > 1 && ShapeOf(SelectorType).Has(f.Name)}
		typ := f.Typ
		if own.List {
			typ = typ.Elem()
		}
		switch own.Kind = kindOf(typ); f.Format {
		case Duration:
			own.Kind = TimeField
		case Number:
			own.Kind = NumberField
		}
		fields = append(fields, own)
	}
	return fields
}

func kindOf(t reflect.Type) FieldKind {
	switch {
	case t == StepsType:
		return StepsField
	case t == SelectorType || t == reflect.TypeFor[Target]():
		return ElementField
	case writtenOwnWay(t):
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

// writtenOwnWay reports whether values of the type are written in another way than texts, numbers, lists and maps are.
func writtenOwnWay(t reflect.Type) bool {
	return KeepsVariables(t) || slices.Contains([]reflect.Type{reflect.TypeFor[Names](), reflect.TypeFor[Offset](),
		reflect.TypeFor[Point](), reflect.TypeFor[Data]()}, t)
}

// OwnKey reports whether a key, in any spelling, is one of the operation's arguments, rather than a step option.
func (d *Def) OwnKey(key string) bool {
	_, known := ShapeOf(reflect.TypeOf(d.Args)).Find(key)
	return known
}

// ExampleBody is the operation's example as programs send it: an object, also where YAML has a plain text. Step options
// are not in it.
func (d *Def) ExampleBody() map[string]any {
	body := map[string]any{}
	text, from, bad := source.Readable("example.yaml", []byte(d.Example))
	if bad != nil {
		return body // a test validates the examples
	}
	values, err := source.Read(text, from)
	if err != nil || len(values) != 1 || len(values[0].Fields) != 1 {
		return body
	}
	args := values[0].Fields[0].Value
	if args.Kind == source.Map {
		for _, f := range args.Fields {
			if d.OwnKey(f.Key) {
				body[f.Key] = f.Value.Go()
			}
		}
		return body
	}
	if s := ShapeOf(reflect.TypeOf(d.Args)); s.Scalar >= 0 && args.Kind != source.Null {
		body[s.Fields[s.Scalar].Name] = args.Go()
	}
	return body
}

// NeedsArgument reports whether the operation needs an argument.
func (def *Def) NeedsArgument() bool {
	s := ShapeOf(reflect.TypeOf(def.Args))
	return s.Selects || def.Splits() || slices.ContainsFunc(s.Fields, func(f Key) bool { return f.Required }) ||
		slices.ContainsFunc(s.Rules, func(r Rule) bool {
			return r.Kind == One || r.Kind == Some && !slices.ContainsFunc(r.Keys, func(t Term) bool {
				return t.Value != "" && s.Has(t.Key) && s.Fields[s.ByKey[t.Key]].DefaultText == t.Value
			})
		})
}
