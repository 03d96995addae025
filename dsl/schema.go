package dsl

import (
	"reflect"
	"slices"
)

// schema is an object of a JSON Schema.
type schema = map[string]any

// SchemaID names the schema of test files.
const SchemaID = "https://taproot.dev/schema/test.json"

// Schema is the JSON Schema (2020-12) of a test file's documents, made from the structs: a test, or a block for a run step. It knows
// what holds for one value and for its neighbours; what depends on variables, on the platform or on other files only
// Parse knows.
func Schema() map[string]any {
	s := schemas{defs: schema{}}
	test := s.object(reflect.TypeFor[header]())
	test["description"] = "A test."
	blockOnly := s.object(reflect.TypeFor[block]())
	blockOnly["description"] = "Steps that other tests run."
	blockOnly["anyOf"] = someOf([]string{"steps", "blocks"})
	s.defs["steps"] = s.steps()
	s.defs["step"] = s.step()
	s.defs["point"] = point()
	return schema{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     SchemaID,
		"title":   "Taproot test",
		"type":    "object",
		"if":      schema{"required": []string{"id"}},
		"then":    test,
		"else":    blockOnly,
		"$defs":   s.defs,
	}
}

// schemas collects what several actions share.
type schemas struct {
	defs schema
}

// aVariable is the pattern of a text that stands for a value of any type.
const aVariable = `\$\{`

func (s *schemas) steps() schema {
	return schema{"type": "array", "minItems": 1, "items": schema{"$ref": "#/$defs/step"}}
}

// step is a map of one action.
func (s *schemas) step() schema {
	properties := schema{}
	for _, d := range Vocabulary() {
		if d.Mouths&YAML == 0 {
			continue
		}
		properties[d.Name] = s.action(&d)
	}
	return schema{"type": "object", "minProperties": 1, "maxProperties": 1, "properties": properties, "additionalProperties": false}
}

// action is the argument of an action: its map with the step options, or its short form, or nothing.
func (s *schemas) action(d *Def) schema {
	t := reflect.TypeOf(d.Args)
	long := s.object(t)
	properties := long["properties"].(schema)
	for key, option := range s.object(reflect.TypeFor[StepOptions]())["properties"].(schema) {
		if _, own := properties[key]; !own && (key != "as" || d.Saves != "") && (key != "screenshot" || !d.Control()) {
			properties[key] = option
		}
	}
	if extract := reflect.TypeFor[Extract](); t == extract {
		long["required"] = []string{"as"}
	}
	forms := append([]any{long}, s.short(t)...)
	if !needsArgument(d) {
		forms = append(forms, schema{"type": "null"})
	}
	return schema{"description": d.Doc, "anyOf": forms}
}

// short is the form of an argument that is no map.
func (s *schemas) short(t reflect.Type) []any {
	sh := shapeOf(t)
	if sh.scalar < 0 || t == reflect.TypeFor[Extract]() || t == reflect.TypeFor[AssertElement]() {
		return nil
	}
	for i, f := range sh.fields {
		if f.required && i != sh.scalar {
			return nil
		}
	}
	f := sh.fields[sh.scalar]
	if f.typ == selectorType { // not a map: that would be the long form
		return []any{s.field(shapeOf(selectorType).fields[0])}
	}
	return []any{s.field(f)}
}

