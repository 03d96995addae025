package screen_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// TestTypographicCharacters: all of Unicode's dashes and quotation marks are those of a keyboard, in every way of
// comparing.
func TestTypographicCharacters(t *testing.T) {
	plain := map[rune]string{'\u2212': "-", '\u2043': "-", '\u02bc': "'", '\u05f3': "'", '\u05f4': `"`}
	for r := rune(0x80); r <= 0x1f6ff; r++ {
		if unicode.Is(unicode.Pd, r) {
			plain[r] = "-"
		}
		if unicode.Is(unicode.Quotation_Mark, r) {
			plain[r] = `"`
			if strings.ContainsRune("\u2018\u2019\u201a\u201b\u2039\u203a\uff07", r) {
				plain[r] = "'"
			}
		}
	}
	for r, key := range plain {
		have, want := fmt.Sprintf("Total %cx%c 5", r, r), "total "+key+"x"+key+" 5"
		tree := screenOf(el(have, 0, 0, 500, 50))
		for _, mode := range []dsl.MatchMode{dsl.MatchWhole, dsl.MatchPrefix, dsl.MatchContains, dsl.MatchWords} {
			got, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: want, Match: mode}})
			if err != nil || len(got) != 1 {
				t.Errorf("%U %q by %q: %v", r, have, mode, err)
			}
		}
		if !screen.TextShows(have, want) || !screen.SameText(have, want) || screen.SameText(have, "total x 5") {
			t.Errorf("%U %q", r, have)
		}
	}
	if len(plain) < 50 {
		t.Errorf("%d characters", len(plain))
	}
	if !screen.TextShows("Status:—Paid—today", "Paid") || screen.TextShows("Paid-up", "Paid") {
		t.Error("a long dash parts words, a hyphen joins them")
	}
}

// TestFolding: characters in another case are the same, also where one is written with two, and in Turkish.
func TestFolding(t *testing.T) {
	for _, same := range [][]string{
		{"Giriş yap", "GİRİŞ YAP", "giriş yap"}, {"Kapalı", "KAPALI", "kapalı"},
		{"INSTAGRAM İLE AÇIK KAPI", "Instagram ile açık kapı"},
		{"Straße", "STRASSE", "strasse", "STRAẞE"}, {"ΟΔΟΣ", "οδος"}, {"I\u0307stanbul", "istanbul", "İSTANBUL"},
		{"WIFI", "wifi"},
	} {
		for _, a := range same {
			for _, b := range same {
				if !screen.SameText(a, b) || !screen.TextShows("x "+a+" y", b) {
					t.Errorf("%q and %q", a, b)
				}
				if len(found(t, screenOf(el(a, 0, 0, 500, 50)), label(b))) != 1 {
					t.Errorf("%q is not found by %q", a, b)
				}
			}
		}
	}
	for _, apart := range [][2]string{{"kır", "kir"}, {"KİR", "KIR"}, {"KİR", "kır"}, {"oo", "öö"}} {
		a, b := apart[0], apart[1]
		if screen.SameText(a, b) || screen.SameText(b, a) || screen.TextShows("x "+a+" y", b) ||
			len(found(t, screenOf(el(a, 0, 0, 500, 50)), label(b))) > 0 {
			t.Errorf("%q is taken for %q", a, b)
		}
	}
}

func found(t *testing.T, tree *screen.Tree, s dsl.Selector) []screen.Match {
	t.Helper()
	got, err := tree.Find(screen.Query{Selector: s})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
