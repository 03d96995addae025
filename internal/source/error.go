package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
