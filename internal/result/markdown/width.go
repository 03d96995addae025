package markdown

import (
	"unicode"

	"golang.org/x/text/width"
)

// wide reports whether a rune takes two columns on a terminal.
func wide(r rune) bool {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return true
	}
	return false
}

// RuneWidth returns how many columns a rune takes on a terminal.
func RuneWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case wide(r):
		return 2
	}
	return 1
}

// Visible returns s on one line of at most limit runes, without characters that a terminal or a Markdown viewer obeys
// unseen: control characters become their symbols, marks that turn or hide text become their code points.
func Visible(s string, limit int) string { return Printable(s, limit) }

// VisibleLines is Visible for a text that keeps its line ends and tabs.
func VisibleLines(s string, limit int) string { return visibleLines(s, limit) }
