package vision

import (
	"fmt"
	"image"
	"image/draw"

	xdraw "golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/drivers"
)

// prepared is an image made ready for tesseract: dark text on white, whatever it was.
type prepared struct {
	gray  *image.Gray
	scale float64 // of its pixels to those of the image
}

// pgm is the image in the one format that costs nothing to write.
func pgm(gray *image.Gray) []byte {
	size := gray.Rect.Size()
	return append(fmt.Appendf(nil, "P5\n%d %d\n255\n", size.X, size.Y), gray.Pix...)
}

const (
	// flatSide is the side of the smallest square of one colour that is background: strokes of characters are thinner. On
	// small screens characters are as well.
	flatSide      = 20
	flatSideSmall = 12
	// alike is how much neighbouring pixels of one surface may differ in a channel; gradients stay below.
	alike = 5
	// largestLetter is the side of the box of the largest character, in pixels; letterFills is the part of its box that it
	// fills at most, and stroke the thickness of its strokes, in its heights.
	largestLetter = 240
	letterFills   = 0.65
	stroke        = 0.4
	// largestDot is the thickness of the largest point or dash, in pixels; solid is the part of its box that one fills at
	// least.
	largestDot = 40
	solid      = 0.75
	// smallScreen is the number of pixels below which a screen shows text that is too small for tesseract as it is.
	smallScreen = 1_600_000
)

// prepare takes the backgrounds away: what belongs to a surface of one colour gets white, everything else as dark as it
// differs from the surface around it. Light text on a dark button is then as good as dark text on white.
func enlarge(gray *image.Gray) prepared {
	size := gray.Rect.Size()
	if size.X*size.Y > smallScreen {
		return prepared{gray, 1}
	}
	const scale = 2
	big := image.NewGray(image.Rect(0, 0, size.X*scale, size.Y*scale))
	xdraw.CatmullRom.Scale(big, big.Rect, gray, gray.Rect, xdraw.Src, nil)
	return prepared{big, scale}
}

