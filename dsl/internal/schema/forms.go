package schema

import (
	"reflect"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/form"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// ownForm is how a type is written that has a form of its own.
type ownForm struct {
	schema func(*schemas) Schema
	words  string // what it takes, in the reference
}

// ownFormOf returns the form of a type that has one of its own.
func ownFormOf(t reflect.Type) (form ownForm, own bool) {
	switch t {
	case reflect.TypeFor[vocabulary.Names]():
		return ownForm{schema: namesSchema, words: "map of variables"}, true
	case reflect.TypeFor[vocabulary.Platform]():
		return ownForm{schema: platformSchema, words: "`" + strings.Join(vocabulary.PlatformWords(), "`, `") +
			"`, or a list of them"}, true
	case reflect.TypeFor[vocabulary.Vars]():
		return ownForm{schema: varsSchema, words: "map of variables"}, true
	case reflect.TypeFor[vocabulary.Properties]():
		return ownForm{schema: propertiesSchema, words: "map of texts"}, true
	case reflect.TypeFor[vocabulary.Items]():
		return ownForm{schema: itemsSchema, words: "list or expression"}, true
	case reflect.TypeFor[expr.Expr]():
		return ownForm{schema: exprSchema, words: "expression"}, true
	case reflect.TypeFor[vocabulary.Exprs]():
		return ownForm{schema: exprsSchema, words: "map of expressions"}, true
	case reflect.TypeFor[vocabulary.BlockTable]():
		return ownForm{schema: tableSchema, words: "map of blocks"}, true
	case reflect.TypeFor[vocabulary.Steps]():
		return ownForm{schema: stepsSchema, words: "steps"}, true
	case reflect.TypeFor[source.Value](): // the steps of a test: they are read when its platform is known
		return ownForm{schema: stepsSchema, words: "steps"}, true
	case reflect.TypeFor[vocabulary.AnyValue]():
		return ownForm{schema: func(*schemas) Schema { return Schema{} }, words: "anything"}, true
	case reflect.TypeFor[vocabulary.Offset]():
		return ownForm{schema: offsetSchema, words: "offset"}, true
	case reflect.TypeFor[vocabulary.Point]():
		return ownForm{schema: pointSchema, words: "point"}, true
	case reflect.TypeFor[vocabulary.Data]():
		return ownForm{schema: dataSchema, words: "list of maps, or path"}, true
	}
	return ownForm{}, false
}

func offsetSchema(s *schemas) Schema {
	const number = `\s*[-+]?[0-9]{1,5}\s*`
	both, one := "^"+number+","+number+"$", "^"+number+"$"
	if s.variables {
		both, one = both+`|\$\{`, one+`|\$\{`
	}
	part := Schema{
		"anyOf": []any{Schema{"type": "number", "minimum": -vocabulary.MaxOffset, "maximum": vocabulary.MaxOffset},
			Schema{"type": "string", "pattern": one}},
	}
	return Schema{"anyOf": []any{Schema{"type": "string", "pattern": both, "examples": []any{"120,-40"}},
		Schema{"type": "object", "properties": Schema{"x": part, "y": part}, "required": []any{"x", "y"},
			"additionalProperties": false}}}
}

func pointSchema(s *schemas) Schema {
	if s.variables {
		return Schema{"$ref": "#/$defs/point"}
	}
	return s.point()
}

// platformSchema is a platform, or a list in which no platform is twice.
func platformSchema(_ *schemas) Schema {
	one := Schema{"enum": vocabulary.PlatformWords()}
	list := Schema{"type": "array", "minItems": 1, "uniqueItems": true, "items": one}
	phones := Schema{"contains": Schema{"enum": []string{"mobile", "both"}}}
	phone := Schema{"contains": Schema{"enum": []string{"android", "ios"}}}
	list["not"] = Schema{"anyOf": []any{Schema{"allOf": []any{phones, phone}},
		Schema{"contains": phones["contains"], "minContains": 2}}}
	return Schema{"anyOf": []any{one, list}}
}

func varsSchema(_ *schemas) Schema {
	out := namedValues()
	out["additionalProperties"] = Schema{"type": []string{"string", "number"}}
	return out
}

func propertiesSchema(_ *schemas) Schema {
	return Schema{"type": "object", "additionalProperties": Schema{"type": []string{"string", "number"}}}
}

func namesSchema(_ *schemas) Schema { return namedValues() }

func itemsSchema(_ *schemas) Schema {
	return Schema{
		"anyOf": []any{Schema{"type": "array"}, Schema{"type": "string", "pattern": `\S`,
			"not": Schema{"pattern": aVariable}}}}
}

func exprsSchema(_ *schemas) Schema {
	named := namedValues()
	named["additionalProperties"] = Schema{"type": []string{"string", "number", "boolean"}}
	return named
}

func tableSchema(s *schemas) Schema {
	block := s.object(reflect.TypeFor[vocabulary.NamedBlock]())
	return Schema{"type": "object", "minProperties": 1, "propertyNames": Schema{"pattern": form.IdForm.String()},
		"additionalProperties": Schema{"anyOf": []any{Schema{"$ref": "#/$defs/steps"}, block}}}
}

func stepsSchema(_ *schemas) Schema { return Schema{"$ref": "#/$defs/steps"} }

// durationForm is a time with its units.
const durationForm = `^ *[+]?([0-9]+(\.[0-9]+)? *(ms|s|m|h) *)+$`

// durationSchema is a number of milliseconds within the field's limits, or a text with units. Whether a text is within
// the limits no pattern can say.
func durationSchema(s *schemas, f vocabulary.Key) Schema {
	number := numberSchema(f)
	switch {
	case s.variables:
		return Schema{"anyOf": []any{number, Schema{"type": "string", "pattern": durationForm + `|` + aVariable}}}
	case s.forms:
		return Schema{"anyOf": []any{number, Schema{"type": "string", "pattern": durationForm, "examples": []any{"5s"}}}}
	}
	return number
}

func exprSchema(_ *schemas) Schema {
	return Schema{"type": []string{"string", "number", "boolean"}, "pattern": `\S`,
		"not": Schema{"type": "string", "pattern": aVariable}}
}

func dataSchema(_ *schemas) Schema {
	row := namedValues()
	row["minProperties"] = 1
	return Schema{"anyOf": []any{Schema{"type": "array", "minItems": 1, "maxItems": vocabulary.MaxRows, "items": row},
		Schema{"type": "string", "pattern": `^[^/:$\\][^:$\\]*\.([cC][sS][vV]|[jJ][sS][oO][nN])$`}}}
}

// namedValues is a map from names of variables to values.
func namedValues() Schema {
	return Schema{"type": "object", "propertyNames": Schema{"pattern": expr.VarForm.String(),
		"not": Schema{"enum": expr.ReservedNames()}}}
}
