package screen

import (
	"strings"
	"unicode"
)

// Icon fonts draw icons for characters that Unicode leaves to private use. A person reads the words next to them: "Map"
// of an icon and "Map". Texts of such characters alone are distinguished by them.

// hasGlyph reports whether a text has a character of private use.
func hasGlyph(s string) bool { return strings.IndexFunc(s, isGlyph) >= 0 }

func isGlyph(r rune) bool { return r >= 0xe000 && unicode.Is(unicode.Co, r) }

// withoutGlyphs removes the glyphs of icons from a text that has words, too, and the commas by which services join them
// to the words.
func withoutGlyphs(s string) string {
	if !hasGlyph(s) {
		return s
	}
	var words []string
	for _, w := range strings.FieldsFunc(s, isGlyph) {
		if strings.Trim(w, ", \t\r\n\u00a0\u200b") != "" {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return s
	}
	first, last := strings.IndexFunc(s, isGlyph) < strings.Index(s, words[0]), len(words)-1
	for i := range words {
		if i > 0 || first {
			words[i] = strings.TrimPrefix(strings.TrimSpace(words[i]), ",")
		}
	}
	if strings.LastIndexFunc(s, isGlyph) > strings.LastIndex(s, words[last]) {
		words[last] = strings.TrimSuffix(strings.TrimSpace(words[last]), ",")
	}
	return strings.Join(words, " ")
}
