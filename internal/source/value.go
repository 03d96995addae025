package source

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the shape of a Value.
type Kind int

// The kinds, as YAML 1.2 resolves them.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Map
)

// Value is one YAML (or JSON) value that knows its place: the form in which arguments live between Parse, which checks
// them, and Bind, which fills in the variables and makes them typed.
type Value struct {
	Pos    Pos
	Kind   Kind
	Text   string  // a scalar's text, as written, without quotes and escapes
	Items  []Value // of a List
	Fields []Field // of a Map, in the order of the file

	Written string // the text of the file before variables were filled in; "" when nothing was
	Typed   any    // what a variable holds that is the whole text; nil for a text
	Open    bool   // it holds a variable with a value that only the run will show
}

// Field is one entry of a Map.
type Field struct {
	Key   string
	Pos   Pos // of the key
	Value Value

	Spelled string // the key as it is written, where that is another name of Key
}

// Word returns the key as it is written.
func (f Field) Word() string {
	if f.Spelled != "" {
		return f.Spelled
	}
	return f.Key
}

// Get finds a field of a Map by its key.
func (v Value) Get(key string) (Field, bool) {
	for _, f := range v.Fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// Go returns the value as Go has it: nil, bool, int, float64, Numeral, string, []any or map[string]any.
func (v Value) Go() any {
	if v.Typed != nil {
		return v.Typed
	}
	switch v.Kind {
	case Null:
		return nil
	case Bool:
		return strings.EqualFold(v.Text, "true")
	case Int, Float:
		return NumberOf(v.Text)
	case List:
		all := make([]any, len(v.Items))
		for i, item := range v.Items {
			all[i] = item.Go()
		}
		return all
	case Map:
		all := make(map[string]any, len(v.Fields))
		for _, f := range v.Fields {
			all[f.Key] = f.Value.Go()
		}
		return all
	default:
		return v.Text
	}
}

// ValueOf is the Value of which Go returns x; it has no place.
func ValueOf(x any) Value {
	switch x := x.(type) {
	case nil:
		return Value{Text: "null"}
	case string:
		return Value{Kind: String, Text: x}
	case bool:
		return Value{Kind: Bool, Text: strconv.FormatBool(x)}
	case int:
		return Value{Kind: Int, Text: strconv.Itoa(x)}
	case float64:
		text := strconv.FormatFloat(x, 'f', -1, 64)
		return Value{Kind: Resolve(text), Text: text}
	case Numeral:
		return Value{Kind: Resolve(x.text), Text: x.text}
	case []any:
		v := Value{Kind: List}
		for _, item := range x {
			v.Items = append(v.Items, ValueOf(item))
		}
		return v
	case map[string]any:
		v := Value{Kind: Map}
		for _, key := range slices.Sorted(maps.Keys(x)) {
			v.Fields = append(v.Fields, Field{Key: key, Value: ValueOf(x[key])})
		}
		return v
	default:
		return Value{Kind: String, Text: fmt.Sprint(x)}
	}
}

// float reads the text of a Float.
func float(text string) float64 {
	n, err := strconv.ParseFloat(strings.TrimPrefix(strings.ToLower(text), "."), 64)
	if err == nil && !strings.HasPrefix(text, ".") {
		return n
	}
	n, err = strconv.ParseFloat(strings.Replace(strings.ToLower(text), ".inf", "inf", 1), 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// With returns the map with a value in place of the one of its key, or added.
func (v Value) With(key string, value Value) Value {
	v.Fields = slices.Clone(v.Fields)
	for i := range v.Fields {
		if v.Fields[i].Key == key {
			v.Fields[i].Value = value
			return v
		}
	}
	v.Fields = append(v.Fields, Field{Key: key, Value: value})
	return v
}

// Without returns the map without a key.
func (v Value) Without(key string) Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f Field) bool { return f.Key == key })
	return v
}
