package screen_test

import (
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

func containing(s string) dsl.Selector { return dsl.Selector{Contains: []dsl.Selector{label(s)}} }

func insideRow(what, of string) dsl.Selector {
	in := containing(of)
	return dsl.Selector{Label: what, Inside: &in}
}

// TestInnermostContainer: of the elements around a text the innermost is the anchor, the subject and the one that is
// counted.
func TestInnermostContainer(t *testing.T) {
	list := func(rows ...*screen.Node) *screen.Tree {
		return screenOf(el("", 0, 0, 1000, 2000, around(el("", 0, 0, 1000, 1900, around(rows...)))))
	}
	row := func(y int, parts ...*screen.Node) *screen.Node { return el("", 0, y, 1000, y+100, around(parts...)) }
	name := func(s string, y int) *screen.Node { return el(s, 0, y, 300, y+100) }
	del := func(y int) *screen.Node { return el("Delete", 700, y, 1000, y+100, button) }
	with := list(row(0, name("A", 0), del(0)), row(200, name("B", 200)))
	both := list(row(0, name("A", 0), del(0)), row(200, name("B", 200), del(200)))
	flat := screenOf(el("", 0, 0, 1000, 100), name("A", 0), del(0), el("", 0, 200, 1000, 300), name("B", 200), del(200))
	flatWith := screenOf(el("", 0, 0, 1000, 100), name("A", 0), del(0), el("", 0, 200, 1000, 300), name("B", 200))
	merged := func(s string, y int, parts ...*screen.Node) *screen.Node {
		return el("", 0, y, 1000, y+100, button, desc(s), around(parts...))
	}
	entry := func(s string, y int, parts ...*screen.Node) *screen.Node {
		n := el(s, 0, y, 1000, y+100, around(parts...))
		n.Type = "div"
		return n
	}
	cell := func(x, y int, parts ...*screen.Node) *screen.Node {
		n := el("", x, y, x+400, y+100, around(parts...))
		n.Type = "td"
		return n
	}
	named := cell(0, 0)
	named.Text = "B"
	table := list(row(0, named, cell(500, 0, el("416.53", 500, 0, 600, 100), del(0))),
		row(200, cell(0, 200, name("C", 200)), cell(500, 200, del(200))))
	typed := func(class string, n *screen.Node) *screen.Node {
		n.Type = class
		return n
	}
	line := func(s string, y int) *screen.Node { return typed("android.widget.TextView", el(s, 0, y, 1000, y+100)) }
	layout := func(s string, y int) *screen.Node {
		return typed("android.widget.LinearLayout", row(y, typed("android.widget.TextView", name(s, y)), del(y)))
	}
	box := func(class string, rows ...*screen.Node) *screen.Tree {
		return screenOf(typed(class, el("", 0, 0, 1000, 1900, around(rows...))))
	}
	recycler := "androidx.recyclerview.widget.RecyclerView"
	scrolled := screenOf(el("", 0, 0, 1000, 1900, scrollable, around(
		el("", 0, 0, 1000, 1900, around(layout("A", 0), line("B", 200))))))
	for _, c := range []struct {
		what string
		tree *screen.Tree
		sel  dsl.Selector
		want []int // the tops of what is found
	}{
		{"another row's button", with, insideRow("Delete", "B"), nil},
		{"its own", both, insideRow("Delete", "B"), []int{200}},
		{"by place", flat, insideRow("Delete", "B"), []int{200}},
		{"another's by place", flatWith, insideRow("Delete", "B"), nil},
		{"in a row that says it itself", list(merged("A", 0, del(0)), merged("B", 200, del(200))), insideRow("Delete", "B"),
			[]int{200}},
		{"another's that says it itself", list(merged("A", 0, del(0)), merged("B", 200)), insideRow("Delete", "B"), nil},
		{"another entry's", list(entry("A", 0, del(0)), entry("B", 200)), insideRow("Delete", "B"), nil},
		{"the entry's own", list(entry("A", 0, del(0)), entry("B", 200, del(200))), insideRow("Delete", "B"), []int{200}},
		{"another entry's of boxes", list(entry("", 0, name("A", 0), del(0)), entry("B", 200)),
			insideRow("Delete", "B"), nil},
		{"another's of another type", box(recycler, layout("A", 0), line("B", 200)), insideRow("Delete", "B"), nil},
		{"another's of another type below", box(recycler, line("B", 0), layout("A", 200)), insideRow("Delete", "B"), nil},
		{"another's of another type in a scrolled box", scrolled, insideRow("Delete", "B"), nil},
		{"another's of rows that are alike", box("", layout("A", 0), layout("C", 200), line("B", 400)),
			insideRow("Delete", "B"), nil},
		{"that of a row beside one of another type", box(recycler, layout("A", 0), line("B", 200)), insideRow("Delete", "A"),
			[]int{0}},
		{"a card's with a title", box("", line("B", 0), layout("A", 200)), insideRow("Delete", "B"), []int{200}},
		{"of a row of cells", table, insideRow("Delete", "B"), []int{0}},
		{"the amount in the row", table, insideRow("416.53", "B"), []int{0}},
		{"the row", both, containing("B"), []int{200}},
		{"the row by place", flat, containing("B"), []int{200}},
		{"of a type", both, dsl.Selector{Type: "Button", Inside: ptr(containing("A"))}, []int{0}},
		{"all that contain", both, containing("Delete"), []int{0, 200}},
		{"both texts", both, dsl.Selector{Contains: []dsl.Selector{label("A"), label("B")}}, []int{0}},
		{"without a container of it", both, dsl.Selector{Type: "Button", Not: ptr(insideRow("Delete", "B"))}, []int{0}},
	} {
		for _, action := range []bool{false, true} {
			got, err := c.tree.Find(screen.Query{Selector: c.sel, Action: action})
			if action && len(c.want) > 1 {
				if !errors.Is(err, screen.ErrAmbiguous) {
					t.Errorf("%s: an action: %v, %v", c.what, got, err)
				}
				continue
			}
			var tops []int
			for _, m := range got {
				tops = append(tops, m.Node.Bounds.Min.Y)
			}
			if err != nil || fmt.Sprint(tops) != fmt.Sprint(c.want) {
				t.Errorf("%s, action %v: %v, want %v, %v", c.what, action, tops, c.want, err)
			}
		}
	}
}

// TestNothingOfAnotherRow: in random lists, what is asked for inside the box around a text is never another row's, and
// is found where the row has it. All around the rows, boxes hold them.
func TestNothingOfAnotherRow(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 2))
		flat := r.IntN(3) == 0
		var rows []*screen.Node
		owns := map[string]bool{}
		for i := range 2 + r.IntN(6) {
			y, text := i*120, fmt.Sprintf("Row %d", i)
			parts := []*screen.Node{el(text, 10, y+10, 300, y+60)}
			if r.IntN(2) == 0 {
				parts = append(parts, el(fmt.Sprintf("%d.99", r.IntN(3)), 310, y+10, 500, y+60))
			}
			if owns[text] = r.IntN(2) == 0; owns[text] {
				parts = append(parts, el("Delete", 700, y+10, 900, y+90, button))
			}
			box := el("", 0, y, 1000, y+100)
			if r.IntN(2) == 0 {
				box.Clickable = true
			}
			if flat {
				rows = append(rows, append([]*screen.Node{box}, parts...)...)
			} else {
				box.Children = parts
				rows = append(rows, box)
			}
		}
		for range r.IntN(4) {
			rows = []*screen.Node{el("", 0, 0, 1000, 1900, around(rows...))}
		}
		tree := screenOf(rows...)
		for text, own := range owns {
			got, err := tree.Find(screen.Query{Selector: insideRow("Delete", text), Action: true})
			if err != nil || own != (len(got) == 1) {
				t.Fatalf("seed %d, %s, flat %v: %v, %v", seed, text, flat, got, err)
			}
			one, err := tree.Find(screen.Query{Selector: containing(text)})
			if err != nil || len(one) != 1 || own && !got[0].Node.Bounds.In(one[0].Node.Bounds) {
				t.Fatalf("seed %d, %s: %v, %v", seed, text, one, err)
			}
		}
	}
}

