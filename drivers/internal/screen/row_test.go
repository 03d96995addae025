package screen_test

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// TestInsideMeansTheRow where what contains the text is only a part of a row.
func TestInsideMeansTheRow(t *testing.T) {
	t.Parallel()
	box := func(y int, kind string, parts ...*screen.Node) *screen.Node {
		n := el("", 0, y, 1000, y+100, around(parts...))
		n.Type = kind
		return n
	}
	row := func(y int, name, note, action string) *screen.Node {
		text := box(y, "texts", el(name, 10, y+5, 300, y+45), el(note, 10, y+50, 300, y+95))
		text.Bounds.Max.X = 600
		return box(y, "row", text, el(action, 700, y+10, 990, y+90, button))
	}
	list := screenOf(row(0, "Bob", "2,00", "Delete"), row(100, "Bo", "3,00", "Delete"), row(200, "Bill", "4,00", "Keep"))
	pictured := row(200, "Bo", "3,00", "Delete")
	pictured.Children = append([]*screen.Node{el("", 610, 205, 690, 295)}, pictured.Children...)
	mixed := screenOf(row(0, "Bob", "2,00", "Delete"), row(100, "Bill", "4,00", "Delete"), pictured)
	first, last := row(0, "Bob", "2,00", "Delete"), row(100, "Bo", "3,00", "Delete")
	first.Children = append(first.Children, el("", 610, 5, 690, 95, check(true)))
	last.Children = append([]*screen.Node{el("", 610, 105, 690, 195, button)}, last.Children...)
	settings := box(0, "androidx.recyclerview.widget.RecyclerView", first, last)
	settings.Bounds.Max.Y = 200
	board := screenOf(box(0, "column", row(0, "Bob", "2,00", "Delete"), row(100, "Bill", "4,00", "Delete")),
		box(200, "column", row(200, "Bo", "3,00", "Delete")))
	single := screenOf(box(0, "header", el("Bo", 0, 0, 300, 50), el("Friend", 0, 50, 300, 100)),
		box(100, "main", el("Text", 0, 100, 300, 150), el("Delete", 0, 150, 300, 200, button)))
	in := func(label, content string) dsl.Selector {
		return dsl.Selector{Label: label, Inside: &dsl.Selector{Contains: []dsl.Selector{{Label: content}}}}
	}
	for _, test := range []struct {
		name string
		tree *screen.Tree
		sel  dsl.Selector
		y    int // of the element that is found; -1: none
	}{
		{"the button of the row", list, in("Delete", "Bo"), 110},
		{"a row without such a button", list, in("Delete", "Bill"), -1},
		{"what the part holds", list, in("3,00", "Bo"), 150},
		{"what another row holds", list, in("2,00", "Bo"), -1},
		{"the one row with an image", mixed, in("Delete", "Bo"), 210},
		{"next to the one row with an image", mixed, in("Delete", "Bill"), 110},
		{"rows of different kinds in a list", screenOf(settings), in("Delete", "Bo"), 110},
		{"the only row of a list next to another", board, in("Delete", "Bo"), 210},
		{"what a row of the other list holds", board, in("4,00", "Bo"), -1},
		{"a page that is no list", single, in("Delete", "Bo"), -1},
	} {
		for _, act := range []bool{true, false} {
			found, err := test.tree.Find(screen.Query{Selector: test.sel, Action: act})
			switch {
			case err != nil || len(found) > 1:
				t.Errorf("%s: %v, %v", test.name, found, err)
			case test.y < 0 && len(found) > 0:
				t.Errorf("%s: %v", test.name, found)
			case test.y >= 0 && (len(found) == 0 || found[0].Node.Bounds.Min.Y != test.y):
				t.Errorf("%s: %v, not the one at %d", test.name, found, test.y)
			}
		}
	}
}
