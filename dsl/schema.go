package dsl

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// schema is an object of a JSON Schema.
type schema = map[string]any

// SchemaID names the schema of test files.
const SchemaID = "https://taproot.dev/schema/test.json"

// Schema is the JSON Schema (2020-12) of a test file's documents, made from the structs: a test, or a block for a run
// step. It knows what holds for one value and for its neighbours; what depends on variables, on the platform or on
// other files only Parse knows.
func Schema() map[string]any {
	s := fileSchemas()
	test := s.object(reflect.TypeFor[header]())
	test["description"] = "A test."
	blockOnly := s.object(reflect.TypeFor[block]())
	blockOnly["description"] = "Steps that other tests run."
	blockOnly["properties"].(schema)["id"] = test["properties"].(schema)["id"] // proposed, and then it is a test
	s.defs["steps"] = s.steps()
	s.defs["step"] = s.step()
	s.defs["point"] = s.point()
	out := schema{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     SchemaID,
		"type":    "object",
		"if":      schema{"not": schema{"required": []string{"id"}}, "anyOf": someOf([]string{"steps", "blocks"})},
		"then":    blockOnly,
		"else":    test, // also what an editor proposes in an empty file
		"$defs":   s.defs,
	}
	distinct(out)
	return out
}

// distinct returns schemas that only want keys properties of their own, none: a widespread language server takes those
// without any for one another, and shows nothing of the action then.
func distinct(x any) {
	switch x := x.(type) {
	case schema:
		for _, value := range x {
			distinct(value)
		}
		if _, only := x["required"]; only && len(x) == 1 {
			x["properties"] = schema{}
		}
	case []any:
		for _, value := range x {
			distinct(value)
		}
	}
}

// fileSchemas makes the schemas of files that people write.
func fileSchemas() *schemas {
	return &schemas{defs: schema{}, variables: true, forms: true, defaults: true, prefix: "#/$defs/", named: lowered}
}

// schemas makes the schemas of one document and collects what several of its structs share.
type schemas struct {
	defs      schema
	prefix    string              // of references to defs
	named     func(string) string // what a struct is called in defs
	variables bool                // a text with ${…} may be a value of any type
	forms     bool                // all forms in which a value can be written; else only the one that programs write
	defaults  bool                // defaults have a key of their own; else the description names them
}

func lowered(name string) string { return string(name[0]|0x20) + name[1:] }

// aVariable is the pattern of a text that may be a value of any type.
const aVariable = `\$\{`

func (s *schemas) steps() schema {
	return schema{"type": "array", "minItems": 1, "items": schema{"$ref": "#/$defs/step"}}
}

// step is a map of one action.
func (s *schemas) step() schema {
	properties := schema{}
	for _, d := range Vocabulary() {
		if d.Interfaces&YAML == 0 {
			continue
		}
		properties[d.Name] = s.action(&d)
	}
	return schema{"type": "object", "minProperties": 1, "maxProperties": 1, "properties": properties,
		"additionalProperties": false}
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
	forms := []any{long}
	if d.MustSave {
		long["required"] = []string{"as"}
	} else {
		forms = append(forms, s.short(t)...)
	}
	if !d.NeedsArgument() {
		forms = append(forms, schema{"type": "null"})
	}
	return schema{"description": d.Doc, "anyOf": about(d, forms)}
}

// about makes every form of an argument say what the action does: an editor shows the text of the form that was
// written, and of nothing around it.
func about(d *Def, forms []any) []any {
	for i, form := range forms {
		own := maps.Clone(form.(schema))
		text := []string{d.Doc}
		if said, ok := own["description"].(string); ok {
			text = append(text, said)
		}
		own["description"] = strings.Join(text, " ")
		forms[i] = own
	}
	return forms
}

// short is the form of an argument that is not a map.
func (s *schemas) short(t reflect.Type) []any {
	sh := shapeOf(t)
	if !sh.hasShort() {
		return nil
	}
	f := sh.fields[sh.scalar]
	if f.typ == selectorType { // not a map: that would be the long form
		return []any{s.field(shapeOf(selectorType).fields[0])}
	}
	return []any{s.field(f)}
}

// object is the schema of a struct's map.
func (s *schemas) object(t reflect.Type) schema {
	sh := shapeOf(t)
	properties, required := schema{}, []string{}
	for _, f := range sh.fields {
		properties[f.key] = s.field(f)
		if f.required {
			required = append(required, f.key)
		}
	}
	out := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	s.rules(sh, out)
	if sh.selects && t != selectorType {
		s.without(out, slices.DeleteFunc([]string{"point", "describe"}, func(key string) bool {
			return slices.Contains(sh.takes, key)
		})...)
	}
	return out
}

// selectorRules are those about the keys of a selector; what it may be instead is among more.
func selectorRules(t reflect.Type, out schema) (needs map[string][]any) {
	out["anyOf"] = someOf(append(append(criteria(t), "point"), shapeOf(t).unless...))
	needs = map[string][]any{}
	compared := someOf(slices.DeleteFunc(append(textKeys(), "id"), func(key string) bool {
		return !slices.Contains(criteria(t), key)
	}))
	needs["match"] = append(needs["match"],
		schema{"anyOf": append(compared, schema{"properties": schema{"match": schema{"const": string(MatchMaestro)}}})})
	needs["first"] = append(needs["first"], schema{"if": schema{"properties": schema{"first": schema{"const": true}}},
		"then": schema{"not": schema{"required": []string{"index"}}}})
	needs["fallback"] = append(needs["fallback"], schema{"required": []string{"label"}})
	for _, key := range seen() {
		others := slices.DeleteFunc(selectorKeys(t), func(other string) bool {
			return other == key || other == "index" || other == "first" || slices.Contains(relations(), other)
		})
		needs[key] = append(needs[key], schema{"not": schema{"anyOf": someOf(others)}})
	}
	others := slices.DeleteFunc(selectorKeys(t), func(key string) bool { return key == "point" })
	needs["point"] = append(needs["point"], schema{"not": schema{"anyOf": someOf(others)}})
	return needs
}

// without takes keys out of the schema of a selector.
func (s *schemas) without(out schema, keys ...string) {
	for _, key := range keys {
		delete(out["properties"].(schema), key)
		delete(out["dependentSchemas"].(schema), key)
		out["anyOf"] = slices.DeleteFunc(out["anyOf"].([]any), func(x any) bool {
			return slices.Equal(x.(schema)["required"].([]string), []string{key})
		})
	}
}

// someOf returns one schema per key that wants the key.
func someOf(keys []string) []any {
	all := make([]any, len(keys))
	for i, key := range keys {
		all[i] = schema{"required": []string{key}}
	}
	return all
}

// criteria are the keys of a struct with a selector that can say which element is meant. A key of the struct's own is
// none.
func criteria(t reflect.Type) []string {
	return slices.DeleteFunc(selectorKeys(t), func(key string) bool {
		return key == "point" ||
			slices.Contains(supplements(), key)
	})
}

// selectorKeys are the keys of a struct that come from the selector in it. A key of the struct's own hides that of the
// selector.
func selectorKeys(t reflect.Type) []string {
	sh := shapeOf(t)
	return slices.DeleteFunc(shapeOf(selectorType).keys(), func(key string) bool {
		i, has := sh.byKey[key]
		return t != selectorType && has && len(sh.fields[i].index) == 1
	})
}
