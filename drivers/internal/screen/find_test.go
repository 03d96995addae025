package screen_test

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// el makes an element; the rectangle is left, top, right, bottom.
func el(text string, l, t, r, b int, change ...func(*screen.Node)) *screen.Node {
	n := &screen.Node{Type: "android.widget.TextView", Text: text, Bounds: image.Rectangle{Min: image.Pt(l, t),
		Max: image.Pt(r, b)}}
	for _, c := range change {
		c(n)
	}
	return n
}

func button(n *screen.Node) { n.Type, n.Clickable = "android.widget.Button", true }
func field(n *screen.Node)  { n.Type, n.Clickable, n.Editable = "android.widget.EditText", true, true }
func id(s string) func(*screen.Node) {
	return func(n *screen.Node) { n.ID = s }
}
func hint(s string) func(*screen.Node) {
	return func(n *screen.Node) { n.Hint = s }
}
func around(children ...*screen.Node) func(*screen.Node) {
	return func(n *screen.Node) { n.Children = children }
}
func desc(s string) func(*screen.Node) {
	return func(n *screen.Node) { n.Desc = s }
}
func disabled(n *screen.Node) { n.Disabled = true }

func screenOf(nodes ...*screen.Node) *screen.Tree {
	root := &screen.Node{Type: "android.widget.FrameLayout", Bounds: image.Rect(0, 0, 1000, 2000), Children: nodes}
	return screen.NewTree([]*screen.Node{root}, image.Pt(1000, 2000), time.Time{})
}

func label(s string) dsl.Selector { return dsl.Selector{Label: s} }

