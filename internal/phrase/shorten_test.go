package phrase

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	for name, c := range map[string]struct{ got, want string }{
		"characters that fit":           {LimitRunes("é日🎉", 3), "é日🎉"},
		"characters that do not":        {LimitRunes("é日🎉x", 3), "é日🎉…"},
		"none":                          {LimitRunes("a", 0), "…"},
		"invalid UTF-8":                 {LimitRunes("\xff\xfea", 2), "\xff\xfe…"},
		"bytes that fit":                {LimitBytes("é", 2), "é"},
		"bytes, not half a character":   {LimitBytes("aé", 2), "a…"},
		"bytes, nothing but a mark":     {LimitBytes("日本", 2), "…"},
		"the first of two lines":        {FirstLine("a\nb"), "a"},
		"the only line":                 {FirstLine("a"), "a"},
		"lines, tabs and blanks as one": {OneLine(" a\n\tb  c "), "a b c"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}

func TestMiddle(t *testing.T) {
	if got := LimitMiddle("short", 10); got != "short" {
		t.Errorf("%q", got)
	}
	for name, text := range map[string]string{
		"lines":       strings.Repeat("a line of the log\n", 500) + "the failure\n",
		"one line":    strings.Repeat("é", 5000) + "the failure\n",
		"end of line": strings.Repeat("x", 3000) + "\n" + strings.Repeat("日", 3000) + "\nthe failure\n",
	} {
		got := LimitMiddle(text, 1000)
		if len(got) > 1000 || !strings.HasPrefix(text, got[:10]) || !strings.HasSuffix(got, "the failure\n") ||
			!utf8.ValidString(got) ||
			!strings.Contains(got, " bytes left out ") {
			t.Errorf("%s: %d bytes: %q", name, len(got), got)
		}
	}
}
