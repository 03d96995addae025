package action

import (
	"context"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// tracedSight is the result for an element that draws nothing and is over a canvas: a person sees what it says where
// the canvas shows ink in its place. What the page itself draws over the canvas does not count.
func (w *screenReader) tracedSight(ctx context.Context, n *screen.Node) (sight, error) {
	shot, err := w.newerPicture(ctx)
	if err != nil {
		return sight{}, err
	}
	area := n.Traced.Area
	if shot == nil || area.Empty() || w.protected != nil && w.protected.At(area) {
		return sight{}, fmt.Errorf("whether %s, which a canvas may draw, is drawn is unknown: read it with "+
			"fallback: ocr", n)
	}
	if w.s.onPhone() && dark(shot) {
		return sight{}, w.s.nothingOver(ctx, w.tree, shot)
	}
	own := newInk(shot, area.Inset(1).Intersect(shot.Bounds()))
	for _, over := range n.Traced.Over {
		if over.Whole {
			own.leaveOut(over.Bounds.Inset(-1))
		} else {
			own.leaveOutEdges(over.Bounds)
		}
	}
	if n.Text != "" && own.hasCharacters() || n.Text == "" && own.any() {
		return sight{}, nil
	}
	return sight{hidden: "the canvas draws nothing in its place"}, nil
}

// drawnBelow has the browser decide by tracedSight, as assertions do, what it looks at itself.
func (s *Session) drawnBelow() drivers.DrawnBelow {
	var w *screenReader
	return func(ctx context.Context, t *screen.Tree, n *screen.Node) (bool, error) {
		if w == nil {
			w = newScreenReader(s)
		}
		w.tree = t
		got, err := w.tracedSight(ctx, n)
		return err == nil && got.hidden == "", err
	}
}
