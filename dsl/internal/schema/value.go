package schema

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/form"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// field is the schema of a key's value.
func (s *schemas) field(f vocabulary.Key) Schema {
	out := maps.Clone(s.value(f))
	var doc []string
	if f.Doc != "" {
		doc = append(doc, f.Doc)
	}
	switch {
	case f.DefaultText == "":
	case s.defaults:
		out["default"] = s.defaultValue(f)
	default: // generators make keys with a default of their own ones that must be given
		doc = append(doc, "Default: "+f.Default()+".")
	}
	if len(doc) > 0 {
		out["description"] = strings.Join(doc, " ")
	}
	return out
}

func (s *schemas) defaultValue(f vocabulary.Key) any {
	if f.Format == vocabulary.Duration && !s.tool {
		return f.Default()
	}
	switch f.Typ.Kind() {
	case reflect.Int, reflect.Float64:
		n, _ := strconv.ParseFloat(f.DefaultText, 64)
		return n
	case reflect.Bool:
		return f.DefaultText == "true"
	default:
		return f.DefaultText
	}
}

// value is the schema of a type with the constraints of the field's tags.
func (s *schemas) value(f vocabulary.Key) Schema {
	if f.Typ == vocabulary.TemplateType {
		f.Typ = reflect.TypeFor[string]()
		return s.text(f)
	}
	if own, is := ownFormOf(f.Typ); is {
		return s.sized(own.schema(s), f, "minProperties")
	}
	switch f.Typ.Kind() {
	case reflect.Int, reflect.Float64:
		if f.Format == vocabulary.Duration {
			return durationSchema(s, f)
		}
		return s.orVariable(numberSchema(f))
	case reflect.Bool:
		if f.Only != "" {
			return s.orVariable(Schema{"const": f.Only == "true"})
		}
		return s.orVariable(Schema{"type": "boolean"})
	case reflect.String:
		return s.text(f)
	case reflect.Slice:
		return s.list(f)
	case reflect.Map:
		item := f
		item.Typ = f.Typ.Elem()
		values := s.value(item)
		if item.Typ.Kind() == reflect.Interface {
			values = Schema{"type": []string{"string", "number", "boolean"}}
		}
		return s.sized(Schema{"type": "object", "propertyNames": Schema{"minLength": 1}, "additionalProperties": values}, f,
			"minProperties")
	case reflect.Struct:
		return s.structure(f)
	default:
		return Schema{}
	}
}

// sized adds the least number of entries.
func (s *schemas) sized(out Schema, f vocabulary.Key, key string) Schema {
	if f.MinItems > 0 {
		out[key] = f.MinItems
	}
	return out
}

func numberSchema(f vocabulary.Key) Schema {
	number := Schema{"type": "integer"}
	if f.Typ.Kind() == reflect.Float64 {
		number["type"] = "number"
	}
	if f.Minimum != nil {
		number["minimum"] = *f.Minimum
	}
	if f.Maximum != nil {
		number["maximum"] = *f.Maximum
	}
	return number
}

// list is the schema of a list; one entry may stand without brackets.
func (s *schemas) list(f vocabulary.Key) Schema {
	item := f
	item.Typ, item.MinItems = f.Typ.Elem(), 0
	list := s.sized(Schema{"type": "array", "items": s.value(item)}, f, "minItems")
	if !s.forms || f.MinItems > 1 {
		return list
	}
	return Schema{"anyOf": []any{list, s.value(item)}}
}

func (s *schemas) orVariable(own Schema) Schema {
	if !s.variables {
		return own
	}
	return Schema{"anyOf": []any{own, Schema{"type": "string", "pattern": aVariable}}}
}

func (s *schemas) text(f vocabulary.Key) Schema {
	switch {
	case f.Enum != nil && !s.variables:
		return Schema{"type": "string", "enum": f.Enum}
	case f.Enum != nil:
		return s.orVariable(Schema{"enum": f.Enum})
	case f.Format == vocabulary.Number:
		return s.orVariable(Schema{"type": "number"})
	case f.Format == "container" && !s.tool:
		return s.container(f)
	case form.TextForms()[f.Format].Check != nil:
		return s.formed(f)
	}
	out := Schema{"type": "string"}
	if s.variables { // a number counts as it is written
		out["type"] = []string{"string", "number"}
	}
	if f.MinText > 0 {
		out["pattern"] = form.VisibleForm
		s.least(out, f)
	}
	return out
}