func TestFind(t *testing.T) {
	at := func(l dsl.Selector, i int) dsl.Selector { l.Index = &i; return l }
	match := func(l string, m dsl.MatchMode) dsl.Selector { return dsl.Selector{Label: l, Match: m} }
	yes := true
	row := func(y int, name, action string) *screen.Node {
		return el("", 0, y, 1000, y+100, around(el(name, 0, y, 300, y+100), el(action, 700, y, 1000, y+100, button)))
	}
	for _, test := range []struct {
		name   string
		tree   *screen.Tree
		sel    dsl.Selector
		action bool
		want   []string
		tier   screen.Tier
		point  image.Point // checked when not zero
		err    error
	}{
		{name: "assert Paid does not pass on Unpaid", tree: screenOf(el("Status: Unpaid", 0, 0, 500, 50)),
			sel: label("Paid")},
		{name: "assert Paid does not pass on Not paid", tree: screenOf(el("Not paid", 0, 0, 500, 50)), sel: label("Paid")},
		{name: "whole words only when asked", tree: screenOf(el("Status: Paid", 0, 0, 500, 50)),
			sel:  match("Paid", dsl.MatchWords),
			want: []string{"Status: Paid"}, tier: screen.TierPart},
		{name: "whole words are whole", tree: screenOf(el("Status: Unpaid", 0, 0, 500, 50)),
			sel: match("Paid", dsl.MatchWords)},
		{name: "prefix", tree: screenOf(el("Order 4711", 0, 0, 500, 50), el("My order", 0, 60, 500, 90)),
			sel: match("order", dsl.MatchPrefix), want: []string{"Order 4711"}},
		{name: "tap Pay does not hit Payment history", tree: screenOf(el("Payment history", 0, 0, 500, 50, button)),
			sel: label("Pay"), action: true},
		{name: "tap Pay does not hit Pay now", tree: screenOf(el("Pay now", 0, 0, 500, 50, button)), sel: label("Pay"),
			action: true},
		{name: "exact hides words", tree: screenOf(el("Pay now", 0, 0, 500, 50, button), el("Pay", 0, 100, 500, 150, button)),
			sel: label("Pay"), action: true,
			want: []string{"Pay"}, tier: screen.TierExact},
		{name: "exact raw hides normalised", tree: screenOf(el("pay", 0, 0, 500, 50, button),
			el("Pay", 0, 100, 500, 150, button)), sel: label("Pay"), action: true,
			want: []string{"Pay"}, tier: screen.TierExact},
		{name: "NBSP, case and zero width are the same to a reader",
			tree: screenOf(el("Total:\u00a05 \u200b", 0, 0, 500, 50)), sel: label("total: 5"),
			want: []string{"Total:\u00a05 \u200b"}, tier: screen.TierCase},
		{name: "typesetters' quotes and hyphens are those of a keyboard",
			tree: screenOf(el("Don\u2019t allow Wi\u2011Fi", 0, 0, 500, 50)), sel: label("Don't allow Wi-Fi"),
			want: []string{"Don\u2019t allow Wi\u2011Fi"}, tier: screen.TierNormalised},
		{name: "a minus sign is the hyphen of a keyboard", tree: screenOf(el("\u22125 °C", 0, 0, 500, 50)),
			sel:  label("-5 °C"),
			want: []string{"\u22125 °C"}, tier: screen.TierNormalised},
		{name: "numbers are whole", tree: screenOf(el("Total: 5.99", 0, 0, 500, 50)), sel: label("Total: 5")},
		{name: "two equal texts: an assertion holds", tree: screenOf(el("Twice", 0, 0, 500, 50),
			el("Twice", 0, 100, 500, 150)), sel: label("Twice"),
			want: []string{"Twice", "Twice"}, tier: screen.TierExact},
		{name: "two equal texts: an action refuses", tree: screenOf(el("Twice", 0, 0, 500, 50),
			el("Twice", 0, 100, 500, 150)), sel: label("Twice"), action: true,
			err: screen.ErrAmbiguous},
		{name: "negative index", tree: screenOf(el("Twice", 0, 0, 500, 50), el("Twice", 0, 100, 500, 150)),
			sel: at(label("Twice"), -1), action: true,
			want: []string{"Twice"}, point: image.Pt(250, 125)},
		{name: "index out of range", tree: screenOf(el("Twice", 0, 0, 500, 50)), sel: at(label("Twice"), 1), action: true},
		{name: "a heading and a button of one label: the button", tree: screenOf(el("Sign in", 0, 0, 500, 50),
			el("Sign in", 0, 100, 500, 150, button)), sel: label("Sign in"), action: true,
			want: []string{"Sign in"}, point: image.Pt(250, 125)},
		{name: "a label inside a clickable parent",
			tree: screenOf(el("", 0, 0, 1000, 200, button, around(el("Row", 20, 50, 220, 150)))), sel: label("Row"),
			action: true,
			want:   []string{"Row"}, point: image.Pt(120, 100)},
		{name: "parent and child with one label are one",
			tree: screenOf(el("Buy", 0, 0, 1000, 200, button, around(el("Buy", 20, 50, 220, 150)))), sel: label("Buy"),
			action: true,
			want:   []string{"Buy"}},
		{name: "a filled field's hint is for actions", tree: screenOf(el("ada@x", 0, 0, 500, 50, field, hint("E-mail"))),
			sel: label("E-mail"), action: true,
			want: []string{"ada@x"}, tier: screen.TierHint},
		{name: "a filled field's hint is not on the screen",
			tree: screenOf(el("ada@x", 0, 0, 500, 50, field, hint("E-mail"))), sel: label("E-mail")},
		{name: "an empty field shows its hint", tree: screenOf(el("", 0, 0, 500, 50, field, hint("E-mail"))),
			sel:  label("E-mail"),
			want: []string{""}},
		{name: "an id is no label", tree: screenOf(el("", 0, 0, 500, 50, field, id("com.x:id/email"))), sel: label("email"),
			action: true},
		{name: "an id is no label for an assertion", tree: screenOf(el("", 0, 0, 500, 50, field, id("com.x:id/email"))),
			sel: label("email")},
		{name: "id criterion", tree: screenOf(el("A", 0, 0, 500, 50, id("com.x:id/a")),
			el("B", 0, 60, 500, 90, id("com.x:id/b"))), sel: dsl.Selector{ID: "b"},
			want: []string{"B"}},
		{name: "contains only when asked", tree: screenOf(el("Unpaid", 0, 0, 500, 50)), sel: match("paid", dsl.MatchContains),
			want: []string{"Unpaid"}},
		{name: "exact only", tree: screenOf(el("pay", 0, 0, 500, 50)), sel: match("Pay", dsl.MatchExact)},
		{name: "regex fits the whole text", tree: screenOf(el("Order 4711", 0, 0, 500, 50)),
			sel: match(`order`, dsl.MatchRegex)},
		{name: "regex ignores case, . takes line ends", tree: screenOf(el("Order\n4711", 0, 0, 500, 50)),
			sel: match(`ORDER.\d+`, dsl.MatchRegex), want: []string{"Order\n4711"}},
		{name: "regex with case", tree: screenOf(el("order", 0, 0, 500, 50), el("ORDER", 0, 60, 500, 90)),
			sel: match(`(?-i)ORDER`, dsl.MatchRegex), want: []string{"ORDER"}},
		{name: "regex of alternatives is whole", tree: screenOf(el("a1", 0, 0, 500, 50), el("b", 0, 60, 500, 90)),
			sel: match(`a|b`, dsl.MatchRegex), want: []string{"b"}},
		{name: "id with a pattern", tree: screenOf(el("A", 0, 0, 500, 50, id("com.x:id/row_1")),
			el("B", 0, 60, 500, 90, id("com.x:id/row_12"))), sel: dsl.Selector{ID: "row_??"}, want: []string{"B"}},
		{name: "id by regex", tree: screenOf(el("A", 0, 0, 500, 50, id("com.x:id/row_1")),
			el("B", 0, 60, 500, 90, id("com.x:id/cell_1"))), sel: dsl.Selector{ID: `row_\d+`, Match: dsl.MatchRegex},
			want: []string{"A"}},
		{name: "id in another case", tree: screenOf(el("A", 0, 0, 500, 50, id("com.x:id/SignIn"))),
			sel: dsl.Selector{ID: "signin"}, want: []string{"A"}},
		{name: "the very id goes before another case", tree: screenOf(el("A", 0, 0, 500, 50, id("SignIn")),
			el("B", 0, 60, 500, 90, id("signin"))), sel: dsl.Selector{ID: "signin"}, want: []string{"B"}},
		{name: "text only", tree: screenOf(el("", 0, 0, 500, 50, desc("Save")), el("Save", 0, 60, 500, 90)),
			sel: dsl.Selector{Text: "save"}, want: []string{"Save"}},
		{name: "desc only", tree: screenOf(el("", 0, 0, 500, 50, desc("Save")), el("Save", 0, 60, 500, 90)),
			sel: dsl.Selector{Desc: "save"}, want: []string{""}},
		{name: "not", tree: screenOf(el("A", 0, 0, 500, 50, button), el("B", 0, 60, 500, 90, button)),
			sel: dsl.Selector{Type: "Button", Not: &dsl.Selector{Label: "A"}}, want: []string{"B"}},
		{name: "size", tree: screenOf(el("A", 0, 0, 500, 50), el("B", 0, 60, 503, 110)),
			sel: dsl.Selector{Size: &dsl.Size{Width: ptr(503)}}, want: []string{"B"}},
		{name: "size with a tolerance", tree: screenOf(el("A", 0, 0, 500, 50), el("B", 0, 60, 503, 110)),
			sel: dsl.Selector{Text: "A", Size: &dsl.Size{Width: ptr(503), Tolerance: 3}}, want: []string{"A"}},
		{name: "clickable", tree: screenOf(el("A", 0, 0, 500, 50), el("A", 0, 60, 503, 110, button)),
			sel: dsl.Selector{Label: "A", Clickable: &yes}, want: []string{"A"}},
		{name: "first", tree: screenOf(el("A", 0, 100, 500, 150, button), el("A", 0, 0, 500, 50, button)),
			sel: dsl.Selector{Label: "A", First: true}, action: true, want: []string{"A"}, point: image.Pt(250, 25)},
		{name: "contains all", tree: screenOf(row(0, "A", "Go"), row(200, "B", "Go")), sel: dsl.Selector{Type: "ViewGroup",
			Contains: []dsl.Selector{label("B"), label("Go")}, Index: ptr(0)}, want: nil},
		{name: "xpath", tree: screenOf(el("A", 0, 0, 500, 50, button), el("B", 0, 60, 500, 90, button)),
			sel: dsl.Selector{XPath: `//android.widget.Button[@text='B']`}, want: []string{"B"}},
		{name: "regex", tree: screenOf(el("Order 4711", 0, 0, 500, 50)), sel: match(`^Order \d+$`, dsl.MatchRegex),
			want: []string{"Order 4711"}},
		{name: "zero, inverted and off-screen bounds do not count", sel: label("Ghost"),
			tree: screenOf(el("Ghost", 5, 5, 5, 50), el("Ghost", 210, 2706, 469, 2654), el("Ghost", 0, 2100, 100, 2200))},
		{name: "of two alike, that one is disabled decides nothing",
			tree: screenOf(el("Save", 0, 0, 500, 50, button, disabled), el("Save", 0, 100, 500, 150, button)),
			sel:  label("Save"), action: true,
			err: screen.ErrAmbiguous},
		{name: "the enabled one by name", tree: screenOf(el("Save", 0, 0, 500, 50, button, disabled),
			el("Save", 0, 100, 500, 150, button)), sel: dsl.Selector{Label: "Save", Enabled: &yes}, action: true,
			want: []string{"Save"}, point: image.Pt(250, 125)},
		{name: "enabled criterion", tree: screenOf(el("Save", 0, 0, 500, 50, button, disabled)),
			sel: dsl.Selector{Label: "Save", Enabled: &yes}},
		{name: "right of keeps to the line", tree: screenOf(row(0, "Invoice 1", "Pay"), row(200, "Invoice 2", "Pay")),
			action: true,
			sel:    dsl.Selector{Label: "Pay", RightOf: &dsl.Selector{Label: "Invoice 2"}}, want: []string{"Pay"},
			point: image.Pt(850, 250)},
		{name: "right of another line proves nothing", tree: screenOf(row(0, "Invoice 1", "Paid"),
			row(200, "Invoice 2", "Open")),
			sel: dsl.Selector{Label: "Paid", RightOf: &dsl.Selector{Label: "Invoice 2"}}},
		{name: "below takes the nearest", tree: screenOf(el("E-mail", 0, 0, 500, 50), el("", 0, 60, 500, 120, field),
			el("", 0, 200, 500, 260, field)), action: true,
			sel: dsl.Selector{Type: "EditText", Below: &dsl.Selector{Label: "E-mail"}}, want: []string{""},
			point: image.Pt(250, 90)},
		{name: "an anchor that is there twice decides nothing", tree: screenOf(el("Name", 0, 0, 500, 50),
			el("", 0, 60, 500, 90, field), el("Name", 0, 300, 500, 350), el("", 0, 400, 500, 450, field)), action: true,
			sel: dsl.Selector{Type: "EditText", Below: &dsl.Selector{Label: "Name"}}, err: screen.ErrAmbiguous},
		{name: "anchors that lead to one answer decide", tree: screenOf(el("Name", 0, 0, 500, 50),
			el("Name", 0, 300, 500, 350), el("", 0, 400, 500, 450, field)), action: true,
			sel: dsl.Selector{Type: "EditText", Below: &dsl.Selector{Label: "Name"}}, want: []string{""}},
		{name: "inside", tree: screenOf(row(0, "A", "Go"), row(200, "B", "Go")), action: true,
			sel: dsl.Selector{Label: "Go", Inside: &dsl.Selector{Contains: []dsl.Selector{label("B")}}}, want: []string{"Go"},
			point: image.Pt(850, 250)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.tree.Find(screen.Query{Selector: test.sel, Action: test.action})
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			var texts []string
			for _, m := range got {
				texts = append(texts, m.Node.Text)
			}
			if len(texts) != len(test.want) {
				t.Fatalf("found %q, want %q", texts, test.want)
			}
			for i := range texts {
				if texts[i] != test.want[i] {
					t.Errorf("found %q, want %q", texts, test.want)
				}
			}
			if len(got) > 0 && test.tier != 0 && got[0].Tier != test.tier {
				t.Errorf("tier %s, want %s", got[0].Tier, test.tier)
			}
			if len(got) > 0 && test.point != (image.Point{}) && got[0].Point != test.point {
				t.Errorf("point %v, want %v", got[0].Point, test.point)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

func TestCover(t *testing.T) {
	banner := func(l, top, r, b int) *screen.Node {
		return el("", l, top, r, b, button, around(el("We use cookies", l, top, r, b)))
	}
	for _, test := range []struct {
		name    string
		over    []*screen.Node
		covered bool
		point   image.Point
	}{
		{name: "nothing over it", point: image.Pt(500, 550)},
		{name: "an overlay in front", over: []*screen.Node{banner(0, 0, 1000, 2000)}, covered: true},
		{name: "its middle is covered, its edge is free", over: []*screen.Node{banner(450, 500, 550, 600)},
			point: image.Pt(300, 525)},
		{name: "a clear layer that reacts takes the touch", over: []*screen.Node{el("", 0, 0, 1000, 2000, button)},
			covered: true},
		{name: "a clear layer that does not react lets it through", over: []*screen.Node{el("", 0, 0, 1000, 2000)},
			point: image.Pt(500, 550)},
		{name: "what makes the button itself react does not cover it", over: []*screen.Node{
			el("", 100, 500, 900, 600, clickable)}, point: image.Pt(500, 550)},
		{name: "a text in front does not take touches", over: []*screen.Node{el("Badge", 450, 500, 550, 600)},
			point: image.Pt(500, 550)},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := screenOf(append([]*screen.Node{el("Buy", 100, 500, 900, 600, button)}, test.over...)...)
			got, err := tree.Find(screen.Query{Selector: label("Buy"), Action: true})
			if err != nil || len(got) != 1 {
				t.Fatalf("found %v, %v", got, err)
			}
			if (got[0].CoverText != "") != test.covered {
				t.Errorf("covered by %q", got[0].CoverText)
			}
			if !test.covered && got[0].Point != test.point {
				t.Errorf("point %v, want %v", got[0].Point, test.point)
			}
		})
	}
}

func TestTextShows(t *testing.T) {
	for _, test := range []struct {
		have, want string
		shows      bool
	}{
		{"Unpaid", "Paid", false}, {"Paid", "Paid", true}, {"Status: Paid!", "paid", true}, {"Prepaid", "paid", false},
		{"Pre-paid", "paid", false}, {"Payment history", "Pay", false}, {"Pay now", "Pay", true}, {"15", "5", false},
		{"5.99", "5", false}, {"-5", "5", false}, {"5 %", "5", true}, {"5.", "5", true}, {"10-5", "5", false},
		{"a - 5", "5", true},
		{"12:30", "12", false}, {"can't", "can", false}, {"'can'", "can", true}, {"Welcome, Ada", "Welcome", true},
		{"Grüße aus Köln", "GRÜSSE", true}, {"日本語", "日本", false}, {"日本 語", "日本", true}, {"Total: 5 €", "Total: 5 €", true},
		{"x Unpaid Paid", "Paid", true}, {"", "", true}, {"x", "", false}, {"snake_case", "case", false},
		{"ﬁle", "file", true},
		{"e\u0301tude", "étude", true}, {"\u202eabc\u202c", "abc", true},
	} {
		if got := screen.TextShows(test.have, test.want); got != test.shows {
			t.Errorf("TextShows(%q, %q) = %v", test.have, test.want, got)
		}
	}
}

func FuzzTextShows(f *testing.F) {
	f.Add("Status: Paid", "Paid")
	f.Add("\xff\xfe", "\u200b")
	f.Fuzz(func(t *testing.T, have, want string) {
		screen.TextShows(have, want)
		if n := screen.Normalise(have); screen.Normalise(n) != n {
			t.Errorf("Normalise is not idempotent: %q gives %q, then %q", have, n, screen.Normalise(n))
		}
	})
}

func TestNearest(t *testing.T) {
	tree := screenOf(el("Log out", 0, 0, 100, 50), el("Sign in", 0, 60, 100, 90, button), el("Imprint", 0, 100, 100, 150))
	near := tree.Nearest(label("Sing in"), 3)
	if len(near) == 0 || near[0].Text != "Sign in" {
		t.Fatalf("nearest are %v", near)
	}
}

// TestAmbiguousErrorIsShort: of a hundred alike elements it names a few, and how many more there are.
func TestAmbiguousErrorIsShort(t *testing.T) {
	few := &screen.AmbiguousError{What: "x", Candidates: []string{"a", "b"}}
	if got := few.Error(); got != "2 elements match x equally well: a; b" {
		t.Error(got)
	}
	many := &screen.AmbiguousError{What: "x", Candidates: strings.Split(strings.Repeat("a,", 99)+"a", ",")}
	if got := many.Error(); got != "100 elements match x equally well: a; a; a; a; a; a; a; a; and 92 more" {
		t.Error(got)
	}
}

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

// TestTypingPrefersFields: the search of a shop has a field and a button of one name; one of them takes a text.
func TestTypingPrefersFields(t *testing.T) {
	t.Parallel()
	head := el("Search", 0, 0, 1000, 80)
	box := el("", 0, 100, 700, 200, field, hint("Search"))
	filled := el("shoes", 0, 100, 700, 200, field, hint("Search"))
	press := el("Search", 700, 100, 1000, 200, button)
	other := el("", 0, 300, 700, 400, field, desc("Search"))
	for _, test := range []struct {
		name string
		tree *screen.Tree
		want *screen.Node // nil: it cannot be decided
	}{
		{"a field and a button", screenOf(box, press), box},
		{"a filled field, which fits less, and a button", screenOf(filled, press), filled},
		{"a heading, a field and a button", screenOf(head, box, press), box},
		{"two fields", screenOf(box, press, other), nil},
		{"no field", screenOf(press), press},
	} {
		found, err := test.tree.Find(screen.Query{Selector: label("Search"), Action: true, Typing: true})
		switch {
		case test.want == nil && !errors.Is(err, screen.ErrAmbiguous):
			t.Errorf("%s: %v, %v", test.name, found, err)
		case test.want != nil && (err != nil || len(found) != 1 || found[0].Target != test.want):
			t.Errorf("%s: %v, %v", test.name, found, err)
		}
	}
	if _, err := screenOf(box, press).Find(screen.Query{Selector: label("Search"), Action: true}); !errors.Is(err,
		screen.ErrAmbiguous) {
		t.Errorf("a tap: %v", err)
	}
}
