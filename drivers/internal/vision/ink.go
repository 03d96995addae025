package vision

import (
	"image"
	"slices"
)

const (
	// dark is the grey from which on a prepared image has ink.
	dark = 160
	// frames are at least so wide and high, and ink is at most so much of their boxes.
	smallestFrame = 20
	frameFills    = 0.35
	// smallestBlob is the height of what may be a character, in pixels.
	smallestBlob = 6
)

// blob is a connected piece of ink: a character, a part of one, several that touch each other, or a drawing.
type blob struct {
	box  image.Rectangle
	area int
	at   int // a pixel of it
}

// blobs finds the connected ink of a prepared image, in the order of their uppermost pixels.
func blobs(page *image.Gray) []blob {
	w := page.Rect.Dx()
	var all []blob
	seen := make([]bool, len(page.Pix))
	var queue []int
	for start, v := range page.Pix {
		if v >= dark || seen[start] {
			continue
		}
		b := blob{at: start}
		seen[start] = true
		queue = append(queue[:0], start)
		for len(queue) > 0 {
			i := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			x, y := i%w, i/w
			b.box, b.area = b.box.Union(image.Rect(x, y, x+1, y+1)), b.area+1
			around(page.Rect, x, y, func(j int) {
				if page.Pix[j] < dark && !seen[j] {
					seen[j] = true
					queue = append(queue, j)
				}
			})
		}
		all = append(all, b)
	}
	return all
}

// around calls visit with the index of each pixel that touches one.
func around(r image.Rectangle, x, y int, visit func(int)) {
	for ny := max(0, y-1); ny <= min(r.Dy()-1, y+1); ny++ {
		for nx := max(0, x-1); nx <= min(r.Dx()-1, x+1); nx++ {
			visit(ny*r.Dx() + nx)
		}
	}
}

// unframe whitens the lines around buttons, chips and cells, which would be read as brackets, and returns the blobs
// that are left.
func unframe(page *image.Gray, all []blob) []blob {
	return slices.DeleteFunc(slices.Clone(all), func(b blob) bool {
		if !b.surrounds(all) || !b.level(page) {
			return false
		}
		flood(page, b.at, func(i int) { page.Pix[i] = 255 })
		return true
	})
}

// surrounds reports whether a blob is sparse, with others in its box.
func (b blob) surrounds(all []blob) bool {
	size := b.box.Size()
	if min(size.X, size.Y) < smallestFrame || float64(b.area) > frameFills*float64(size.X*size.Y) {
		return false
	}
	inner := b.box.Inset(2)
	return slices.ContainsFunc(all, func(o blob) bool {
		return o.at != b.at && o.box.Dy() >= smallestBlob &&
			o.box.In(inner)
	})
}

// level reports whether a blob has a straight line at its top and one at its bottom, as round frames have, too.
func (b blob) level(page *image.Gray) bool {
	const thick, part = 4, 0.4
	top, bottom := make([]bool, b.box.Dx()), make([]bool, b.box.Dx())
	w := page.Rect.Dx()
	seen := map[int]bool{}
	flood(page, b.at, func(i int) {
		x, y := i%w, i/w
		if x < b.box.Min.X || x >= b.box.Max.X {
			return
		}
		top[x-b.box.Min.X] = top[x-b.box.Min.X] || y < b.box.Min.Y+thick
		bottom[x-b.box.Min.X] = bottom[x-b.box.Min.X] || y >= b.box.Max.Y-thick
		seen[i] = true
	})
	count := func(line []bool) (n float64) {
		for _, hit := range line {
			if hit {
				n++
			}
		}
		return n
	}
	return min(count(top), count(bottom)) >= part*float64(b.box.Dx())
}

// flood visits the pixels of the blob to which one belongs, and its pale edge.
func flood(page *image.Gray, start int, visit func(int)) {
	w := page.Rect.Dx()
	queue, seen := []int{start}, map[int]bool{start: true}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if page.Pix[i] < dark {
			around(page.Rect, i%w, i/w, func(j int) {
				if page.Pix[j] < 255 && !seen[j] {
					seen[j] = true
					queue = append(queue, j)
				}
			})
		}
		visit(i)
	}
}
