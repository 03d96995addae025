package dsl

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// described is what a type implements that is written in a form of its own.
type described interface {
	schema(s *schemas) schema
	words() string // what it takes, in the reference
}

// ownForm is how a type is written that has a form of its own, else nil.
func ownForm(t reflect.Type) described {
	if t == valueType {
		return testSteps{}
	}
	own, _ := reflect.Zero(t).Interface().(described)
	return own
}

// testSteps are the steps of a test: they are read as a Value, and bound when the test's platform is known.
type testSteps struct{}

func (testSteps) schema(*schemas) schema { return schema{"$ref": "#/$defs/steps"} }
func (testSteps) words() string          { return "steps" }

// field is the schema of a key's value.
func (s *schemas) field(f field) schema {
	out := maps.Clone(s.value(f))
	var doc []string
	if f.doc != "" {
		doc = append(doc, f.doc)
	}
	switch {
	case f.defaultText == "":
	case s.defaults:
		out["default"] = defaultValue(f)
	default: // generators make keys with a default of their own ones that must be given
		doc = append(doc, "Default: "+f.defaultText+".")
	}
	if len(doc) > 0 {
		out["description"] = strings.Join(doc, " ")
	}
	return out
}

func defaultValue(f field) any {
	switch f.typ.Kind() {
	case reflect.Int, reflect.Float64:
		n, _ := strconv.ParseFloat(f.defaultText, 64)
		return n
	case reflect.Bool:
		return f.defaultText == "true"
	default:
		return f.defaultText
	}
}

// value is the schema of a type with the constraints of the field's tags.
func (s *schemas) value(f field) schema {
	if own := ownForm(f.typ); own != nil {
		return s.sized(own.schema(s), f, "minProperties")
	}
	switch f.typ.Kind() {
	case reflect.Int, reflect.Float64:
		return s.orVariable(numberSchema(f))
	case reflect.Bool:
		if f.only != "" {
			return s.orVariable(schema{"const": f.only == "true"})
		}
		return s.orVariable(schema{"type": "boolean"})
	case reflect.String:
		return s.text(f)
	case reflect.Slice:
		return s.list(f)
	case reflect.Map:
		item := f
		item.typ = f.typ.Elem()
		values := s.value(item)
		if item.typ.Kind() == reflect.Interface {
			values = schema{"type": []string{"string", "number", "boolean"}}
		}
		return s.sized(schema{"type": "object", "propertyNames": schema{"minLength": 1}, "additionalProperties": values}, f,
			"minProperties")
	case reflect.Struct:
		return s.structure(f)
	default:
		return schema{}
	}
}

// sized adds the least number of entries.
func (s *schemas) sized(out schema, f field, key string) schema {
	if f.minItems > 0 {
		out[key] = f.minItems
	}
	return out
}

func numberSchema(f field) schema {
	number := schema{"type": "integer"}
	if f.typ.Kind() == reflect.Float64 {
		number["type"] = "number"
	}
	if f.minimum != nil {
		number["minimum"] = *f.minimum
	}
	if f.maximum != nil {
		number["maximum"] = *f.maximum
	}
	return number
}

// list is the schema of a list; one entry may stand without brackets.
func (s *schemas) list(f field) schema {
	item := f
	item.typ, item.minItems = f.typ.Elem(), 0
	list := s.sized(schema{"type": "array", "items": s.value(item)}, f, "minItems")
	if !s.forms || f.minItems > 1 {
		return list
	}
	return schema{"anyOf": []any{list, s.value(item)}}
}

func (s *schemas) orVariable(own schema) schema {
	if !s.variables {
		return own
	}
	return schema{"anyOf": []any{own, schema{"type": "string", "pattern": aVariable}}}
}

func (s *schemas) text(f field) schema {
	switch {
	case f.enum != nil && !s.variables:
		return schema{"type": "string", "enum": f.enum}
	case f.enum != nil:
		return s.orVariable(schema{"enum": f.enum})
	case f.form.check != nil:
		return s.formed(f)
	}
	out := schema{"type": "string"}
	if s.variables { // a number counts as it is written
		out["type"] = []string{"string", "number"}
	}
	if f.minText > 0 {
		out["pattern"] = visibleForm
		s.least(out, f)
	}
	return out
}

