package source

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// ParseYAML reads the text as YAML: one node for each document that holds something.
func ParseYAML(text string, source *Source) (docs []ast.Node, failed *Error) {
	var tokens token.Tokens
	defer func() {
		if r := recover(); r != nil { // the library panics on some broken input
			docs, failed = nil, &Error{Pos: lastPlace(tokens, source.File), Source: source,
				Msg:  "the YAML in this file cannot be read",
				Hint: "look for a mistake here or above: indentation, quotes, brackets"}
		}
	}()
	tokens = lexer.Tokenize(text)
	if t := tokens.InvalidToken(); t != nil {
		return nil, syntaxError(source, t, t.Error)
	}
	if len(tokens) > maxTokens {
		return nil, &Error{Pos: tokenPos(source.File, tokens[maxTokens]), Source: source, Hint: "split the file",
			Msg: "the file holds too many values"}
	}
	if e := unsupported(source, tokens); e != nil {
		return nil, e
	}
	if t := tooDeep(tokens); t != nil {
		return nil, &Error{Pos: tokenPos(source.File, t), Source: source,
			Msg: fmt.Sprintf("nested too deeply: more than %d lists and maps inside one another", MaxDepth)}
	}
	docs, err := parseDocuments(tokens)
	if err != nil {
		var at interface {
			GetMessage() string
			GetToken() *token.Token
		}
		if errors.As(err, &at) && at.GetToken() != nil {
			if e := notClosed(source, tokens, at.GetToken()); e != nil {
				return nil, e
			}
			return nil, syntaxError(source, at.GetToken(), at.GetMessage())
		}
		return nil, syntaxError(source, nil, err.Error())
	}
	if e := dropped(text, source, tokens, docs); e != nil {
		return nil, e
	}
	return docs, nil
}

// syntaxError turns the library's words into ours. What testers get wrong most often has a message of its own.
func syntaxError(source *Source, t *token.Token, msg string) *Error {
	e := &Error{Pos: tokenPos(source.File, t), Source: source}
	if place, ok := tabIndent(source, e.Pos.Line); ok {
		e.Pos, e.Msg, e.Hint = place, "a tab in the indentation", "indent with spaces; YAML does not allow tabs here"
		return e
	}
	line := source.Line(e.Pos.Line)
	switch {
	case strings.Contains(msg, "mapping value is not allowed"):
		return colonInText(source, e)
	case strings.Contains(msg, "double-quoted text"):
		e.Msg, e.Hint = "this text has no closing quote", `add " at its end`
	case strings.Contains(msg, "single-quoted text"):
		e.Msg, e.Hint = "this text has no closing quote", "add ' at its end"
	case strings.Contains(msg, "flow mapping end token"), strings.Contains(msg, "',' or '}' must"):
		return flowMap(source, e, line)
	case strings.Contains(msg, "sequence end token"), strings.Contains(msg, "',' or ']' must"):
		e.Msg, e.Hint = "this list does not end as it should", `put "," between its entries and "]" at its end`
	case strings.Contains(msg, "could not find '{'"), strings.Contains(msg, "could not find '['"):
		e.Msg, e.Hint = "this bracket closes nothing", "remove it, or put the text in quotes"
	case strings.Contains(msg, "reserved character"), strings.Contains(msg, "unexpected directive"):
		e.Msg = fmt.Sprintf("a text cannot start with %q", FirstRune(line, e.Pos.Col))
		e.Hint = "put the text in quotes: " + Quote(restOf(line, e.Pos.Col))
	case strings.Contains(line, "{{"):
		e.Pos.Col = len([]rune(line[:strings.Index(line, "{{")])) + 1
		e.Msg, e.Hint, e.Width = "{{ does not start a variable", "write ${NAME}, in quotes within { }", 2
	case strings.Contains(msg, "alias"), strings.Contains(msg, "anchor"):
		e.Msg = "& and * start anchors and aliases in YAML, and this one is not complete"
		e.Hint = "put the text in quotes: " + Quote(restOf(line, e.Pos.Col))
	case strings.Contains(msg, "unknown escape character"):
		e.Msg = "a backslash escape that YAML does not know in the double-quoted text"
		e.Hint = `write \\ for a backslash, or put the text in single quotes`
	case strings.Contains(msg, "surrogate"):
		e.Msg, e.Hint = "half a character (a lone surrogate) in the quoted text", "write the character itself"
	case strings.Contains(msg, "could not find map value"):
		if comment := commentWithin(source, Pos{File: source.File, Line: e.Pos.Line, Col: 1}); comment != nil {
			return comment
		}
		e.Msg, e.Hint = "this key has no value", `write "key: value", with "," before the next key`
	default:
		return layout(e, line, msg)
	}
	return e
}

