package maestro

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
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

// translation turns a script of one expression into one of Taproot: values of env, of output, of the clipboard, their
// comparison and their sums. What would mean something else there is an error.
type translation struct {
	s     scanner.Scanner
	tok   rune
	text  string
	names []string // of env
	err   error
}

func newTranslation(script string) *translation {
	t := &translation{}
	t.s.Init(strings.NewReader(script))
	t.s.Mode = scanner.ScanIdents | scanner.ScanFloats
	t.s.Error = func(*scanner.Scanner, string) { t.fail() }
	t.next()
	return t
}

// end returns an error when the script has no translation or continues.
func (t *translation) end(script string) error {
	t.take(";")
	if t.tok != scanner.EOF || t.err != nil {
		return fmt.Errorf("the script ${%s}", short(script))
	}
	return nil
}

// translate returns the expression of a script.
func translate(script string) (term, error) {
	t := newTranslation(script)
	out := t.either()
	return out, t.end(script)
}

// assignment returns the variable and the expression of a script that sets one value of output.
func assignment(script string) (name string, value term, err error) {
	t := newTranslation(script)
	if !t.op("output") {
		t.fail()
	}
	to := t.value()
	one := term{"1", numberKind, true}
	switch t.take("=", "+=", "-=", "++", "--") {
	case "=":
		value = t.either()
	case "+=":
		value = t.added(to, "+", t.either())
	case "-=":
		value = t.added(to, "-", t.either())
	case "++":
		value = t.added(to, "+", one)
	case "--":
		value = t.added(to, "-", one)
	default:
		t.fail()
	}
	return to.text, value, t.end(script)
}

// envNames are the variables of env that a script uses; nil: they are not known.
func envNames(script string) []string {
	for _, read := range []func(*translation){func(t *translation) { t.either() }, func(t *translation) {
		t.value()
		t.take("=", "+=")
		t.either()
	}} {
		t := newTranslation(script)
		if read(t); t.end(script) == nil {
			return t.names
		}
	}
	return nil
}

func (t *translation) fail() term {
	if t.err == nil {
		t.err = fmt.Errorf("no expression")
	}
	return term{}
}

// next reads a token: a name, a number, a text with its quotes, or an operator.
func (t *translation) next() {
	if t.err != nil {
		t.tok, t.text = scanner.EOF, ""
		return
	}
	t.tok = t.s.Scan()
	t.text = t.s.TokenText()
	switch t.tok {
	case '"', '\'':
		t.quoted(t.tok)
	case '=', '!', '<', '>', '&', '|', '+', '-':
		for _, longer := range []string{"=", "&", "|", "+", "-"} {
			if string(t.s.Peek()) == longer && slices.Contains([]string{"==", "===", "!=", "!==", "<=", ">=", "&&", "||", "++",
				"--", "+=", "-="}, t.text+longer) {
				t.s.Next()
				t.text += longer
				if t.text == "==" || t.text == "!=" {
					if t.s.Peek() == '=' {
						t.s.Next()
						t.text += "="
					}
				}
				break
			}
		}
	}
}