// TestCaseDecidesForActionsAlone: existence and counts take all spellings, an action the one of the test, and nothing
// else decides between texts that read alike.
func TestCaseDecidesForActionsAlone(t *testing.T) {
	three := screenOf(el("paid", 0, 0, 500, 50, button), el("Paid", 0, 100, 500, 150, button),
		el("PAID", 0, 200, 500, 250, button))
	for _, l := range []string{"paid", "Paid", "PAID", "pAid", " paid\u200b"} {
		got, err := three.Find(screen.Query{Selector: label(l)})
		if err != nil || len(got) != 3 {
			t.Errorf("%q: %d, %v", l, len(got), err)
		}
	}
	for l, y := range map[string]int{"paid": 0, "Paid": 100, "PAID": 200} {
		if got, err := three.Find(screen.Query{Selector: label(l), Action: true}); err != nil || len(got) != 1 ||
			got[0].Node.Bounds.Min.Y != y {
			t.Errorf("%q: %v, %v", l, got, err)
		}
	}
	if _, err := three.Find(screen.Query{Selector: label("pAid"), Action: true}); !errors.Is(err, screen.ErrAmbiguous) {
		t.Errorf("pAid: %v", err)
	}
	for i := range 3 {
		for _, action := range []bool{false, true} {
			got, err := three.Find(screen.Query{Selector: dsl.Selector{Label: "PAID", Index: &i}, Action: action})
			if err != nil || len(got) != 1 || got[0].Node.Bounds.Min.Y != i*100 {
				t.Errorf("index %d, action %v: %v, %v", i, action, got, err)
			}
		}
	}
	for _, twin := range []string{"Pa\u200by", "Pay\u00a0", "\u2060Pay", " Pay", "Pa\u00ady"} {
		tree := screenOf(el("Pay", 0, 0, 500, 50, button), el(twin, 0, 100, 500, 150, button))
		if got, err := tree.Find(screen.Query{Selector: label("Pay"), Action: true}); !errors.Is(err, screen.ErrAmbiguous) {
			t.Errorf("%q: %v, %v", twin, got, err)
		}
	}
	quotes := screenOf(el("Don't", 0, 0, 500, 50, button), el("Don’t", 0, 100, 500, 150, button))
	if got, err := quotes.Find(screen.Query{Selector: label("Don't"), Action: true}); !errors.Is(err,
		screen.ErrAmbiguous) {
		t.Errorf("%v, %v", got, err)
	}
	anchored := screenOf(el("paid", 0, 0, 300, 50), el("Undo", 400, 0, 600, 50, button), el("Paid", 0, 100, 300, 150),
		el("Undo", 400, 100, 600, 150, button))
	beside := dsl.Selector{Label: "Undo", RightOf: &dsl.Selector{Label: "Paid"}}
	if got, err := anchored.Find(screen.Query{Selector: beside, Action: true}); err != nil || len(got) != 1 ||
		got[0].Node.Bounds.Min.Y != 100 {
		t.Errorf("an anchor: %v, %v", got, err)
	}
}