// notClosed explains a syntax error that comes up at the beginning of a line while a bracket of a line above is open.
func notClosed(source *Source, tokens token.Tokens, at *token.Token) *Error {
	var open []*token.Token
	for _, t := range tokens {
		if t.Position.Offset >= at.Position.Offset {
			break
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			open = append(open, t)
		case token.SequenceEndType, token.MappingEndType:
			open = open[:max(len(open)-1, 0)]
		}
	}
	line := source.Chars(at.Position.Line)
	indent := string(line[:min(max(at.Position.Column-1, 0), len(line))])
	if len(open) == 0 || strings.Trim(indent, " -") != "" || open[len(open)-1].Position.Line == at.Position.Line {
		return nil
	}
	opener := open[len(open)-1]
	if e := commentWithin(source, tokenPos(source.File, opener)); e != nil {
		return e
	}
	closing := map[string]string{"{": "}", "[": "]"}[opener.Value]
	return &Error{Pos: tokenPos(source.File, opener), Source: source, Msg: fmt.Sprintf("this %q is not closed",
		opener.Value),
		Hint: fmt.Sprintf("add %q where it ends, or put the text in quotes", closing)}
}

// commentWithin explains a comment behind a bracket that was perhaps meant as a text: {selector: #menu}.
func commentWithin(source *Source, opener Pos) *Error {
	line := source.Chars(opener.Line)
	_, comment, found := strings.Cut(string(line[min(max(opener.Col-1, 0), len(line)):]), ": #")
	if !found || comment == "" || comment[0] == ' ' {
		return nil
	}
	word, _, _ := strings.Cut(comment, ",")
	return &Error{Pos: Locate(source, opener, "#"+comment), Source: source, Width: 1,
		Msg:  "a # behind a space starts a comment, which takes the rest of the line",
		Hint: "put the text in quotes: " + Quote("#"+strings.TrimRight(word, "} "))}
}

