// Package geometry knows the measures of a device's screen: points of the app and pixels of screenshots go in, the
// other ones come out, and the bars that belong to the system.
package geometry

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
)

// Screen is what is known of a device's screen: its screenshots are the measure of everything, while WebDriverAgent
// counts in points of the foreground app. It is safe for concurrent use.
type Screen struct {
	ID string // of the device, for messages

	mu     sync.Mutex
	shot   image.Point // size of the last screenshot; zero: there was none
	scale  float64     // pixels of a point
	wide   bool        // the app was in landscape when it was seen last
	corner image.Point // of the foreground app, in points
}

// Size returns that of the last screenshot, zero when there was none.
func (g *Screen) Size() image.Point {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shot
}

// Took notes the size of a new screenshot.
func (g *Screen) Took(size image.Point) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shot = size
}

// Saw notes the orientation, the scale and the app's corner of a new tree.
func (g *Screen) Saw(wide bool, scale float64, corner image.Point) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wide, g.scale, g.corner = wide, scale, corner
}

// SawWindow notes the size of the app's window in points, and the size of a screenshot of it in whichever orientation.
func (g *Screen) SawWindow(points, size image.Point) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wide = points.X > points.Y
	if longer := max(points.X, points.Y); longer > 0 {
		g.scale = float64(max(size.X, size.Y)) / float64(longer)
	}
}

// Upright reports whether a screenshot of a size has the orientation in which the app was seen last.
func (g *Screen) Upright(size image.Point) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shot != (image.Point{}) && g.wide == (size.X > size.Y)
}

// Factor is how many pixels a point has.
func (g *Screen) Factor() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.scale
}

// Landscape reports whether the app was in landscape when it was read last.
func (g *Screen) Landscape() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.wide
}

// Points puts pixels of the screenshot into points of the app. One that is not on the screen is refused: XCTest would
// move it.
func (g *Screen) Points(pixels ...image.Point) ([][2]float64, error) {
	g.mu.Lock()
	size, scale, wide, corner := g.shot, g.scale, g.wide, g.corner
	g.mu.Unlock()
	if wide != (size.X > size.Y) {
		size = image.Pt(size.Y, size.X)
	}
	out := make([][2]float64, len(pixels))
	for i, p := range pixels {
		if !p.In(image.Rectangle{Max: size}) {
			return nil, fmt.Errorf("device %s: %w: the point %d,%d is not on the screen of %dx%d", g.ID,
				drivers.ErrNotActionable, p.X, p.Y, size.X, size.Y)
		}
		out[i] = [2]float64{(float64(p.X)+0.5)/scale - float64(corner.X), (float64(p.Y)+0.5)/scale - float64(corner.Y)}
	}
	return out, nil
}

// Measure is the size of the screenshot that an image of the stream shows: the stream may be scaled.
func (g *Screen) Measure(picture image.Point) image.Point {
	g.mu.Lock()
	defer g.mu.Unlock()
	if (g.shot.X > g.shot.Y) == (picture.X > picture.Y) {
		return g.shot
	}
	return image.Pt(g.shot.Y, g.shot.X)
}

// AboveHome moves the way of a swipe that would start where the system takes swipes for itself, as from the home
// indicator, above that.
func (g *Screen) AboveHome(a, b image.Point) (from, to image.Point) {
	g.mu.Lock()
	size, scale, wide := g.shot, g.scale, g.wide
	g.mu.Unlock()
	if wide != (size.X > size.Y) {
		size = image.Pt(size.Y, size.X)
	}
	_, edges := Bars(size, scale, 0)
	if !a.In(edges[0]) {
		return a, b
	}
	by := a.Y - edges[0].Min.Y + 1
	return image.Pt(a.X, a.Y-by), image.Pt(b.X, max(b.Y-by, 0))
}

// Near allows for what rounding does to points.
func Near(a, b image.Rectangle) bool {
	alike := func(p, q int) bool { return max(p-q, q-p) <= 4 }
	return alike(a.Min.X, b.Min.X) && alike(a.Min.Y, b.Min.Y) && alike(a.Max.X, b.Max.X) && alike(a.Max.Y, b.Max.Y)
}

// Turn rotates an image by a quarter, to the right when clockwise.
func Turn(img image.Image, clockwise bool) image.Image {
	size := img.Bounds().Size()
	from, ok := img.(*image.RGBA)
	if !ok || from.Rect.Min != (image.Point{}) {
		from = image.NewRGBA(image.Rectangle{Max: size})
		draw.Draw(from, from.Rect, img, img.Bounds().Min, draw.Src)
	}
	out := image.NewRGBA(image.Rect(0, 0, size.Y, size.X))
	for y := range size.Y {
		row := from.Pix[y*from.Stride:]
		for x := range size.X {
			to := out.PixOffset(y, size.X-1-x)
			if clockwise {
				to = out.PixOffset(size.Y-1-y, x)
			}
			copy(out.Pix[to:to+4], row[4*x:4*x+4])
		}
	}
	return out
}

// Two apps share the screen of an iPad, or lie in windows on it: then an app is not as large as the screen, its
// elements lie where they are on the screen, and touches count from the app's own corner.

// Fills reports whether an app's frame, in points, is all of a screen of so many pixels, whichever way each of them is
// held.
func Fills(app image.Rectangle, pixels image.Point) bool {
	if pixels == (image.Point{}) {
		return true
	}
	long := func(p image.Point) float64 { return float64(max(p.X, p.Y)) / float64(max(min(p.X, p.Y), 1)) }
	return app.Min == image.Point{} && math.Abs(long(app.Size())-long(pixels)) < 0.05
}