// objectSchema is the schema of a struct's map, without rules between its keys.
func objectSchema(t reflect.Type, of func(field) schema) schema {
	properties, required := schema{}, []string{}
	for _, f := range shapeOf(t).fields {
		properties[f.key] = of(f)
		if f.required {
			required = append(required, f.key)
		}
	}
	out := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// object is the schema of a struct's map.
func (s *schemas) object(t reflect.Type) schema {
	out := objectSchema(t, s.field)
	properties := out["properties"].(schema)
	switch {
	case t == reflect.TypeFor[Extract]():
		out["anyOf"] = append(someOf(append(criteria(t), "point")), schema{"required": []string{"text"}}, schema{"required": []string{"prompt"}})
	case t == reflect.TypeFor[WebAssert]():
		out["anyOf"] = someOf([]string{"selector", "url", "title", "noConsoleErrors"})
	case t == reflect.TypeFor[Run]():
		out["anyOf"] = someOf([]string{"file", "block"})
	case t == reflect.TypeFor[Repeat]():
		out["anyOf"] = someOf([]string{"times", "while"})
	case t == reflect.TypeFor[Try]():
		out["anyOf"] = someOf([]string{"onFailure", "always"})
	case t == reflect.TypeFor[SetPermissions]():
		out["anyOf"] = someOf([]string{"allow", "deny"})
	case t == reflect.TypeFor[WebRoute]():
		out["anyOf"] = someOf([]string{"status", "body", "json", "headers", "block", "delayMs", "modify", "request"})
	case t == reflect.TypeFor[Set]():
		properties["vars"].(schema)["minProperties"] = 1
	case t == reflect.TypeFor[Location]():
		properties["route"].(schema)["minItems"] = 2
		properties["route"].(schema)["type"] = []string{"array"}
	case t == reflect.TypeFor[State](), t == reflect.TypeFor[Expect](), t == reflect.TypeFor[Need](), t == reflect.TypeFor[WebModify](), t == reflect.TypeFor[environment]():
		out["minProperties"] = 1
	case t == reflect.TypeFor[Size]():
		out["anyOf"] = someOf([]string{"width", "height"})
	case selects(t):
		out["anyOf"] = someOf(append(criteria(t), "point"))
	}
	if t == reflect.TypeFor[AssertElement]() {
		out["allOf"] = []any{schema{"anyOf": someOf([]string{"text", "value", "count", "visible", "is"})}}
	}
	if keys := alternatives(t); keys != nil {
		out["oneOf"] = someOf(keys)
	}
	s.rules(t, out)
	if selects(t) && !pointed(t) {
		without(out, "point")
	}
	if selects(t) && t != selectorType && !slices.Contains(describers(), t) {
		without(out, "describe")
	}
	return out
}

// pointed tells whether a selector's place will do where an element is meant.
func pointed(t reflect.Type) bool {
	for _, only := range []reflect.Type{reflect.TypeFor[ScrollTo](), reflect.TypeFor[CopyText](), reflect.TypeFor[Assert](),
		reflect.TypeFor[AssertNot](), reflect.TypeFor[AssertElement](), reflect.TypeFor[Extract]()} {
		if t == only {
			return false
		}
	}
	return true
}

// describers are the actions that may find their element by a description.
func describers() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[Tap](), reflect.TypeFor[DoubleTap](), reflect.TypeFor[LongPress]()}
}

// without takes keys out of the schema of a selector.
func without(out schema, keys ...string) {
	for _, key := range keys {
		delete(out["properties"].(schema), key)
		delete(out["dependentSchemas"].(schema), key)
		out["anyOf"] = slices.DeleteFunc(out["anyOf"].([]any), func(x any) bool {
			return slices.Equal(x.(schema)["required"].([]string), []string{key})
		})
	}
}

