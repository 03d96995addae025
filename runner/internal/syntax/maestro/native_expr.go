package maestro

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
	jsparser "github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"
)

// kind is what a script's value is known to be.
type kind int

const (
	unknown kind = iota
	textKind
	numberKind
	boolKind
)

// term is a part of a script as an expression of Taproot.
type term struct {
	text string
	kind kind
	atom bool // it needs no brackets within another
}

func (t term) inner() string {
	if t.atom {
		return t.text
	}
	return "(" + t.text + ")"
}

// asText is the term as a text, as JavaScript joins it to one.
func (t term) asText() string {
	if t.kind == textKind {
		return t.inner()
	}
	return "string(" + t.text + ")"
}

// errNoExpression means that a script has no expression of Taproot with the same meaning.
var errNoExpression = errors.New("no expression")

// translation turns a script of one expression into one of Taproot: values of env, of output, of the clipboard, their
// comparison and their sums. What would mean something else there has no translation.
type translation struct {
	names []string // of env
	err   error
}

// longestScript is the most bytes of a script that is translated: the time of the parser grows with the square of what
// is nested.
const longestScript = 16 << 10

// bodyOf returns the statements of a script; not ok: it cannot be parsed.
func bodyOf(script string) (list []ast.Statement, ok bool) {
	if len(script) > longestScript {
		return nil, false
	}
	program, err := jsparser.ParseFile(nil, "", script, 0)
	if err != nil {
		return nil, false
	}
	return program.Body, true
}

// only returns the expression that is all of a script.
func only(script string) (ast.Expression, error) {
	body, _ := bodyOf(script)
	if len(body) != 1 {
		return nil, errNoExpression
	}
	statement, is := body[0].(*ast.ExpressionStatement)
	if !is {
		return nil, errNoExpression
	}
	return statement.Expression, nil
}