// TestLinesOfAName: each line of what services merge into one name is a whole text.
func TestLinesOfAName(t *testing.T) {
	tab := func(name string, x int) *screen.Node { return el("", x, 1800, x+300, 1900, button, desc(name)) }
	bar := []*screen.Node{tab("Home\nTab 1 of 3", 0), tab("Orders\nTab 2 of 3", 300),
		tab("Order history\nTab 3 of 3", 600)}
	tree := screenOf(append(bar, el("Orders", 0, 0, 500, 50))...)
	for l, x := range map[string]int{"Orders": 300, "tab 2 of 3": 300, "home": 0, "Order history Tab 3 of 3": 600} {
		got, err := tree.Find(screen.Query{Selector: label(l), Action: true})
		if err != nil || len(got) != 1 || got[0].Node.Bounds.Min != image.Pt(x, 1800) {
			t.Errorf("%q: %v, %v", l, got, err)
		}
	}
	for l, count := range map[string]int{"Orders": 2, "Order": 0, "Tab 2": 0, "history": 0} {
		if got, err := tree.Find(screen.Query{Selector: label(l)}); err != nil || len(got) != count {
			t.Errorf("%q: %v, %v", l, got, err)
		}
	}
	whole := screenOf(append(bar, el("Orders", 0, 0, 500, 50, button))...)
	if got, err := whole.Find(screen.Query{Selector: label("Orders"), Action: true}); err != nil || len(got) != 1 ||
		got[0].Node.Bounds.Min.Y != 0 {
		t.Errorf("a whole text and a line: %v, %v", got, err)
	}
	twice := screenOf(tab("Orders\nTab 1 of 2", 0), tab("Orders\nTab 2 of 2", 300))
	if got, err := twice.Find(screen.Query{Selector: label("Orders"), Action: true}); !errors.Is(err,
		screen.ErrAmbiguous) {
		t.Errorf("two lines: %v, %v", got, err)
	}
	plain := screenOf(el("Terms\nPrivacy", 0, 0, 500, 100))
	if got, err := plain.Find(screen.Query{Selector: label("Privacy"), Action: true}); err != nil || len(got) != 1 ||
		got[0].Obstacle() == "" {
		t.Errorf("a line whose place is not known: %v, %v", got, err)
	}
	page := screen.NewTree([]*screen.Node{el("Orders\nTab 2 of 3", 0, 0, 500, 50)}, image.Pt(1000, 2000), time.Time{})
	page.HitTested = true
	if got, err := page.Find(screen.Query{Selector: label("Orders")}); err != nil || len(got) != 0 {
		t.Errorf("a page: %v, %v", got, err)
	}
}