// colonInText explains "tap: Total: 5", and a line that is indented under a finished value.
func colonInText(source *Source, e *Error) *Error {
	rest := restOf(source.Line(e.Pos.Line), e.Pos.Col)
	for n := e.Pos.Line + 1; !strings.Contains(rest, ":") && n <= len(source.Lines); n++ {
		if next := source.Line(n); strings.TrimSpace(next) != "" {
			e.Pos.Line, e.Pos.Col = n, len(next)-len(strings.TrimLeft(next, " "))+1
			e.Msg = "this line is indented too far"
			e.Hint = "start it below the line above, or end that line with a colon"
			return e
		}
	}
	e.Msg = `a text that holds ": " must be in quotes`
	e.Hint = "put the text in quotes"
	if rest != "" && !strings.ContainsAny(rest, `"'\`) {
		e.Hint += ": " + Quote(rest)
		e.Width = len([]rune(rest))
	}
	return e
}

// flowMap explains what is wrong between { and }; a variable without quotes is the usual reason.
func flowMap(source *Source, e *Error, line string) *Error {
	if comment := commentWithin(source, e.Pos); comment != nil {
		return comment
	}
	if i := strings.Index(line, "${"); i >= 0 && strings.Contains(line[:i], "{") {
		e.Pos.Col = len([]rune(line[:i])) + 1
		e.Msg = "inside { } a text with ${…} must be in quotes"
		if end := strings.IndexByte(line[i:], '}'); end > 0 {
			e.Width = len([]rune(line[i : i+end+1]))
			e.Hint = "write " + Quote(line[i:i+end+1])
			return e
		}
		e.Hint = "put the text in quotes"
		return e
	}
	e.Msg, e.Hint = "this map does not end as it should", `put "," between its entries and "}" at its end`
	return e
}

// layout explains the rest: a line that does not fit in where it is.
func layout(e *Error, line, msg string) *Error {
	word, rest := strings.TrimSpace(line), restOf(line, e.Pos.Col)
	runes := []rune(line)
	before := strings.TrimRight(string(runes[:min(e.Pos.Col-1, len(runes))]), " ")
	switch {
	case strings.HasPrefix(rest, "}"), strings.HasPrefix(rest, "]"):
		e.Msg, e.Hint = "this bracket closes nothing", "remove it, or put the text in quotes"
	case strings.Contains(msg, "invalid key"):
		e.Msg, e.Hint = "a key must be a plain word", "put it in quotes when it is meant as a text"
	case strings.HasSuffix(before, `"`), strings.HasSuffix(before, "'"):
		e.Width = len([]rune(rest))
		e.Msg, e.Hint = "text after the closing quote", "put all of it in the quotes"
	case strings.ContainsRune(line, '\u00a0'):
		e.Pos.Col = len([]rune(line[:strings.IndexRune(line, '\u00a0')])) + 1
		e.Msg, e.Hint = "a no-break space (U+00A0) where a plain space should be", "replace it by a space"
	case len(word) > 1 && word[0] == '-' && word[1] != ' ' && word[1] != '-':
		e.Pos.Col = len([]rune(line[:strings.IndexByte(line, '-')])) + 1
		e.Msg, e.Hint = `a space is missing after "-"`, "write \"- "+strings.TrimSpace(word[1:])+"\""
	case MissingSpace(word) != "":
		e.Msg, e.Hint = `a space is missing after ":"`, "write \""+MissingSpace(word)+"\""
	case strings.Contains(msg, "unexpected key name"), strings.Contains(msg, "non-map value"):
		e.Msg, e.Hint = "this line does not fit in here", `is a ":" missing at its end, or is its indentation wrong?`
	case strings.Contains(msg, "multi-line content"):
		e.Msg, e.Hint = "the text block above (| or >) has no lines", "indent its lines below it"
	case strings.Contains(msg, "block sequence entries are not allowed"):
		e.Msg, e.Hint = `a list cannot start on the line of its key`, `put the "- " on a line of its own`
	case strings.Contains(msg, "value is not allowed in this context"):
		e.Msg, e.Hint = "this does not fit in here", "is its indentation that of the lines that it belongs to?"
	default:
		e.Msg, e.Hint = "the YAML is broken here: "+strings.ReplaceAll(msg, "\n", " "),
			"look for a mistake here or on the line above"
	}
	return e
}

// MissingSpace fixes "tap:Login"; "" when that is not what is wrong.
func MissingSpace(word string) string {
	i := strings.IndexByte(word, ':')
	if i <= 0 || i+1 >= len(word) || word[i+1] == ' ' || word[i+1] == '/' || word[i+1] == ':' {
		return ""
	}
	name := strings.TrimPrefix(word[:i], "- ")
	if strings.ContainsAny(name, " \"'{}[],") {
		return ""
	}
	return word[:i+1] + " " + word[i+1:]
}

// tabIndent finds a tab in the indentation of the line, or of the last line before it that holds something.
func tabIndent(source *Source, line int) (Pos, bool) {
	for n, seen := line, 0; n > 0 && seen < 2; n-- {
		text := source.Line(n)
		indent := text[:len(text)-len(strings.TrimLeft(text, " \t-"))]
		if i := strings.IndexByte(indent, '\t'); i >= 0 {
			return Pos{File: source.File, Line: n, Col: i + 1}, true
		}
		if strings.TrimSpace(text) != "" {
			seen++
		}
	}
	return Pos{}, false
}
