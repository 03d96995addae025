package pixels

import "image"

// sharpEdge is the least difference in brightness, of 255, between two neighbouring pixels that a character or an icon
// makes. A gradient stays below it.
const sharpEdge = 12

// Smooth reports whether nothing is drawn in a part of a screenshot but a plain colour or a gradient.
func Smooth(img image.Image, r image.Rectangle) bool {
	edges := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		last := -1
		for x := r.Min.X; x < r.Max.X; x++ {
			now := brightness(img, x, y)
			if last >= 0 && max(now-last, last-now) >= sharpEdge {
				if edges++; edges > 2 {
					return false
				}
			}
			last = now
		}
	}
	return true
}

// Dark reports whether a screenshot is black all over, as those are that show nothing of a screen: such a screenshot
// shows nothing.
func Dark(img image.Image) bool {
	at := img.Bounds().Min.Add(img.Bounds().Size().Div(2))
	return brightness(img, at.X, at.Y) < sharpEdge && Smooth(img, img.Bounds())
}

func brightness(img image.Image, x, y int) int {
	r, g, b, _ := img.At(x, y).RGBA()
	return int((299*r + 587*g + 114*b) / 1000 >> 8)
}

const (
	blackStep = 8   // every so many pixels, in both directions, one is looked at
	blackPart = 100 // a screenshot of which less than one part in so many is black needs no question
)

// MayHideWindow reports whether a screenshot has so much of pure black that a window may have been left out of it.
func MayHideWindow(img image.Image) bool {
	b := img.Bounds()
	seen, all := 0, 0
	for y := b.Min.Y; y < b.Max.Y; y += blackStep {
		for x := b.Min.X; x < b.Max.X; x += blackStep {
			all++
			if pureBlack(img, x, y) {
				seen++
			}
		}
	}
	return seen > 0 && seen*blackPart >= all
}

func pureBlack(img image.Image, x, y int) bool {
	if p, ok := img.(*image.RGBA); ok {
		at := p.PixOffset(x, y)
		return p.Pix[at] == 0 && p.Pix[at+1] == 0 && p.Pix[at+2] == 0
	}
	r, g, b, _ := img.At(x, y).RGBA()
	return r|g|b == 0
}
