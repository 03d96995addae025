package dom

import (
	"image"
	"slices"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// Place converts the elements of a page from CSS pixels to positions on a screen: view is the rectangle in which the
// screen shows the page, seen the part of it that is not clipped. Elements outside of that part are marked as off the
// screen.
func (p *Page) Place(view, seen image.Rectangle) {
	size := p.Zoom.Apply(p.Top, p.W, p.H)
	if size.X <= 0 || size.Y <= 0 {
		return
	}
	m := placement{x: float64(view.Min.X), y: float64(view.Min.Y), kx: float64(view.Dx()) / float64(size.X),
		ky: float64(view.Dy()) / float64(size.Y)}
	Each(p.Top, func(n *screen.Node) {
		moveNode(n, m.rect, m.point)
		part := n.Bounds
		if n.Seen != nil {
			part = *n.Seen
		}
		switch in := part.Intersect(seen); {
		case in.Empty() && !part.Empty():
			n.Offscreen = true
		case in != part:
			n.Seen = &in
		}
		for i := range n.Parts {
			p := &n.Parts[i]
			gone := func(r image.Rectangle) bool { return !mostlyInside(seen, r) }
			p.Offscreen = p.Offscreen || slices.ContainsFunc(p.Lines, gone)
		}
	})
}

// mostlyInside reports whether at least half of a box is inside the visible part.
func mostlyInside(seen, box image.Rectangle) bool {
	in := box.Intersect(seen)
	return 2*in.Dx()*in.Dy() >= box.Dx()*box.Dy()
}
