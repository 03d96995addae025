package dsl

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// Names are variables and their values, of any type.
type Names map[string]any

func (n *Names) fromValue(d *decoding, v source.Value, name string) {
	if v.Kind != source.Map {
		d.wrong(v, fmt.Sprintf("%q must be a map, not %s", name, describe(v)), "write names and values: {NAME: value}")
		return
	}
	*n = Names{}
	for _, f := range v.Fields {
		if d.nameOf(f) {
			(*n)[f.Key] = d.read(f.Value)
		}
	}
}

// nameOf reports whether a key can be the name of a variable.
func (d *decoding) nameOf(f source.Field) bool {
	if varForm.MatchString(f.Key) && !reserved(f.Key) {
		return true
	}
	d.badName(f.Pos, len([]rune(f.Key)), f.Key)
	return false
}

// variableName checks a value that names a variable.
func (d *decoding) variableName(v source.Value, text string) {
	if !varForm.MatchString(text) || reserved(text) {
		d.badName(v.Pos, len([]rune(v.Text)), v.Text)
	}
}

func (d *decoding) badName(pos source.Pos, width int, name string) {
	if reserved(name) {
		d.fail(pos, width, fmt.Sprintf("the variable %q has a meaning of its own in expressions", name),
			"choose another name")
		return
	}
	d.fail(pos, width, fmt.Sprintf("%q cannot be the name of a variable", shorten.Runes(name, 60)),
		"use letters without accents, digits and underscores, and start with a letter")
}

// Items are what forEach goes over: a list, or an expression that returns one.
type Items struct {
	List []any
	Expr *Expr
}

func (i *Items) fromValue(d *decoding, v source.Value, name string) {
	switch v.Kind {
	case source.List:
		i.List = d.read(v).([]any)
	case source.String:
		i.Expr = &Expr{}
		i.Expr.read(d, v, name, checkExpr)
	default:
		d.wrong(v, fmt.Sprintf("%q must be a list or an expression, not %s", name, describe(v)),
			"for example: in: [one, two]")
	}
}

// Exprs are variables and the expressions that give their values.
type Exprs map[string]Expr

func (e *Exprs) fromValue(d *decoding, v source.Value, name string) {
	if v.Kind != source.Map {
		d.wrong(v, fmt.Sprintf("%q must be a map, not %s", name, describe(v)),
			"write names and expressions: {count: count + 1}")
		return
	}
	*e = Exprs{}
	for _, f := range v.Fields {
		var x Expr
		if d.nameOf(f) {
			x.read(d, f.Value, f.Key, checkExpr)
			(*e)[f.Key] = x
		}
	}
}

// keepsVariables reports whether a text of the type is not looked at for variables.
func keepsVariables(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == exprType || t == exprsType || t == stepsType || t == itemsType || t == valueType
}

// read returns a value of any type; its texts may hold variables.
func (d *decoding) read(v source.Value) any {
	d.texts(v)
	return v.Go()
}

// texts checks the variables in all texts of a value.
func (d *decoding) texts(v source.Value) {
	switch {
	case v.Open:
	case v.Kind == source.String && strings.Contains(v.Text, "${") && d.variables == deferred:
		d.references(v)
	case v.Kind == source.String && strings.Contains(v.Text, "${") && d.variables == refused:
		d.wrong(v, "a variable does not work here", "variables work in vars and in steps")
	}
	for _, item := range v.Items {
		d.texts(item)
	}
	for _, f := range v.Fields {
		d.texts(f.Value)
	}
}

func (d *decoding) anything(dst reflect.Value, v source.Value) {
	if x := d.read(v); x != nil {
		dst.Set(reflect.ValueOf(x))
	}
}

// table reads a map with keys of the author's choice.
func (d *decoding) table(dst reflect.Value, v source.Value, f field) {
	if v.Kind != source.Map {
		d.wrong(v, fmt.Sprintf("%q must be a map, not %s", f.key, describe(v)), "write keys and values: {key: value}")
		return
	}
	dst.Set(reflect.MakeMap(dst.Type()))
	for _, entry := range v.Fields {
		if entry.Key == "" {
			d.fail(entry.Pos, 1, fmt.Sprintf("an empty key in %q", f.key), "")
			continue
		}
		value := reflect.New(dst.Type().Elem()).Elem()
		before := len(d.errs)
		d.field(value, entry.Value, field{key: entry.Key, at: entry.Pos, enum: f.enum, minText: f.minText})
		if len(d.errs) == before {
			dst.SetMapIndex(reflect.ValueOf(entry.Key), value)
		}
	}
}

// unknownYet reports whether a value depends on variables that have none yet.
func (d *decoding) unknownYet(v source.Value) bool {
	return v.Open || d.variables == deferred && v.Kind == source.String && strings.Contains(v.Text, "${")
}

// Show writes a variable's value as ${NAME} prints it: a list or a map as JSON, nothing as an empty text.
func Show(x any) string {
	switch x := x.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case int:
		return strconv.Itoa(x)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case source.Numeral:
		return x.String()
	}
	data, err := json.Marshal(x)
	if err != nil {
		return fmt.Sprint(x)
	}
	return string(data)
}

func (Names) schema(*schemas) schema { return namedValues() }

func (Names) words() string { return "map of variables" }

// namedValues is a map from names of variables to values.
func namedValues() schema {
	return schema{"type": "object", "propertyNames": schema{"pattern": varForm.String(),
		"not": schema{"enum": reservedNames()}}}
}

func (Items) schema(*schemas) schema {
	return schema{
		"anyOf": []any{schema{"type": "array"}, schema{"type": "string", "pattern": `\S`,
			"not": schema{"pattern": aVariable}}}}
}

func (Exprs) schema(*schemas) schema {
	named := namedValues()
	named["additionalProperties"] = schema{"type": []string{"string", "number", "boolean"}}
	return named
}

func (Exprs) words() string { return "map of expressions" }

func (Items) words() string { return "list or expression" }
