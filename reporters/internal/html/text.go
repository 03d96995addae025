package html

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// The longest texts of a page, in runes; the files of the pack hold the complete texts.
const (
	maxLabel   = 300
	maxText    = 4000
	maxLogLine = 500
)

// shown returns s on one line without characters that a reader cannot see: control characters become their symbols,
// marks that turn or hide text become their code points. At most limit runes are kept.
func shown(s string, limit int) string {
	return visible(s, limit, func(r rune) bool { return false })
}

// shownLines is shown for a text that keeps its line ends and tabs.
func shownLines(s string, limit int) string {
	return visible(strings.ReplaceAll(s, "\r\n", "\n"), limit, func(r rune) bool { return r == '\n' || r == '\t' })
}

func visible(s string, limit int, keep func(rune) bool) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > limit {
			b.WriteRune('…')
			break
		}
		switch {
		case keep(r), r == '\u200c', r == '\u200d': // joiners: emoji and many scripts need them
			b.WriteRune(r)
		case r == '\t':
			b.WriteString("  ")
		case r < 0x20:
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func shownAll(list []string, limit int) []string {
	var out []string
	for _, s := range list {
		out = append(out, shownLines(s, limit))
	}
	return out
}

// link makes a relative URL of a path with slashes; it never starts with a scheme.
func link(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "./" + strings.Join(parts, "/")
}

// took returns a duration as people read it.
func took(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// headline is the part of a message that says what happened. The rest says what the screen showed instead and where an
// element was, which the screenshot shows.
func headline(message string) string {
	quoted := false
	for i, r := range message {
		if r == '"' {
			quoted = !quoted
		}
		if (r == ';' || r == '\n') && !quoted {
			message = message[:i]
			break
		}
	}
	if plain := strings.Join(strings.Fields(boundsInText.ReplaceAllString(message, "")), " "); plain != "" {
		message = plain
	}
	return shown(message, maxLabel)
}
