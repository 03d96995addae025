package mcpserver

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// schema is an object of a JSON Schema. Every schema here has exactly one type, because not all clients understand
// unions and references.
type schema = map[string]any

// parameter is one argument of a tool.
type parameter struct {
	name     string
	schema   schema
	required bool
}

const (
	refDoc   = "Element of the last snapshot: e12."
	pointDoc = `A place: "120,340" in pixels or "50%,80%".`
	scaleDoc = "Pixels of the last screenshot as sent (default once there is one) or of the device, as in snapshots."
)

// parameters returns the arguments that the struct of an operation or of a tool defines.
func parameters(args any) []parameter {
	body := dsl.ToolSchema(args, "#")
	properties := body["properties"].(schema)
	required, _ := body["required"].([]string)
	selects := dsl.Def{Args: args}.Selects()
	var list []parameter
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p := properties[name].(schema)
		trim(p)
		delete(p, "minLength")
		switch {
		case selects && dsl.SelectorKey(name):
			continue
		case p["$ref"] == "#Selector", p["$ref"] == "#Anchor":
			p = describe(elementSchema(), p["description"])
		case p["examples"] != nil: // a point
			p = describe(schema{"type": "string"}, p["description"])
		}
		list = append(list, parameter{name, p, slices.Contains(required, name)})
	}
	if selects {
		list = append(list, selectorParameters(args)...)
	}
	return list
}

// selectorParameters are the keys that an element has when it is the whole argument. The others are left out, because
// the list of tools would be twice as long with them.
func selectorParameters(args any) []parameter {
	list := []parameter{
		{"label", describe(schema{"type": "string"}, "Visible text, description or hint."), false},
		{"ref", describe(schema{"type": "string"}, refDoc), false},
		{"id", describe(schema{"type": "string"}, "Resource id or id attribute."), false},
		{"index", describe(schema{"type": "integer"}, "Which of several, from 0; -1 is the last."), false},
		{"inside", describe(elementSchema(), "Only inside that element."), false},
	}
	if takesPoint(args) {
		list = append(list, parameter{"point", describe(schema{"type": "string"}, pointDoc), false},
			parameter{"scale", scaleSchema(), false})
	}
	if _, asserts := args.(dsl.Assert); asserts {
		list = append(list, checkedParameters()...)
	}
	return list
}

// checkedParameters are the keys of a selector that an assertion checks.
func checkedParameters() []parameter {
	state := schema{"type": "boolean"}
	modes := schema{"type": "string", "enum": []string{"exact", "words", "prefix", "contains", "regex"}}
	return []parameter{
		{"text", describe(schema{"type": "string"}, "What it must show."), false},
		{"match", describe(modes, "Default: the whole text."), false},
		{"enabled", state, false}, {"checked", state, false}, {"selected", state, false},
	}
}

func scaleSchema() schema {
	return describe(schema{"type": "string", "enum": []string{"picture", "device"}}, scaleDoc)
}

// elementSchema is the schema of an element within an argument.
func elementSchema() schema {
	text := schema{"type": "string"}
	return schema{"type": "object", "properties": schema{"label": text, "ref": text, "id": text,
		"index": schema{"type": "integer"}}, "additionalProperties": false}
}

// trim removes restrictions on texts: the errors of the decoder explain them better than those of a schema.
func trim(p schema) {
	for _, key := range []string{"pattern", "format", "not", "propertyNames"} {
		delete(p, key)
	}
	for _, inner := range []string{"items", "additionalProperties"} {
		if s, ok := p[inner].(schema); ok {
			trim(s)
		}
	}
	if p["const"] == true {
		delete(p, "const")
		p["type"] = "boolean"
	}
}

// takesPoint reports whether the operation takes a point in place of an element.
func takesPoint(args any) bool {
	point := source.Field{Key: "point", Value: source.Value{Kind: source.String, Text: "1,1"}}
	_, err := dsl.Decode(&dsl.Def{Name: "operation", Args: args},
		source.Value{Kind: source.Map, Fields: []source.Field{point}})
	return err == nil
}

func describe(s schema, doc any) schema {
	if doc != nil && doc != "" {
		s["description"] = doc
	}
	return s
}

// object returns the schema of a map with exactly these keys.
func object(list []parameter) schema {
	properties, required := schema{}, []string{}
	for _, p := range list {
		properties[p.name] = p.schema
		if p.required {
			required = append(required, p.name)
		}
	}
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		slices.Sort(required)
		s["required"] = required
	}
	return s
}

// output returns the schema of a structured result: its names and types.
func output(t reflect.Type) schema {
	switch t.Kind() {
	case reflect.Struct:
		properties := schema{}
		for i := range t.NumField() {
			f := t.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				properties[name] = output(f.Type)
			}
		}
		return schema{"type": "object", "properties": properties}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct { // the response itself shows the keys
			return schema{"type": "array", "items": schema{"type": "object"}}
		}
		return schema{"type": "array", "items": output(t.Elem())}
	case reflect.Map:
		return schema{"type": "object"}
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return schema{"type": "integer"}
	default:
		return schema{"type": "string"}
	}
}
