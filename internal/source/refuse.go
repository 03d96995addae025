package source

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// unsupported finds what the library lets through and we do not: YAML that testers do not mean, and what it misreads.
func unsupported(source *Source, tokens token.Tokens) *Error {
	for _, t := range tokens {
		pos := tokenPos(source.File, t)
		switch {
		case t.Type == token.DirectiveType && pos.Col == 1:
			return &Error{Pos: pos, Source: source, Hint: "remove the line",
				Msg: "YAML directives (lines that start with %) are not supported"}
		case t.Type == token.DocumentEndType:
			if line, _, _ := strings.Cut(source.Line(pos.Line), " #"); strings.Trim(line, " \t.") != "" {
				return &Error{Pos: Pos{File: source.File, Line: pos.Line, Col: 1}, Source: source, Width: 3,
					Msg:  "... at the beginning of a line ends the test, and something follows it",
					Hint: "put the text in quotes, or start a new test with --- on a line of its own"}
			}
		case t.Type == token.MergeKeyType && strings.TrimSpace(t.Origin) != "<<": // the library looks at its end only
			pos.Col = max(pos.Col-len([]rune(strings.TrimSpace(t.Origin)))+2, 1)
			return &Error{Pos: pos, Source: source, Msg: `a key cannot end in "<<"`, Hint: "put it in quotes"}
		case t.Type == token.MappingKeyType:
			return &Error{Pos: pos, Source: source, Msg: `a text cannot start with "? "`, Hint: "put the text in quotes"}
		case t.Type == token.StringType && !inBlock(t):
			if e := plainText(source, t, pos); e != nil {
				return e
			}
		case t.Type == token.DoubleQuoteType && strings.Contains(t.Origin, `\`):
			if at, bad := brokenEscape(source, Locate(source, pos, `"`)); bad != "" {
				return &Error{Pos: at, Source: source, Width: len(bad),
					Msg:  fmt.Sprintf("broken escape %s in the quoted text", bad),
					Hint: `write \xNN, \uNNNN or \UNNNNNNNN with hexadecimal digits, or \\ for a backslash`}
			}
		}
	}
	return nil
}

// inBlock reports whether the token is the text of a | or > block.
func inBlock(t *token.Token) bool {
	p := t.Prev
	for p != nil && p.Type == token.CommentType {
		p = p.Prev
	}
	return p != nil && (p.Type == token.LiteralType || p.Type == token.FoldedType)
}

// plainText refuses two traps of texts without quotes: a tab, which the library drops, and a line that looks like a
// list entry but continues the text above.
func plainText(source *Source, t *token.Token, pos Pos) *Error {
	raw := strings.TrimSpace(t.Origin)
	if strings.Contains(raw, "\t") {
		return &Error{Pos: Locate(source, pos, "\t"), Source: source, Msg: "a tab inside a text that has no quotes",
			Hint: `put the text in double quotes and write \t for the tab, or use a space`}
	}
	lines := strings.Split(raw, "\n")
	for _, line := range lines[1:] {
		if entry := strings.TrimSpace(line); strings.HasPrefix(entry, "- ") {
			// The library reports one of the later lines as the place of such a text.
			start := Pos{File: pos.File, Line: max(pos.Line-len(lines), 1), Col: 1}
			return &Error{Pos: Locate(source, start, entry), Source: source,
				Msg:  "this line continues the text above, though it looks like an entry of a list",
				Hint: "indent it like the other entries, or put the whole text in quotes"}
		}
	}
	return nil
}

// brokenEscape finds a \x, \u or \U without its hexadecimal digits in the quoted text that starts at the place.
func brokenEscape(source *Source, pos Pos) (at Pos, bad string) {
	for n, from := pos.Line, pos.Col; n <= len(source.Lines); n, from = n+1, 0 {
		line := source.Chars(n)
		for i := from; i < len(line); i++ {
			if line[i] == '"' {
				return Pos{}, ""
			}
			if line[i] != '\\' || i+1 == len(line) {
				continue
			}
			i++
			digits := map[rune]int{'x': 2, 'u': 4, 'U': 8}[line[i]]
			if end := i + 1 + digits; digits > 0 &&
				(end > len(line) || !isDigits(string(line[i+1:end]), "0123456789abcdefABCDEF")) {
				return Pos{File: pos.File, Line: n, Col: i}, string(line[i-1 : i+1])
			}
		}
	}
	return Pos{}, ""
}
