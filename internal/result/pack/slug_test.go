package pack

import (
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
)

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func TestSlug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Sign in": "sign-in", "Läunch Àpp": "launch-app", "Straße Øst": "strasse-ost", "": "screen",
		"日本語": "screen", "日本 2 語": "2",
		"../../etc/passwd": "etc-passwd", "a\x00b": "a-b", "-- x --": "x", "ﬁle ①": "file-1", "İstanbul": "istanbul",
		strings.Repeat("ab ", 40): "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-a",
	} {
		if got := slug(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := slug(s); !slugForm.MatchString(got) || len(got) > maxSlug {
			t.Errorf("%q: %q", s, got)
		}
	})
}

func TestShotName(t *testing.T) {
	t.Parallel()
	for want, shot := range map[string]event.Shot{
		"07-a.png": {Step: 7, Label: "A"}, "123-a-failed.png": {Step: 123, Label: "a", Failure: true},
		"00-screen.png": {Step: -4},
	} {
		if got := shotName(shot); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// hostile are texts from devices and test files that could break the name of a file.
var hostile = []string{
	"a|b", `a\|b`, `a\\|b`, `\`, `x\`, "|", "||||", "`", "``", "`|`", "``|`", "` `", "a\nb", "a\r\n| x | y | z | p | q |",
	"\n\n## Steps\n\n",
	"<b>x</b>", "<script>alert(1)</script>", "<!-- ", "]]>", "<https://x.y>", "&lt;&amp;", "&#124;",
	"![x](http://x.y/z.png)", "[x](javascript:y)", "[x]: y",
	"\u202eabc\u202c", "\u200f", "\u2028|\u2029", "\ufeff", "\x00\x07\x1b[31m\x7f\u0085", "\t", " ", "  x  ", "", "- x",
	"1. x", "1) x", "# x", "---", "===", "```", "~~~",
	"*x*", "_x_", "a_b_c", "__init__", "~~x~~", "$x$", "a\xffb", strings.Repeat("x", 5000), strings.Repeat("|", 5000),
	strings.Repeat("`", 999),
	strings.Repeat("é", 199) + "|`", "    code", "> quote", "| a |\n|---|", "👩‍👩‍👧", "日本語 | 🎉", "\\`", "`\\|`",
	"x`\\", "\\\\", "<", "a<b|c>d`e",
	// found by fuzzing: markup after spaces; a mark beyond the cut
	" #", "  1. x", "  x" + strings.Repeat("|", 300) + `\|`,
}
