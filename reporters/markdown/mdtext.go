package markdown

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// Printable gives s on one line, with nothing in it that a reader cannot see: control characters become their pictures,
// marks that turn or hide text become their code points. At most limit runes are kept.
func Printable(s string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > limit {
			b.WriteRune('…')
			break
		}
		writeVisible(&b, r)
	}
	return b.String()
}

func writeVisible(b *strings.Builder, r rune) {
	switch {
	case r < 0x20:
		b.WriteRune('\u2400' + r)
	case r == 0x7f:
		b.WriteRune('\u2421')
	case r == '\u200c', r == '\u200d': // joiners: emoji and many scripts need them
		b.WriteRune(r)
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		fmt.Fprintf(b, "⟨U+%04X⟩", r)
	default:
		b.WriteRune(r)
	}
}

// visibleLines is visible for a text whose line ends and tabs stay.
func visibleLines(s string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		if n++; n > limit {
			b.WriteRune('…')
			break
		}
		if r == '\n' || r == '\t' {
			b.WriteRune(r)
			continue
		}
		writeVisible(&b, r)
	}
	return b.String()
}

// Text makes s plain text of one line in Markdown: nothing in it is markup, nor an HTML element.
func Text(s string, limit int) string {
	runes := []rune(strings.Trim(Printable(s, limit), " "))
	var b strings.Builder
	for i, r := range runes {
		if special(runes, i) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func special(runes []rune, i int) bool {
	switch runes[i] {
	case '\\', '`', '*', '[', ']', '<', '>', '&', '|', '~':
		return true
	case '_': // within a word it is no markup
		return i == 0 || i+1 == len(runes) || !wordRune(runes[i-1]) || !wordRune(runes[i+1])
	case '#', '+', '-', '=': // could begin a block
		return i == 0
	case '.', ')': // "1." could begin a list
		for _, r := range runes[:i] {
			if r < '0' || r > '9' {
				return false
			}
		}
		return i > 0
	}
	return false
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Code makes s a code span.
func Code(s string, limit int) string {
	s = Printable(s, limit)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// mdCell makes s the code span of a table's cell. Where a backslash stands before a pipe, parsers disagree on code
// spans: then it is plain text.
func mdCell(s string, limit int) string {
	if strings.Contains(Printable(s, limit), `\|`) {
		return Text(s, limit)
	}
	return strings.ReplaceAll(Code(s, limit), "|", `\|`)
}

// Block makes a code block of s.
func Block(info, s string, limit int) string {
	s = strings.TrimRight(visibleLines(s, limit), "\n")
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + info + "\n" + s + "\n" + fence + "\n"
}

func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// mdLink links to a file of the pack.
func mdLink(text, path string) string {
	return "[" + Text(text, 200) + "](" + Href(path) + ")"
}

func Href(path string) string {
	u := url.URL{Path: path}
	return strings.NewReplacer("(", "%28", ")", "%29", "*", "%2A", ":", "%3A").Replace(u.EscapedPath())
}
