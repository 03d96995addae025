package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normalise makes texts comparable that are alike to a person: NFKC, case folded, invisible marks dropped, white space
// (NBSP too) collapsed and trimmed, and typographic quotation marks and dashes replaced by those of a keyboard: Android
// writes "Don’t allow" and "Wi‑Fi" (with U+2011), a tester does not. The four characters i of Turkish become one;
// SameText distinguishes them.
func Normalise(s string) string { return fold(s).plain }

// SameText reports whether two texts read alike: both normalised, they are equal. I is both i and ı in another case, İ
// is i in another case, and i and ı are two characters: "Giriş yap" is "GİRİŞ YAP", and "kır" is not "kir".
func SameText(a, b string) bool {
	if a == b {
		return true
	}
	if hasGlyph(a) && hasGlyph(b) {
		return foldAll(a).equals(foldAll(b))
	}
	x, y := fold(a), fold(b)
	return x.plain == y.plain && sameLetters(x.marked, y.marked)
}

// folded is a normalised text.
type folded struct {
	plain  string
	marked string // has a mark in place of some characters of plain, byte by byte
}

// Alike returns the one of some texts that reads like another text. Where several do, letter case decides; ok is false
// where it does not.
func Alike(texts []string, want string) (found string, ok bool) {
	for _, alike := range []func(a, b string) bool{func(a, b string) bool { return spelled(a) == spelled(b) }, SameText} {
		count := 0
		for _, t := range texts {
			if alike(t, want) {
				found = t
				count++
			}
		}
		if count > 0 {
			return found, count == 1
		}
	}
	return "", false
}

// The marks of characters in folded texts. No normalised text has a control character.
const (
	capitalI = '\x01'
	dotlessI = '\x02'
	dottedI  = '\x03'
	longDash = '\x04' // parts words, where a hyphen joins them
)

// fold normalises a text without the glyphs of icons next to it, and folds its characters.
func fold(s string) folded { return foldAll(withoutGlyphs(s)) }

// foldAll is fold with the glyphs of icons.
func foldAll(s string) folded {
	if plain, ok := normaliseASCII(s); ok {
		return folded{plain, markCapitals(s, plain)}
	}
	s = cases.Fold().String(typed(norm.NFKC.String(primes(s)), true))
	marked := strings.Join(strings.Fields(undotted(s)), " ")
	return folded{unmarked(marked), marked}
}

// undotted removes the dot over an i that is a character of its own.
func undotted(s string) string {
	const dot = '\u0307'
	if !strings.ContainsRune(s, dot) {
		return s
	}
	before := rune(0)
	return strings.Map(func(r rune) rune {
		if r == dot && (before == 'i' || before == capitalI || before == dotlessI || before == dottedI) {
			return -1
		}
		before = r
		return r
	}, s)
}

// markCapitals returns an ASCII text with marks, given its plain form.
func markCapitals(s, plain string) string {
	if strings.IndexByte(s, 'I') < 0 {
		return plain
	}
	fields := strings.Join(strings.Fields(s), " ")
	return strings.ToLower(strings.ReplaceAll(fields, "I", string(capitalI)))
}

func unmarked(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case capitalI, dotlessI, dottedI:
			return 'i'
		case longDash:
			return '-'
		}
		return r
	}, s)
}

// sameLetters compares two parts of marked texts with equal plain forms.
func sameLetters(a, b string) bool {
	if a == b {
		return true
	}
	for i := range min(len(a), len(b)) {
		x, y := min(a[i], b[i]), max(a[i], b[i])
		if x != y && (x == dotlessI || x == capitalI && y == dottedI) {
			return false
		}
	}
	return true
}

// spelled is a text with its characters as they are: Normalise without the folding.
func spelled(s string) string { return spelledAll(withoutGlyphs(s)) }

// spelledAll is spelled with the glyphs of icons.
func spelledAll(s string) string {
	if s == "" {
		return ""
	}
	return strings.Join(strings.Fields(typed(norm.NFKC.String(primes(s)), false)), " ")
}

// SameValue reports whether two values of fields read alike: a space that keeps words together, or is narrow, is a
// space.
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

// primes replaces what NFKC would take apart.
func primes(s string) string {
	if !strings.ContainsAny(s, "\u2032\u2033\u00b4") {
		return s
	}
	return strings.NewReplacer("\u2033", `"`, "\u2032", "'", "\u00b4", "'").Replace(s)
}

