package pack

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/taproot-dev/taproot/internal/phrase"
)

const maxSlug = 40

// replacements maps the characters that Unicode does not decompose.
var replacements = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ",
	"th", "ı", "i")

// Slug turns a label into a name of a-z, 0-9 and single hyphens, at most 40 characters; "" when no character of the
// label can be kept.
func Slug(label string) string {
	if s := slug(label); s != noSlug || strings.Contains(strings.ToLower(label), noSlug) {
		return s
	}
	return ""
}

// noSlug names a screenshot without a label.
const noSlug = "screen"

// slug turns a label into a part of a file name: a-z, 0-9 and single hyphens, 1 to 40 characters.
func slug(label string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(replacements.Replace(strings.ToLower(phrase.LimitBytes(label, 1<<10)))) {
		r = unicode.ToLower(r)
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r): // an accent
		default:
			gap = true
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	s := b.String()
	s = strings.TrimRight(s[:min(len(s), maxSlug)], "-")
	if s == "" {
		return noSlug
	}
	return s
}
