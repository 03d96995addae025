package pack

import (
	"github.com/taproot-dev/taproot/reporters/event"
	"regexp"
	"strings"
	"testing"
)

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Sign in": "sign-in", "Läunch Àpp": "launch-app", "Straße Øst": "strasse-ost", "": "screen", "日本語": "screen", "日本 2 語": "2",
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
	for want, shot := range map[string]event.Shot{
		"07-a.png": {Step: 7, Label: "A"}, "123-a-failed.png": {Step: 123, Label: "a", Failure: true}, "00-screen.png": {Step: -4},
	} {
		if got := shotName(shot); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