// typed replaces typographic characters by those of a keyboard and drops invisible ones; marks also puts marks in place
// of characters.
func typed(s string, marks bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < unicode.MaxASCII && r > ' ' && r != 'I':
			return r
		case invisible(r):
			return -1
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case singleQuote(r):
			return '\''
		case doubleQuote(r):
			return '"'
		case marks && (r == 'I' || r == '\u0130' || r == '\u0131'):
			return map[rune]rune{'I': capitalI, '\u0130': dottedI, '\u0131': dotlessI}[r]
		case hyphen(r):
			return '-'
		case dash(r) && marks:
			return longDash
		case dash(r):
			return '-'
		}
		return r
	}, s)
}

// hyphen reports whether a character is a dash that joins words and numbers: hyphens, the figure dash, the en dash,
// the minus sign.
func hyphen(r rune) bool { return r >= '\u2010' && r <= '\u2013' || r == '\u2212' || r == '\u2043' }

// dash reports whether a character is another one of Unicode's dashes.
func dash(r rune) bool { return r >= 0x80 && (unicode.Is(unicode.Pd, r) || r == '\u02d7') }

// singleQuote reports whether Unicode calls a character a single quotation mark, or people write it as an apostrophe.
func singleQuote(r rune) bool {
	switch {
	case r >= '\u2018' && r <= '\u201b', r == '\u2039', r == '\u203a', r == '\u02bb', r == '\u02bc', r == '\u05f3':
		return true
	}
	return r >= '\u275b' && r <= '\u275c' || r == '\u275f' || r == '\u276e' || r == '\u276f'
}

// doubleQuote reports whether Unicode calls a character a double quotation mark.
func doubleQuote(r rune) bool {
	switch {
	case r >= '\u201c' && r <= '\u201f', r == '\u00ab', r == '\u00bb', r == '\u05f4', r == '\u2e42':
		return true
	case r >= '\u300c' && r <= '\u300f', r >= '\u301d' && r <= '\u301f':
		return true
	}
	return r == '\u275d' || r == '\u275e' || r == '\u2760' || r >= 0x1f676 && r <= 0x1f678
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

// invisible reports whether a character is a mark that changes nothing for a reader: zero-width spaces and joiners,
// bidi controls, the soft hyphen, variation selectors, the byte order mark.
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

// TextShows reports whether have contains want as whole words, both normalised: "Paid" is in "Status: Paid" and not in
// "Unpaid"; "5" is not in "15", "5.99", or "-5". An empty want is shown by an empty have only.
func TextShows(have, want string) bool { return fold(have).shows(fold(want)) }

// shows is TextShows.
func (f folded) shows(want folded) bool {
	if want.plain == "" {
		return f.plain == ""
	}
	return f.find(want, func(start, end int) bool { return wordStart(f.marked, start) && wordEnd(f.marked, end) })
}

// contains reports whether want is a part of f.
func (f folded) contains(want folded) bool {
	return f.find(want, func(int, int) bool { return true })
}

// beginsWith reports whether f starts with want.
func (f folded) beginsWith(want folded) bool {
	return strings.HasPrefix(f.plain, want.plain) && sameLetters(f.marked[:len(want.plain)], want.marked)
}

// equals reports whether the two read alike.
func (f folded) equals(other folded) bool {
	return f.plain == other.plain && sameLetters(f.marked, other.marked)
}

// find looks for a place of want in f that is accepted.
func (f folded) find(want folded, accept func(start, end int) bool) bool {
	for from := 0; ; {
		i := strings.Index(f.plain[from:], want.plain)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(want.plain)
		if sameLetters(f.marked[start:end], want.marked) && accept(start, end) {
			return true
		}
		_, size := utf8.DecodeRuneInString(f.plain[start:])
		if from = start + size; size == 0 {
			return false
		}
	}
}

// wordStart reports whether no word or number runs over the place i of s from the left.
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

// wordEnd reports whether no word or number runs over the place i of s to the right.
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
	return r != utf8.RuneError && (isLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_')
}

// isLetter reports whether a character of a marked text is alphabetic.
func isLetter(r rune) bool {
	return unicode.IsLetter(r) || r == capitalI || r == dotlessI || r == dottedI
}

func isMinus(r rune) bool { return r == '-' || r == '\u2212' }

// joins reports whether the mark between two characters makes one word of them: can't, e-mail, 5.99, 12:30.
func joins(left, mark, right rune) bool {
	if unicode.IsDigit(left) && unicode.IsDigit(right) {
		return strings.ContainsRune(".,:'\u2019/-\u2212", mark)
	}
	return isLetter(left) && isLetter(right) && strings.ContainsRune("'\u2019-\u2010\u2011", mark)
}
