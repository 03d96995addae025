package reading

import (
	"image"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// read makes a line of words that are ten pixels a character.
func read(text string) drivers.TextLine {
	l := drivers.TextLine{Text: text}
	x := 0
	for _, w := range strings.Fields(text) {
		l.Words = append(l.Words, drivers.TextLine{Text: w, Bounds: image.Rect(x, 0, x+10*len(w), 20)})
		x += 10 * (len(w) + 1)
	}
	l.Bounds = boxOf(l.Words)
	return l
}

func TestReadTextThatIsNotTheSame(t *testing.T) {
	for _, c := range []struct{ want, have string }{
		{"Paid", "Unpaid"}, {"Paid", "Prepaid"}, {"Paid", "Raid"}, {"50", "60"}, {"5", "15"}, {"5", "-5"}, {"5.99", "599"},
		{"5.99", "5 99"},
		{"125", "1 25"}, {"Unlocked", "Unblocked"}, {"Enabled", "Disabled"}, {"Activate", "Deactivate"},
		{"not paid", "now paid"},
		{"You are signed in", "You are not signed in"}, {"10 €", "10 $"}, {"50", "50%"}, {"Sign in", "Sign on"},
		{"1,000", "1.000"}, {"Pay", "Pa"},
		{"12:30", "1230"}, {"C", "C++"}, {"Total: 5", "Total: S"}, {"Yes", "No"}, {"on", "off"}, {"a > b", "a < b"},
		{"Included", "Excluded"},
	} {
		if got := Find([]drivers.TextLine{read(c.have)}, c.want); len(got) > 0 {
			t.Errorf("%q was taken for %q: %+v", c.have, c.want, got)
		}
	}
}

func TestReadTextThatIsTheSame(t *testing.T) {
	for _, c := range []struct {
		want, have, text string
		score            float64 // at most
	}{
		{"Hello canvas", "Hello canvas", "Hello canvas", 1},
		{"Paid", "Pald", "Pald", 0.96},
		{"Sign in", "Slgn in", "Slgn in", 0.99},
		{"Sign in", "Signin", "Signin", 0.98},
		{"Modern", "Modem", "Modem", 1},
		{"Room 10", "Room lO", "Room lO", 0.99},
		{"Grüße", "GruBe", "", 0},
		{"Zürich", "Zurich", "Zurich", 0.98},
		{"Items, total", "Items total", "Items total", 0.99},
		{"Paid", "Status: Paid since Monday", "Paid", 1},
		{"it's", "it\u2019s", "it\u2019s", 1},
		{"Ready", "READY!", "READY!", 0.98},
	} {
		got := Find([]drivers.TextLine{read("another line"), read(c.have)}, c.want)
		switch {
		case c.text == "" && len(got) == 0:
		case len(got) != 1 || got[0].Text != c.text || got[0].Score > c.score || got[0].Score < goodReading:
			t.Errorf("%q in %q: %+v", c.want, c.have, got)
		}
	}
}

func TestReadTextIsFoundInItsPlace(t *testing.T) {
	lines := []drivers.TextLine{read("Pay later or Pay now"), read("Pay")}
	got := Find(lines, "Pay")
	if len(got) != 3 || !got[0].Whole || got[0].Bounds != image.Rect(0, 0, 30, 20) || got[1].Whole ||
		got[2].Bounds != image.Rect(130, 0, 160, 20) {
		t.Errorf("%+v", got)
	}
	near := Nearest(lines, "Pay never", 2)
	if len(near) == 0 || near[0].Score >= goodReading {
		t.Errorf("%+v", near)
	}
	if Find(lines, "  ") != nil || Find(nil, "Pay") != nil {
		t.Error("nothing was found somewhere")
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Paid", "Unpaid")
	f.Add("rn", "m")
	f.Add(")", "") // was taken for a match of no words, for ever
	f.Add("5.99", "\xff 5,99 é")
	f.Fuzz(func(t *testing.T, want, have string) {
		if len(want) > 200 || len(have) > 200 {
			return
		}
		for _, h := range Find([]drivers.TextLine{read(have)}, want) {
			if h.Score < goodReading || h.Score > 1 {
				t.Errorf("%q in %q: %+v", want, have, h)
			}
		}
		if line := read(want); len(line.Words) == len(strings.Fields(screen.Normalise(want))) && len(glyphs(want)) > 0 &&
			len(Find([]drivers.TextLine{line}, want)) == 0 {
			t.Errorf("%q is not found in itself", want)
		}
	})
}