// rules are those about keys that need or exclude each other.
func (s *schemas) rules(t reflect.Type, out schema) {
	needs := schema{}
	switch t {
	case reflect.TypeFor[Swipe]():
		needs["from"] = schema{"required": []string{"to"}, "not": schema{"required": []string{"inside"}}}
		needs["to"] = schema{"required": []string{"from"}}
	case reflect.TypeFor[Extract]():
		needs["text"] = schema{"not": schema{"anyOf": someOf(append(criteria(t), append(supplements(), "point", "prompt", "regex")...))}}
		needs["prompt"] = schema{"not": schema{"anyOf": someOf(append(criteria(t), append(supplements(), "point", "text", "regex", "group")...))}}
		needs["group"] = schema{"anyOf": someOf([]string{"text", "regex"})}
	case reflect.TypeFor[Tap](), reflect.TypeFor[DoubleTap](), reflect.TypeFor[LongPress]():
		needs["at"] = schema{"not": schema{"required": []string{"point"}}}
	case reflect.TypeFor[Input]():
		needs["seed"] = schema{"required": []string{"random"}}
	case reflect.TypeFor[Location]():
		needs["speedKmh"] = schema{"required": []string{"route"}}
	case reflect.TypeFor[AssertLog]():
		absent := schema{"properties": schema{"absent": schema{"const": true}}, "required": []string{"absent"}}
		needs["forMs"], needs["as"] = absent, schema{"not": absent}
	case reflect.TypeFor[WebWait]():
		needs["state"] = schema{"required": []string{"selector"}}
		needs["frame"] = schema{"required": []string{"selector"}}
	case reflect.TypeFor[WebAssert]():
		for _, key := range []string{"visible", "text", "value", "count", "frame"} {
			needs[key] = schema{"required": []string{"selector"}}
		}
	case reflect.TypeFor[HTTP]():
		needs["json"] = schema{"not": schema{"required": []string{"body"}}}
	case reflect.TypeFor[WebRoute]():
		answer := []string{"status", "body", "json", "headers"}
		needs["json"] = schema{"not": schema{"required": []string{"body"}}}
		needs["modify"] = schema{"not": schema{"anyOf": someOf(answer)}}
		needs["request"] = needs["modify"]
		needs["block"] = schema{"if": schema{"properties": schema{"block": schema{"const": true}}},
			"then": schema{"not": schema{"anyOf": someOf(append(answer, "modify", "request"))}}}
	case reflect.TypeFor[OpenBrowser]():
		needs["connect"] = schema{"not": schema{"anyOf": someOf(ofFreshContexts())}}
	case reflect.TypeFor[WebDialog]():
		needs["text"] = schema{"properties": schema{"answer": schema{"const": "accept"}}}
	case reflect.TypeFor[WebStorage]():
		out["properties"].(schema)["clear"].(schema)["const"] = true
	case reflect.TypeFor[WebPage]():
		out["properties"].(schema)["close"].(schema)["const"] = true
	}
	if selects(t) {
		needs["match"] = schema{"anyOf": someOf(slices.DeleteFunc(append(textKeys(), "id"), func(key string) bool { return !slices.Contains(criteria(t), key) }))}
		needs["first"] = schema{"not": schema{"required": []string{"index"}}}
		needs["fallback"] = schema{"required": []string{"label"}}
		for _, key := range seen() {
			others := slices.DeleteFunc(shapeOf(selectorType).keys(), func(other string) bool {
				return other == key || other == "index" || other == "first" || slices.Contains(relations(), other)
			})
			needs[key] = schema{"not": schema{"anyOf": someOf(others)}}
		}
		others := slices.DeleteFunc(shapeOf(selectorType).keys(), func(key string) bool { return key == "point" })
		needs["point"] = schema{"not": schema{"anyOf": someOf(others)}}
	}
	if len(needs) > 0 {
		out["dependentSchemas"] = needs
	}
}

// someOf gives one schema per key that wants the key.
func someOf(keys []string) []any {
	all := make([]any, len(keys))
	for i, key := range keys {
		all[i] = schema{"required": []string{key}}
	}
	return all
}

// selects tells whether the struct is a selector, or has the keys of one.
func selects(t reflect.Type) bool {
	if t == selectorType {
		return true
	}
	f, ok := t.FieldByName("Selector")
	return ok && f.Anonymous
}

// criteria are the keys of a struct with a selector that can say which element is meant. A key of the struct's own is none.
func criteria(t reflect.Type) []string {
	sh := shapeOf(t)
	return slices.DeleteFunc(shapeOf(selectorType).keys(), func(key string) bool {
		if i, has := sh.byKey[key]; t != selectorType && has && len(sh.fields[i].index) == 1 {
			return true
		}
		return key == "point" || slices.Contains(supplements(), key)
	})
}

// alternatives are the keys of which exactly one is given.
func alternatives(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[Swipe]():
		return []string{"direction", "from"}
	case reflect.TypeFor[Input]():
		return []string{"text", "random"}
	case reflect.TypeFor[AssertLog]():
		return []string{"text", "regex"}
	case reflect.TypeFor[Location]():
		return []string{"at", "route"}
	case reflect.TypeFor[WaitFor]():
		return []string{"visible", "gone", "enabled", "text", "url"}
	case reflect.TypeFor[WebNavigate]():
		return []string{"url", "to"}
	case reflect.TypeFor[WebStorage]():
		return []string{"save", "load", "clear"}
	case reflect.TypeFor[WebPage]():
		return []string{"url", "title", "index", "close"}
	case reflect.TypeFor[WebSelect]():
		return []string{"value", "label", "index"}
	case reflect.TypeFor[WebWait]():
		return []string{"selector", "url", "load", "request", "response"}
	default:
		return nil
	}
}
