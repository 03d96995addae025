package dom

import (
	"image"
	"math"

	"github.com/taproot-dev/taproot/drivers/screen"
)

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
