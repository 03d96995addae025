// Package expr computes expressions, and replaces the variables in texts and values: a Scope and a text go in, a value
// or an error at its place comes out.
package expr

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// maxExpr is the longest expression, in bytes.
const maxExpr = 4096

// Expr is an expression in the syntax of github.com/expr-lang/expr. It names variables without ${ }.
type Expr struct {
	Text string
	Pos  source.Pos
}

// String returns the text.
func (e Expr) String() string { return e.Text }

// Reserved reports whether a name means something else in expressions.
func Reserved(name string) bool { return slices.Contains(ReservedNames(), name) }

func ReservedNames() []string { return slices.Sorted(maps.Keys(ownNames())) }

// ownNames are the names that expressions have in addition to variables, with their types.
func ownNames() types.Map {
	device := types.Map{}
	for _, property := range deviceProperties() {
		device[property] = types.String
	}
	return types.Map{"platform": types.String, "device": device,
		"visible": types.TypeOf(func(string) (bool, error) { return false, nil })}
}

// CheckExpr finds what is wrong with an expression, the values of its variables aside.
func CheckExpr(e Expr, src *source.Source) *source.Error {
	switch {
	case len(e.Text) > maxExpr:
		return &source.Error{Pos: e.Pos, Source: src, Msg: fmt.Sprintf("the expression is longer than %d bytes", maxExpr)}
	case !utf8.ValidString(e.Text):
		return &source.Error{Pos: e.Pos, Source: src, Msg: "the expression is not UTF-8"}
	}
	if i := strings.Index(e.Text, "${"); i >= 0 {
		name, _, _ := strings.Cut(e.Text[i+2:], "}")
		bad := exprError(e, src, len([]rune(e.Text[:i])), "${ } does not work in an expression", "")
		if VarForm.MatchString(name) {
			bad.Width, bad.Hint = len(name)+3, "write the name alone: "+name
		}
		return bad
	}
	tree, err := parser.Parse(e.Text)
	if err != nil {
		return fromExpr(e, src, err)
	}
	var n exprNames
	ast.Walk(&tree.Node, &n)
	if n.loops > 10 || loops(&tree.Node) > 2 { // to find the depth costs 2 to the power of their number
		return &source.Error{Pos: e.Pos, Source: src,
			Msg: "more than two loops inside one another in an expression, or more than ten in all", Hint: "ask for less"}
	}
	c := exprCheck{expr: e, source: src}
	ast.Walk(&tree.Node, &c)
	return c.bad
}

// CheckCondition finds, in addition to what checkExpr does, that an expression is neither true nor false, or compares
// what cannot be compared, whatever its variables hold.
func CheckCondition(e Expr, source *source.Source) *source.Error {
	if bad := CheckExpr(e, source); bad != nil {
		return bad
	}
	known := types.Map{}
	for _, n := range e.Names() {
		known[n.Name] = types.Any
	}
	maps.Copy(known, ownNames())
	program, err := expr.Compile(e.Text, append(codes{}.options(), expr.Env(known), expr.Optimize(false))...)
	if err != nil {
		return fromExpr(e, source, err)
	}
	what := ""
	switch t := program.Node().Type(); {
	case t == nil, t.Kind() == reflect.Bool, t.Kind() == reflect.Interface:
		return nil
	case t.Kind() == reflect.String:
		what = "a text"
	case t.Kind() == reflect.Int, t.Kind() == reflect.Float64:
		what = "a number"
	case t.Kind() == reflect.Slice:
		what = "a list"
	case t.Kind() == reflect.Map:
		what = "a map"
	default:
		what = "of type " + t.String()
	}
	bad := exprError(e, source, 0, "the expression is "+what+", and must be true or false",
		`compare it with something, for example: total > 5`)
	bad.Width = len([]rune(phrase.FirstLine(e.Text)))
	return bad
}

