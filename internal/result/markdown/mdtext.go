package markdown

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// Printable returns s on one line without characters that a reader cannot see: control characters become their symbols,
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

// visibleLines is Visible for a text that keeps its line ends and tabs.
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
	case '_': // within a word it is not markup
		return i == 0 || i+1 == len(runes) || !wordRune(runes[i-1]) || !wordRune(runes[i+1])
	case '#', '+', '-', '=': // could start a block
		return i == 0
	case '.', ')': // "1." could start a list
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

// mdCell makes s the code span of a table's cell. Parsers disagree on a backslash before a pipe in a code span: such a
// text is written as plain text.
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
