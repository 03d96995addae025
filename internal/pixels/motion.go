package pixels

import (
	"image"
	"iter"
)

// Motion is what became of a part of the screen between two screenshots.
type Motion int

// The motions.
const (
	Rests     Motion = iota // nothing in it differs
	Within                  // it is where it was, and something inside it changes: a spinner, a caret
	Elsewhere               // what it showed is found in another place
	Unlike                  // it shows something else, and its new place is unknown
)

const (
	followed   = 200 // pixels, as far as a thing is followed
	heldShare  = 0.6 // of the edges must be where they were for a thing to stand
	foundShare = 0.8 // of the samples must be found in another place for it to be there
	samples    = 64
	fewEdges   = 8 // so few say nothing of a direction
)

// MotionOf compares a part of two screenshots by its edges. What moves sideways takes its upright edges along, what
// moves up or down its level ones; what only animates inside keeps its outline and its text.
func MotionOf(a, b image.Image, part image.Rectangle) Motion {
	if Changed(a, b, part).Empty() {
		return Rests
	}
	if a.Bounds() != b.Bounds() {
		return Unlike
	}
	x, y := RGBA(a), RGBA(b)
	upright, level := edgesOf(x, part, image.Pt(1, 0)), edgesOf(x, part, image.Pt(0, 1))
	if len(upright) < fewEdges && len(level) < fewEdges {
		return Unlike
	}
	if held(x, y, upright) && held(x, y, level) {
		return Within
	}
	if wentElsewhere(x, y, append(spread(upright, samples/2), spread(level, samples/2)...)) {
		return Elsewhere
	}
	return Unlike
}

// edge is a pixel and a neighbour of another colour.
type edge struct{ at, beside image.Point }

// edgesOf lists the edges of a part in one direction, those of its outline too.
func edgesOf(img *image.RGBA, part image.Rectangle, step image.Point) []edge {
	part = part.Inset(-1).Intersect(img.Rect)
	part.Max = part.Max.Sub(step)
	var list []edge
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			e := edge{image.Pt(x, y), image.Pt(x, y).Add(step)}
			if differ(img.Pix[img.PixOffset(x, y):], img.Pix[img.PixOffset(e.beside.X, e.beside.Y):]) {
				list = append(list, e)
			}
		}
	}
	return list
}

// held reports whether most edges are where they were: there is still one, and at least one side of it has kept its
// colour.
func held(a, b *image.RGBA, edges []edge) bool {
	if len(edges) < fewEdges {
		return true
	}
	kept := 0
	for _, e := range edges {
		if alike(a, b, e.at, e.at) || alike(a, b, e.beside, e.beside) {
			if !alike(b, b, e.at, e.beside) {
				kept++
			}
		}
	}
	return float64(kept) >= heldShare*float64(len(edges))
}

// wentElsewhere reports whether the samples are found together in another place of the second screenshot, where the
// first one did not show them.
func wentElsewhere(a, b *image.RGBA, list []edge) bool {
	for d := range ways(followed) {
		if foundAt(a, b, list, d) && !foundAt(a, a, list, d) {
			return true
		}
	}
	return false
}

// ways returns all ways of at most so many pixels, up to down.
func ways(far int) iter.Seq[image.Point] {
	return func(yield func(image.Point) bool) {
		for y := -far; y <= far; y++ {
			for x := -far; x <= far; x++ {
				if (x != 0 || y != 0) && !yield(image.Pt(x, y)) {
					return
				}
			}
		}
	}
}

func foundAt(a, b *image.RGBA, list []edge, d image.Point) bool {
	may := int((1 - foundShare) * float64(len(list))) // miss
	for _, e := range list {
		at, beside := e.at.Add(d), e.beside.Add(d)
		if !at.In(b.Rect) || !beside.In(b.Rect) || !alike(a, b, e.at, at) || !alike(a, b, e.beside, beside) {
			if may--; may < 0 {
				return false
			}
		}
	}
	return true
}

// alike reports whether a pixel of one image has the colour of one of the other.
func alike(a, b *image.RGBA, p, q image.Point) bool {
	return !differ(a.Pix[a.PixOffset(p.X, p.Y):], b.Pix[b.PixOffset(q.X, q.Y):])
}

// spread picks at most n of a list, evenly.
func spread(list []edge, n int) []edge {
	if len(list) <= n {
		return list
	}
	picked := make([]edge, n)
	for i := range picked {
		picked[i] = list[i*len(list)/n]
	}
	return picked
}
