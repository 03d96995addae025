package dom

import (
	"image"
	"math"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// State is the part of every answer of the script about its document.
type State struct {
	Doc string // an id of this document: a new one after each navigation
	// loading, interactive, complete; stopped: its loading was aborted a moment ago, and another document may replace it
	Ready string
	URL   string
}

// Failed reports whether the browser shows its own error page instead of the app's page.
func (s State) Failed() bool { return FailedDocument(s.URL) }

// FailedDocument reports whether a URL is that of a browser's error page, for a page that could not be loaded.
func FailedDocument(address string) bool {
	return slices.ContainsFunc([]string{"chrome-error", "about:neterror", "about:certerror", "about:httpsonlyerror"},
		func(prefix string) bool { return strings.HasPrefix(address, prefix) })
}

// Zoom is the offset and the scale with which the screen shows a page. A phone shows a page that was not made for it
// smaller.
type Zoom [3]float64 // left, top, scale

// None reports whether a page is shown without an offset, at its own size.
func (z Zoom) None() bool { return z[2] <= 0 || z[2] == 1 && z[0] == 0 && z[1] == 0 }

// Apply converts the bounds of elements from the page to pixels of the screen, and returns the size of a page of w × h
// there.
func (z Zoom) Apply(root *screen.Node, w, h float64) image.Point {
	if z.None() {
		return image.Pt(Clamp(w), Clamp(h))
	}
	shown := func(p image.Point) image.Point {
		return image.Pt(Clamp(math.Round((float64(p.X)-z[0])*z[2])), Clamp(math.Round((float64(p.Y)-z[1])*z[2])))
	}
	whole := func(r image.Rectangle) image.Rectangle { return image.Rectangle{Min: shown(r.Min), Max: shown(r.Max)} }
	Each(root, func(n *screen.Node) { moveNode(n, whole, shown) })
	return image.Pt(Clamp(math.Round(w*z[2])), Clamp(math.Round(h*z[2])))
}

// OnPage returns the position on the page, as input needs it, of a pixel of the screen.
func (z Zoom) OnPage(p image.Point) (x, y float64) {
	if z.None() {
		return float64(p.X), float64(p.Y)
	}
	return float64(p.X)/z[2] + z[0], float64(p.Y)/z[2] + z[1]
}

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
