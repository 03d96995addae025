package dsl

import "reflect"

// Bodies are the JSON Schemas of the arguments that programs send. They say less than Schema about keys that need or exclude each
// other, and nothing of short forms and variables: types for another language can be made of them.
type Bodies struct {
	Actions map[string]map[string]any // by the name of the operation; objects
	Shared  map[string]map[string]any // by name: what the others refer to, as prefix + name
}

// BodySchemas makes the schemas of all operations with a mouth; references begin with prefix. TimeoutMs is the one step option that makes
// sense without a test.
func BodySchemas(mouth Mouth, prefix string) Bodies {
	b := bodies{Bodies{Actions: map[string]map[string]any{}, Shared: map[string]map[string]any{}}, prefix}
	timeout := shapeOf(reflect.TypeFor[StepOptions]())
	for _, d := range Vocabulary() {
		if d.Mouths&mouth == 0 {
			continue
		}
		object := b.object(reflect.TypeOf(d.Args))
		properties := object["properties"].(schema)
		if _, own := properties["timeoutMs"]; !own {
			properties["timeoutMs"] = b.field(timeout.fields[timeout.byKey["timeoutMs"]])
		}
		b.Actions[d.Name] = object
	}
	return b.Bodies
}

// BodySchema is the same for any struct with tags as the vocabulary has them; what it refers to begins with prefix.
func BodySchema(args any, prefix string) map[string]any {
	return bodies{Bodies{Shared: map[string]map[string]any{}}, prefix}.object(reflect.TypeOf(args))
}

// OwnKey tells whether a key is one of the operation's arguments, rather than a step option.
func (d *Def) OwnKey(key string) bool { return shapeOf(reflect.TypeOf(d.Args)).has(key) }

// bodies collects what several operations share.
type bodies struct {
	Bodies
	prefix string
}

func (b bodies) object(t reflect.Type) schema { return objectSchema(t, b.field) }

func (b bodies) field(f field) schema { return explained(b.value(f, f.typ), f) }

func (b bodies) value(f field, t reflect.Type) schema {
	switch t {
	case reflect.TypeFor[Point]():
		return schema{"type": "string", "pattern": `^\s*[0-9.]+\s*%?\s*,\s*[0-9.]+\s*%?\s*$`, "examples": []any{"50%,80%"}}
	case reflect.TypeFor[Millis]():
		return schema{"type": "integer", "minimum": 0, "maximum": maxMillis}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.value(f, t.Elem())
	case reflect.Int, reflect.Float64:
		return numberBody(f, t)
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.String:
		return textBody(f)
	case reflect.Slice:
		out := schema{"type": "array", "items": b.value(f, t.Elem())}
		if f.required {
			out["minItems"] = 1
		}
		return out
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": b.value(f, t.Elem())}
	case reflect.Struct:
		name := t.Name()
		if _, made := b.Shared[name]; !made {
			b.Shared[name] = schema{} // it may hold itself
			b.Shared[name] = b.object(t)
		}
		return schema{"$ref": b.prefix + name}
	default:
		return schema{}
	}
}

func numberBody(f field, t reflect.Type) schema {
	out := schema{"type": "integer"}
	if t.Kind() == reflect.Float64 {
		out["type"] = "number"
	}
	if f.minimum != nil {
		out["minimum"] = *f.minimum
	}
	if f.maximum != nil {
		out["maximum"] = *f.maximum
	}
	return out
}

func textBody(f field) schema {
	out := schema{"type": "string"}
	if f.enum != nil {
		out["enum"] = f.enum
	}
	if f.minText > 0 {
		out["minLength"] = f.minText
	}
	return out
}
