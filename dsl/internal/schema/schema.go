// Package schema describes the vocabulary for other programs and for readers: as JSON Schemas and as the reference in
// Markdown.
package schema

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// ConfigSchemaID names the schema of taproot.yaml.
const ConfigSchemaID = "https://taproot.dev/schema/taproot.json"

// OfSuites is the JSON Schema (2020-12) of a suite's taproot.yaml, made from the same structs.
//
// own are the own actions of the project; nil: none.
func OfSuites(own vocabulary.OwnActions) map[string]any {
	s := fileSchemas(own)
	out := s.object(reflect.TypeFor[vocabulary.Suite]())
	s.defs["steps"], s.defs["step"], s.defs["point"] = s.steps(), s.step(), s.point()
	out["$schema"], out["$id"], out["title"] = "https://json-schema.org/draft/2020-12/schema", ConfigSchemaID,
		"Taproot suite"
	out["type"] = []string{"object", "null"}
	out["$defs"] = s.defs
	return out
}

// Schema is an object of a JSON Schema.
type Schema = map[string]any

// SchemaID names the schema of test files.
const SchemaID = "https://taproot.dev/schema/test.json"

// OfTests is the JSON Schema (2020-12) of a test file's documents, made from the structs: a test, or a block for a run
// step. It knows what holds for one value and for its neighbours; what depends on variables, on the platform or on
// other files only Parse knows.
//
// own are the own actions of the project; nil: none.
func OfTests(own vocabulary.OwnActions) map[string]any {
	s := fileSchemas(own)
	test := s.object(reflect.TypeFor[vocabulary.Header]())
	test["description"] = "A test."
	blockOnly := s.object(reflect.TypeFor[vocabulary.BlockFile]())
	blockOnly["description"] = "Steps that other tests run."
	// an own action without parameters is one, too
	blockOnly["properties"].(Schema)["description"] = test["properties"].(Schema)["description"]
	blockOnly["properties"].(Schema)["id"] = test["properties"].(Schema)["id"] // proposed, and then it is a test
	s.defs["steps"] = s.steps()
	s.defs["step"] = s.step()
	s.defs["point"] = s.point()
	action := s.object(reflect.TypeFor[vocabulary.ActionFile]())
	action["description"] = "An own action, in the folder actions."
	out := Schema{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     SchemaID,
		"type":    "object",
		"if": Schema{"not": Schema{"required": []string{"id"}},
			"anyOf": someOf([]string{"steps", "blocks", "params", "run"})},
		"then":  Schema{"if": Schema{"anyOf": someOf([]string{"params", "run"})}, "then": action, "else": blockOnly},
		"else":  test, // also what an editor proposes in an empty file
		"$defs": s.defs,
	}
	distinct(out)
	return out
}

// distinct returns schemas that only want keys properties of their own, none: a widespread language server takes those
// without any for one another, and shows nothing of the action then.
func distinct(x any) {
	switch x := x.(type) {
	case Schema:
		for _, value := range x {
			distinct(value)
		}
		if _, only := x["required"]; only && len(x) == 1 {
			x["properties"] = Schema{}
		}
	case []any:
		for _, value := range x {
			distinct(value)
		}
	}
}

// fileSchemas makes the schemas of files that people write.
func fileSchemas(own vocabulary.OwnActions) *schemas {
	return &schemas{own: own, defs: Schema{}, variables: true, forms: true, defaults: true, prefix: "#/$defs/",
		named: lowered}
}

// schemas makes the schemas of one document and collects what several of its structs share.
type schemas struct {
	defs      Schema
	own       vocabulary.OwnActions // may be nil
	prefix    string                // of references to defs
	named     func(string) string   // what a struct is called in defs
	variables bool                  // a text with ${…} may be a value of any type
	forms     bool                  // all forms in which a value can be written; else only the one that programs write
	defaults  bool                  // defaults have a key of their own; else the description names them
	tool      bool                  // keys with several spellings have the one that tools have always had, and no other
}

