package source

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const (
	snippetCells = 100 // the widest piece of a source line that is shown
	hintCells    = 110 // a hint that would end beyond this column goes onto a line of its own
)

// snippet renders the source line of e, a caret under the place, and the hint.
func snippet(e *Error, hint string) string {
	prefix := fmt.Sprintf("%3d | ", e.Pos.Line)
	line := e.Source.Chars(e.Pos.Line)
	at := min(max(e.Pos.Col-1, 0), len(line))
	n := max(e.Width, 1)
	if at+n > len(line) {
		n = max(len(line)-at, 1)
	}
	from, to := window(line, at)
	var text, pad, mark strings.Builder
	if from > 0 {
		text.WriteRune('…')
		pad.WriteRune(' ')
	}
	for i, r := range line[from:to] {
		i += from
		r = harmlessRune(r)
		text.WriteRune(r)
		switch {
		case i < at && r == '\t': // the terminal's tab stops stay the same in both lines
			pad.WriteRune('\t')
		case i < at:
			pad.WriteString(strings.Repeat(" ", cells(r)))
		case i < at+n && r == '\t':
			mark.WriteRune('^')
		case i < at+n:
			mark.WriteString(strings.Repeat("^", cells(r)))
		}
	}
	if to < len(line) {
		text.WriteRune('…')
	}
	if mark.Len() == 0 {
		mark.WriteRune('^')
	}
	blank := strings.Repeat(" ", utf8.RuneCountInString(prefix))
	out := strings.TrimRight(prefix+text.String(), " \t") + "\n" + blank + pad.String() + mark.String()
	if hint == "" {
		return out
	}
	end := len(blank) + textCells(pad.String()) + mark.Len() + 1 + textCells(hint)
	if end > hintCells || strings.Contains(hint, "\n") {
		return out + "\n" + blank + strings.ReplaceAll(hint, "\n", "\n"+blank)
	}
	return out + " " + hint
}

// window returns the part of the line that is shown: all of it, or what fits around the place.
func window(line []rune, at int) (from, to int) {
	from, to = at, at
	left := snippetCells
	for left > 0 && (from > 0 || to < len(line)) {
		if to < len(line) {
			left -= max(cells(line[to]), 1)
			to++
		}
		// Two thirds of the space go to the text before the place once the text after it has had its third.
		if from > 0 && (to == len(line) || snippetCells-left < snippetCells*3/4) {
			from--
			left -= max(cells(line[from]), 1)
		}
	}
	return from, to
}

func textCells(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

// cells is how many columns of a terminal the character takes.
func cells(r rune) int {
	switch {
	case r == '\t':
		return 8
	case unicode.In(r, unicode.Mn, unicode.Me) || r == '\u200d' || r >= 0xfe00 && r <= 0xfe0f:
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// harmless replaces what could steer a terminal or turn the reading direction round. New lines stay.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return harmlessRune(r)
	}, s)
}

func harmlessRune(r rune) rune {
	switch {
	case r == '\t' || r == '\u200d':
		return r
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029', r == utf8.RuneError:
		return '\uFFFD'
	case unicode.Is(unicode.Zs, r):
		return ' '
	default:
		return r
	}
}
