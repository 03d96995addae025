// Package shorten cuts foreign texts to what fits into a message: a text goes in, a shorter one comes out that ends with "…" when
// something was left out.
package shorten

import (
	"strings"
	"unicode/utf8"
)

// Mark ends a text of which something was left out.
const Mark = "…"

// Runes keeps at most limit characters, before the mark.
func Runes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + Mark
		}
		n++
	}
	return s
}

// Bytes keeps at most limit bytes, before the mark, and cuts no character in two.
func Bytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + Mark
}

// FirstLine is what stands before the first line break.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// OneLine makes every run of white space one blank.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
