package html

import (
	"image"
	"math"
)

// squaresFrom is how many times larger, at least, an image is of which each pixel is counted as a whole. Below, the
// unequal sizes of the rectangles would be visible in texts.
const squaresFrom = 3

// shrink fills small with img, which is not smaller: each pixel is the mean of a rectangle of img's. It is several
// times as fast as package draw, which handles images of all kinds. false: this image is left to package draw.
func shrink(small *image.RGBA, img image.Image) bool {
	from, to := img.Bounds(), small.Bounds().Size()
	if from.Dx() < to.X || from.Dy() < to.Y || to.X < 1 || to.Y < 1 || from.Dx() > math.MaxUint32/0xff {
		return false
	}
	var pix []byte
	var stride int
	switch p := img.(type) {
	case *image.RGBA:
		pix, stride = p.Pix, p.Stride
	case *image.NRGBA:
		pix, stride = p.Pix, p.Stride
	}
	opaque, known := img.(interface{ Opaque() bool })
	if pix == nil || !known || !opaque.Opaque() {
		return false
	}
	if from.Dx() < squaresFrom*to.X || from.Dy() < squaresFrom*to.Y {
		shrinkInParts(small, pix, stride, from.Size())
	} else {
		shrinkSquares(small, pix, stride, from.Size())
	}
	return true
}

// shrinkSquares counts each pixel once, in one of the rectangles.
func shrinkSquares(small *image.RGBA, pix []byte, stride int, from image.Point) {
	to := small.Bounds().Size()
	sums := make([]uint32, 3*to.X)
	for y := range to.Y {
		top, bottom := y*from.Y/to.Y, (y+1)*from.Y/to.Y
		clear(sums)
		for v := top; v < bottom; v++ {
			addRow(sums, pix[v*stride:][:4*from.X])
		}
		row := small.Pix[y*small.Stride:]
		for x := range to.X {
			n := uint32((bottom - top) * ((x+1)*from.X/to.X - x*from.X/to.X))
			for c := range 3 {
				row[4*x+c] = byte((sums[3*x+c] + n/2) / n)
			}
			row[4*x+3] = 0xff
		}
	}
}

// addRow adds a row of pixels to the sums of the columns, of three colours each, into which it is divided.
func addRow(sums []uint32, row []byte) {
	width, columns := len(row)/4, len(sums)/3
	at := 0
	for x := range columns {
		var r, g, b uint32
		end := 4 * ((x + 1) * width / columns)
		for ; at < end; at += 4 {
			p := row[at : at+3 : at+3]
			r, g, b = r+uint32(p[0]), g+uint32(p[1]), b+uint32(p[2])
		}
		sums[3*x] += r
		sums[3*x+1] += g
		sums[3*x+2] += b
	}
}

// shrinkInParts counts the pixels at the edge of a rectangle in part.
func shrinkInParts(small *image.RGBA, pix []byte, stride int, from image.Point) {
	to := small.Bounds().Size()
	// A row of img is to.Y high here, and one of small from.Y, so that parts of rows are whole numbers; columns likewise.
	row, sums := make([]uint32, 3*to.X), make([]uint64, 3*to.X)
	area := uint64(from.X) * uint64(from.Y)
	y, missing := 0, from.Y
	for v := range from.Y {
		addParts(row, pix[v*stride:][:4*from.X], to.X)
		for left := to.Y; left > 0; {
			part := min(left, missing)
			for i, sum := range row {
				sums[i] += uint64(sum) * uint64(part)
			}
			left, missing = left-part, missing-part
			if missing > 0 {
				continue
			}
			out := small.Pix[y*small.Stride:][:4*to.X]
			for x := range to.X {
				for c := range 3 {
					out[4*x+c] = byte((sums[3*x+c] + area/2) / area)
				}
				out[4*x+3] = 0xff
			}
			clear(sums)
			y, missing = y+1, from.Y
		}
	}
}

// addParts divides a row of pixels into columns and returns the sums of each of three colours, every pixel columns
// wide.
func addParts(sums []uint32, row []byte, columns int) {
	width := len(row) / 4
	at, has := 0, uint32(columns) // the pixel, and how much of it is left
	for x := range columns {
		var r, g, b uint32
		for missing := uint32(width); missing > 0; {
			part := min(has, missing)
			p := row[4*at : 4*at+3 : 4*at+3]
			r, g, b = r+part*uint32(p[0]), g+part*uint32(p[1]), b+part*uint32(p[2])
			missing -= part
			if has -= part; has == 0 {
				at, has = at+1, uint32(columns)
			}
		}
		sums[3*x], sums[3*x+1], sums[3*x+2] = r, g, b
	}
}
