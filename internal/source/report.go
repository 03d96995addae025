package source

import (
	"fmt"

	"github.com/taproot-dev/taproot/internal/phrase"
)

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
