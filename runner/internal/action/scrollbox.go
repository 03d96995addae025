package action

import (
	"context"
	"image"
	"slices"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// box is what is scrolled: what the test names, else the largest scrollable element, else the screen, for which there
// is not an element.
func (c *search) box(ctx context.Context) (*screen.Node, image.Rectangle, error) {
	view := image.Rectangle{Max: c.tree.Size}
	if c.a.Selector.Inside != nil {
		if err := c.keepInside(ctx); err != nil {
			return nil, view, err
		}
		if boxes := c.boxesOf(c.within, view); len(boxes) > 0 {
			c.scroll.Boxes = len(boxes)
			n := boxes[min(c.scroll.Box, len(boxes)-1)]
			return n, n.Bounds.Intersect(view), nil
		}
	}
	size := func(n *screen.Node) int {
		b := n.Bounds.Intersect(view)
		return b.Dx() * b.Dy()
	}
	var boxes []*screen.Node
	for n := range c.tree.All {
		if n.Scrollable && !n.Hidden && size(n) > 0 {
			boxes = append(boxes, n)
		}
	}
	slices.SortStableFunc(boxes, func(a, b *screen.Node) int { return size(b) - size(a) })
	c.scroll.Boxes = len(boxes)
	if inside := c.a.Selector.Inside; inside != nil && len(boxes) == 0 { // it may come late
		if area, err := areaOf(ctx, c.s, inside); err == nil {
			return nil, area, nil
		}
	}
	switch {
	case len(boxes) > 0:
		n := boxes[min(c.scroll.Box, len(boxes)-1)]
		return n, n.Bounds.Intersect(view), nil
	case len(c.tree.Windows) > 0: // a page that moves its content in its own way
		return c.tree.Windows[0], view, nil
	}
	return nil, view, nil
}

// boxesOf are what may be scrolled for some elements: the first that is scrolled or holds what is. Else it is the
// element itself, which may move its content in its own way, and the nearest box around one; on phones that box comes
// first, because a finger on the element would tap it.
func (c *search) boxesOf(nodes []*screen.Node, view image.Rectangle) []*screen.Node {
	for _, n := range nodes {
		if holdsScroller(n, view) {
			return []*screen.Node{n}
		}
	}
	var around *screen.Node
	for _, n := range nodes {
		for p := n.Parent; p != nil && around == nil; p = p.Parent {
			if p.Scrollable && !p.Hidden && p.Bounds.Overlaps(view) {
				around = p
			}
		}
	}
	switch _, wheel := c.s.Device.(drivers.Scroller); {
	case len(nodes) == 0 || around == nil:
		return nodes[:min(len(nodes), 1)]
	case wheel:
		return []*screen.Node{nodes[0], around}
	}
	return []*screen.Node{around, nodes[0]}
}

// holdsScroller reports whether an element, or one in it, can be scrolled on the screen.
func holdsScroller(n *screen.Node, screen image.Rectangle) bool {
	for _, k := range n.Children {
		if holdsScroller(k, screen) {
			return true
		}
	}
	return n.Scrollable && !n.Hidden && n.Bounds.Overlaps(screen)
}

// move scrolls once; false: nothing moved.
func (c *search) move(ctx context.Context, way image.Point, back bool) (bool, error) {
	node, area, err := c.box(ctx)
	if err != nil {
		return false, err
	}
	c.s.tapped = nil
	d, ok := c.s.Device.(drivers.Scroller)
	if !ok || node == nil {
		c.scroll.Moved(decide.Moved{})
		return c.swipe(ctx, node, area, way)
	}
	first, before := c.scroll.Moves == 0, c.frame.Digest
	done, err := d.ScrollBox(ctx, node, way, c.scroll.Part, c.on(back))
	if err != nil {
		return false, err
	}
	c.scroll.Moved(decide.Moved{Followed: done.Followed, Started: first && done.Before > 0, Unknown: done.Unknown})
	if c.rested = done.Rested; !done.Unknown {
		return done.Moved > 0, nil
	}
	err = c.read(ctx, false)
	return c.frame.Digest != before, err
}

// on returns how far the device may scroll by itself: the page can search only what has a text.
func (c *search) on(back bool) drivers.ScrollOn {
	sel := c.a.Selector
	if back || c.scroll.Returning() || c.a.Limit > 0 || sel.Match == dsl.MatchRegex || sel.Fallback != "" {
		return drivers.ScrollOn{}
	}
	on := drivers.ScrollOn{Time: min(c.left(), blindTime),
		Whole: slices.Contains([]dsl.MatchMode{dsl.MatchWhole, dsl.MatchExact, dsl.MatchWords}, sel.Match)}
	for _, text := range []string{sel.Label, sel.Text, sel.Desc, sel.Hint} {
		if text != "" {
			on.Texts = append(on.Texts, text)
		}
	}
	return on
}

// swipe moves the content of an area with a finger; node is the element with that area, if there is one.
func (c *search) swipe(ctx context.Context, node *screen.Node, area image.Rectangle, way image.Point) (bool, error) {
	direction := map[image.Point]dsl.Direction{{Y: -1}: dsl.Up, {X: -1}: dsl.Left, {X: 1}: dsl.Right}[way]
	inner := c.tree.Free(area.Inset(min(area.Dx(), area.Dy()) / 20))
	if node != nil {
		inner = c.tree.Stroke(node, inner, way.X != 0)
	}
	before := c.frame.Digest
	if err := scrollArea(ctx, c.s, inner, direction, int(c.scroll.Part*100)); err != nil {
		return false, err
	}
	err := c.lookAround(ctx)
	c.looked = c.frame.Digest != before
	return c.looked, err
}
