package screen_test

import (
	"errors"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

func check(checked bool) func(*screen.Node) {
	return func(n *screen.Node) {
		n.Type, n.Clickable, n.Checkable, n.Checked = "android.widget.Switch", true, true, checked
	}
}

func clickable(n *screen.Node)  { n.Clickable = true }
func scrollable(n *screen.Node) { n.Scrollable = true }
func order(i int) func(*screen.Node) {
	return func(n *screen.Node) { n.DrawOrder = i }
}

// act finds the one element of an action; nil when there is none, or several.
func act(t *testing.T, tree *screen.Tree, s dsl.Selector) *screen.Match {
	t.Helper()
	found, err := tree.Find(screen.Query{Selector: s, Action: true})
	if err != nil && !errors.Is(err, screen.ErrAmbiguous) {
		t.Fatal(err)
	}
	if len(found) == 0 {
		return nil
	}
	return &found[0]
}

// sees reports whether an assertion with the selector holds.
func sees(t *testing.T, tree *screen.Tree, s dsl.Selector) bool {
	t.Helper()
	found, err := tree.Find(screen.Query{Selector: s})
	if err != nil {
		t.Fatal(err)
	}
	return len(found) > 0
}

// The state of a label is that of the control which it names: the switch in its row, the box around it.
func TestStateBelongsToTheControl(t *testing.T) {
	yes, no := true, false
	settings := screenOf(
		el("", 0, 100, 1000, 200, clickable, around(el("Wi-Fi", 40, 120, 400, 180), el("", 800, 120, 960, 180, check(true)))),
		el("", 0, 200, 1000, 300, around(el("Bluetooth", 40, 220, 400, 280), el("", 800, 220, 960, 280, check(false)))),
		el("", 0, 300, 1000, 400, button, disabled, around(el("Save", 40, 320, 400, 380))),
		el("Terms", 0, 500, 1000, 600, func(n *screen.Node) { n.Checkable, n.Checked, n.Clickable = true, true, true }),
		el("Version 1.0", 0, 700, 1000, 800))
	for _, test := range []struct {
		name string
		sel  dsl.Selector
		want bool
	}{
		{"on is checked", dsl.Selector{Label: "Wi-Fi", Checked: &yes}, true},
		{"on is not unchecked", dsl.Selector{Label: "Wi-Fi", Checked: &no}, false},
		{"off is unchecked, though its row does not react", dsl.Selector{Label: "Bluetooth", Checked: &no}, true},
		{"off is not checked", dsl.Selector{Label: "Bluetooth", Checked: &yes}, false},
		{"the text of a disabled button is disabled", dsl.Selector{Label: "Save", Enabled: &no}, true},
		{"and not enabled", dsl.Selector{Label: "Save", Enabled: &yes}, false},
		{"a check box is its own label", dsl.Selector{Label: "Terms", Checked: &yes}, true},
		{"a text is not checked", dsl.Selector{Label: "Version 1.0", Checked: &yes}, false},
		{"nor unchecked", dsl.Selector{Label: "Version 1.0", Checked: &no}, false},
		{"a control without a label says its own state", dsl.Selector{Type: "Switch", Checked: &no}, true},
	} {
		if got := sees(t, settings, test.sel); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	why := settings.Stateless(screen.Query{Selector: dsl.Selector{Label: "Version 1.0", Checked: &no}})
	if !strings.Contains(why, `"Version 1.0"`) ||
		!strings.Contains(why, "has no checked state; nearest control: android.widget") &&
			!strings.Contains(why, "has no checked state; nearest control:") {
		t.Errorf("the reason is %q", why)
	}
	if why := settings.Stateless(screen.Query{Selector: dsl.Selector{Label: "Wi-Fi", Checked: &no}}); why != "" {
		t.Errorf("a switch has a checked state: %q", why)
	}
	if why := settings.Explain(screen.Query{Selector: dsl.Selector{Label: "Wi-Fi", Checked: &no}}); !strings.Contains(why,
		"is checked") {
		t.Errorf("explained by %q", why)
	}
}

// What is one thing to a person is one candidate.
func TestOneThingIsOneCandidate(t *testing.T) {
	ios := func(kind, text string) func(*screen.Node) {
		return func(n *screen.Node) {
			n.Type, n.Desc, n.Text = "XCUIElementType"+kind, text, ""
			n.Clickable, n.Checkable = kind != "StaticText", kind == "Switch"
		}
	}
	for _, test := range []struct {
		name string
		tree *screen.Tree
		at   image.Point
	}{
		{"a switch and the text of its cell", screenOf(el("", 0, 100, 1000, 200, ios("Cell", ""), around(
			el("", 40, 120, 400, 180, ios("StaticText", "Go")), el("", 800, 120, 960, 180, ios("Switch", "Go"))))),
			image.Pt(880, 150)},
		{"twins of equal bounds", screenOf(el("Go", 0, 100, 1000, 200), el("Go", 0, 100, 1000, 200, button)),
			image.Pt(500, 150)},
		{"two labels of one button",
			screenOf(el("", 0, 100, 1000, 200, button, around(el("Go", 10, 110, 100, 140), el("Go", 10, 150, 100, 190)))),
			image.Pt(55, 125)},
		{"a covered twin", screenOf(el("Go", 0, 100, 1000, 200, button),
			el("", 0, 90, 1000, 210, button, around(el("Cookies", 0, 90, 500, 210))),
			el("Go", 0, 300, 1000, 400, button)), image.Pt(500, 350)},
		{"a neighbour of which one pixel shows",
			screenOf(el("", 0, 0, 1000, 301, scrollable, around(el("Go", 0, 100, 1000, 200, button),
				el("Go", 0, 300, 1000, 400, button)))), image.Pt(500, 150)},
		{"a title on a page that may be long-pressed",
			screenOf(el("", 0, 0, 1000, 2000, clickable, around(el("Go", 0, 100, 1000, 200),
				el("Go", 0, 900, 1000, 1000, button)))), image.Pt(500, 950)},
	} {
		m := act(t, test.tree, label("Go"))
		if m == nil {
			_, err := test.tree.Find(screen.Query{Selector: label("Go"), Action: true})
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if m.Point != test.at {
			t.Errorf("%s: tapped at %v, want %v", test.name, m.Point, test.at)
		}
	}
	// Mirror: two rows are two things.
	if m := act(t, screenOf(el("Go", 0, 100, 1000, 200, button), el("Go", 0, 300, 1000, 400, button)),
		label("Go")); m != nil {
		t.Errorf("two buttons: %v was chosen", m.Node)
	}
}

// A touch of an element does not go to a link or icon inside it, nor through what is over it.
func TestTouchReachesTheElementItself(t *testing.T) {
	post := screenOf(el("Look at this", 0, 100, 1000, 300, clickable, around(el("#go", 400, 150, 600, 250, clickable))))
	if m := act(t, post, label("Look at this")); m == nil || m.Point.In(image.Rect(400, 150, 600, 250)) ||
		m.CoverText != "" {
		t.Errorf("the post is tapped at %v", m)
	}
	row := screenOf(el("", 0, 100, 1000, 200, clickable, around(el("Song", 300, 110, 700, 190),
		el("", 420, 110, 580, 190, button, func(n *screen.Node) { n.Desc = "More" }))))
	if m := act(t, row, label("Song")); m == nil || m.Point.In(image.Rect(420, 110, 580, 190)) {
		t.Errorf("the row is tapped at %v", m)
	}
	filled := screenOf(el("Card", 0, 100, 1000, 300, clickable, around(el("", 0, 100, 1000, 300, clickable))))
	if m := act(t, filled, label("Card")); m == nil || m.CoverText != "" {
		t.Errorf("a card that is filled by what reacts in it: %+v", m)
	}
	window := func(nodes ...*screen.Node) *screen.Node {
		return &screen.Node{Type: "android.widget.FrameLayout", Bounds: image.Rect(0, 0, 1000, 300), Children: nodes}
	}
	under := screen.NewTree([]*screen.Node{window(el("Pay", 0, 100, 1000, 200, button)),
		window(el("New message", 0, 90, 1000, 210))}, image.Pt(1000, 2000), time.Time{})
	if m := act(t, under, label("Pay")); m == nil || m.CoverText == "" {
		t.Errorf("under a notification: %+v", m)
	}
	if top := under.Topmost(image.Pt(500, 150)); top == nil || top.Text != "New message" {
		t.Errorf("topmost is %v", top)
	}
}

// Siblings are drawn in the order of the platform, not in that of the document.
func TestDrawingOrder(t *testing.T) {
	sheet := func(at int) *screen.Node {
		return el("", 0, 0, 1000, 2000, clickable, order(at), around(el("Cookies", 0, 900, 1000, 1000)))
	}
	if m := act(t, screenOf(sheet(2), el("Buy", 100, 500, 900, 600, button, order(1))), label("Buy")); m == nil ||
		m.CoverText == "" {
		t.Errorf("drawn under a sheet: %+v", m)
	}
	if m := act(t, screenOf(el("Buy", 100, 500, 900, 600, button, order(2)), sheet(1)), label("Buy")); m == nil ||
		m.CoverText != "" {
		t.Errorf("drawn over the sheet: %+v", m)
	}
}

// Relations start from where a text is drawn, and mean what a person means.
func TestRelations(t *testing.T) {
	item := func(y int, text string) *screen.Node {
		box := image.Rect(20, y+20, 300, y+60)
		return el(text, 0, y, 1000, y+80, func(n *screen.Node) { n.TextBounds = &box },
			around(el("Delete", 320, y+10, 480, y+70, button)))
	}
	list := screenOf(item(100, "Invoice 1"), item(180, "Invoice 2"), item(260, "Invoice 3"))
	for _, sel := range []dsl.Selector{
		{Label: "Delete", Near: &dsl.Selector{Label: "Invoice 2"}},
		{Label: "Delete", RightOf: &dsl.Selector{Label: "Invoice 2"}},
		{Label: "Delete", Inside: &dsl.Selector{Label: "Invoice 2"}},
	} {
		if m := act(t, list, sel); m == nil || m.Point.Y != 220 {
			t.Errorf("%s: %+v", screen.Describe(sel), m)
		}
	}
	grid := screenOf(el("Part 11", 0, 100, 300, 148), el("Brass", 400, 100, 600, 148), el("Part 12", 0, 148, 300, 196),
		el("Steel", 400, 148, 600, 196))
	if sees(t, grid, dsl.Selector{Label: "Brass", RightOf: &dsl.Selector{Label: "Part 12"}}) {
		t.Error("the row above shares an edge only")
	}
	if !sees(t, grid, dsl.Selector{Label: "Steel", RightOf: &dsl.Selector{Label: "Part 12"}}) {
		t.Error("the same row")
	}
	lower := screenOf(el("Total", 0, 100, 300, 120), el("Pay", 400, 112, 600, 160, button))
	if act(t, lower, dsl.Selector{Label: "Pay", RightOf: &dsl.Selector{Label: "Total"}}) == nil {
		t.Error("a button that stands a few pixels lower")
	}
	card := screenOf(el("", 0, 100, 1000, 400, func(n *screen.Node) { n.Desc = "Paris" },
		around(el("Paris", 20, 110, 300, 150), el("Book", 700, 300, 900, 380, button))),
		el("Book", 700, 900, 900, 980, button))
	if m := act(t, card, dsl.Selector{Label: "Book", Inside: &dsl.Selector{Label: "Paris"}}); m == nil ||
		m.Point.Y != 340 {
		t.Errorf("inside a card that repeats its title: %+v", m)
	}
	if m := act(t, grid,
		dsl.Selector{Text: "Steel", Below: &dsl.Selector{Label: "part", Match: dsl.MatchPrefix}}); m != nil &&
		m.Node.Text != "Steel" {
		t.Errorf("below one of several: %v", m.Node)
	}
}

// Flutter makes one element of a row and its texts, with the buttons of the row in it.
func TestRelationsToMergedRows(t *testing.T) {
	row := func(y int, name string) *screen.Node {
		return el("", 0, y, 1000, y+80, func(n *screen.Node) { n.Desc = name + "\nOffline" }, clickable,
			around(el("Call", 780, y+10, 880, y+70, button), el("Delete", 900, y+10, 990, y+70, button)))
	}
	card := func(x, y int, name string) *screen.Node {
		return el("", x, y, x+480, y+400, func(n *screen.Node) { n.Desc = name + "\n12 €" }, clickable,
			around(el("Add", x+20, y+320, x+200, y+390, button)))
	}
	list := screenOf(row(100, "Ada"), row(180, "Bo"), row(260, "Cy"))
	cards := screenOf(card(0, 100, "Lamp"), card(500, 100, "Chair"), card(0, 520, "Desk"), card(500, 520, "Rug"))
	for _, test := range []struct {
		tree *screen.Tree
		sel  dsl.Selector
		at   image.Point
	}{
		{list, dsl.Selector{Label: "Delete", RightOf: &dsl.Selector{Label: "Bo"}}, image.Pt(945, 220)},
		{list, dsl.Selector{Label: "Call", RightOf: &dsl.Selector{Label: "Bo"}}, image.Pt(830, 220)},
		{list, dsl.Selector{Label: "Delete", Near: &dsl.Selector{Label: "Bo"}}, image.Pt(945, 220)},
		{list, dsl.Selector{Label: "Delete", Below: &dsl.Selector{Label: "Bo"}}, image.Pt(945, 300)},
		{cards, dsl.Selector{Label: "Add", Below: &dsl.Selector{Label: "Chair"}}, image.Pt(610, 455)},
		{cards, dsl.Selector{Label: "Add", Near: &dsl.Selector{Label: "Desk"}}, image.Pt(110, 875)},
	} {
		if m := act(t, test.tree, test.sel); m == nil || m.Point != test.at {
			t.Errorf("%s: %+v, not at %v", screen.Describe(test.sel), m, test.at)
		}
	}
}

// The index counts what a person counts, line by line, for actions and assertions alike.
func TestIndexCountsInReadingOrder(t *testing.T) {
	tree := screenOf(el("Delete", 500, 105, 700, 155, button), el("Delete", 100, 110, 300, 160),
		el("Delete", 100, 300, 300, 350, button, disabled))
	for i, want := range []int{100, 500, 100, -1} {
		sel := dsl.Selector{Label: "Delete", Index: &i}
		found, err := tree.Find(screen.Query{Selector: sel, Action: true})
		seen, _ := tree.Find(screen.Query{Selector: sel})
		if err != nil || (want < 0) != (len(found) == 0) || len(found) != len(seen) {
			t.Fatalf("index %d: %v, %v, %v", i, found, seen, err)
		}
		if want >= 0 && (found[0].Node.Bounds.Min.X != want || seen[0].Node != found[0].Node) {
			t.Errorf("index %d: %v, an assertion sees %v", i, found[0].Node, seen[0].Node)
		}
	}
}

// What an action could not decide says how to choose, in words that can be pasted; what is missing says where it is
// instead.
func TestFailuresSayHowToMend(t *testing.T) {
	rows := screenOf(el("Ann", 0, 100, 300, 150), el("Remove", 400, 100, 600, 150, button), el("Bob", 0, 200, 300, 250),
		el("Remove", 400, 200, 600, 250, button))
	_, err := rows.Find(screen.Query{Selector: label("Remove"), Action: true})
	var several *screen.AmbiguousError
	if !errors.As(err, &several) || !slices.Equal(several.Choices(), []string{"{label: Remove, rightOf: Ann}",
		"{label: Remove, rightOf: Bob}"}) {
		t.Errorf("%v", err)
	}
	for _, test := range []struct {
		sel  dsl.Selector
		want string
	}{
		{label("Rem"), `"Remove" contains it: {label: Rem, match: contains}`},
		{dsl.Selector{Label: "Remove", RightOf: &dsl.Selector{Label: "Cid"}}, `"Cid" is not on the screen`},
		{dsl.Selector{Label: "Ann", RightOf: &dsl.Selector{Label: "Bob"}}, `is on the screen, but not right of "Bob"`},
		{dsl.Selector{Label: "Remove", Index: ptr(5)}, "2 match without the index"},
	} {
		if why := rows.Explain(screen.Query{Selector: test.sel}); !strings.Contains(why, test.want) {
			t.Errorf("%s: %q, want %q", screen.Describe(test.sel), why, test.want)
		}
	}
	paid := screenOf(el("Not paid", 0, 100, 300, 150))
	if why := paid.Explain(screen.Query{Selector: label("Paid")}); why != `"Not paid" contains it: {label: Not paid}` {
		t.Errorf("%q", why)
	}
	kind := func(name, options string) func(*screen.Node) {
		return func(n *screen.Node) { n.Type, n.Holds = name, &screen.ControlValue{Form: options} }
	}
	page := screenOf(el("Basel", 0, 100, 300, 150, kind("select", "Basel | Bern"), id("city")),
		el("One", 0, 200, 300, 250, kind("select", "One | Two, or \"2\"")), el("", 0, 300, 300, 400, kind("embed", "")))
	for text, want := range map[string]string{
		"bern": `choose it by webSelect: {selector: "#city", label: Bern}`,
		`Two, or "2"`: `choose it by webSelect: {selector: "select:has(option:text-is(\"Two, or \\\"2\\\"\"))", label: ` +
			`"Two, or \"2\""}`,
		"Terms of use": "shows is not read",
	} {
		if why := page.Explain(screen.Query{Selector: label(text)}); !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", text, why, want)
		}
	}
}

// TestSelectorForPicksIt: the selector that a listing has for a thing picks that thing.
func TestSelectorForPicksIt(t *testing.T) {
	rows := screenOf(el("Ann", 0, 100, 300, 150), el("Remove", 400, 100, 600, 150, button), el("Bob", 0, 200, 300, 250),
		el("Remove", 400, 200, 600, 250, button),
		el("", 0, 300, 600, 350, field, id("x:id/search")), el("yes: no", 0, 400, 300, 450))
	var got []string
	for _, m := range rows.Things() {
		text := rows.SelectorFor(m)
		got = append(got, text)
		sel, err := dsl.ParseSelector("selector", text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if found := act(t, rows, sel); found == nil || found.Node != m.Node {
			t.Errorf("%s picks %v, not %v", text, found, m.Node)
		}
	}
	if want := []string{"Ann", "{label: Remove, rightOf: Ann}", "Bob", "{label: Remove, rightOf: Bob}", "{id: search}",
		`{label: "yes: no"}`}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}
