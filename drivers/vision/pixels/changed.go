package pixels

import (
	"bytes"
	"image"
	"image/draw"
)

// tolerance is how much one channel of a pixel may differ before the pixel counts as changed: dithering and video decoders stay below.
const tolerance = 16

// Changed gives the smallest rectangle around all pixels of region that differ between two pictures; the whole region when their
// sizes differ.
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

// Same tells whether two pictures have the very same pixels in a region.
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

// span gives the first and the last pixel of a row that differ, or -1.
func span(p, q []byte) (first, last int) {
	first, last = -1, -1
	for i := 0; i < len(p); i += 4 {
		if differ(p[i:], q[i:]) {
			if first < 0 {
				first = i / 4
			}
			last = i / 4
		}
	}
	return first, last
}

// differ compares two pixels.
func differ(p, q []byte) bool {
	for c := range 3 {
		if max(p[c], q[c])-min(p[c], q[c]) > tolerance {
			return true
		}
	}
	return false
}

// RGBA gives a picture in the one form that is compared; it is no copy when it has that form, or an opaque picture's pixels have.
func RGBA(img image.Image) *image.RGBA {
	if file, ok := img.(interface{ Decoded() image.Image }); ok { // drawn pixel by pixel otherwise, each through two interfaces
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
