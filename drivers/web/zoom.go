package web

import (
	"image"
	"math"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// zoom is how the screen shows a page: where the part that is shown begins, and how much larger or smaller it is. A phone shows a
// page that was not made for it smaller.
type zoom [3]float64 // left, top, scale

func (z zoom) none() bool { return z[2] <= 0 || z[2] == 1 && z[0] == 0 && z[1] == 0 }

// apply puts bounds, which are the page's, into pixels of the screen, and gives the size of that.
func (z zoom) apply(root *screen.Node, w, h float64) image.Point {
	if z.none() {
		return image.Pt(clamp(w), clamp(h))
	}
	shown := func(p image.Point) image.Point {
		return image.Pt(clamp(math.Round((float64(p.X)-z[0])*z[2])), clamp(math.Round((float64(p.Y)-z[1])*z[2])))
	}
	whole := func(r image.Rectangle) image.Rectangle { return image.Rectangle{Min: shown(r.Min), Max: shown(r.Max)} }
	each(root, func(n *screen.Node) { moveNode(n, whole, shown) })
	return image.Pt(clamp(math.Round(w*z[2])), clamp(math.Round(h*z[2])))
}

// onPage gives the place on the page, as input wants it, of a pixel of the screen.
func (z zoom) onPage(p image.Point) (x, y float64) {
	if z.none() {
		return float64(p.X), float64(p.Y)
	}
	return float64(p.X)/z[2] + z[0], float64(p.Y)/z[2] + z[1]
}

// zoom asks for the page's zoom where it may have one.
func (s *session) zoom(page playwright.Page) (zoom, error) {
	if !s.mobile {
		return zoom{}, nil
	}
	var answer struct{ Zoom zoom }
	err := ask(page, nil, "zoom", &answer)
	return answer.Zoom, err
}