// TestPitfallOnlyTheFocusedWindowIsSearched: dialogs, drop-downs and permission prompts are windows of their own.
func TestPitfallOnlyTheFocusedWindowIsSearched(t *testing.T) {
	window := func(nodes ...*screen.Node) *screen.Node {
		return &screen.Node{Type: "android.widget.FrameLayout", Bounds: image.Rect(0, 0, 1000, 2000), Children: nodes}
	}
	tree := screen.NewTree([]*screen.Node{
		window(el("Account", 0, 100, 1000, 200)),
		window(el("Allow", 100, 900, 500, 1000, button)),
	}, image.Pt(1000, 2000), time.Time{})
	for _, word := range []string{"Account", "Allow"} {
		found, err := tree.Find(screen.Query{Selector: label(word)})
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %d found, %v", word, len(found), err)
		}
	}
}

// TestPitfallNegativeRectangles: an element without an area, or turned inside out, is not to be seen and not to be
// touched.
func TestPitfallNegativeRectangles(t *testing.T) {
	tree := screenOf(el("Ghost", 469, 2706, 210, 2654, button), el("Zero", 0, 300, 0, 300, button),
		el("Beyond", 0, 2100, 1000, 2200, button))
	for _, word := range []string{"Ghost", "Zero", "Beyond"} {
		if found, err := tree.Find(screen.Query{Selector: label(word), Action: true}); err != nil || len(found) != 0 {
			t.Errorf("%s: %v, %v", word, found, err)
		}
	}
}

// TestPitfallVisibleMeansInTheTree: what is hidden is not visible, though the tree has it.
func TestPitfallVisibleMeansInTheTree(t *testing.T) {
	tree := screenOf(el("Secret", 0, 100, 1000, 200, func(n *screen.Node) { n.Hidden = true }),
		el("Scrolled away", 0, 300, 1000, 400, func(n *screen.Node) { n.Offscreen = true }))
	for _, word := range []string{"Secret", "Scrolled away"} {
		if found, _ := tree.Find(screen.Query{Selector: label(word)}); len(found) != 0 {
			t.Errorf("%s is found", word)
		}
	}
}