// container is an iframe: its selector as a text, or a map with its css or xpath.
func (s *schemas) container(f vocabulary.Key) Schema {
	by := func(key string) Schema {
		own := f
		own.Name, own.Format = key, map[string]string{"css": "selector", "xpath": "xpath"}[key]
		return Schema{"type": "object", "properties": Schema{key: s.formed(own)}, "required": []string{key},
			"additionalProperties": false}
	}
	return Schema{"anyOf": []any{s.formed(f), by("css"), by("xpath")}}
}

// least says to generators of types how short a text may be; the pattern says the same to people's editors.
func (s *schemas) least(out Schema, f vocabulary.Key) {
	if !s.variables && f.MinText > 0 {
		out["minLength"] = f.MinText
	}
}

// formed is the schema of a text of a certain form. A number counts as it is written.
func (s *schemas) formed(f vocabulary.Key) Schema {
	look, out := form.TextForms()[f.Format], Schema{"type": "string"}
	if look.Pattern != "" {
		out["pattern"] = look.Pattern
		if s.variables && regexp.MustCompile(look.Pattern).MatchString("12") {
			out["type"] = []string{"string", "number"}
		}
	} else {
		out["pattern"] = form.VisibleForm
		if s.variables {
			out["type"] = []string{"string", "number"}
		}
	}
	s.least(out, f)
	if look.Format != "" && !s.variables {
		out["format"] = look.Format
	}
	if look.Not != nil {
		out["not"] = look.Not
	}
	if f.Fixed != "" || look.Literal {
		return out
	}
	if s.variables && look.Names != nil { // editors propose what is in an enum, and nothing of a pattern
		return Schema{"anyOf": []any{Schema{"enum": look.Names}, out, Schema{"type": "string", "pattern": aVariable}}}
	}
	return s.orVariable(out)
}

// structure refers to the schema of a struct, which is made once.
func (s *schemas) structure(f vocabulary.Key) Schema {
	name := f.Typ.Name()
	if f.Typ == vocabulary.SelectorType && slices.Contains(append(vocabulary.Relations(), "not"), f.Name) {
		name = "Anchor"
	}
	name = s.named(name)
	if _, made := s.defs[name]; !made {
		s.defs[name] = Schema{} // it may hold itself
		long := s.object(f.Typ)
		if f.Typ == vocabulary.SelectorType {
			s.without(long, forbidden(f)...)
		}
		s.defs[name] = long
		if s.forms {
			if short := s.short(f.Typ); short != nil || s.variables {
				for i, form := range short { // the key says what it is for, not the label that may replace it
					short[i] = maps.Clone(form.(Schema))
					delete(short[i].(Schema), "description")
				}
				s.defs[name] = Schema{"anyOf": append([]any{long}, short...)}
			}
		}
	}
	return Schema{"$ref": s.prefix + name}
}

// forbidden are the keys of a selector that have no meaning in what is not the target of an action itself.
func forbidden(f vocabulary.Key) []string {
	if slices.Contains(append(vocabulary.Relations(), "not"), f.Name) {
		return append(vocabulary.Seen(), "point", "fallback")
	}
	return []string{"point", "describe"}
}

// placeForm is two numbers, both in pixels or both in per cent: see Point.
const (
	pixelForm   = `[+]?([0-9]+\.?[0-9]*|\.[0-9]+)`
	percentForm = `[+]?(100(\.0*)?|[0-9]{1,2}(\.[0-9]*)?|\.[0-9]+)\s*%`
	placeForm   = `^\s*(` + pixelForm + `\s*,\s*` + pixelForm + `|` + percentForm + `\s*,\s*` + percentForm + `)\s*$`
)

// point is a place on the screen: two numbers in a text, or in a map.
func (s *schemas) point() Schema {
	if s.variables {
		coordinate := Schema{"type": []string{"number", "string"}, "minimum": 0, "pattern": `^\s*` + pixelForm +
			`\s*%?\s*$|\$\{`}
		return Schema{"anyOf": []any{Schema{"type": "string", "pattern": placeForm + `|\$\{`}, coordinates(coordinate)}}
	}
	text := Schema{"type": "string", "pattern": placeForm, "examples": []any{"50%,80%"}}
	if !s.forms {
		return text
	}
	return Schema{"anyOf": []any{text, coordinates(Schema{"type": "number", "minimum": 0})}}
}

func coordinates(of Schema) Schema {
	return Schema{"type": "object", "properties": Schema{"x": of, "y": of}, "required": []string{"x", "y"},
		"additionalProperties": false}
}
