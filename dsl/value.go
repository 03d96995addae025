package dsl

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

	written string // what stood in the file before variables were filled in; "" when nothing was
}

// Field is one entry of a Map.
type Field struct {
	Key   string
	Pos   Pos // of the key
	Value Value
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
