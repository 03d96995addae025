package vision

import (
	"cmp"
	"image"
	"image/draw"
	"slices"

	xdraw "golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	// A row is read a second time at this height, in pixels, with so much white around it. Tesseract reads it best then.
	rowHeight = 40
	rowMargin = 28
	// What is lower or higher is not text, in pixels of the screen.
	lowestRow, highestRow = 8, 320
	// maxRows bounds how many rows are read a second time: a photograph has no end of them.
	maxRows = 48
	// maxBlobs is the number of pieces from which on an image is not a screen with text, and looking for rows takes too
	// long.
	maxBlobs = 6000
	// widestRow bounds a row on the sheet, in pixels.
	widestRow = 3000
	// tallRow is the height, in pixels of the image that was read, from which on tesseract loses dots and whole words.
	tallRow = 72
	// sure is the confidence below which a word is read again.
	sure = 0.8
	// confidentAgain is the confidence of the worst word of a row from which on its second reading counts.
	confidentAgain = 0.65
	// wordGap is the widest gap within a row, in its heights.
	wordGap = 0.7
)

// row is a group of blobs side by side.
type row struct {
	box   image.Rectangle
	blobs []blob
}

// rows groups blobs to rows of text.
func rows(all []blob) []row {
	if len(all) > maxBlobs {
		return nil
	}
	sorted := slices.DeleteFunc(slices.Clone(all), func(b blob) bool {
		return b.box.Dy() > highestRow ||
			b.box.Dx() > widestRow
	})
	slices.SortStableFunc(sorted, func(a, b blob) int { return cmp.Compare(a.box.Min.X, b.box.Min.X) })
	groups := newForest(len(sorted))
	for i := range sorted {
		for j := range i {
			if sorted[j].follows(sorted[i]) || sorted[j].dots(sorted[i]) || sorted[i].dots(sorted[j]) {
				groups.join(j, i)
			}
		}
	}
	at := map[int]int{}
	var out []row
	for i, b := range sorted {
		g := groups.root(i)
		if _, known := at[g]; !known {
			at[g] = len(out)
			out = append(out, row{})
		}
		r := &out[at[g]]
		r.box, r.blobs = r.box.Union(b.box), append(r.blobs, b)
	}
	return slices.DeleteFunc(out, func(r row) bool {
		return r.box.Dy() < lowestRow || r.box.Dy() > highestRow ||
			r.shape()
	})
}

// follows reports whether two blobs follow each other in a row. A character next to a character is of like height; what
// is much lower is a comma or a dash, close by.
func (b blob) follows(o blob) bool {
	high, low := float64(max(b.box.Dy(), o.box.Dy())), float64(min(b.box.Dy(), o.box.Dy()))
	gap := float64(max(b.box.Min.X, o.box.Min.X) - min(b.box.Max.X, o.box.Max.X))
	common := float64(min(b.box.Max.Y, o.box.Max.Y) - max(b.box.Min.Y, o.box.Min.Y))
	if common < low/2 {
		return false
	}
	if high <= 2.2*low {
		return gap <= wordGap*high
	}
	return gap <= wordGap*high/2
}

// dots reports whether a blob is the dot of another, as of an i.
func (b blob) dots(o blob) bool {
	size, of := b.box.Size(), o.box.Size()
	apart := max(b.box.Min.Y, o.box.Min.Y) - min(b.box.Max.Y, o.box.Max.Y)
	common := min(b.box.Max.X, o.box.Max.X) - max(b.box.Min.X, o.box.Min.X)
	return b.isSolid() && 2*size.Y <= of.Y && 2*size.X <= of.Y && 3*apart <= of.Y && 2*common >= min(size.X, of.X)
}

func (b blob) isSolid() bool { return float64(b.area) >= solid*float64(b.box.Dx()*b.box.Dy()) }

// shape reports whether a blob is a lone dot, bar or box, which is not text.
func (r row) shape() bool {
	b := r.blobs[0]
	return len(r.blobs) == 1 && (b.isSolid() || b.box.Dx() > 3*b.box.Dy())
}

// unread returns the rows of which something was not read, or not surely, and those that are higher than tesseract
// likes.
func unread(all []row, read []drivers.TextLine, scale float64) []row {
	var words []drivers.TextLine
	for _, l := range read {
		words = append(words, l.Words...)
	}
	var out []row
	for _, r := range all {
		if r.upright(all) && (float64(r.box.Dy())*scale > tallRow ||
			slices.ContainsFunc(r.blobs, func(b blob) bool { return b.missed(r, words) })) {
			out = append(out, r)
		}
	}
	return out[:min(len(out), maxRows)]
}

// missed reports whether a blob belongs to no word that was surely read. What is low is a dot or an accent.
func (b blob) missed(r row, words []drivers.TextLine) bool {
	centre := b.box.Min.Add(b.box.Size().Div(2))
	return 5*b.box.Dy() >= 2*r.box.Dy() && !slices.ContainsFunc(words, func(w drivers.TextLine) bool {
		return w.Confidence >= sure && centre.In(w.Bounds.Inset(-1))
	})
}

