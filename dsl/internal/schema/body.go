package schema

import (
	"reflect"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// Bodies are the JSON Schemas of the arguments that programs send: what the check accepts, without variables, step
// options and the short forms of whole arguments.
type Bodies struct {
	Actions map[string]map[string]any // by the name of the operation; objects
	Shared  map[string]map[string]any // by name: what the others refer to, as prefix + name
}

// BodySchemas makes the schemas of all operations that an interface offers; references start with prefix. The
// timeout is the one step option that makes sense without a test.
func BodySchemas(of vocabulary.Interface, prefix string) Bodies {
	s := &schemas{defs: Schema{}, prefix: prefix, named: asItIs, forms: true}
	all := Bodies{Actions: map[string]map[string]any{}, Shared: map[string]map[string]any{}}
	timeout := vocabulary.ShapeOf(reflect.TypeFor[vocabulary.StepOptions]())
	for _, d := range vocabulary.Vocabulary() {
		if d.Interfaces&of == 0 {
			continue
		}
		object := s.object(reflect.TypeOf(d.Args))
		properties := object["properties"].(Schema)
		if _, own := properties["timeout"]; !own {
			limit := timeout.Fields[timeout.ByKey["timeout"]]
			properties["timeout"] = s.field(limit)
			s.spellings(limit, properties)
			s.eitherSpelling(&vocabulary.Shape{Fields: []vocabulary.Key{limit}}, object)
		}
		all.Actions[d.Name] = object
	}
	for name, shared := range s.defs {
		all.Shared[name] = shared.(Schema)
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
	case Schema:
		for _, part := range x {
			typed(part)
		}
		if _, object := x["properties"].(Schema); !object {
			return
		}
		if some, ok := x["anyOf"].([]any); ok {
			must, _ := x["allOf"].([]any)
			x["allOf"] = append([]any{Schema{"anyOf": some}}, must...)
			delete(x, "anyOf")
		}
		must, _ := x["allOf"].([]any)
		for _, rule := range append([]any{x}, must...) {
			for _, kind := range []string{"anyOf", "oneOf"} {
				if some, ok := rule.(Schema)[kind].([]any); ok {
					rule.(Schema)[kind] = wanted(some)
				}
			}
		}
	}
}

// wanted names, in each of some objects that only say which keys they require, those keys among the properties.
func wanted(some []any) []any {
	out := make([]any, len(some))
	for i, one := range some {
		if keys, ok := one.(Schema)["required"].([]string); ok && len(one.(Schema)) == 1 {
			properties := Schema{}
			for _, key := range keys {
				properties[key] = Schema{}
			}
			one = Schema{"type": "object", "required": keys, "properties": properties}
		}
		out[i] = one
	}
	return out
}

func asItIs(name string) string { return name }

// ToolSchema is the schema of a struct with tags as the vocabulary has them, for assistants: in the one form that
// programs write, without the keys that only tests need, and in words for those who write none.
func ToolSchema(args any, prefix string) map[string]any {
	s := &schemas{defs: Schema{}, prefix: prefix, named: asItIs, defaults: true, tool: true}
	object := s.object(reflect.TypeOf(args))
	properties := object["properties"].(Schema)
	for _, f := range vocabulary.ShapeOf(reflect.TypeOf(args)).Fields {
		name := s.nameOf(f.Name, f)
		switch f.Tool {
		case "":
		case "-":
			delete(properties, name)
		default:
			properties[name].(Schema)["description"] = f.Tool
		}
		if of, is := properties[name].(Schema); is && f.Format == vocabulary.Duration {
			of["description"] = strings.TrimSuffix(of["description"].(string), ".") + ", in milliseconds."
		}
	}
	return object
}
