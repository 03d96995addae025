package action

import (
	"bytes"
	"image"
	"image/draw"
)

// tolerance is how much one channel of a pixel may differ before the pixel counts as changed: dithering and video decoders stay below.
const tolerance = 16

// changed gives the smallest rectangle around all pixels of region that differ between two pictures; the whole region when their
// sizes differ.
func changed(a, b image.Image, region image.Rectangle) image.Rectangle {
	if a.Bounds() != b.Bounds() {
		return region
	}
	region = region.Intersect(a.Bounds())
	x, y := rgba(a), rgba(b)
	var box image.Rectangle
	for row := region.Min.Y; row < region.Max.Y; row++ {
		from, to := x.PixOffset(region.Min.X, row), x.PixOffset(region.Max.X-1, row)+4
		p, q := x.Pix[from:to], y.Pix[y.PixOffset(region.Min.X, row):][:to-from]
		if bytes.Equal(p, q) {
			continue
		}
		first, last := span(p, q)
		if first >= 0 {
			box = box.Union(image.Rect(region.Min.X+first, row, region.Min.X+last+1, row+1))
		}
	}
	return box
}

// span gives the first and the last pixel of a row that differ, or -1.
func span(p, q []byte) (first, last int) {
	first, last = -1, -1
	for i := 0; i < len(p); i += 4 {
		if differ(p[i], q[i]) || differ(p[i+1], q[i+1]) || differ(p[i+2], q[i+2]) {
			if first < 0 {
				first = i / 4
			}
			last = i / 4
		}
	}
	return first, last
}

func differ(a, b byte) bool { return max(a, b)-min(a, b) > tolerance }

func rgba(img image.Image) *image.RGBA {
	if done, ok := img.(*image.RGBA); ok {
		return done
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	return out
}

// unrest is the part of the screen that changed between two pictures and that a person would call movement: the status bar's clock
// and a blinking caret are not.
func unrest(a, b image.Image) image.Rectangle {
	bounds := b.Bounds()
	if a.Bounds() != bounds {
		return bounds
	}
	top := bounds
	if bounds.Dy() > bounds.Dx() { // a phone held upright has its status bar in the first thirtieth
		top.Min.Y += bounds.Dy() / 30
	}
	box := changed(a, b, top)
	if caret(box, bounds) {
		return image.Rectangle{}
	}
	return box
}

// caret tells whether a change has the shape of a text cursor: a line, upright, not taller than a line of large text.
func caret(box, screen image.Rectangle) bool {
	w, h := box.Dx(), box.Dy()
	return w > 0 && w <= max(3, screen.Dx()/150) && h >= 2*w && h <= screen.Dy()/15
}
