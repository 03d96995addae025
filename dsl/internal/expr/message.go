package expr

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/file"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

var tokenForm = lazyregexp.New(`unexpected token [A-Za-z]+\((".*")\)`)

// fromExpr places an error of the expression library, and says it in the words of test authors.
func fromExpr(e Expr, src *source.Source, err error) *source.Error {
	var at *file.Error
	if !errors.As(err, &at) {
		return &source.Error{Pos: e.Pos, Source: src, Msg: "the expression cannot be evaluated: " +
			phrase.FirstLine(err.Error())}
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
	if strings.Contains(msg, "of totp") || strings.HasPrefix(msg, "totp takes") {
		hint = "use the text that the app shows for authenticators that cannot read its QR code"
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
	pos := source.Locate(src, e.Pos, phrase.FirstLine(e.Text[from:]))
	pos.Col += len([]rune(before[from:]))
	if line := src.Chars(pos.Line); src != nil && pos.Line > 0 && pos.Col > len(line)+1 {
		pos.Col = len(line) + 1
	}
	return &source.Error{Pos: pos, Msg: msg, Hint: hint, Source: src}
}
