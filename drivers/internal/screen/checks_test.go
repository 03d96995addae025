package screen_test

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

func ticked(on bool) func(*screen.Node) {
	return func(n *screen.Node) { n.Type, n.Checkable, n.Checked = "android.widget.CheckBox", true, on }
}

// TestCheckOfALabel: which text names a check control is known by the control's own name, or by the place.
func TestCheckOfALabel(t *testing.T) {
	box := func(nodes ...*screen.Node) *screen.Node { return el("", 0, 100, 1000, 200, around(nodes...)) }
	clicks := func(n *screen.Node) { n.Clickable = true }
	reacting := func(nodes ...*screen.Node) *screen.Node { return el("", 0, 100, 1000, 200, clicks, around(nodes...)) }
	text := func(s string, left int) *screen.Node { return el(s, left, 100, left+200, 200) }
	on := func(left int, change ...func(*screen.Node)) *screen.Node {
		return el("", left, 100, left+100, 200, append([]func(*screen.Node){ticked(true)}, change...)...)
	}
	off := func(left int, change ...func(*screen.Node)) *screen.Node {
		return el("", left, 100, left+100, 200, append([]func(*screen.Node){ticked(false)}, change...)...)
	}
	says := func(s string) func(*screen.Node) { return func(n *screen.Node) { n.Text = s } }
	kind := func(s string) func(*screen.Node) { return func(n *screen.Node) { n.Type = "android.widget." + s } }
	for _, c := range []struct {
		name string
		tree *screen.Tree
		of   string
		want string // checked, unchecked, or "" for no state
	}{
		{"beside it, in a box", screenOf(box(text("Wi-Fi", 0), on(800))), "Wi-Fi", "checked"},
		{"beside it, without a box", screenOf(text("Wi-Fi", 0), on(800), el("Push", 0, 300, 200, 400)), "Wi-Fi", "checked"},
		{"in another row", screenOf(text("Wi-Fi", 0), on(800), el("Push", 0, 300, 200, 400)), "Push", ""},
		{"before it", screenOf(box(on(0), text("Remember me", 120))), "Remember me", "checked"},
		{"behind another text", screenOf(box(on(0), text("Remember me", 120), text("Forgot password?", 600))),
			"Forgot password?", ""},
		{"behind another text, without a box", screenOf(on(0), text("Remember me", 120), text("Forgot password?", 600)),
			"Forgot password?", ""},
		{"before another text", screenOf(on(0), text("Remember me", 120), text("Forgot password?", 600)), "Remember me",
			"checked"},
		{"between two texts", screenOf(text("Off", 0), on(300), text("On", 600)), "Off", ""},
		{"of two in the row", screenOf(text("Mon", 0), on(220), text("Tue", 400), on(620)), "Mon", ""},
		{"with another name", screenOf(box(text("Alice", 0), on(800, desc("Favourite")))), "Alice", ""},
		{"with another name inside", screenOf(box(text("Alice", 0), on(800, around(el("Favourite", 810, 110, 890, 190))))),
			"Alice", ""},
		{"with its name", screenOf(box(text("Wi-Fi", 0), on(800, desc("wi-fi")))), "Wi-Fi", "checked"},
		{"with its name among others", screenOf(reacting(text("Notices", 0), on(800, clicks, desc("Notices, With sound")))),
			"Notices", "checked"},
		{"with its state as a text", screenOf(box(text("Wi-Fi", 0), on(800, kind("Switch"), says("ON")))), "Wi-Fi",
			"checked"},
		{"a wide switch with a text", screenOf(box(text("Forgot?", 600), el("", 0, 100, 500, 200, ticked(true),
			kind("Switch"), says("Remember me")))), "Forgot?", ""},
		{"in a row that reacts, with another name", screenOf(reacting(text("Alice", 0), on(800, clicks,
			desc("Favourite")))), "Alice", ""},
		{"in a row that reacts for it, with another name", screenOf(reacting(text("Alice", 0), on(800, desc("Choose")))),
			"Alice", "checked"},
		{"in a row with a star", screenOf(reacting(off(0), text("Alice", 120), on(800, clicks, desc("Favourite")))),
			"Alice", "unchecked"},
	} {
		found, err := c.tree.Find(screen.Query{Selector: dsl.Selector{Label: c.of}})
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", c.name, found, err)
			continue
		}
		got := ""
		if state, holder := found[0].Node.CheckedState(); holder != nil {
			got = map[bool]string{true: "checked", false: "unchecked"}[state]
		}
		if got != c.want {
			t.Errorf("%s: %q instead of %q", c.name, got, c.want)
		}
	}
}

// TestCheckedIsSelected: a radio button of a phone is checked, and never selected; a row that is ticked off is not the
// chosen one.
func TestCheckedIsSelected(t *testing.T) {
	radio := func(n *screen.Node) { ticked(true)(n); n.Type = "android.widget.RadioButton" }
	row := func(kind func(*screen.Node)) *screen.Node {
		return el("", 0, 100, 1000, 200, button, around(el("", 0, 100, 100, 200, kind), el("Express", 120, 100, 500, 200)))
	}
	for name, c := range map[string]struct {
		node *screen.Node
		want bool
	}{"a radio button": {el("Express", 0, 100, 500, 200, radio), true},
		"a check box":           {el("Express", 0, 100, 500, 200, ticked(true)), true},
		"one that is not":       {el("Express", 0, 100, 500, 200, ticked(false)), false},
		"a radio button in row": {row(radio), true}, "a check box in a row": {row(ticked(true)), false}} {
		found, err := screenOf(c.node).Find(screen.Query{Selector: label("Express")})
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", name, found, err)
		} else if got, _ := found[0].Node.SelectedState(); got != c.want {
			t.Errorf("%s: selected is %v", name, got)
		}
	}
}

// TestGlyphsOfIcons: characters of private use are icons next to the words of a text.
func TestGlyphsOfIcons(t *testing.T) {
	for _, c := range []struct {
		have, want string
		same       bool
	}{
		{"\U000f0142 Map", "Map", true}, {"Map, \U000f0142", "map", true}, {"\U000f0142, Map", "Map", true},
		{"A, \U000f0142, B", "A, B", true}, {"Home \ue001 Away", "Home Away", true}, {"\ue001Home\ue002", "Home", true},
		{"Maps \ue001", "Map", false}, {"\ue001", "\ue002", false}, {"\ue001 \ue002", "\ue001  \ue002", true},
		{"\ue001 Map", "\ue002 Map", false}, {"\ue001 Map", "\ue001 map", true}, {"", "\ue001", false},
		{"Yes, Map", "Map", false}, {"Map,", "Map", false}, {"\ue001 Map,", "Map,", true},
	} {
		if got := screen.SameText(c.have, c.want); got != c.same {
			t.Errorf("%q is %q: %v", c.have, c.want, got)
		}
		found, err := screenOf(el(c.have, 0, 0, 100, 50)).Find(screen.Query{Selector: label(c.want)})
		if err != nil || c.have != "" && (len(found) == 1) != c.same {
			t.Errorf("%q finds %q: %v, %v", c.want, c.have, found, err)
		}
	}
}