// statements returns the statements of a script as texts, without the comments between them; a script that cannot be
// parsed is one.
func statements(script string) (list []string) {
	body, ok := bodyOf(script)
	if !ok {
		return []string{script}
	}
	for _, s := range body {
		if text := strings.TrimSpace(script[s.Idx0()-1 : s.Idx1()-1]); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// translate returns the expression of a script.
func translate(script string) (term, error) {
	out, _, err := translated(script)
	return out, err
}

// translated returns the expression of a script, and the variables of env that it uses.
func translated(script string) (term, []string, error) {
	e, err := only(script)
	if err != nil {
		return term{}, nil, untranslatable(script)
	}
	var t translation
	out := t.term(e)
	if t.err != nil {
		return term{}, nil, untranslatable(script)
	}
	return out, t.names, nil
}

func untranslatable(script string) error { return fmt.Errorf("the script ${%s}", short(script)) }

// assignment returns the variable and the expression of a script that sets one value of output.
func assignment(script string) (name string, value term, err error) {
	name, value, _, err = assigned(script)
	return name, value, err
}

// assigned returns what assignment does, and the variables of env that the script uses.
func assigned(script string) (name string, value term, names []string, err error) {
	var t translation
	e, err := only(script)
	if err != nil {
		return "", term{}, nil, untranslatable(script)
	}
	var to term
	switch e := e.(type) {
	case *ast.AssignExpression:
		to, value = t.saved(e.Left), t.term(e.Right)
		if e.Operator == token.PLUS || e.Operator == token.MINUS { // += and -=
			value = t.added(to, e.Operator, value)
		} else if e.Operator != token.ASSIGN {
			t.fail()
		}
	case *ast.UnaryExpression:
		sign, is := map[token.Token]token.Token{token.INCREMENT: token.PLUS, token.DECREMENT: token.MINUS}[e.Operator]
		if !is {
			return "", term{}, nil, untranslatable(script)
		}
		to = t.saved(e.Operand)
		value = t.added(to, sign, term{"1", numberKind, true})
	default:
		t.fail()
	}
	if t.err != nil {
		return "", term{}, nil, untranslatable(script)
	}
	return to.text, value, t.names, nil
}

// envNames are the variables of env that a script uses; nil: they are not known.
func envNames(script string) []string {
	if _, names, err := translated(script); err == nil {
		return names
	}
	_, _, names, _ := assigned(script)
	return names
}

func (t *translation) fail() term {
	t.err = errNoExpression
	return term{}
}

func (t *translation) term(e ast.Expression) term {
	switch e := e.(type) {
	case *ast.StringLiteral:
		return term{strconv.Quote(e.Value.String()), textKind, true}
	case *ast.NumberLiteral:
		return number(e)
	case *ast.BooleanLiteral:
		return term{strconv.FormatBool(e.Value), boolKind, true}
	case *ast.Identifier:
		name := e.Name.String()
		if slices.Contains(notVariables, name) {
			return t.fail()
		}
		t.names = append(t.names, name)
		return term{name, textKind, true} // env holds texts
	case *ast.UnaryExpression:
		return t.signed(e)
	case *ast.BinaryExpression:
		return t.binary(e)
	case *ast.DotExpression:
		return t.property(e)
	case *ast.CallExpression:
		return t.call(e)
	}
	return t.fail()
}

func number(e *ast.NumberLiteral) term {
	if f, is := e.Value.(float64); is {
		return term{strconv.FormatFloat(f, 'f', -1, 64), numberKind, true}
	}
	return term{fmt.Sprint(e.Value), numberKind, true}
}

// notVariables are names that no env sets.
var notVariables = []string{"undefined", "http", "json", "faker", "relativePoint", "console", "Math", "Number",
	"parseInt", "parseFloat", "JSON", "Object", "Array", "NaN", "output", "maestro", "Date", "String"}

func (t *translation) signed(e *ast.UnaryExpression) term {
	of := t.term(e.Operand)
	switch {
	case e.Operator == token.NOT && of.kind == boolKind:
		return term{"not " + of.inner(), boolKind, false}
	case e.Operator == token.MINUS && of.kind == numberKind:
		return term{"-" + of.inner(), numberKind, false}
	}
	return t.fail()
}

func (t *translation) binary(e *ast.BinaryExpression) term {
	left, right := t.term(e.Left), t.term(e.Right)
	switch e.Operator {
	case token.PLUS, token.MINUS:
		return t.added(left, e.Operator, right)
	case token.MULTIPLY, token.REMAINDER:
		for _, one := range []term{left, right} {
			if one.kind == textKind || one.kind == boolKind {
				return t.fail()
			}
		}
		return term{left.inner() + " " + e.Operator.String() + " " + right.inner(), numberKind, false}
	case token.LOGICAL_AND, token.LOGICAL_OR: // of anything else they give one of the two values
		word := map[token.Token]string{token.LOGICAL_AND: "and", token.LOGICAL_OR: "or"}[e.Operator]
		if left.kind != boolKind || right.kind != boolKind {
			return t.fail()
		}
		return term{left.inner() + " " + word + " " + right.inner(), boolKind, false}
	case token.EQUAL, token.STRICT_EQUAL:
		return t.equal(left, "==", right, e.Operator == token.STRICT_EQUAL)
	case token.NOT_EQUAL, token.STRICT_NOT_EQUAL:
		return t.equal(left, "!=", right, e.Operator == token.STRICT_NOT_EQUAL)
	case token.LESS, token.LESS_OR_EQUAL, token.GREATER, token.GREATER_OR_EQUAL:
		if left.kind == textKind || right.kind == textKind {
			return t.fail() // texts are compared as numbers, or character by character
		}
		return term{left.inner() + " " + e.Operator.String() + " " + right.inner(), boolKind, false}
	}
	return t.fail()
}

// equal is a comparison. One that is not strict compares the texts of both, which are alike where JavaScript's are.
func (t *translation) equal(left term, sign string, right term, strict bool) term {
	known := left.kind != unknown && right.kind != unknown
	switch {
	case left.kind == right.kind && known:
	case strict && known, left.kind == boolKind || right.kind == boolKind:
		return t.fail()
	case !strict:
		return term{left.asText() + " " + sign + " " + right.asText(), boolKind, false}
	}
	return term{left.inner() + " " + sign + " " + right.inner(), boolKind, false}
}

func (t *translation) added(left term, sign token.Token, right term) term {
	switch {
	case left.kind == boolKind || right.kind == boolKind:
		return t.fail()
	case sign == token.PLUS && (left.kind == textKind || right.kind == textKind):
		return term{left.asText() + " + " + right.asText(), textKind, false}
	case left.kind == textKind || right.kind == textKind:
		return t.fail()
	case sign == token.PLUS && (left.kind == unknown || right.kind == unknown):
		return term{left.inner() + " + " + right.inner(), unknown, false}
	}
	return term{left.inner() + " " + sign.String() + " " + right.inner(), numberKind, false}
}

// isName reports whether an expression is this name alone.
func isName(e ast.Expression, name string) bool {
	id, is := e.(*ast.Identifier)
	return is && id.Name.String() == name
}

// saved is a value of output.
func (t *translation) saved(e ast.Expression) term {
	dot, is := e.(*ast.DotExpression)
	if !is || !isName(dot.Left, "output") {
		return t.fail()
	}
	return term{"output_" + dot.Identifier.Name.String(), unknown, true}
}

func (t *translation) property(e *ast.DotExpression) term {
	name := e.Identifier.Name.String()
	switch {
	case isName(e.Left, "output"):
		return t.saved(e)
	case isName(e.Left, "maestro") && (name == "copiedText" || name == "platform"):
		return term{name, textKind, true}
	}
	if of := t.term(e.Left); of.kind == textKind && name == "length" {
		return term{"len(" + of.text + ")", numberKind, true}
	}
	return t.fail()
}

// call is String(x), Date.now(), or a method of a text.
func (t *translation) call(e *ast.CallExpression) term {
	var with term
	switch len(e.ArgumentList) {
	case 0:
	case 1:
		with = t.term(e.ArgumentList[0])
	default:
		return t.fail()
	}
	if isName(e.Callee, "String") && with.text != "" {
		return term{"string(" + with.text + ")", textKind, true}
	}
	dot, is := e.Callee.(*ast.DotExpression)
	if !is {
		return t.fail()
	}
	name := dot.Identifier.Name.String()
	if isName(dot.Left, "Date") && name == "now" && with.text == "" {
		return term{"now().UnixMilli()", numberKind, true}
	}
	of := t.term(dot.Left)
	if of.kind != textKind {
		return t.fail()
	}
	if of = methodOf(name, of, with); of.text == "" {
		return t.fail()
	}
	return of
}

// methodOf is a method of a text with at most one argument.
func methodOf(name string, of, with term) term {
	switch {
	case with.text == "" && (name == "trim" || name == "toLowerCase" || name == "toUpperCase"):
		return term{map[string]string{"trim": "trim", "toLowerCase": "lower", "toUpperCase": "upper"}[name] + "(" + of.text +
			")", textKind, true}
	case with.kind == textKind && name == "indexOf":
		return term{"indexOf(" + of.text + ", " + with.text + ")", numberKind, true}
	case with.kind == textKind && name == "includes":
		return term{of.inner() + " contains " + with.inner(), boolKind, false}
	case with.kind == textKind && (name == "startsWith" || name == "endsWith"):
		return term{of.inner() + " " + name + " " + with.inner(), boolKind, false}
	case with.kind == numberKind && name == "repeat":
		return term{"repeat(" + of.text + ", " + with.text + ")", textKind, true}
	}
	return term{}
}
