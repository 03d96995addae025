package screen_test

import (
	"image"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

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