func lowered(name string) string { return string(name[0]|0x20) + name[1:] }

// aVariable is the pattern of a text that may be a value of any type.
const aVariable = `\$\{`

func (s *schemas) steps() Schema {
	return Schema{"type": "array", "minItems": 1, "items": Schema{"$ref": "#/$defs/step"}}
}

// step is a map of one action.
func (s *schemas) step() Schema {
	properties := Schema{}
	for _, d := range vocabulary.Vocabulary() {
		if d.Interfaces&vocabulary.YAML == 0 {
			continue
		}
		properties[d.Name] = s.action(&d)
	}
	if s.own != nil {
		for _, name := range s.own.Names() {
			if d, err := s.own.Lookup(name); err == nil && d != nil {
				properties[name] = s.action(d)
			}
		}
	}
	return Schema{"type": "object", "minProperties": 1, "maxProperties": 1, "properties": properties,
		"additionalProperties": false}
}

// action is the argument of an action: its map with the step options, or its short form, or nothing.
func (s *schemas) action(d *vocabulary.Def) Schema {
	t := reflect.TypeOf(d.Args)
	long := s.object(t)
	properties := long["properties"].(Schema)
	options := s.object(reflect.TypeFor[vocabulary.StepOptions]())
	for key, option := range options["properties"].(Schema) {
		_, own := properties[key]
		switch {
		case own:
		case (key != "as" || d.Saves != "") && (key != "screenshot" || !d.Control()):
			properties[key] = option
		case vocabulary.ShapeOf(t).Other != nil: // where any key may be
			properties[key] = false
		}
	}
	s.eitherSpelling(vocabulary.ShapeOf(reflect.TypeFor[vocabulary.StepOptions]()), long)
	forms := []any{long}
	if d.MustSave {
		long["required"] = []string{"as"}
	} else {
		forms = append(forms, s.short(t)...)
	}
	if !d.NeedsArgument() {
		forms = append(forms, Schema{"type": "null"})
	}
	return Schema{"description": d.Doc, "anyOf": about(d, forms)}
}