// quoted reads a text up to its end. Escapes other than those of a quote and a backslash mean that there is no
// translation.
func (t *translation) quoted(quote rune) {
	var b strings.Builder
	for {
		switch c := t.s.Next(); c {
		case scanner.EOF, '\n':
			t.fail()
			return
		case quote:
			t.tok, t.text = scanner.String, b.String()
			return
		case '\\':
			if c = t.s.Next(); c != '\'' && c != '"' && c != '\\' {
				t.fail()
				return
			}
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
}

func (t *translation) op(text string) bool { return t.tok != scanner.String && t.text == text }

// take reads one of the operators; "": none of them comes.
func (t *translation) take(ops ...string) string {
	for _, o := range ops {
		if t.op(o) {
			t.next()
			return o
		}
	}
	return ""
}

// bools joins what is true or false: JavaScript's && and || of anything else give one of the two values.
func (t *translation) bools(part func() term, sign, word string) term {
	left := part()
	for t.take(sign) != "" {
		right := part()
		if left.kind != boolKind || right.kind != boolKind {
			return t.fail()
		}
		left = term{left.inner() + " " + word + " " + right.inner(), boolKind, false}
	}
	return left
}

func (t *translation) either() term { return t.bools(t.both, "||", "or") }

func (t *translation) both() term { return t.bools(t.compared, "&&", "and") }

func (t *translation) compared() term {
	left := t.sum()
	sign := t.take("===", "!==", "==", "!=", "<=", ">=", "<", ">")
	if sign == "" {
		return left
	}
	right := t.sum()
	strict, known := len(sign) == 3, left.kind != unknown && right.kind != unknown
	own := strings.Replace(sign, "===", "==", 1)
	own = strings.Replace(own, "!==", "!=", 1)
	if !strings.HasSuffix(own, "==") && own != "!=" {
		if left.kind == textKind || right.kind == textKind {
			return t.fail() // texts are compared as numbers, or character by character
		}
		return term{left.inner() + " " + own + " " + right.inner(), boolKind, false}
	}
	switch {
	case left.kind == right.kind && known:
	case strict && known, left.kind == boolKind || right.kind == boolKind:
		return t.fail()
	case !strict:
		return term{left.asText() + " " + own + " " + right.asText(), boolKind, false}
	}
	return term{left.inner() + " " + own + " " + right.inner(), boolKind, false}
}

func (t *translation) sum() term {
	left := t.product()
	for {
		sign := t.take("+", "-")
		if sign == "" {
			return left
		}
		left = t.added(left, sign, t.product())
	}
}

func (t *translation) added(left term, sign string, right term) term {
	switch {
	case left.kind == boolKind || right.kind == boolKind:
		return t.fail()
	case sign == "+" && (left.kind == textKind || right.kind == textKind):
		return term{left.asText() + " + " + right.asText(), textKind, false}
	case left.kind == textKind || right.kind == textKind:
		return t.fail()
	case sign == "+" && (left.kind == unknown || right.kind == unknown):
		return term{left.inner() + " + " + right.inner(), unknown, false}
	}
	return term{left.inner() + " " + sign + " " + right.inner(), numberKind, false}
}

func (t *translation) product() term {
	left := t.signed()
	for {
		sign := t.take("*", "%")
		if sign == "" {
			return left
		}
		right := t.signed()
		if slices.Contains([]kind{textKind, boolKind}, left.kind) || slices.Contains([]kind{textKind, boolKind}, right.kind) {
			return t.fail()
		}
		left = term{left.inner() + " " + sign + " " + right.inner(), numberKind, false}
	}
}

func (t *translation) signed() term {
	switch t.take("!", "-") {
	case "!":
		if of := t.signed(); of.kind == boolKind {
			return term{"not " + of.inner(), boolKind, false}
		}
		return t.fail()
	case "-":
		if of := t.signed(); of.kind == numberKind {
			return term{"-" + of.inner(), numberKind, false}
		}
		return t.fail()
	}
	return t.called(t.value())
}

func (t *translation) value() term {
	token, text := t.tok, t.text
	t.next()
	switch {
	case token == scanner.String:
		return term{strconv.Quote(text), textKind, true}
	case token == scanner.Int || token == scanner.Float:
		return term{text, numberKind, true}
	case text == "true" || text == "false":
		return term{text, boolKind, true}
	case text == "(":
		in := t.either()
		t.want(")")
		in.text, in.atom = "("+in.text+")", true
		return in
	case text == "output":
		t.want(".")
		return t.saved()
	case text == "maestro":
		return t.known(map[string]term{"copiedText": {"copiedText", textKind, true},
			"platform": {"platform", textKind, true}})
	case text == "Date":
		return t.known(map[string]term{"now": {"now().UnixMilli()", numberKind, true}})
	case text == "String" && t.op("("):
		t.next()
		of := t.either()
		t.want(")")
		return term{"string(" + of.text + ")", textKind, true}
	case token == scanner.Ident && !slices.Contains(notVariables, text):
		t.names = append(t.names, text)
		return term{text, textKind, true} // env holds texts
	}
	return t.fail()
}

// notVariables are names that no env sets.
var notVariables = []string{"undefined", "null", "new", "typeof", "function", "let", "var", "const", "if", "return",
	"http", "json", "faker",
	"relativePoint", "console", "Math", "Number", "parseInt", "parseFloat", "JSON", "Object", "Array", "NaN", "this"}

// saved is a value of output.
func (t *translation) saved() term {
	name := t.text
	if t.tok != scanner.Ident {
		return t.fail()
	}
	t.next()
	return term{"output_" + name, unknown, true}
}

// known is a property that has a form of its own; one that is called takes nothing.
func (t *translation) known(of map[string]term) term {
	t.want(".")
	found, is := of[t.text]
	if !is {
		return t.fail()
	}
	t.next()
	if strings.HasSuffix(found.text, "()") {
		t.want("(")
		t.want(")")
	}
	return found
}

func (t *translation) want(text string) {
	if !t.op(text) {
		t.fail()
		return
	}
	t.next()
}

// called reads the methods of a text.
func (t *translation) called(of term) term {
	for t.op(".") {
		t.next()
		method := t.text
		t.next()
		if method == "length" && of.kind == textKind {
			of = term{"len(" + of.text + ")", numberKind, true}
			continue
		}
		if of.kind != textKind {
			return t.fail()
		}
		t.want("(")
		var with term
		if !t.op(")") {
			with = t.either()
		}
		t.want(")")
		of = methodOf(method, of, with)
		if of.text == "" {
			return t.fail()
		}
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
