// Package source reads YAML and JSON of strangers: bytes go in, a Value comes out, of which every part knows its place,
// or an error that shows the line and says how to fix it. It also formats a file (Format).
package source

import (
	"strings"
)

// Source is the text that a test was read from, kept to show the lines that messages speak of.
type Source struct {
	File  string
	Lines []string

	long map[int][]rune // the characters of long lines: many messages about one line stay cheap
}

// Line returns line n, counted from 1, or "".
func (s *Source) Line(n int) string {
	if s == nil || n < 1 || n > len(s.Lines) {
		return ""
	}
	return s.Lines[n-1]
}

// Chars returns the characters of line n. Do not change them.
func (s *Source) Chars(n int) []rune {
	if s != nil && s.long[n] != nil {
		return s.long[n]
	}
	return []rune(s.Line(n))
}

// Read turns the text into one Value per document.
func Read(text string, source *Source) (values []Value, err error) {
	docs, bad := ParseYAML(text, source)
	if bad != nil {
		return nil, Errors{bad}
	}
	t := &Tree{Source: source, Behind: Pos{File: source.File, Line: 1, Col: 1}}
	t.Tabs = map[int]bool{}
	for i, line := range source.Lines {
		if strings.Contains(line, "\t") {
			t.Tabs[i+1] = true
		}
	}
	defer func() {
		if r := recover(); r != nil { // the library may build a tree with holes
			values, err = nil, Errors{{Pos: Pos{File: source.File, Line: 1, Col: 1}, Source: source,
				Msg: "the YAML in this file cannot be read", Hint: "look for a mistake in indentation, quotes or brackets"}}
		}
	}()
	for _, doc := range docs {
		t.anchors, t.open = map[string]anchor{}, map[string]bool{}
		v := t.value(doc, 1)
		if v.Kind != Null || v.Text != "" {
			values = append(values, v)
		}
	}
	return values, t.Errs.Err()
}