// about makes every form of an argument say what the action does: an editor shows the text of the form that was
// written, and of nothing around it.
func about(d *vocabulary.Def, forms []any) []any {
	for i, form := range forms {
		own := maps.Clone(form.(Schema))
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
	sh := vocabulary.ShapeOf(t)
	if !sh.HasShort() {
		return nil
	}
	f := sh.Fields[sh.Scalar]
	if f.Typ == vocabulary.SelectorType { // not a map: that would be the long form
		return []any{s.field(vocabulary.ShapeOf(vocabulary.SelectorType).Fields[0])}
	}
	return []any{s.field(f)}
}

// object is the schema of a struct's map.
func (s *schemas) object(t reflect.Type) Schema {
	sh := vocabulary.ShapeOf(t)
	properties, required := Schema{}, []string{}
	for _, f := range sh.Fields {
		properties[s.nameOf(f.Name, f)] = s.field(f)
		s.spellings(f, properties)
		if f.Required && (len(f.Spellings) == 0 || s.tool) {
			required = append(required, s.nameOf(f.Name, f))
		}
	}
	out := Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	switch {
	case sh.Other == nil:
	case t.FieldByIndex(sh.Other).Type == vocabulary.BranchesType:
		out["propertyNames"] = Schema{"anyOf": []any{Schema{"enum": knownKeys(sh)},
			Schema{"pattern": `^[A-Za-z][A-Za-z0-9-]{0,31}$`}}}
		out["additionalProperties"] = s.steps()
	default:
		variables := namedValues()["propertyNames"]
		out["propertyNames"] = Schema{"anyOf": []any{Schema{"enum": knownKeys(sh)}, variables}}
		out["additionalProperties"] = true
	}
	s.rules(sh, out)
	if sh.Selects && t != vocabulary.SelectorType {
		s.without(out, slices.DeleteFunc([]string{"point", "describe"}, func(key string) bool {
			return slices.Contains(sh.Takes, key)
		})...)
	}
	return out
}

// knownKeys are the keys of a step that are not variables.
func knownKeys(sh *vocabulary.Shape) []string {
	keys := sh.Keys()
	for _, f := range vocabulary.ShapeOf(reflect.TypeFor[vocabulary.StepOptions]()).Fields {
		keys = append(append(keys, f.Name), f.Spellings...)
	}
	return keys
}

// spellings adds the further names of a key. Editors propose them last, if at all.
func (s *schemas) spellings(f vocabulary.Key, properties Schema) {
	if s.tool {
		return
	}
	for _, name := range f.Spellings {
		spelled := maps.Clone(s.value(f))
		spelled["description"], spelled["deprecated"] = "The same as "+f.Name+".", true
		properties[name] = spelled
	}
}

// selectorRules are those about the keys of a selector; what it may be instead is among more.
func selectorRules(t reflect.Type, out Schema) (needs map[string][]any) {
	out["anyOf"] = someOf(append(append(criteria(t), "point"), vocabulary.ShapeOf(t).Unless...))
	needs = map[string][]any{}
	compared := someOf(slices.DeleteFunc(append(vocabulary.TextKeys(), "id"), func(key string) bool {
		expected := key == "text" && t == reflect.TypeFor[vocabulary.AssertElement]() // which is compared, too
		return !slices.Contains(criteria(t), key) && !expected
	}))
	needs["match"] = append(
		needs["match"],
		Schema{
			"anyOf": append(compared, Schema{"properties": Schema{"match": Schema{"const": string(vocabulary.MatchMaestro)}}}),
		},
	)
	needs["first"] = append(needs["first"], Schema{"if": Schema{"properties": Schema{"first": Schema{"const": true}}},
		"then": Schema{"not": Schema{"required": []string{"index"}}}})
	needs["fallback"] = append(needs["fallback"], Schema{"required": []string{"label"}})
	for _, key := range vocabulary.Seen() {
		others := slices.DeleteFunc(selectorKeys(t), func(other string) bool {
			return other == key || other == "index" || other == "first" || slices.Contains(vocabulary.Relations(), other)
		})
		needs[key] = append(needs[key], Schema{"not": Schema{"anyOf": someOf(others)}})
	}
	others := slices.DeleteFunc(selectorKeys(t), func(key string) bool { return key == "point" })
	needs["point"] = append(needs["point"], Schema{"not": Schema{"anyOf": someOf(others)}})
	return needs
}

// without takes keys out of the schema of a selector.
func (s *schemas) without(out Schema, keys ...string) {
	for _, key := range keys {
		delete(out["properties"].(Schema), key)
		delete(out["dependentSchemas"].(Schema), key)
		out["anyOf"] = slices.DeleteFunc(out["anyOf"].([]any), func(x any) bool {
			return slices.Equal(x.(Schema)["required"].([]string), []string{key})
		})
	}
}

// someOf returns one schema per key that wants the key.
func someOf(keys []string) []any {
	all := make([]any, len(keys))
	for i, key := range keys {
		all[i] = Schema{"required": []string{key}}
	}
	return all
}

// criteria are the keys of a struct with a selector that can say which element is meant. A key of the struct's own is
// none.
func criteria(t reflect.Type) []string {
	return slices.DeleteFunc(selectorKeys(t), func(key string) bool {
		return key == "point" ||
			slices.Contains(vocabulary.Supplements(), key)
	})
}

// selectorKeys are the keys of a struct that come from the selector in it. A key of the struct's own hides that of the
// selector.
func selectorKeys(t reflect.Type) []string {
	sh := vocabulary.ShapeOf(t)
	return slices.DeleteFunc(vocabulary.ShapeOf(vocabulary.SelectorType).Keys(), func(key string) bool {
		i, has := sh.ByKey[key]
		return t != vocabulary.SelectorType && has && len(sh.Fields[i].Index) == 1
	})
}