// Names returns the variables that an expression uses, with their places in it.
func (e Expr) Names() []exprName {
	var n exprNames
	n.read(e)
	return slices.DeleteFunc(n.found, func(x exprName) bool {
		return slices.Contains(n.declared, x.Name) ||
			Reserved(x.Name)
	})
}

type exprName struct {
	Name string
	at   int // characters before it
}

type exprNames struct {
	found    []exprName
	declared []string
	codes    []int // where totp is called: characters before it
	loops    int
}

// read collects all names; it reports whether the text is an expression.
func (n *exprNames) read(e Expr) bool {
	if len(e.Text) > maxExpr {
		return false
	}
	tree, err := parser.Parse(e.Text)
	if err == nil {
		ast.Walk(&tree.Node, n)
		n.found = slices.DeleteFunc(n.found, func(x exprName) bool { return slices.Contains(n.codes, x.at) })
	}
	return err == nil
}

// Visit is called for each node.
func (n *exprNames) Visit(node *ast.Node) {
	switch x := (*node).(type) {
	case *ast.IdentifierNode:
		n.found = append(n.found, exprName{Name: x.Value, at: x.Location().From})
	case *ast.VariableDeclaratorNode:
		n.declared = append(n.declared, x.Name)
	case *ast.PredicateNode:
		n.loops++
	case *ast.CallNode:
		if callsCode(x) {
			n.codes = append(n.codes, x.Callee.Location().From)
		}
	}
}

// exprCheck refuses calls of what is not a function, and properties that the device does not have.
type exprCheck struct {
	expr   Expr
	source *source.Source
	bad    *source.Error
}

// Visit is called for each node.
func (c *exprCheck) Visit(node *ast.Node) {
	switch x := (*node).(type) {
	case *ast.CallNode:
		if f, ok := x.Callee.(*ast.IdentifierNode); ok {
			c.call(f, x)
		}
	case *ast.MemberNode:
		on, isName := x.Node.(*ast.IdentifierNode)
		if p, ok := x.Property.(*ast.StringNode); ok && isName && on.Value == "device" && !slices.Contains(deviceProperties(),
			p.Value) {
			c.fail(x.Property, p.Value, fmt.Sprintf("the device has no property %q", phrase.LimitRunes(p.Value, 60)), "it has "+
				phrase.Or(deviceProperties()))
		}
	}
}

// deviceProperties are what device has in expressions.
func deviceProperties() []string { return []string{"id", "model", "os"} }

func (c *exprCheck) call(f *ast.IdentifierNode, call *ast.CallNode) {
	if f.Value == "visible" {
		if len(call.Arguments) != 1 {
			c.fail(f, f.Value, "visible takes one label", `for example: visible("Sign in")`)
		}
		return
	}
	if f.Value == totpName {
		if len(call.Arguments) != 1 {
			c.fail(f, f.Value, "totp takes one secret", "for example: totp(TOTP_SECRET)")
		}
		return
	}
	functions := append(slices.Collect(maps.Keys(builtin.Index)), "visible", totpName)
	slices.Sort(functions)
	hint := `of ours there are visible("label") and totp(SECRET); the others are those of expr-lang.org`
	if near := phrase.Nearest(f.Value, functions); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	c.fail(f, f.Value, fmt.Sprintf("there is no function %q", phrase.LimitRunes(f.Value, 60)), hint)
}

func (c *exprCheck) fail(node ast.Node, word, msg, hint string) {
	if c.bad == nil {
		c.bad = exprError(c.expr, c.source, node.Location().From, msg, hint)
		c.bad.Width = len([]rune(word))
	}
}

// loops is how deep predicates such as those of filter and any are nested below a node.
func loops(node *ast.Node) int {
	l := loopDepth{}
	ast.Walk(node, &l)
	return l.deepest
}

type loopDepth struct {
	deepest int
}

// Visit is called for each node, for those inside of it first.
func (l *loopDepth) Visit(node *ast.Node) {
	if p, ok := (*node).(*ast.PredicateNode); ok {
		l.deepest = max(l.deepest, 1+loops(&p.Node))
	}
}
