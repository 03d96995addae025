package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/token"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// Error is one thing that is wrong in a test file: where, what, and how to fix it.
type Error struct {
	Pos    Pos
	Msg    string  // what is wrong, without the place
	Hint   string  // how to fix it; may be empty
	Width  int     // how many characters are wrong, from Pos on; 0 counts as 1
	Source *Source // the file, to show the line; may be nil
	Fix    string  // the line that replaces the step, for editors; "": none is known for certain

	// Missing says that the file may be right: the values that it was used with lack something, such as the answer of an
	// app.
	Missing bool
}

// Error returns the place and the message, then the source line with a caret under the place, then the hint.
// It is safe to print: control characters of the file do not reach the terminal.
func (e *Error) Error() string {
	head := harmless(e.Msg)
	if place := harmless(e.Pos.String()); place != "" {
		head = place + ": " + head
	}
	hint := harmless(e.Hint)
	if e.Pos.Line > 0 && e.Source != nil {
		return head + "\n" + snippet(e, hint)
	}
	switch {
	case hint == "":
		return head
	case e.Pos.Line > 0:
		return head + "\n      " + hint
	default:
		return fmt.Sprintf("%s (%s)", head, hint)
	}
}

// Errors are all the errors of a file, sorted by file and place, each only once. Parse, NewScope, Bind, CheckVars and
// Decode return nothing else.
type Errors []*Error

// Error joins the errors with blank lines.
func (es Errors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n\n")
}

// Unwrap lets errors.As find the single errors.
func (es Errors) Unwrap() []error {
	all := make([]error, len(es))
	for i, e := range es {
		all[i] = e
	}
	return all
}

// Err sorts the errors, drops repetitions (an anchor used twice shows its mistake once) and keeps a nil interface nil.
func (es Errors) Err() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(es, func(e *Error) bool {
		key := e.Pos.String() + " " + e.Msg
		was := seen[key]
		seen[key] = true
		return was
	})
}

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

// Report collects the errors of a file, each with its place and the line of the file.
type Report struct {
	Source *Source // the file; nil: the values come from elsewhere
	Errs   Errors
}

// Fail notes an error at a place; width is how many characters are wrong.
func (r *Report) Fail(pos Pos, width int, msg, hint string) {
	r.Errs = append(r.Errs, &Error{Pos: pos, Msg: msg, Hint: hint, Width: width, Source: r.Source})
}

// Wrong notes a mistake of a value and underlines the value.
func (r *Report) Wrong(v Value, msg, hint string) {
	width := 0
	if v.Kind != List && v.Kind != Map {
		width = len([]rune(v.Text))
		if v.Written != "" {
			width = len([]rune(v.Written))
		}
		if line := r.Source.Chars(v.Pos.Line); v.Kind == String && v.Pos.Col >= 1 && v.Pos.Col <= len(line) {
			switch line[v.Pos.Col-1] {
			case '"', '\'':
				width += 2
			case '|', '>':
				width = 1
			}
		}
	}
	r.Fail(v.Pos, width, msg, hint)
}

// Describe names a value in a message.
func Describe(v Value) string {
	switch v.Kind {
	case List:
		return "a list"
	case Map:
		return "a map"
	case Null:
		return "nothing"
	case Bool, Int, Float:
		return v.Text
	default:
		return fmt.Sprintf("the text %q", phrase.LimitRunes(v.Text, 60))
	}
}

// Origin says that a value came out of variables.
func Origin(v Value) string {
	if v.Written == "" {
		return ""
	}
	return fmt.Sprintf(" (from %s)", phrase.LimitRunes(v.Written, 60))
}
