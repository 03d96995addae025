package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normalise makes texts comparable that look alike to a person: NFKC, case folded, invisible marks dropped, white space
// (NBSP too) collapsed and trimmed, and typesetters' quotes and hyphens taken for those of a keyboard: Android writes "Don’t allow" and
// "Wi‑Fi" (with U+2011), a tester does not.
func Normalise(s string) string {
	if ascii, ok := normaliseASCII(s); ok {
		return ascii
	}
	s = cases.Fold().String(norm.NFKC.String(s))
	s = strings.Map(func(r rune) rune {
		switch {
		case invisible(r):
			return -1
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		}
		return typed(r)
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// SameValue tells whether two values of fields read alike: a space that keeps words together, or is narrow, is a space.
func SameValue(a, b string) bool {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Zs, r) {
				return ' '
			}
			return r
		}, s)
	}
	return a == b || plain(a) == plain(b)
}

// typed gives the character of a keyboard that looks like a typesetter's.
func typed(r rune) rune {
	switch r {
	case '\u2018', '\u2019', '\u201B', '\u02BC':
		return '\''
	case '\u201C', '\u201D', '\u201F':
		return '"'
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2212': // hyphens, the dash of figures, the en dash, the minus sign
		return '-'
	}
	return r
}

// normaliseASCII is the fast way for plain texts, which most labels are.
func normaliseASCII(s string) (string, bool) {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] < ' ' && s[i] != '\n' && s[i] != '\t' && s[i] != '\r' || s[i] == 0x7f {
			return "", false
		}
	}
	return strings.Join(strings.Fields(strings.ToLower(s)), " "), true
}

// invisible tells the marks that change nothing for a reader: zero-width spaces and joiners, bidi controls, the soft hyphen,
// variation selectors, the byte order mark.
func invisible(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x061C, r == 0x180E, r == 0xFEFF:
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2069:
		return true
	case r >= 0xFE00 && r <= 0xFE0F:
		return true
	}
	return false
}

// TextShows tells whether have contains want as whole words, both normalised: "Paid" is in "Status: Paid" and not in
// "Unpaid"; "5" is not in "15", "5.99", or "-5". An empty want is shown by an empty have only.
func TextShows(have, want string) bool { return showsWords(Normalise(have), Normalise(want)) }

// showsWords is TextShows for texts that are normalised.
func showsWords(have, want string) bool {
	if want == "" {
		return have == ""
	}
	for from := 0; ; {
		i := strings.Index(have[from:], want)
		if i < 0 {
			return false
		}
		start := from + i
		if wordStart(have, start) && wordEnd(have, start+len(want)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(have[start:])
		from = start + size
	}
}

// wordStart tells whether no word or number runs over the place i of s from the left.
func wordStart(s string, i int) bool {
	before, size := utf8.DecodeLastRuneInString(s[:i])
	if size == 0 {
		return true
	}
	first, _ := utf8.DecodeRuneInString(s[i:])
	if !inWord(first) {
		return true
	}
	if inWord(before) {
		return false
	}
	further, _ := utf8.DecodeLastRuneInString(s[:i-size])
	if isMinus(before) && unicode.IsDigit(first) && !inWord(further) {
		return false // the sign belongs to the number
	}
	return !joins(further, before, first)
}

// wordEnd tells whether no word or number runs over the place i of s to the right.
func wordEnd(s string, i int) bool {
	after, size := utf8.DecodeRuneInString(s[i:])
	if size == 0 {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(s[:i])
	if !inWord(last) {
		return true
	}
	if inWord(after) {
		return false
	}
	further, _ := utf8.DecodeRuneInString(s[i+size:])
	return !joins(last, after, further)
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_')
}

func isMinus(r rune) bool { return r == '-' || r == '\u2212' }

// joins tells whether the mark between two characters makes one word of them: can't, e-mail, 5.99, 12:30.
func joins(left, mark, right rune) bool {
	if unicode.IsDigit(left) && unicode.IsDigit(right) {
		return strings.ContainsRune(".,:'\u2019/-\u2212", mark)
	}
	return unicode.IsLetter(left) && unicode.IsLetter(right) && strings.ContainsRune("'\u2019-\u2010\u2011", mark)
}
