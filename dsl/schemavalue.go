package dsl

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// field is the schema of a key's value.
func (s *schemas) field(f field) schema {
	return explained(maps.Clone(s.value(f)), f)
}

// explained adds to out what a field is for, and what stands where it is left out.
func explained(out schema, f field) schema {
	if f.doc != "" {
		out["description"] = f.doc
	}
	if f.standard != "" {
		out["default"] = standard(f)
	}
	return out
}

func standard(f field) any {
	switch f.typ.Kind() {
	case reflect.Int, reflect.Float64:
		n, _ := strconv.ParseFloat(f.standard, 64)
		return n
	case reflect.Bool:
		return f.standard == "true"
	default:
		return f.standard
	}
}

// value is the schema of a type with the constraints of the field's tags.
func (s *schemas) value(f field) schema {
	switch f.typ {
	case stepsType, valueType:
		return schema{"$ref": "#/$defs/steps"}
	case exprType:
		return schema{"type": []string{"string", "number", "boolean"}, "pattern": `\S`, "not": schema{"type": "string", "pattern": aVariable}}
	case itemsType:
		return schema{"anyOf": []any{schema{"type": "array"}, schema{"type": "string", "pattern": `\S`, "not": schema{"pattern": aVariable}}}}
	case reflect.TypeFor[table]():
		steps := schema{"$ref": "#/$defs/steps"}
		block := s.object(reflect.TypeFor[named]())
		return schema{"type": "object", "minProperties": 1, "propertyNames": schema{"pattern": idForm.String()},
			"additionalProperties": schema{"anyOf": []any{steps, block}}}
	case reflect.TypeFor[Point]():
		return schema{"$ref": "#/$defs/point"}
	case reflect.TypeFor[Millis]():
		return schema{"anyOf": []any{schema{"type": "integer", "minimum": 0, "maximum": maxMillis},
			schema{"type": "string", "pattern": `\$\{|^[+]?[0-9. ]+(ms|s|m|h|us|µs|ns)`}}}
	case reflect.TypeFor[Names](), reflect.TypeFor[vars](), reflect.TypeFor[Data]():
		return s.named(f.typ)
	}
	return s.plain(f)
}

// named are maps whose keys are names of variables.
func (s *schemas) named(t reflect.Type) schema {
	name := schema{"pattern": varForm.String(), "not": schema{"enum": reservedNames()}}
	table := schema{"type": "object", "propertyNames": name}
	switch t {
	case reflect.TypeFor[vars]():
		table["additionalProperties"] = schema{"type": []string{"string", "number"}}
	case reflect.TypeFor[Data]():
		table["minProperties"] = 1
		return schema{"anyOf": []any{schema{"type": "array", "minItems": 1, "maxItems": maxRows, "items": table},
			schema{"type": "string", "pattern": `^[^/:$\\][^:$\\]*\.([cC][sS][vV]|[jJ][sS][oO][nN])$`}}}
	}
	return table
}

func (s *schemas) plain(f field) schema {
	switch f.typ.Kind() {
	case reflect.Int, reflect.Float64:
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
		return s.orVariable(number)
	case reflect.Bool:
		return s.orVariable(schema{"type": "boolean"})
	case reflect.String:
		return s.text(f)
	case reflect.Slice:
		item := f
		item.typ = f.typ.Elem()
		if item.typ.Kind() == reflect.Struct {
			return schema{"anyOf": []any{schema{"type": "array", "items": s.structure(item)}, s.structure(item)}}
		}
		list := schema{"type": "array", "items": s.text(item)}
		if f.required {
			list["minItems"] = 1
		}
		return schema{"anyOf": []any{list, s.text(item)}}
	case reflect.Map:
		item := f
		item.typ = f.typ.Elem()
		if item.typ.Kind() == reflect.Struct {
			return schema{"type": "object", "additionalProperties": s.structure(item)}
		}
		if item.typ.Kind() == reflect.Interface {
			return schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean"}}}
		}
		return schema{"type": "object", "additionalProperties": s.text(item)}
	case reflect.Struct:
		return s.structure(f)
	default:
		return schema{}
	}
}

func (s *schemas) orVariable(own schema) schema {
	return schema{"anyOf": []any{own, schema{"type": "string", "pattern": aVariable}}}
}

func (s *schemas) text(f field) schema {
	out := schema{"type": []string{"string", "number"}}
	switch {
	case f.enum != nil:
		return schema{"anyOf": []any{schema{"enum": f.enum}, schema{"type": "string", "pattern": aVariable}}}
	case f.key == "as", f.key == "var":
		return schema{"type": "string", "pattern": varForm.String(), "not": schema{"enum": reservedNames()}}
	case f.key == "at" || f.key == "route":
		return schema{"type": "string", "pattern": degreesForm}
	case f.key == "id" && f.required:
		return schema{"type": []string{"string", "number"}, "pattern": idForm.String(), "not": schema{"type": "string", "pattern": `--|\.$`}}
	case f.minText > 0:
		out["pattern"] = `\S`
	}
	return out
}

// structure refers to the schema of a struct, which is made once.
func (s *schemas) structure(f field) schema {
	name := string(f.typ.Name()[0]|0x20) + f.typ.Name()[1:]
	if f.typ == selectorType && slices.Contains(append(relations(), "not"), f.key) {
		name = "anchor"
	}
	if _, made := s.defs[name]; !made {
		s.defs[name] = schema{} // it may hold itself
		long := s.object(f.typ)
		if f.typ == selectorType || f.typ == reflect.TypeFor[Target]() {
			without(long, forbidden(f)...)
		}
		forms := append([]any{long}, s.short(f.typ)...)
		s.defs[name] = schema{"anyOf": forms}
	}
	return schema{"$ref": "#/$defs/" + name}
}

// forbidden are the keys of a selector that have no meaning in what is not the target of an action itself.
func forbidden(f field) []string {
	switch {
	case f.typ != selectorType:
		return []string{"describe"}
	case slices.Contains(append(relations(), "not"), f.key):
		return append(seen(), "point", "fallback")
	}
	return []string{"point", "describe"}
}

// degreesForm is a place on earth: see degrees.
const degreesForm = `^\s*-?([0-8]?[0-9](\.[0-9]*)?|90(\.0*)?)\s*,\s*-?(1[0-7][0-9](\.[0-9]*)?|180(\.0*)?|[0-9]?[0-9](\.[0-9]*)?)\s*$|\$\{`

func point() schema {
	coordinate := schema{"type": []string{"number", "string"}, "minimum": 0, "pattern": `^\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*%?\s*$|\$\{`}
	return schema{"anyOf": []any{
		schema{"type": "string", "pattern": `^\s*[0-9.]+\s*%?\s*,\s*[0-9.]+\s*%?\s*$|\$\{`},
		schema{"type": "object", "properties": schema{"x": coordinate, "y": coordinate}, "required": []string{"x", "y"}, "additionalProperties": false},
	}}
}