// upright distinguishes a character that is alone from one of a text that runs downwards: nothing alike is right above
// or below it.
func (r row) upright(all []row) bool {
	return len(r.blobs) > 1 || !slices.ContainsFunc(all, func(o row) bool {
		apart := max(r.box.Min.Y, o.box.Min.Y) - min(r.box.Max.Y, o.box.Max.Y)
		return len(o.blobs) == 1 && o.box != r.box && o.box.Min.X < r.box.Max.X && r.box.Min.X < o.box.Max.X &&
			2*apart < max(r.box.Dx(), r.box.Dy())
	})
}

// sheet is an image on which rows are below each other, all of one height.
type sheet struct {
	gray *image.Gray
	rows []row
	tops []int // of the rows on the sheet; the last one is its end
}

// newSheet copies rows from a page.
func newSheet(page *image.Gray, all []row) sheet {
	s := sheet{rows: all}
	width, top := 0, 0
	for _, r := range all {
		s.tops = append(s.tops, top)
		width, top = max(width, int(float64(r.box.Dx())*r.scale())), top+rowHeight+2*rowMargin
	}
	s.tops = append(s.tops, top)
	s.gray = image.NewGray(image.Rect(0, 0, min(width, widestRow)+2*rowMargin, top))
	draw.Draw(s.gray, s.gray.Rect, image.White, image.Point{}, draw.Src)
	for i, r := range all {
		at := image.Pt(rowMargin, s.tops[i]+rowMargin)
		to := image.Rectangle{Min: at, Max: at.Add(image.Pt(max(1, int(float64(r.box.Dx())*r.scale())), rowHeight))}
		xdraw.CatmullRom.Scale(s.gray, to, page, r.box, xdraw.Src, nil)
	}
	return s
}

func (r row) scale() float64 {
	return min(rowHeight/float64(r.box.Dy()), widestRow/float64(r.box.Dx()))
}

// back maps words of the sheet to their places on the screen, and their rows for lines.
func (s sheet) back(words []tsvWord) []tsvWord {
	var out []tsvWord
	for _, w := range words {
		middle := (w.Bounds.Min.Y + w.Bounds.Max.Y) / 2
		i, _ := slices.BinarySearch(s.tops, middle+1)
		if i--; i < 0 || i >= len(s.rows) {
			continue
		}
		r := s.rows[i]
		w.line = [3]int{-1, 0, i}
		w.Bounds = unscale(w.Bounds.Sub(image.Pt(rowMargin, s.tops[i]+rowMargin)), r.scale()).Add(r.box.Min).Intersect(r.box)
		out = append(out, w)
	}
	return out
}

// uncut leaves out the words next to which unread ink continues: what is left of "Unpaid" when its beginning was not
// read is not "paid".
func uncut(lines []drivers.TextLine, ink []blob) []drivers.TextLine {
	var words []drivers.TextLine
	for _, l := range lines {
		words = append(words, l.Words...)
	}
	loose := slices.DeleteFunc(slices.Clone(ink), func(b blob) bool {
		return slices.ContainsFunc(words, func(w drivers.TextLine) bool { return b.isOf(w) })
	})
	var out []drivers.TextLine
	for _, l := range lines {
		kept := slices.DeleteFunc(slices.Clone(l.Words), func(w drivers.TextLine) bool {
			return slices.ContainsFunc(loose, func(b blob) bool { return b.continues(w) })
		})
		if len(kept) > 0 {
			out = append(out, lineOf(kept))
		}
	}
	return out
}

// isOf reports whether a blob is a character of a word, or several, and no more than that.
func (b blob) isOf(w drivers.TextLine) bool {
	box, slack := w.Bounds, w.Bounds.Dy()/2
	return middle(drivers.TextLine{Bounds: b.box}).In(box.Inset(-1)) && b.box.Min.X >= box.Min.X-slack &&
		b.box.Max.X <= box.Max.X+slack
}

// continues reports whether a blob may be a character of a word that was not read: as large as its characters, and as
// close as they are.
func (b blob) continues(w drivers.TextLine) bool {
	height := w.Bounds.Dy()
	common := min(b.box.Max.Y, w.Bounds.Max.Y) - max(b.box.Min.Y, w.Bounds.Min.Y)
	gap := max(b.box.Min.X, w.Bounds.Min.X) - min(b.box.Max.X, w.Bounds.Max.X)
	return 2*b.box.Dy() >= height && b.box.Dy() <= 2*height && 2*common >= b.box.Dy() && 6*gap <= height
}

// forest groups things that hang together, by their numbers.
type forest []int32

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = int32(i)
	}
	return f
}

// root returns the number by which the group of i is known.
func (f forest) root(i int) int {
	for f[i] != int32(i) {
		f[i] = f[f[i]]
		i = int(f[i])
	}
	return i
}

// join makes one group of two.
func (f forest) join(a, b int) { f[f.root(a)] = int32(f.root(b)) }
