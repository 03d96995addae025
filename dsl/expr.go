package dsl

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/internal/suggest"
)

// maxExpr is the longest expression, in bytes.
const maxExpr = 4096

// Expr is an expression in the syntax of github.com/expr-lang/expr. It names variables without ${ }.
type Expr struct {
	Text string
	Pos  source.Pos
}

var tokenForm = lazyregexp.New(`unexpected token [A-Za-z]+\((".*")\)`)

// String returns the text.
func (e Expr) String() string { return e.Text }

func (e *Expr) fromValue(d *decoding, v source.Value, name string) {
	e.read(d, v, name, checkCondition)
}

// read takes over the expression that a value is, when the check finds nothing wrong with it.
func (e *Expr) read(d *decoding, v source.Value, name string, check func(Expr, *source.Source) *source.Error) {
	switch {
	case v.Kind == source.List, v.Kind == source.Map, v.Kind == source.Null:
		d.wrong(v, fmt.Sprintf("%q must be an expression, not %s", name, describe(v)), `for example: visible("Sign in")`)
		return
	case strings.TrimSpace(v.Text) == "":
		d.wrong(v, fmt.Sprintf("%q is empty", name), `write an expression, for example: visible("Sign in")`)
		return
	}
	*e = Expr{v.Text, v.Pos}
	if bad := check(*e, d.source); bad != nil {
		d.errs = append(d.errs, bad)
	}
}

// reserved reports whether a name means something else in expressions.
func reserved(name string) bool { return slices.Contains(reservedNames(), name) }

func reservedNames() []string { return slices.Sorted(maps.Keys(ownNames())) }

// ownNames are the names that expressions have in addition to variables, with their types.
func ownNames() types.Map {
	device := types.Map{}
	for _, property := range deviceProperties() {
		device[property] = types.String
	}
	return types.Map{"platform": types.String, "device": device,
		"visible": types.TypeOf(func(string) (bool, error) { return false, nil })}
}

