package screen_test

import (
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

func role(s string) func(*screen.Node) { return func(n *screen.Node) { n.Role = s } }

// box is an element without a text, around others.
func box(l, t, r, b int, id string, children ...*screen.Node) *screen.Node {
	n := el("", l, t, r, b, around(children...))
	n.Type, n.ID = "android.view.View", id
	return n
}

// An error about several elements proposes, for each, a selector that picks this one: by what a person would say, an
// index last.
func TestAmbiguityProposes(t *testing.T) {
	yes := true
	for _, test := range []struct {
		name string
		tree *screen.Tree
		sel  dsl.Selector
		want []string
	}{
		{"rows", screenOf(el("Ann", 0, 100, 300, 150), el("Remove", 400, 100, 600, 150, button), el("Bob", 0, 200, 300, 250),
			el("Remove", 400, 200, 600, 250, button)),
			label("Remove"), []string{"{label: Remove, rightOf: Ann}", "{label: Remove, rightOf: Bob}"}},
		{"words before amounts", screenOf(el("12.50", 250, 100, 390, 150), el("Ann", 0, 100, 200, 150),
			el("Remove", 400, 100, 600, 150, button), el("Remove", 400, 200, 600, 250, button)),
			label("Remove"), []string{"{label: Remove, rightOf: Ann}", "{label: Remove, below: Ann}"}},
		{"dialog", screenOf(box(0, 0, 1000, 500, "page", el("OK", 0, 0, 100, 50, button)),
			box(0, 600, 1000, 900, "app:id/dialog", el("OK", 0, 600, 100, 650, button))),
			label("OK"), []string{"{label: OK, inside: {id: page}}", "{label: OK, inside: {id: dialog}}"}},
		{"roles", screenOf(el("", 0, 0, 1000, 500, role("main"), around(el("OK", 0, 0, 100, 50, button))),
			el("", 0, 600, 1000, 900, role("dialog"), around(el("OK", 0, 600, 100, 650, button)))),
			label("OK"), []string{"{label: OK, inside: {type: main}}", "{label: OK, inside: {type: dialog}}"}},
		{"nothing but their order", screenOf(el("OK", 0, 0, 100, 50, button), el("OK", 0, 600, 100, 650, button)),
			label("OK"), []string{"{label: OK, index: 0}", "{label: OK, index: 1}"}},
		{"headings", screenOf(el("Home", 0, 0, 300, 50), el("Street", 0, 60, 300, 110, field, hint("Street")),
			el("Work", 0, 300, 300, 350), el("Street", 0, 360, 300, 410, field, hint("Street"))),
			dsl.Selector{Type: "EditText"}, []string{"{type: EditText, below: Home}", "{type: EditText, below: Work}"}},
		{"ids", screenOf(el("Save", 0, 0, 100, 50, button, id("app:id/top")), el("Save", 0, 100, 100, 150, button,
			id("app:id/bottom"))),
			label("Save"), []string{"{label: Save, id: top}", "{label: Save, id: bottom}"}},
		{"other keys stay", screenOf(el("Save", 0, 0, 100, 50, button), el("Save", 0, 100, 100, 150, button)),
			dsl.Selector{Text: "sav.", Match: dsl.MatchRegex, Enabled: &yes, Not: &dsl.Selector{ID: "x"}},
			[]string{`{text: sav., match: regex, index: 0, enabled: true, not: {id: x}}`,
				`{text: sav., match: regex, index: 1, enabled: true, not: {id: x}}`}},
		{"what YAML would read otherwise", screenOf(el("1: one", 0, 100, 300, 150), el("{x}", 400, 100, 600, 150, button),
			el("No", 0, 200, 300, 250), el("{x}", 400, 200, 600, 250, button)),
			label("{x}"), []string{`{label: "{x}", rightOf: "1: one"}`, `{label: "{x}", rightOf: "No"}`}},
		{"relations", screenOf(el("Item", 0, 100, 300, 150), el("Buy", 400, 100, 600, 150, button),
			el("Item", 0, 200, 300, 250), el("Buy", 400, 200, 600, 250, button),
			el("Sale", 700, 200, 800, 250)), dsl.Selector{Label: "Buy", RightOf: &dsl.Selector{Label: "Item"}},
			[]string{"{label: Buy, rightOf: {label: Item, above: Sale}}", "{label: Buy, rightOf: {label: Item, leftOf: Sale}}"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			choices := proposals(t, test.tree, test.sel)
			if got, want := strings.Join(choices, "\n"), strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// proposals returns the selectors that an ambiguity proposes, each held against the screen: read as a test is read, it
// picks one element for an action, and the candidate next to which it is listed.
func proposals(t *testing.T, tree *screen.Tree, sel dsl.Selector) []string {
	t.Helper()
	_, err := tree.Find(screen.Query{Selector: sel, Action: true})
	var several *screen.AmbiguousError
	if !errors.As(err, &several) {
		return nil
	}
	related := !strings.HasPrefix(several.What, screen.Describe(sel)) // the anchor is what is ambiguous
	choices := several.Choices()
	for i, choice := range choices {
		if choice == "" {
			continue
		}
		read, err := dsl.ParseSelector("proposal", choice)
		if err != nil {
			t.Fatalf("%s cannot be read: %v", choice, err)
		}
		found, err := tree.Find(screen.Query{Selector: read, Action: true})
		if err != nil || len(found) != 1 || !related && found[0].Node.String() != several.Candidates[i] {
			t.Fatalf("%s is proposed for %s, and picks %v, %v", choice, several.Candidates[i], found, err)
		}
	}
	if text := several.Error(); strings.Count(text, choices[0]) != 1 && choices[0] != "" {
		t.Errorf("%q does not say once %s", text, choices[0])
	}
	return choices
}

// What is proposed on any screen can be read and decides; between things that lie apart something can always be
// proposed.
func TestAmbiguityProposesWhatDecides(t *testing.T) {
	tried, undecided := 0, 0
	for seed := range uint64(300) {
		random := &randomTree{r: rand.New(rand.NewPCG(seed, 25))}
		tree := random.tree()
		for _, sel := range []dsl.Selector{label("Pay"), label("Delete"), label("5"), {Type: "Button"}, {ID: "save"},
			{Label: "row", Match: dsl.MatchPrefix}, {Label: "OK", Below: &dsl.Selector{Label: "Save"}}} {
			for _, choice := range proposals(t, tree, sel) {
				if tried++; choice == "" {
					undecided++
				}
			}
		}
	}
	if tried < 300 || undecided*20 > tried {
		t.Errorf("of %d candidates, %d have no selector", tried, undecided)
	}
}

// A screen of thousands of alike elements has its proposals soon: the work is bounded.
func TestAmbiguityIsBounded(t *testing.T) {
	var rows []*screen.Node
	for i := range 1500 {
		x, y := i%8*120, i/8*10
		rows = append(rows, el(fmt.Sprint("Row ", i), x, y, x+50, y+10), el("Delete", x+60, y, x+110, y+10, button))
	}
	tree := screen.NewTree([]*screen.Node{{Bounds: image.Rect(0, 0, 1000, 2000), Children: rows}}, image.Pt(1000, 2000),
		time.Time{})
	searched := 0
	_, err := tree.Find(screen.Query{Selector: label("Delete"), Action: true,
		AsWritten: func(s dsl.Selector) dsl.Selector {
			searched++
			return s
		}})
	if text := err.Error(); len(text) > 4000 || searched > 8 {
		t.Errorf("%d proposals, %d characters: %.200s", searched, len(text), text)
	}
}

func TestRejected(t *testing.T) {
	hidden := func(n *screen.Node) { n.Hidden = true }
	below := func(n *screen.Node) { n.Bounds = image.Rect(0, 9000, 100, 9100) }
	tree := screenOf(el("Sign in", 0, 60, 100, 90, button), el("Sing in", 0, 100, 100, 150, hidden),
		el("Sing in", 0, 200, 100, 250, below))
	var got []string
	for _, r := range tree.Rejected(screen.Query{Selector: label("Sing in")}, 3) {
		got = append(got, r.Why)
	}
	want := []string{`it says "Sign in", not "Sing in"`, "the device says that it cannot be seen",
		"it is outside the part that the screen shows; scrollTo brings it into view"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
	on := true
	for _, r := range tree.Rejected(screen.Query{Selector: dsl.Selector{Label: "Sign in", Selected: &on}}, 1) {
		if !strings.Contains(r.Why, "selected") {
			t.Errorf("%q", r.Why)
		}
	}
}
