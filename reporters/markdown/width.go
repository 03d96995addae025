package markdown

import (
	"unicode"

	"golang.org/x/text/width"
)

// wide tells whether a terminal gives a rune two columns.
func wide(r rune) bool {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return true
	}
	return false
}

// RuneWidth is how many columns a terminal gives to a rune.
func RuneWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case wide(r):
		return 2
	}
	return 1
}

// Visible gives s on one line of at most limit runes, with nothing in it that a terminal or a Markdown viewer obeys
// unseen: control characters become their pictures, marks that turn or hide text become their code points.
func Visible(s string, limit int) string { return Printable(s, limit) }

// VisibleLines is Visible for a text whose line ends and tabs stay.
func VisibleLines(s string, limit int) string { return visibleLines(s, limit) }
