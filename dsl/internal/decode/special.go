package decode

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/form"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

func readTable(d *Decoding, v source.Value, name string) {
	if v.Kind != source.Map || len(v.Fields) == 0 {
		d.Wrong(v, fmt.Sprintf("%q must be a map, not %s", name, source.Describe(v)),
			`write the name of a block, and its steps under it: "sign-in: [{tap: Sign in}]"`)
	}
}

func readVars(d *Decoding, vs *vocabulary.Vars, v source.Value, name string) {
	if v.Kind != source.Map {
		d.Wrong(v, fmt.Sprintf("%q must be a map, not %s", name, source.Describe(v)),
			"write one \"NAME: value\" per line, indented under vars")
		return
	}
	for _, f := range v.Fields {
		if !d.NameOf(f) {
			continue
		}
		text, ok := d.string(f.Value, f.Key)
		if !ok {
			continue
		}
		d.References(f.Value)
		*vs = append(*vs, expr.NewVar(f.Key, text, f.Value, d.Source))
	}
}

func readProperties(d *Decoding, ps *vocabulary.Properties, v source.Value, name string) {
	if v.Kind != source.Map {
		d.Wrong(v, fmt.Sprintf("%q must be a map, not %s", name, source.Describe(v)),
			"write one \"name: value\" per line, indented under properties")
		return
	}
	for _, f := range v.Fields {
		if text, ok := d.string(f.Value, f.Key); ok {
			*ps = append(*ps, vocabulary.Property{Name: f.Key, Value: text})
		}
	}
}

// special reads a value into a type that is written in a way of its own; false: it is not one.
func (d *Decoding) special(dst any, v source.Value, f vocabulary.Key) bool {
	name := f.Name
	switch to := dst.(type) {
	case *vocabulary.Steps:
		*to = d.Inner(source.Field{Key: name, Pos: v.Pos, Value: v})
	case *expr.Expr:
		readExpr(d, to, v, name)
	case *vocabulary.Exprs:
		readExprs(d, to, v, name)
	case *vocabulary.Names:
		readNames(d, to, v, name)
	case *vocabulary.Items:
		readItems(d, to, v, name)
	case *vocabulary.Point:
		form.ReadPoint(&d.Checker, to, v, name)
	case *vocabulary.Offset:
		form.ReadOffset(&d.Checker, to, v, name)
	case *vocabulary.Data:
		vocabulary.ReadData(&d.Values, to, v, name)
	case *vocabulary.Platform:
		readPlatform(d, to, v, name)
	case *vocabulary.Vars:
		readVars(d, to, v, name)
	case *vocabulary.Properties:
		readProperties(d, to, v, name)
	case *vocabulary.Template:
		readTemplate(d, to, v, f)
	case *vocabulary.BlockTable:
		readTable(d, v, name)
	case *source.Value:
		*to = v
	case *vocabulary.AnyValue:
		to.Value = v
	default:
		return false
	}
	return true
}

// readTemplate reads a text with variables. Without any, it must have the form of its key.
func readTemplate(d *Decoding, t *vocabulary.Template, v source.Value, f vocabulary.Key) {
	text, ok := d.string(v, f.Name)
	if !ok {
		return
	}
	d.References(v)
	*t = expr.NewTemplate(text, v.Pos, d.Source)
	if !strings.Contains(text, "${") {
		d.text(reflect.ValueOf(&text).Elem(), v, f)
	}
}

func readNames(d *Decoding, n *vocabulary.Names, v source.Value, name string) {
	if v.Kind != source.Map {
		d.Wrong(v, fmt.Sprintf("%q must be a map, not %s", name, source.Describe(v)), "write names and values: {NAME: value}")
		return
	}
	*n = vocabulary.Names{}
	for _, f := range v.Fields {
		if d.NameOf(f) {
			(*n)[f.Key] = d.Read(f.Value)
		}
	}
}

func readItems(d *Decoding, i *vocabulary.Items, v source.Value, name string) {
	switch v.Kind {
	case source.List:
		i.List = d.Read(v).([]any)
	case source.String:
		i.Expr = &expr.Expr{}
		takeExpr(d, i.Expr, v, name, expr.CheckExpr)
	default:
		d.Wrong(v, fmt.Sprintf("%q must be a list or an expression, not %s", name, source.Describe(v)),
			"for example: in: [one, two]")
	}
}

func readExprs(d *Decoding, e *vocabulary.Exprs, v source.Value, name string) {
	if v.Kind != source.Map {
		d.Wrong(v, fmt.Sprintf("%q must be a map, not %s", name, source.Describe(v)),
			"write names and expressions: {count: count + 1}")
		return
	}
	*e = vocabulary.Exprs{}
	for _, f := range v.Fields {
		var x expr.Expr
		if d.NameOf(f) {
			takeExpr(d, &x, f.Value, f.Key, expr.CheckExpr)
			(*e)[f.Key] = x
		}
	}
}

func readExpr(d *Decoding, e *expr.Expr, v source.Value, name string) {
	takeExpr(d, e, v, name, expr.CheckCondition)
}

// read takes over the expression that a value is, when the check finds nothing wrong with it.
func takeExpr(
	d *Decoding,
	e *expr.Expr,
	v source.Value,
	name string,
	check func(expr.Expr, *source.Source) *source.Error,
) {
	switch {
	case v.Kind == source.List, v.Kind == source.Map, v.Kind == source.Null:
		d.Wrong(
			v,
			fmt.Sprintf("%q must be an expression, not %s", name, source.Describe(v)),
			`for example: visible("Sign in")`,
		)
		return
	case strings.TrimSpace(v.Text) == "":
		d.Wrong(v, fmt.Sprintf("%q is empty", name), `write an expression, for example: visible("Sign in")`)
		return
	}
	*e = expr.Expr{Text: v.Text, Pos: v.Pos}
	if bad := check(*e, d.Source); bad != nil {
		d.Errs = append(d.Errs, bad)
	}
}
