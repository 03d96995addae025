package pixels

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/orisano/pixelmatch"
)

const (
	// sensitivity is how different the colour of one pixel may be, from 0 to 1, and count as the same.
	sensitivity = 0.05
	// unlike is the part of the contrast by which a pixel may differ from where it would be when its surroundings were
	// drawn up to a pixel away. What another rasteriser makes of a character stays below, another character, a lost line
	// or a dot does not.
	unlike = 0.4
	// faint is the least contrast that is measured by.
	faint = 16
	// nudge is the step, in pixels, in which surroundings are moved.
	nudge = 0.25
)

// Comparison is how an image differs from another one.
type Comparison struct {
	Different int             // pixels
	Percent   float64         // of all pixels
	Box       image.Rectangle // around all of them
	// the expected one, pale, with the differences in red, framed, and in yellow what font rasterisers do; nil when all is
	// equal
	Picture image.Image
}

// ErrSize says that two images cannot be compared.
var ErrSize = errors.New("the images are not of one size")

// Compare counts the pixels that differ. Left out are those with the same surroundings once they are moved by up
// to a pixel, as anti-aliasing does, and single specks.
func Compare(expected, actual image.Image) (Comparison, error) {
	if expected.Bounds().Size() != actual.Bounds().Size() {
		return Comparison{}, ErrSize
	}
	a, b := origin(expected), origin(actual)
	red, yellow := color.RGBA{255, 0, 0, 255}, color.RGBA{255, 255, 0, 255}
	var shown image.Image
	if _, err := pixelmatch.MatchPixel(a, b, pixelmatch.Threshold(sensitivity), pixelmatch.WriteTo(&shown),
		pixelmatch.DiffColor(red), pixelmatch.IncludeAntiAlias); err != nil {
		return Comparison{}, err
	}
	if shown == nil { // not a byte differs
		return Comparison{}, nil
	}
	out := RGBA(shown)
	c := Comparison{Picture: out}
	other := map[image.Point]bool{}
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			if at := image.Pt(x, y); out.RGBAAt(x, y) == red && !nudged(a, b, at) {
				other[at] = true
			} else if out.RGBAAt(x, y) == red {
				out.SetRGBA(x, y, yellow)
			}
		}
	}
	for at := range other {
		if alone(other, at) {
			out.SetRGBA(at.X, at.Y, yellow)
			continue
		}
		c.Different++
		c.Box = c.Box.Union(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))})
	}
	frame(out, c.Box, red)
	c.Percent = 100 * float64(c.Different) / float64(a.Rect.Dx()*a.Rect.Dy())
	return c, nil
}

// frame draws a line around a box, so that a few pixels are found on a large image.
func frame(img *image.RGBA, box image.Rectangle, ink color.Color) {
	if box.Empty() {
		return
	}
	const beside, thick = 6, 3
	outer := box.Inset(-beside - thick)
	inner := box.Inset(-beside)
	for _, side := range []image.Rectangle{
		{Min: outer.Min, Max: image.Pt(outer.Max.X, inner.Min.Y)}, {Min: image.Pt(outer.Min.X, inner.Max.Y), Max: outer.Max},
		{Min: outer.Min, Max: image.Pt(inner.Min.X, outer.Max.Y)}, {Min: image.Pt(inner.Max.X, outer.Min.Y), Max: outer.Max},
	} {
		draw.Draw(img, side, image.NewUniform(ink), image.Point{}, draw.Src)
	}
}

// origin returns the image with its bounds at (0,0).
func origin(img image.Image) *image.RGBA {
	out := *RGBA(img)
	out.Rect = image.Rectangle{Max: out.Rect.Size()}
	return &out
}

// alone reports whether none of the eight pixels around one is in the set.
func alone(set map[image.Point]bool, at image.Point) bool {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if (dx != 0 || dy != 0) && set[at.Add(image.Pt(dx, dy))] {
				return false
			}
		}
	}
	return true
}

// nudged reports whether the pixels around a point are those of the other image around it, moved by a part of
// a pixel.
func nudged(a, b *image.RGBA, at image.Point) bool {
	p, q := around(a, at), around(b, at)
	allowed := unlike * max(faint, p.contrast(q))
	return p.fits(q, allowed) || q.fits(p, allowed)
}

// reach is how far around a point is looked at: one pixel, and one more to move by.
const reach = 2

// surroundings are the pixels around a point, by channel, row and column.
type surroundings [3][2*reach + 1][2*reach + 1]float64

// around copies the surroundings of a point; beyond the edge of an image it continues as at the edge.
func around(img *image.RGBA, at image.Point) (s surroundings) {
	for y := range s[0] {
		for x := range s[0][y] {
			px := min(max(at.X+x-reach, 0), img.Rect.Dx()-1)
			py := min(max(at.Y+y-reach, 0), img.Rect.Dy()-1)
			for channel := range s {
				s[channel][y][x] = float64(img.Pix[img.PixOffset(px, py)+channel])
			}
		}
	}
	return s
}

// contrast is the largest difference within one channel of the nine pixels in the middle of both.
func (s *surroundings) contrast(o surroundings) (most float64) {
	for channel := range s {
		low, high := 255.0, 0.0
		for y := reach - 1; y <= reach+1; y++ {
			for x := reach - 1; x <= reach+1; x++ {
				low = min(low, s[channel][y][x], o[channel][y][x])
				high = max(high, s[channel][y][x], o[channel][y][x])
			}
		}
		most = max(most, high-low)
	}
	return most
}

// fits reports whether there is a movement by which the nine pixels in the middle become those of the other.
func (s *surroundings) fits(o surroundings, allowed float64) bool {
	if !s.within(o, allowed) {
		return false
	}
	for dy := -1.0; dy <= 1; dy += nudge {
		for dx := -1.0; dx <= 1; dx += nudge {
			if s.fitsAt(o, dx, dy, allowed) {
				return true
			}
		}
	}
	return false
}

// within spares the search where it must be in vain: no movement makes a colour that is not near.
func (s *surroundings) within(o surroundings, allowed float64) bool {
	for channel := range s {
		low, high := 255.0, 0.0
		for y := reach - 1; y <= reach+1; y++ {
			for x := reach - 1; x <= reach+1; x++ {
				low, high = min(low, o[channel][y][x]), max(high, o[channel][y][x])
			}
		}
		if v := s[channel][reach][reach]; v < low-allowed || v > high+allowed {
			return false
		}
	}
	return true
}

// fitsAt compares with the other one moved by dx and dy, from -1 to 1.
func (s *surroundings) fitsAt(o surroundings, dx, dy, allowed float64) bool {
	left, top := math.Floor(dx), math.Floor(dy)
	fx, fy := dx-left, dy-top
	for y := reach - 1; y <= reach+1; y++ {
		for x := reach - 1; x <= reach+1; x++ {
			x0, y0 := x+int(left), y+int(top)
			x1, y1 := min(x0+1, 2*reach), min(y0+1, 2*reach)
			for channel := range s {
				c := &o[channel]
				moved := (1-fy)*((1-fx)*c[y0][x0]+fx*c[y0][x1]) + fy*((1-fx)*c[y1][x0]+fx*c[y1][x1])
				if math.Abs(s[channel][y][x]-moved) > allowed {
					return false
				}
			}
		}
	}
	return true
}
