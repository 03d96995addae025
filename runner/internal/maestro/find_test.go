package maestro_test

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/maestro"
)

func node(text string, x, y, w, h int, inner ...*screen.Node) *screen.Node {
	return &screen.Node{Type: "android.widget.TextView", Text: text, Bounds: image.Rect(x, y, x+w, y+h), Children: inner}
}

func clickable(n *screen.Node) *screen.Node { n.Clickable = true; return n }

func id(n *screen.Node, id string) *screen.Node { n.ID = id; return n }

func desc(n *screen.Node, desc string) *screen.Node { n.Desc = desc; return n }

// found names what a selector picks, by text or id.
func found(t *testing.T, s dsl.Selector, inner ...*screen.Node) string {
	t.Helper()
	tree := screen.NewTree([]*screen.Node{node("", 0, 0, 1000, 2000, inner...)}, image.Pt(1000, 2000), timeZero)
	s.Match = dsl.MatchMaestro
	list, err := maestro.Find(maestro.FromTree(tree), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range list {
		names = append(names, strings.TrimSpace(*n.Text+" "+*n.ID))
	}
	return strings.Join(names, "; ")
}

func TestATextIsAPatternOrTheTextItself(t *testing.T) {
	for _, c := range []struct {
		pattern, value string
		fits           bool
	}{
		{"pay", "Pay", true}, {"Pay", "Pay now", false}, {"Pay.*", "Pay\nnow", true}, {"Pay (test)", "Pay (test)", true},
		{"pay (test)", "Pay (test)", false},
		{"pay (test", "Pay (Test", true}, {"a b", "a\nb", true}, {"MX$14.00", "MX$14.00", true}, {"(?<=a)b|ab", "ab", true},
		{"(?!x).*y", "ay", true},
		{"(?!x).*y", "xy", false}, {`\+1`, "+1", true}, {"[Ad 1] x", "[Ad 1] x", true}, {"+", "+", true}, {"^a$", "a", true},
		{`(\w)\1`, "aa", true},
	} {
		got := found(t, dsl.Selector{Label: c.pattern}, node(c.value, 0, 0, 10, 10)) != ""
		if got != c.fits {
			t.Errorf("%q on %q: %v", c.pattern, c.value, got)
		}
	}
	if got := found(t, dsl.Selector{Label: "x"}, desc(id(node("", 0, 0, 10, 10), "d"), "X")); got != "d" {
		t.Errorf("a description: %q", got)
	}
}

func TestAnIDIsAPatternBehindItsSlash(t *testing.T) {
	for pattern, want := range map[string]string{"save": "com.x:id/save", "SAVE": "com.x:id/save",
		"com.x:id/.*": "com.x:id/save", "s": "", ".*ave": "com.x:id/save", "a|save": "com.x:id/save", "sa(ve": ""} {
		if got := found(t, dsl.Selector{ID: pattern}, id(node("", 0, 0, 10, 10), "com.x:id/save")); got != want {
			t.Errorf("%s: %q", pattern, got)
		}
	}
}

func TestTheDeepestOfNestedMatchesStays(t *testing.T) {
	inner := id(node("Hello", 10, 10, 10, 10), "inner")
	if got := found(t, dsl.Selector{Label: "Hello"}, id(node("Hello", 0, 0, 50, 50, inner),
		"outer")); got != "Hello inner" {
		t.Error(got)
	}
}

func TestClickableOnesComeFirstAndTheOrderOfTheFileDecides(t *testing.T) {
	a, b, c := id(node("x", 0, 0, 10, 10), "a"), id(clickable(node("x", 0, 50, 10, 10)), "b"),
		id(clickable(node("x", 0, 20, 10, 10)), "c")
	if got := found(t, dsl.Selector{Label: "x"}, a, b, c); got != "x b; x c; x a" {
		t.Error(got)
	}
}

func TestAnIndexCountsAllByCornerAndFromTheEnd(t *testing.T) {
	nodes := []*screen.Node{id(node("x", 0, 50, 10, 10), "low"), id(clickable(node("x", 20, 0, 10, 10)), "right"),
		id(node("x", 0, 0, 10, 10), "left")}
	for index, want := range map[int]string{0: "x left", 1: "x right", 2: "x low", -1: "x low", -3: "x left", 3: "",
		-4: ""} {
		if got := found(t, dsl.Selector{Label: "x", Index: &index}, nodes...); got != want {
			t.Errorf("%d: %q", index, got)
		}
	}
}

func TestRelationsCompareCornersWithAnyAnchor(t *testing.T) {
	nodes := []*screen.Node{id(node("far", 500, 900, 10, 10), "1"), id(node("a", 0, 100, 10, 10), "2"),
		id(node("near", 0, 120, 10, 10), "3"), id(node("a", 0, 1000, 10, 10), "4")}
	below := dsl.Selector{Label: "near|far", Below: &dsl.Selector{Label: "a"}}
	if got := found(t, below, nodes...); got != "far 1; near 3" {
		t.Errorf("below: %q", got)
	}
	above := dsl.Selector{Label: "far", Above: &dsl.Selector{Label: "a"}}
	if got := found(t, above, nodes...); got != "far 1" {
		t.Errorf("above any: %q", got)
	}
	right := dsl.Selector{Label: ".*", RightOf: &dsl.Selector{Label: "a"}}
	if got := found(t, right, nodes...); got != "far 1" {
		t.Errorf("right of: %q", got)
	}
}

func TestARelationAloneTakesEveryElement(t *testing.T) {
	got := found(t, dsl.Selector{Below: &dsl.Selector{Label: "a"}}, id(node("a", 0, 100, 10, 10), "1"),
		id(node("b", 0, 50, 10, 10), "2"), id(node("c", 0, 150, 10, 10), "3"))
	if got != "c 3" {
		t.Error(got)
	}
}

func TestChildrenAndDescendants(t *testing.T) {
	row := func(name string, inner ...*screen.Node) *screen.Node {
		return id(node("", 0, 0, 100, 100, inner...), name)
	}
	leaf := node("leaf", 0, 0, 10, 10)
	tree := row("outer", row("middle", leaf, node("other", 20, 0, 10, 10)))
	if got := found(t, dsl.Selector{Child: &dsl.Selector{Label: "leaf"}}, tree); got != "middle" {
		t.Errorf("child: %q", got)
	}
	if got := found(t, dsl.Selector{ID: "outer|middle", Contains: []dsl.Selector{{Label: "leaf"}, {Label: "other"}}},
		tree); got != "middle" {
		t.Errorf("descendants: %q", got)
	}
	if got := found(t, dsl.Selector{ID: "outer|middle", Contains: []dsl.Selector{{Label: "leaf"}, {Label: "nobody"}}},
		tree); got != "" {
		t.Errorf("all of them: %q", got)
	}
}

func TestAParentHoldsItself(t *testing.T) {
	tree := id(node("", 0, 0, 100, 100, id(node("x", 0, 0, 10, 10), "in")), "box")
	if got := found(t, dsl.Selector{Label: "x", Inside: &dsl.Selector{ID: "box"}}, tree,
		id(node("x", 200, 0, 10, 10), "out")); got != "x in" {
		t.Errorf("inside: %q", got)
	}
	if got := found(t, dsl.Selector{ID: "box", Inside: &dsl.Selector{ID: "box"}}, tree); got != "box" {
		t.Errorf("itself: %q", got)
	}
	ignored := dsl.Selector{Label: "x", Below: &dsl.Selector{ID: "top", Inside: &dsl.Selector{ID: "nobody"}}}
	if got := found(t, ignored, id(node("", 0, 0, 5, 5), "top"), id(node("x", 0, 50, 10, 10), "low")); got != "x low" {
		t.Errorf("a parent in a relation means nothing: %q", got)
	}
}

func TestWhatLiesOutsideOfTheScreenIsNotThere(t *testing.T) {
	nodes := []*screen.Node{id(node("x", 0, 1991, 100, 100), "below"), id(node("x", 0, 1989, 100, 100), "tenth")}
	if got := found(t, dsl.Selector{Label: "x"}, nodes...); got != "x tenth" {
		t.Error(got)
	}
}

func TestEqualElementsCountOnce(t *testing.T) {
	one := 1
	if got := found(t, dsl.Selector{Label: "x", Index: &one}, node("x", 0, 0, 10, 10),
		node("x", 0, 0, 10, 10)); got != "" {
		t.Error(got)
	}
}

func TestTraitsAndSizes(t *testing.T) {
	square, long := id(node("", 0, 0, 100, 98), "square"), id(node(strings.Repeat("a", 201), 0, 200, 100, 30), "long")
	if got := found(t, dsl.Selector{ID: ".+", Traits: []string{"square"}}, square, long); got != "square" {
		t.Errorf("square: %q", got)
	}
	if got := found(t, dsl.Selector{ID: ".+", Traits: []string{"long-text"}}, square, long); !strings.HasSuffix(got,
		"long") {
		t.Errorf("long: %q", got)
	}
	w := 103
	if got := found(t, dsl.Selector{ID: ".+", Size: &dsl.Size{Width: &w, Tolerance: 3}}, square); got != "square" {
		t.Errorf("size: %q", got)
	}
}

func TestStates(t *testing.T) {
	off := id(node("x", 0, 0, 10, 10), "off")
	off.Disabled = true
	yes, no := true, false
	if got := found(t, dsl.Selector{Label: "x", Enabled: &no}, off, id(node("x", 0, 20, 10, 10), "on")); got != "x off" {
		t.Error(got)
	}
	web := (&maestro.Node{Children: []*maestro.Node{{Text: dsl.Ptr("x"), ID: dsl.Ptr(""), Bounds: image.Rect(0, 0, 10, 10),
		Bounded: true}}}).Within(image.Pt(100, 100))
	for _, want := range []*bool{&yes, &no} {
		if list, _ := maestro.Find(web, dsl.Selector{Label: "x", Enabled: want}, nil); len(list) != 0 {
			t.Error("a state that nobody knows matches")
		}
	}
}

func TestTheWindowInWhichTheUserWorksComesFirst(t *testing.T) {
	tree := screen.NewTree([]*screen.Node{id(node("x", 0, 0, 100, 100), "below"), id(node("x", 0, 0, 100, 200), "active"),
		id(node("x", 0, 0, 100, 300), "keyboard")}, image.Pt(1000, 2000), timeZero)
	tree.Active = 1
	list, _ := maestro.Find(maestro.FromTree(tree), dsl.Selector{Label: "x"}, nil)
	var ids []string
	for _, n := range list {
		ids = append(ids, *n.ID)
	}
	if !slices.Equal(ids, []string{"active", "keyboard", "below"}) {
		t.Error(ids)
	}
}

var timeZero = time.Time{}
