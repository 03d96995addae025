package phrase

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hbollon/go-edlib"
)

// Mark ends a shortened text.
const Mark = "…"

// LimitRunes keeps at most limit characters, before the mark.
func LimitRunes(s string, limit int) string {
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

// LimitBytes keeps at most limit bytes, before the mark, and cuts no character in two.
func LimitBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + Mark
}

// LimitMiddle keeps the start and the end of a text in at most limit bytes, and whole lines where possible: the end of
// a log shows what went wrong, and the start where. Between them it writes how many bytes were left out.
func LimitMiddle(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const room = 40 // for the mark
	head, tail := max(0, limit-room)/3, max(0, limit-room)-max(0, limit-room)/3
	start, end := head, len(s)-tail
	if at := strings.LastIndexByte(s[:start], '\n'); at >= start/2 {
		start = at + 1
	}
	if at := strings.IndexByte(s[end:], '\n'); at >= 0 && at < tail/2 {
		end += at + 1
	}
	for start > 0 && !utf8.RuneStart(s[start]) {
		start--
	}
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end++
	}
	return fmt.Sprintf("%s%s %d bytes left out %s\n%s", s[:start], Mark, end-start, Mark, s[end:])
}

// FirstLine returns the text before the first line break.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// OneLine replaces every run of white space by one blank.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Plural formats a number with a noun, which gets an s unless the number is 1.
func Plural(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return strconv.Itoa(n) + " " + one
}

// Or joins words: "tap", "tap or input", "tap, input or press".
func Or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

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

// Anchor returns the fragment by which links refer to a heading of Markdown.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}

// Pairs returns labels or the like as NAME=VALUE, sorted.
func Pairs(of map[string]string) (list []string) {
	for k, v := range of {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return list
}