// toRGBA returns the image with its bounds at (0,0).
func toRGBA(img image.Image) *image.RGBA {
	if file, ok := img.(*drivers.Image); ok {
		img = file.Decoded()
	}
	if done, ok := img.(*image.RGBA); ok && done.Rect.Min == (image.Point{}) {
		return done
	}
	out := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

// flatten makes the image in which the backgrounds are white.
func flatten(src *image.RGBA) *image.Gray {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	pix := func(i int) []byte { return src.Pix[i/w*src.Stride+i%w*4:][:4] }
	surface := surfaces(w, h, pix)
	out := image.NewGray(image.Rect(0, 0, w, h))
	behind := nearestSurface(w, h, surface)
	for i := range surface {
		switch {
		case surface[i]:
			out.Pix[i] = 255
		case behind[i] < 0: // no surface anywhere
			p := pix(i)
			out.Pix[i] = byte((299*int(p[0]) + 587*int(p[1]) + 114*int(p[2])) / 1000)
		default:
			out.Pix[i] = byte(255 - min(255, 2*contrast(pix(i), pix(int(behind[i])))))
		}
	}
	return out
}

func contrast(p, q []byte) int {
	most := 0
	for c := range 3 {
		most = max(most, max(int(p[c])-int(q[c]), int(q[c])-int(p[c])))
	}
	return most
}

// surfaces reports for each pixel whether it belongs to a surface: connected pixels of nearly one colour that hold a
// square of flatSide.
func surfaces(w, h int, pix func(int) []byte) []bool {
	groups := newForest(w * h)
	square := make([]int16, w*h) // the side of the largest square of one surface that ends here
	for i := range square {
		square[i] = 1
		p := pix(i)
		left := i%w > 0 && contrast(p, pix(i-1)) <= alike
		up := i >= w && contrast(p, pix(i-w)) <= alike
		if left {
			groups.join(i, i-1)
		}
		if up {
			groups.join(i, i-w)
		}
		if left && up && contrast(p, pix(i-w-1)) <= 2*alike {
			square[i] = 1 + min(square[i-1], square[i-w], square[i-w-1])
		}
	}
	return flats(w, square, groups.root)
}

// patch is a group of connected pixels of nearly one colour.
type patch struct {
	box     image.Rectangle
	area    int
	square  int16 // the side of the largest square that it holds
	surface bool
}

// flats picks the pixels with a patch that is a surface: it holds a large square, or is wide and nearly full, as a
// tight button around its text.
func flats(w int, square []int16, patchOf func(int) int) []bool {
	h := len(square) / w
	side := int16(flatSide)
	if w*h <= smallScreen {
		side = flatSideSmall
	}
	patches := map[int]*patch{}
	for i, s := range square {
		p := patches[patchOf(i)]
		if p == nil {
			p = &patch{box: image.Rect(w, h, 0, 0)}
			p.box.Min, p.box.Max = image.Pt(w, h), image.Point{}
			patches[patchOf(i)] = p
		}
		x, y := i%w, i/w
		p.box.Min.X, p.box.Min.Y = min(p.box.Min.X, x), min(p.box.Min.Y, y)
		p.box.Max.X, p.box.Max.Y = max(p.box.Max.X, x+1), max(p.box.Max.Y, y+1)
		p.area++
		p.square = max(p.square, s)
	}
	field := image.Rect(0, 0, w, h)
	at := func(x, y int) *patch {
		if !image.Pt(x, y).In(field) {
			return nil
		}
		return patches[patchOf(y*w+x)]
	}
	for _, p := range patches {
		p.surface = p.holds(side) && !p.isSign(at)
	}
	out := make([]bool, len(square))
	for i := range out {
		out[i] = patches[patchOf(i)].surface
	}
	return out
}

// holds reports whether a patch is large enough for text.
func (p *patch) holds(side int16) bool {
	w, h := p.box.Dx(), p.box.Dy()
	return p.square >= side || h >= int(side) && 2*h <= w && 2*p.area >= w*h
}

// isSign distinguishes a large character or a dot from a background: its strokes are as thick as a margin is wide, but
// a character fills less of its box than a button does, and a dot all of it. Both are on one patch.
func (p *patch) isSign(at func(x, y int) *patch) bool {
	const beside = 3 // pixels of soft edge
	w, h := p.box.Dx(), p.box.Dy()
	full := float64(p.area) / float64(w*h)
	dot := full > solid && min(w, h) <= largestDot && max(w, h) <= 3*largestDot
	letter := full < letterFills && max(w, h) <= largestLetter && float64(p.square) < stroke*float64(h)
	if !dot && !letter {
		return false
	}
	x, y := p.box.Min.X+w/2, p.box.Min.Y+h/2
	below := at(x, p.box.Max.Y-1+beside)
	alone := below != nil && below != p && below == at(x, p.box.Min.Y-beside)
	return alone && (letter || below == at(p.box.Min.X-beside, y) || below == at(p.box.Max.X-1+beside, y))
}

// nearestSurface returns for each pixel the index of a pixel of the surface that is nearest to it, or -1.
func nearestSurface(w, h int, surface []bool) []int32 {
	near, dist := make([]int32, w*h), make([]int32, w*h)
	const far = 1 << 29
	for i := range near {
		near[i], dist[i] = -1, far
		if surface[i] {
			near[i], dist[i] = int32(i), 0
		}
	}
	relax := func(i, j int) {
		if dist[j]+1 < dist[i] {
			dist[i], near[i] = dist[j]+1, near[j]
		}
	}
	for i := range near {
		if i%w > 0 {
			relax(i, i-1)
		}
		if i >= w {
			relax(i, i-w)
		}
	}
	for i := len(near) - 1; i >= 0; i-- {
		if i%w < w-1 {
			relax(i, i+1)
		}
		if i+w < len(near) {
			relax(i, i+w)
		}
	}
	return near
}
