package pixels

import (
	"bytes"
	"image"
	"image/draw"
)

// tolerance is how much one channel of a pixel may differ before the pixel counts as changed: dithering and video
// decoders stay below.
const tolerance = 16

// Changed returns the smallest rectangle around all pixels of region that differ between two images; the whole region
// when their sizes differ.
func Changed(a, b image.Image, region image.Rectangle) image.Rectangle {
	if a.Bounds() != b.Bounds() {
		return region
	}
	var box image.Rectangle
	x, y := RGBA(a), RGBA(b)
	differing(x, y, region.Intersect(x.Rect), func(row, first, last int) {
		box = box.Union(image.Rect(first, row, last+1, row+1))
	})
	return box
}

// Same reports whether two images have the very same pixels in a region.
func Same(a, b image.Image, region image.Rectangle) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	x, y := RGBA(a), RGBA(b)
	region = region.Intersect(x.Rect)
	for row := region.Min.Y; row < region.Max.Y; row++ {
		from := x.PixOffset(region.Min.X, row)
		if !bytes.Equal(x.Pix[from:from+4*region.Dx()], y.Pix[from:from+4*region.Dx()]) {
			return false
		}
	}
	return true
}

// differing calls found with the first and the last column that differ, for each row that does.
func differing(x, y *image.RGBA, region image.Rectangle, found func(row, first, last int)) {
	if region.Empty() {
		return
	}
	for row := region.Min.Y; row < region.Max.Y; row++ {
		p := x.Pix[x.PixOffset(region.Min.X, row):][:4*region.Dx()]
		q := y.Pix[y.PixOffset(region.Min.X, row):][:4*region.Dx()]
		if bytes.Equal(p, q) {
			continue
		}
		if first, last := span(p, q); first >= 0 {
			found(row, region.Min.X+first, region.Min.X+last)
		}
	}
}

// span returns the first and the last pixel of a row that differ, or -1.
func span(p, q []byte) (first, last int) {
	for first = 0; first < len(p); first += 4 {
		if differ(p[first:], q[first:]) {
			break
		}
	}
	if first == len(p) {
		return -1, -1
	}
	for last = len(p) - 4; !differ(p[last:], q[last:]); last -= 4 {
	}
	return first / 4, last / 4
}

// differ compares two pixels.
func differ(p, q []byte) bool {
	_, _ = p[2], q[2]
	return apart(p[0], q[0]) || apart(p[1], q[1]) || apart(p[2], q[2])
}

func apart(p, q byte) bool { return max(p, q)-min(p, q) > tolerance }

// RGBA returns an image in the one form that is compared; it is not a copy when it has that form, or an opaque image's
// pixels have.
func RGBA(img image.Image) *image.RGBA {
	// drawn pixel by pixel otherwise, each through two interfaces
	if file, ok := img.(interface{ Decoded() image.Image }); ok {
		img = file.Decoded()
	}
	switch p := img.(type) {
	case *image.RGBA:
		return p
	case *image.NRGBA:
		if p.Opaque() { // what lets nothing through is written alike in both forms
			return &image.RGBA{Pix: p.Pix, Stride: p.Stride, Rect: p.Rect}
		}
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	return out
}