// checkExpr finds what is wrong with an expression, the values of its variables aside.
func checkExpr(e Expr, src *source.Source) *source.Error {
	switch {
	case len(e.Text) > maxExpr:
		return &source.Error{Pos: e.Pos, Source: src, Msg: fmt.Sprintf("the expression is longer than %d bytes", maxExpr)}
	case !utf8.ValidString(e.Text):
		return &source.Error{Pos: e.Pos, Source: src, Msg: "the expression is not UTF-8"}
	}
	if i := strings.Index(e.Text, "${"); i >= 0 {
		name, _, _ := strings.Cut(e.Text[i+2:], "}")
		bad := exprError(e, src, len([]rune(e.Text[:i])), "${ } does not work in an expression", "")
		if varForm.MatchString(name) {
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

// checkCondition finds, in addition to what checkExpr does, that an expression is neither true nor false, or compares
// what cannot be compared, whatever its variables hold.
func checkCondition(e Expr, source *source.Source) *source.Error {
	if bad := checkExpr(e, source); bad != nil {
		return bad
	}
	known := types.Map{}
	for _, n := range e.names() {
		known[n.name] = types.Any
	}
	maps.Copy(known, ownNames())
	program, err := expr.Compile(e.Text, expr.Env(known), expr.Optimize(false))
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
	bad.Width = len([]rune(shorten.FirstLine(e.Text)))
	return bad
}

// names returns the variables that an expression uses, with their places in it.
func (e Expr) names() []exprName {
	var n exprNames
	n.read(e)
	return slices.DeleteFunc(n.found, func(x exprName) bool {
		return slices.Contains(n.declared, x.name) ||
			reserved(x.name)
	})
}

type exprName struct {
	name string
	at   int // characters before it
}

type exprNames struct {
	found    []exprName
	declared []string
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
	}
	return err == nil
}

// Visit is called for each node.
func (n *exprNames) Visit(node *ast.Node) {
	switch x := (*node).(type) {
	case *ast.IdentifierNode:
		n.found = append(n.found, exprName{x.Value, x.Location().From})
	case *ast.VariableDeclaratorNode:
		n.declared = append(n.declared, x.Name)
	case *ast.PredicateNode:
		n.loops++
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
			c.fail(x.Property, p.Value, fmt.Sprintf("the device has no property %q", shorten.Runes(p.Value, 60)), "it has "+
				oneOf(deviceProperties()))
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
	functions := append(slices.Collect(maps.Keys(builtin.Index)), "visible")
	slices.Sort(functions)
	hint := `of ours there is visible("label"); the others are those of expr-lang.org`
	if near := suggest.Nearest(f.Value, functions); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	c.fail(f, f.Value, fmt.Sprintf("there is no function %q", shorten.Runes(f.Value, 60)), hint)
}

func (c *exprCheck) fail(node ast.Node, word, msg, hint string) {
	if c.bad == nil {
		c.bad = exprError(c.expr, c.source, node.Location().From, msg, hint)
		c.bad.Width = len([]rune(word))
	}
}

// fromExpr places an error of the expression library, and says it in the words of test authors.
func fromExpr(e Expr, src *source.Source, err error) *source.Error {
	var at *file.Error
	if !errors.As(err, &at) {
		return &source.Error{Pos: e.Pos, Source: src, Msg: "the expression cannot be evaluated: " +
			shorten.FirstLine(err.Error())}
	}
	msg := tokenForm.ReplaceAllString(strings.TrimSuffix(at.Message, "."), "unexpected $1")
	msg = inAuthorsWords(msg)
	hint := ""
	switch {
	case strings.HasPrefix(msg, `unexpected "="`):
		hint = "to compare, write =="
	case strings.Contains(msg, "unexpected token EOF"):
		msg, hint = "it ends too early", "something is missing at its end"
	case strings.Contains(msg, "literal not terminated"):
		msg, hint = "this text has no closing quote", "add the quote at its end"
	case strings.Contains(msg, "invalid integer literal"):
		msg, hint = "a number of more than 19 digits", `compare it as a text: string(id) == "89490200001234567890"`
	case strings.Contains(msg, "does not work between") && strings.Contains(msg, "a text"):
		hint = "a text becomes a number with int(…) or float(…), a number becomes a text with string(…)"
	case strings.HasPrefix(msg, "cannot fetch"):
		hint = "write ?. in place of the point where something may be missing"
	case strings.Contains(at.Message, "token Identifier"), strings.Contains(at.Message, "token String"):
		hint = "put a text in quotes; join conditions with and, or"
	}
	bad := exprError(e, src, at.From, "the expression is wrong: "+msg, hint)
	bad.Missing = errors.Is(err, errNoValue) || strings.Contains(msg, noValue) || strings.HasPrefix(msg, "cannot fetch") ||
		strings.HasPrefix(msg, "index out of range")
	return bad
}

// noValue names nothing in messages.
const noValue = "what has no value"

var (
	mismatchForm = lazyregexp.New(`invalid operation: (\S+) \(mismatched types? (.+)\)$`)
	argumentForm = lazyregexp.New(`invalid argument for (\w+) \(type (.+)\)$`)
	goTypeForm   = lazyregexp.New(
		`(?:interface conversion: )?interface \{\} is (\S+), not (\S+)|reflect: .*|runtime error: .*`)
)

// inAuthorsWords writes a message of the expression library without types of Go.
func inAuthorsWords(msg string) string {
	if m := mismatchForm.FindStringSubmatch(msg); m != nil {
		left, right, two := strings.Cut(m[2], " and ")
		if !two {
			return m[1] + " does not work with " + typeInWords(left)
		}
		return doesNotWork(m[1], typeInWords(left), typeInWords(right))
	}
	if m := argumentForm.FindStringSubmatch(msg); m != nil {
		return m[1] + " does not take " + typeInWords(m[2])
	}
	if m := goTypeForm.FindStringSubmatch(msg); m != nil {
		if m[1] == "" {
			return "its values do not fit together"
		}
		return typeInWords(m[2]) + " is needed, and here is " + typeInWords(m[1])
	}
	for _, t := range []string{"map[string]interface {}", "[]interface {}", "source.Numeral", "*big.Int", "float64"} {
		msg = strings.ReplaceAll(msg, "from "+t, "from "+typeInWords(t))
		msg = strings.ReplaceAll(msg, "("+t+")", "("+typeInWords(t)+")")
	}
	return strings.ReplaceAll(msg, "<nil>", noValue)
}

func doesNotWork(op, left, right string) string {
	return fmt.Sprintf("%s does not work between %s and %s", op, left, right)
}

// typeInWords names a type of Go or of the expression library.
func typeInWords(name string) string {
	switch {
	case name == "nil", name == "<nil>", name == "unknown":
		return noValue
	case name == "string":
		return "a text"
	case name == "bool":
		return "a true/false value"
	case name == "time.Time":
		return "a time"
	case name == "time.Duration":
		return "a duration"
	case name == "int", name == "int64", name == "float64", name == "source.Numeral", name == "*big.Int",
		name == "integer":
		return "a number"
	case strings.HasPrefix(name, "[]"), strings.HasPrefix(name, "array"):
		return "a list"
	case strings.HasPrefix(name, "map"):
		return "a map"
	case strings.HasPrefix(name, "func"):
		return "a function"
	}
	return name
}

// exprError is an error at a character of the expression.
func exprError(e Expr, src *source.Source, at int, msg, hint string) *source.Error {
	runes := []rune(e.Text)
	before := string(runes[:min(max(at, 0), len(runes))])
	from := strings.LastIndexByte(before, '\n') + 1
	// a text of several lines is in the file line by line
	pos := source.Locate(src, e.Pos, shorten.FirstLine(e.Text[from:]))
	pos.Col += len([]rune(before[from:]))
	if line := src.Chars(pos.Line); src != nil && pos.Line > 0 && pos.Col > len(line)+1 {
		pos.Col = len(line) + 1
	}
	return &source.Error{Pos: pos, Msg: msg, Hint: hint, Source: src}
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

func (Expr) schema(*schemas) schema {
	return schema{"type": []string{"string", "number", "boolean"}, "pattern": `\S`,
		"not": schema{"type": "string", "pattern": aVariable}}
}

func (Expr) words() string { return "expression" }
