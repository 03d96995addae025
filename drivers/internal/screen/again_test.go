package screen

import (
	"image"
	"testing"
	"time"
)

// TestAgain: an element is found again in a later tree by its place, and not where a list has put another one there.
func TestAgain(t *testing.T) {
	card := func(y int, texts ...string) *Node {
		n := &Node{Type: "div", Bounds: image.Rect(0, y, 100, y+100)}
		for _, text := range texts {
			n.Children = append(n.Children, &Node{Type: "p", Text: text, Bounds: n.Bounds})
		}
		return n
	}
	tree := func(kind string, cards ...*Node) *Tree {
		list := &Node{Type: kind, Bounds: image.Rect(0, 0, 100, 300), Children: cards}
		return NewTree([]*Node{{Type: "body", Children: []*Node{list}}}, image.Pt(100, 300), time.Time{})
	}
	before := tree("ul", card(0, "Ada", "Delete"), card(100, "Bob", "Delete"))
	first, list := TraceOf(before.Windows[0].Children[0].Children[0]), TraceOf(before.Windows[0].Children[0])
	for _, c := range []struct {
		name  string
		trace Trace
		now   *Tree
		there bool
	}{
		{"its heading is gone", first, tree("ul", card(0, "Delete"), card(100, "Bob", "Delete")), true},
		{"it has moved", first, tree("ul", card(-50, "Ada", "Delete"), card(50, "Bob", "Delete")), true},
		{"another one is in its place of the tree", first, tree("ul", card(-50, "Bob", "Delete"), card(50, "Cy", "Delete")),
			false},
		{"it is the only one of its kind", list, tree("ul", card(-50, "Dora")), true},
		{"another kind is there", list, tree("ol", card(0, "Ada")), false},
		{"none is there", first, tree("ul"), false},
	} {
		if n := c.now.Again(c.trace); (n != nil) != c.there {
			t.Errorf("%s: found %v", c.name, n)
		}
	}
}

func TestShownByPhones(t *testing.T) {
	for _, c := range []struct {
		node Node
		want string
	}{
		{Node{Type: "android.widget.EditText", Editable: true, Text: "See you", Desc: "Reply"}, "See you"},
		{Node{Type: "android.widget.EditText", Editable: true, Desc: "Reply"}, ""},
		{Node{Type: "XCUIElementTypeTextField", Editable: true, Desc: "Reply", Hint: "Write"}, ""},
		{Node{Type: "XCUIElementTypeSlider", Text: "50 %", Desc: "Volume"}, "50 %"},
		{Node{Type: "android.widget.ImageButton", Desc: "Close"}, "Close"},
		{Node{Type: "android.widget.CheckBox", Desc: "Agree"}, "Agree"},
	} {
		if got := c.node.Shown(); got != c.want {
			t.Errorf("%+v shows %q, not %q", c.node, got, c.want)
		}
	}
}
