package source

import (
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// parseDocuments parses each document on its own. The library's own division into documents ends at two separators
// in a row and drops everything behind them.
func parseDocuments(tokens token.Tokens) ([]ast.Node, error) {
	var bodies []ast.Node
	for _, part := range documents(tokens) {
		file, err := parser.Parse(part, 0, parser.AllowDuplicateMapKey())
		if err != nil {
			return nil, err
		}
		for _, d := range file.Docs {
			if d != nil && d.Body != nil {
				bodies = append(bodies, d.Body)
			}
		}
	}
	return bodies, nil
}

// documents divides the tokens in front of each --- and behind each ... marker.
func documents(tokens token.Tokens) []token.Tokens {
	var parts []token.Tokens
	from := 0
	cut := func(to int) {
		if to > from {
			parts, from = append(parts, tokens[from:to]), to
		}
	}
	for i, t := range tokens {
		switch t.Type {
		case token.DocumentHeaderType:
			cut(i)
		case token.DocumentEndType:
			cut(i + 1)
		}
	}
	cut(len(tokens))
	return parts
}

// dropped returns an error at the first part of the text that is in no document: one that the lexer skipped or a
// value that the parser left out. A test that silently lacks a step is worse than one that is refused.
func dropped(text string, source *Source, tokens token.Tokens, docs []ast.Node) *Error {
	e := &Error{Source: source, Msg: "this part of the file belongs to no value, so it would be ignored",
		Hint: "is its indentation wrong, or a quote or bracket near it? Put texts with special characters in quotes"}
	if at := unlexed([]rune(text), tokens); at >= 0 {
		before := string([]rune(text)[:at])
		line := strings.Count(before, "\n") + 1
		e.Pos = Pos{File: source.File, Line: line, Col: len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1}
		return e
	}
	if at, swallowed := swallowedMarker(source, tokens); swallowed {
		e.Pos, e.Width, e.Hint = at, 3, "indent the lines of the text above it, or put the text in quotes"
		e.Msg = "this line divides documents, but the value above continues across it"
		return e
	}
	if t := unparsed(tokens, docs); t != nil {
		e.Pos, e.Width = tokenPos(source.File, t), len([]rune(phrase.FirstLine(t.Value)))
		return e
	}
	return nil
}

// unlexed returns the index of the first character that no token holds, or -1. Every token keeps its characters,
// apart from white space and the escapes of double quotes.
func unlexed(text []rune, tokens token.Tokens) int {
	at := 0
	skipSpace := func() {
		for at < len(text) && unicode.IsSpace(text[at]) {
			at++
		}
	}
	for _, t := range tokens {
		if t.Type == token.DoubleQuoteType {
			skipSpace()
			length := closingQuote(text[at:])
			if length < 0 {
				return at
			}
			at += length
			continue
		}
		for _, r := range t.Origin {
			if unicode.IsSpace(r) {
				continue
			}
			skipSpace()
			if at == len(text) || text[at] != r {
				return at
			}
			at++
		}
	}
	if skipSpace(); at < len(text) {
		return at
	}
	return -1
}

// swallowedMarker finds a line that starts or ends a document, wherever it is, and that the lexer took for a part
// of a text.
func swallowedMarker(source *Source, tokens token.Tokens) (Pos, bool) {
	marks := map[int]bool{}
	for _, t := range tokens {
		if t.Type == token.DocumentHeaderType || t.Type == token.DocumentEndType {
			marks[t.Position.Line] = true
		}
	}
	for i, line := range source.Lines {
		if isMarker(line) && !marks[i+1] {
			return Pos{File: source.File, Line: i + 1, Col: 1}, true
		}
	}
	return Pos{}, false
}

// isMarker reports whether the line starts or ends a document.
func isMarker(line string) bool {
	rest, found := strings.CutPrefix(line, "---")
	if !found {
		rest, found = strings.CutPrefix(line, "...")
	}
	return found && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// closingQuote returns the index behind the double-quoted text at the start, or -1.
func closingQuote(text []rune) int {
	if len(text) == 0 || text[0] != '"' {
		return -1
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// unparsed returns the first token with a value that no node of the documents holds.
func unparsed(tokens token.Tokens, docs []ast.Node) *token.Token {
	held := heldTokens{}
	for _, d := range docs {
		ast.Walk(held, d)
	}
	for _, t := range tokens {
		switch t.Type {
		case token.CommentType, token.DocumentHeaderType, token.DocumentEndType: // no values
		case token.SequenceEntryType, token.MappingValueType, token.CollectEntryType, token.MappingEndType,
			token.SequenceEndType, token.AnchorType, token.AliasType: // marks between the values
		default:
			if !held[t] {
				return t
			}
		}
	}
	return nil
}

// heldTokens collects the tokens of the nodes that are walked.
type heldTokens map[*token.Token]bool

// Visit implements ast.Visitor.
func (h heldTokens) Visit(n ast.Node) ast.Visitor {
	if n != nil {
		h[n.GetToken()] = true
	}
	return h
}
