package format

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// Enums are the values of text types that have few.
type Enums map[reflect.Type][]string

// Options say how a schema is made.
type Options struct {
	Title, Description string
	Format             string // the value of the key format
	Required           bool   // the key format has to be there: it is not in a file of its own
	Strict             bool   // unknown keys are errors; readers ignore them
	Enums              Enums
}

// SchemaOf returns a JSON Schema (2020-12) of a type as package json writes it. Files of a later version of Taproot may
// have more keys than it lists.
func SchemaOf(t reflect.Type, o Options) map[string]any {
	g := generator{o: o, defs: map[string]any{}, names: map[reflect.Type]string{}}
	root := g.object(t)
	out := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": o.Title,
		"description": o.Description}
	for key, value := range root {
		out[key] = value
	}
	properties := out["properties"].(map[string]any)
	properties["format"] = map[string]any{"const": o.Format,
		"description": "Changes when a reader has to change. New keys do not change it."}
	if o.Required {
		required, _ := out["required"].([]string)
		out["required"] = append([]string{"format"}, required...)
	}
	if len(g.defs) > 0 {
		out["$defs"] = g.defs
	}
	return out
}

// generator makes the parts of one schema.
type generator struct {
	o     Options
	defs  map[string]any
	names map[reflect.Type]string // of structs, in $defs
}

var (
	timeType      = reflect.TypeFor[time.Time]()
	rawType       = reflect.TypeFor[json.RawMessage]()
	marshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

func (g *generator) of(t reflect.Type) map[string]any {
	if values := g.o.Enums[t]; values != nil {
		return map[string]any{"enum": values}
	}
	switch {
	case t == timeType:
		return map[string]any{"type": "string", "format": "date-time"}
	case t == rawType || t.Kind() == reflect.Interface:
		return map[string]any{}
	case t.Implements(marshalerType):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.of(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": g.of(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": g.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": g.of(t.Elem())}
	case reflect.Struct:
		name, known := g.names[t]
		if !known {
			name = t.Name()
			g.names[t] = name
			g.defs[name] = g.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	default:
		return map[string]any{"type": "integer"}
	}
}

// object is the schema of a struct.
func (g *generator) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string(nil)
	g.fields(t, properties, &required)
	out := map[string]any{"type": "object", "properties": properties}
	if g.o.Strict {
		out["additionalProperties"] = false
	}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func (g *generator) fields(t reflect.Type, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			g.fields(inner, properties, required)
			continue
		case name == "":
			name = f.Name
		}
		properties[name] = g.of(f.Type)
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") && name != "format" {
			*required = append(*required, name)
		}
	}
}
