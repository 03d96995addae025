package dsl

import (
	"reflect"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
)

// Bodies are the JSON Schemas of the arguments that programs send: what the check accepts, without variables, step
// options and the short forms of whole arguments.
type Bodies struct {
	Actions map[string]map[string]any // by the name of the operation; objects
	Shared  map[string]map[string]any // by name: what the others refer to, as prefix + name
}

// BodySchemas makes the schemas of all operations that an interface offers; references start with prefix. TimeoutMs is
// the one step option that makes sense without a test.
func BodySchemas(of Interface, prefix string) Bodies {
	s := &schemas{defs: schema{}, prefix: prefix, named: asItIs, forms: true}
	all := Bodies{Actions: map[string]map[string]any{}, Shared: map[string]map[string]any{}}
	timeout := shapeOf(reflect.TypeFor[StepOptions]())
	for _, d := range Vocabulary() {
		if d.Interfaces&of == 0 {
			continue
		}
		object := s.object(reflect.TypeOf(d.Args))
		properties := object["properties"].(schema)
		if _, own := properties["timeoutMs"]; !own {
			properties["timeoutMs"] = s.field(timeout.fields[timeout.byKey["timeoutMs"]])
		}
		all.Actions[d.Name] = object
	}
	for name, shared := range s.defs {
		all.Shared[name] = shared.(schema)
	}
	for _, made := range []map[string]map[string]any{all.Actions, all.Shared} {
		for _, object := range made {
			typed(object)
		}
	}
	return all
}

// typed writes what the keys of objects need of each other so that generators of types understand it. They read an
// anyOf next to properties as "that, or anything", and {"required": ["label"]} as anything: so the anyOf goes into an
// allOf, and each of its objects names the keys that it wants.
func typed(x any) {
	switch x := x.(type) {
	case []any:
		for _, part := range x {
			typed(part)
		}
	case schema:
		for _, part := range x {
			typed(part)
		}
		if _, object := x["properties"].(schema); !object {
			return
		}
		if some, ok := x["anyOf"].([]any); ok {
			must, _ := x["allOf"].([]any)
			x["allOf"] = append([]any{schema{"anyOf": some}}, must...)
			delete(x, "anyOf")
		}
		must, _ := x["allOf"].([]any)
		for _, rule := range append([]any{x}, must...) {
			for _, kind := range []string{"anyOf", "oneOf"} {
				if some, ok := rule.(schema)[kind].([]any); ok {
					rule.(schema)[kind] = wanted(some)
				}
			}
		}
	}
}

// wanted names, in each of some objects that only say which keys they require, those keys among the properties.
func wanted(some []any) []any {
	out := make([]any, len(some))
	for i, one := range some {
		if keys, ok := one.(schema)["required"].([]string); ok && len(one.(schema)) == 1 {
			properties := schema{}
			for _, key := range keys {
				properties[key] = schema{}
			}
			one = schema{"type": "object", "required": keys, "properties": properties}
		}
		out[i] = one
	}
	return out
}

func asItIs(name string) string { return name }

// ToolSchema is the schema of a struct with tags as the vocabulary has them, for assistants: in the one form that
// programs write, without the keys that only tests need, and in words for those who write none.
func ToolSchema(args any, prefix string) map[string]any {
	s := &schemas{defs: schema{}, prefix: prefix, named: asItIs, defaults: true}
	object := s.object(reflect.TypeOf(args))
	properties := object["properties"].(schema)
	for _, f := range shapeOf(reflect.TypeOf(args)).fields {
		switch f.tool {
		case "":
		case "-":
			delete(properties, f.key)
		default:
			properties[f.key].(schema)["description"] = f.tool
		}
	}
	return object
}

// OwnKey reports whether a key is one of the operation's arguments, rather than a step option.
func (d *Def) OwnKey(key string) bool { return shapeOf(reflect.TypeOf(d.Args)).has(key) }

// ExampleBody is the operation's example as programs send it: an object, also where YAML has a plain text. Step options
// are not in it.
func (d *Def) ExampleBody() map[string]any {
	tests, err := Parse("example.yaml", []byte("id: example\nplatform: "+string(d.Platforms[0])+"\nsteps:\n  - "+
		strings.ReplaceAll(d.Example, "\n", "\n    ")+"\n"))
	body := map[string]any{}
	if err != nil || len(tests) != 1 || len(tests[0].Steps) != 1 {
		return body // a test validates the examples
	}
	args := tests[0].Steps[0].Args
	if args.Kind == source.Map {
		for _, f := range args.Fields {
			if d.OwnKey(f.Key) {
				body[f.Key] = f.Value.Go()
			}
		}
		return body
	}
	if s := shapeOf(reflect.TypeOf(d.Args)); s.scalar >= 0 && args.Kind != source.Null {
		body[s.fields[s.scalar].key] = args.Go()
	}
	return body
}
