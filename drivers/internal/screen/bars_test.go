package screen_test

import (
	"image"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// withBars is a screen of 100 by 200 with a status bar of 20 and an area of 30 from which the system takes swipes.
func withBars(nodes ...*screen.Node) *screen.Tree {
	root := &screen.Node{Bounds: image.Rect(0, 0, 100, 200), Children: nodes}
	t := screen.NewTree([]*screen.Node{root}, image.Pt(100, 200), time.Now())
	t.Bars = []*screen.Node{{Type: "StatusBar", Desc: "the status bar", Blocks: true, Bounds: image.Rect(0, 0, 100, 20)}}
	t.SwipeEdges = []image.Rectangle{image.Rect(0, 170, 100, 200)}
	return t
}

// TestTouchBesideBars: what a bar covers is touched in its free part, outside of the area of swipes where there is a
// choice; what no part is left of is covered.
func TestTouchBesideBars(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at      image.Rectangle
		covered bool
		free    image.Rectangle // holds the point
	}{
		"below the bar":               {image.Rect(0, 30, 100, 60), false, image.Rect(49, 44, 52, 47)},
		"half under the bar":          {image.Rect(0, 0, 100, 36), false, image.Rect(0, 20, 100, 36)},
		"under the bar":               {image.Rect(0, 2, 100, 18), true, image.Rect(0, 2, 100, 18)},
		"half in the area of swipes":  {image.Rect(0, 150, 100, 200), false, image.Rect(0, 150, 100, 170)},
		"in the area of swipes alone": {image.Rect(0, 176, 100, 196), false, image.Rect(0, 176, 100, 196)},
	} {
		for _, inPage := range []bool{false, true} {
			middle := c.at.Min.Add(c.at.Size().Div(2))
			n := &screen.Node{Text: "Pay", Clickable: true, Bounds: c.at, InPage: inPage}
			if inPage {
				n.Press = &middle
			}
			found, err := withBars(n).Find(screen.Query{Selector: dsl.Selector{Label: "Pay"}, Action: true})
			if err != nil || len(found) != 1 {
				t.Errorf("%s, in a page %v: %v, %v", name, inPage, found, err)
				continue
			}
			m := found[0]
			free := m.Point.In(c.free) || inPage && m.Point == middle && c.at.Min.Y > 20 // taps of a page reach it there
			if (m.Cover != nil) != c.covered || !free {
				t.Errorf("%s, in a page %v: touched at %v, covered by %v", name, inPage, m.Point, m.Cover)
			}
		}
	}
}

func TestFree(t *testing.T) {
	t.Parallel()
	tree := withBars()
	tree.Bars = append(tree.Bars, &screen.Node{Bounds: image.Rect(90, 0, 100, 200)}) // a navigation bar at the side
	for area, want := range map[image.Rectangle]image.Rectangle{
		image.Rect(0, 0, 100, 200):   image.Rect(0, 20, 90, 170),
		image.Rect(10, 30, 80, 160):  image.Rect(10, 30, 80, 160),
		image.Rect(10, 160, 80, 200): image.Rect(10, 160, 80, 170),
		image.Rect(10, 180, 80, 200): image.Rect(10, 180, 80, 200), // nothing would be left
		image.Rect(50, 30, 100, 60):  image.Rect(50, 30, 90, 60),
	} {
		if got := tree.Free(area); got != want {
			t.Errorf("%v: %v instead of %v", area, got, want)
		}
	}
}

// What is scrolled out of a box counts for an action on a device that can bring it into view, wherever its bounds lie;
// an assertion does not see it.
func TestScrolledOutOfABoxIsFoundOnlyWhereItCanBeRevealed(t *testing.T) {
	row := &screen.Node{Text: "Row 90", Clickable: true, Offscreen: true, Bounds: image.Rect(10, 500, 200, 530)}
	tree := screen.NewTree([]*screen.Node{{Bounds: image.Rect(0, 0, 800, 600), Children: []*screen.Node{row}}},
		image.Pt(800, 600), time.Now())
	for _, reveals := range []bool{true, false} {
		for _, action := range []bool{true, false} {
			found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: "Row 90"}, Action: action, Reveal: reveals})
			if err != nil || (len(found) == 1) != (reveals && action) {
				t.Errorf("action %v, device reveals %v: %v, %v", action, reveals, found, err)
			}
		}
	}
}