// least says to generators of types how short a text may be; the pattern says the same to people's editors.
func (s *schemas) least(out schema, f field) {
	if !s.variables && f.minText > 0 {
		out["minLength"] = f.minText
	}
}

// formed is the schema of a text of a certain form. A number counts as it is written.
func (s *schemas) formed(f field) schema {
	out := schema{"type": "string"}
	if form := f.form; form.pattern != "" {
		out["pattern"] = form.pattern
		if s.variables && regexp.MustCompile(form.pattern).MatchString("12") {
			out["type"] = []string{"string", "number"}
		}
	} else {
		out["pattern"] = visibleForm
		if s.variables {
			out["type"] = []string{"string", "number"}
		}
	}
	s.least(out, f)
	if f.form.format != "" && !s.variables {
		out["format"] = f.form.format
	}
	if f.form.not != nil {
		out["not"] = f.form.not
	}
	if f.fixed != "" || f.form.literal {
		return out
	}
	if s.variables && f.form.names != nil { // editors propose what is in an enum, and nothing of a pattern
		return schema{"anyOf": []any{schema{"enum": f.form.names}, out, schema{"type": "string", "pattern": aVariable}}}
	}
	return s.orVariable(out)
}

// structure refers to the schema of a struct, which is made once.
func (s *schemas) structure(f field) schema {
	name := f.typ.Name()
	if f.typ == selectorType && slices.Contains(append(relations(), "not"), f.key) {
		name = "Anchor"
	}
	name = s.named(name)
	if _, made := s.defs[name]; !made {
		s.defs[name] = schema{} // it may hold itself
		long := s.object(f.typ)
		if f.typ == selectorType {
			s.without(long, forbidden(f)...)
		}
		s.defs[name] = long
		if s.forms {
			if short := s.short(f.typ); short != nil || s.variables {
				for i, form := range short { // the key says what it is for, not the label that may replace it
					short[i] = maps.Clone(form.(schema))
					delete(short[i].(schema), "description")
				}
				s.defs[name] = schema{"anyOf": append([]any{long}, short...)}
			}
		}
	}
	return schema{"$ref": s.prefix + name}
}

// forbidden are the keys of a selector that have no meaning in what is not the target of an action itself.
func forbidden(f field) []string {
	if slices.Contains(append(relations(), "not"), f.key) {
		return append(seen(), "point", "fallback")
	}
	return []string{"point", "describe"}
}

// visibleForm is a text with a character that is not white space, in every dialect of regular expressions.
const visibleForm = `[^\s` + "\v\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000" + `]`

// degreesForm is a place on earth: see degrees.
const degreesForm = `^\s*-?([0-8]?[0-9](\.[0-9]*)?|90(\.0*)?)\s*,` +
	`\s*-?(1[0-7][0-9](\.[0-9]*)?|180(\.0*)?|[0-9]?[0-9](\.[0-9]*)?)\s*$`

// placeForm is two numbers, both in pixels or both in per cent: see Point.
const (
	pixelForm   = `[+]?([0-9]+\.?[0-9]*|\.[0-9]+)`
	percentForm = `[+]?(100(\.0*)?|[0-9]{1,2}(\.[0-9]*)?|\.[0-9]+)\s*%`
	placeForm   = `^\s*(` + pixelForm + `\s*,\s*` + pixelForm + `|` + percentForm + `\s*,\s*` + percentForm + `)\s*$`
)

// point is a place on the screen: two numbers in a text, or in a map.
func (s *schemas) point() schema {
	if s.variables {
		coordinate := schema{"type": []string{"number", "string"}, "minimum": 0, "pattern": `^\s*` + pixelForm +
			`\s*%?\s*$|\$\{`}
		return schema{"anyOf": []any{schema{"type": "string", "pattern": placeForm + `|\$\{`}, coordinates(coordinate)}}
	}
	text := schema{"type": "string", "pattern": placeForm, "examples": []any{"50%,80%"}}
	if !s.forms {
		return text
	}
	return schema{"anyOf": []any{text, coordinates(schema{"type": "number", "minimum": 0})}}
}

func coordinates(of schema) schema {
	return schema{"type": "object", "properties": schema{"x": of, "y": of}, "required": []string{"x", "y"},
		"additionalProperties": false}
}
