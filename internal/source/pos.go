package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// Pos is a place in a YAML file. Line and Col count from 1; Col counts characters, as editors do. The zero Pos means
// that the value came from elsewhere (a REST body, a Go program).
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// String returns "file:line:col", which terminals and editors turn into a link.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

func tokenPos(file string, t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{File: file, Line: 1, Col: 1}
	}
	return Pos{File: file, Line: max(t.Position.Line, 1), Col: max(t.Position.Column, 1)}
}

func lastPlace(tokens token.Tokens, file string) Pos {
	if len(tokens) == 0 {
		return Pos{File: file, Line: 1, Col: 1}
	}
	return tokenPos(file, tokens[len(tokens)-1])
}

// restOf is the text from the column to the end of the line, without a comment.
func restOf(line string, col int) string {
	runes := []rune(line)
	rest := string(runes[min(max(col-1, 0), len(runes)):])
	if i := strings.Index(rest, " #"); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimSpace(rest)
}

func FirstRune(line string, col int) string {
	for _, r := range restOf(line, col) {
		return string(r)
	}
	return ""
}

// Locate finds the text in the source at or after the place, on that line or on the few that follow it: messages about
// a part of a value point at that part. Without luck it is the place itself.
func Locate(source *Source, pos Pos, text string) Pos {
	if source == nil || pos.Line == 0 || text == "" {
		return pos
	}
	want, left := []rune(text), nearby
	for n := pos.Line; n < pos.Line+20 && n <= len(source.Lines) && left > 0; n++ {
		line, from := source.Chars(n), 0
		if n == pos.Line {
			from = min(max(pos.Col-1, 0), len(line))
		}
		for i := from; i+len(want) <= len(line) && left > 0; i++ {
			left--
			if slices.Equal(line[i:i+len(want)], want) {
				return Pos{File: pos.File, Line: n, Col: i + 1}
			}
		}
	}
	return pos
}
