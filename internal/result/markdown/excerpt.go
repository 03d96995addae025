package markdown

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/internal/source"
)

const maxSource = 200 // runes of a source line

// Excerpt shows a source line with its number, and with carets under word when the word is at the place, otherwise one
// caret. The result is untrusted text: the caller must escape it.
func Excerpt(at source.Pos, source, word string) string {
	source = strings.TrimRight(source, "\r\n")
	if r := []rune(source); len(r) > maxSource {
		source = string(r[:maxSource]) + "…"
	}
	number := fmt.Sprintf("%4d | ", at.Line)
	before := []rune(source)
	if at.Line < 1 || at.Col < 1 || at.Col > len(before) || strings.ContainsRune(source, '\n') {
		return number + source
	}
	carets := 1
	if word != "" && strings.HasPrefix(string(before[at.Col-1:]), word) {
		carets = utf8.RuneCountInString(word)
	}
	var pad strings.Builder
	for _, r := range before[:at.Col-1] {
		switch {
		case r == '\t':
			pad.WriteByte('\t') // as wide as the one above it
		case wide(r):
			pad.WriteString("  ")
		default:
			pad.WriteByte(' ')
		}
	}
	return number + source + "\n" + strings.Repeat(" ", len(number)) + pad.String() + strings.Repeat("^", carets)
}
