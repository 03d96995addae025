package screen_test

import (
	"image"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
)

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
