package phrase

import (
	"strings"
	"unicode"

	"github.com/hbollon/go-edlib"
)

// Nearest returns the candidate that the author most likely meant, or "".
func Nearest(word string, candidates []string) string {
	best, bestDistance, folded := "", 3, Fold(word)
	for _, c := range candidates {
		if folded == Fold(c) {
			return c
		}
		// A short word is near to everything: "id" must not match "if".
		limit := min(2, max(len(word), len(c))/3)
		if far := len([]rune(word)) - len([]rune(c)); far > limit || -far > limit {
			continue
		}
		if d := edlib.OSADamerauLevenshteinDistance(strings.ToLower(word), strings.ToLower(c)); d <= limit &&
			d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Fold makes spellings equal that differ only in case, hyphens, underscores or blanks.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
