package pixels

import "image"

// faintEdge is the least difference of a colour, of 255, between two neighbouring pixels that a person may still see as
// an edge.
const faintEdge = 4

// Blank reports whether a part of a screenshot has no edge at all, in whatever colour: nothing is drawn there but its
// ground.
func Blank(img image.Image, r image.Rectangle) bool {
	edges := 0
	var above [][3]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := make([][3]int, 0, r.Dx())
		for x := r.Min.X; x < r.Max.X; x++ {
			row = append(row, colourAt(img, x, y))
			n := len(row) - 1
			if n > 0 && anEdge(row[n], row[n-1]) || above != nil && anEdge(row[n], above[n]) {
				if edges++; edges > 2 {
					return false
				}
			}
		}
		above = row
	}
	return true
}

// anEdge reports whether a person may see an edge between two colours.
func anEdge(a, b [3]int) bool {
	return max(abs(a[0]-b[0]), abs(a[1]-b[1]), abs(a[2]-b[2])) >= faintEdge
}

func colourAt(img image.Image, x, y int) [3]int {
	if p, ok := img.(*image.RGBA); ok {
		at := p.PixOffset(x, y)
		return [3]int{int(p.Pix[at]), int(p.Pix[at+1]), int(p.Pix[at+2])}
	}
	r, g, b, _ := img.At(x, y).RGBA()
	return [3]int{int(r >> 8), int(g >> 8), int(b >> 8)}
}

func abs(n int) int { return max(n, -n) }

const (
	lineWidth   = 3  // of the border of what is drawn over an element
	mostCorner  = 32 // of a rounded corner
	noise       = 2  // so few edges are
	borderEdges = 4  // columns of edges that two borders make
	// shortestLine is the least length of an edge that no character has.
	shortestLine = 24
)

// Ink is a part of a screenshot, in which some places do not count.
type Ink struct {
	img  image.Image
	part image.Rectangle
	not  []bool // by pixel, row after row
}

// NewInk returns the ink in a part of a screenshot.
func NewInk(img image.Image, part image.Rectangle) *Ink {
	return &Ink{img, part, make([]bool, max(0, part.Dx()*part.Dy()))}
}

// Without leaves out a box.
func (k *Ink) Without(r image.Rectangle) {
	r = r.Intersect(k.part)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := k.not[(y-k.part.Min.Y)*k.part.Dx():]
		for x := r.Min.X; x < r.Max.X; x++ {
			row[x-k.part.Min.X] = true
		}
	}
}

// WithoutEdges leaves out the border of a box, and its corners, which may be round.
func (k *Ink) WithoutEdges(r image.Rectangle) { k.withoutBorder(r, lineWidth) }

// WithoutSides leaves out the border of a box, too, but only one row of pixels on each side of its horizontal lines:
// characters that are cut there still show more than a line does, which is the same from one column to the next.
func (k *Ink) WithoutSides(r image.Rectangle) { k.withoutBorder(r, 1) }

func (k *Ink) withoutBorder(r image.Rectangle, rows int) {
	for _, y := range []int{r.Min.Y, r.Max.Y} {
		k.Without(image.Rect(r.Min.X-lineWidth, y-rows, r.Max.X+lineWidth, y+rows))
	}
	for _, x := range []int{r.Min.X, r.Max.X} {
		k.Without(image.Rect(x-lineWidth, r.Min.Y-lineWidth, x+lineWidth, r.Max.Y+lineWidth))
	}
	k.WithoutCorners(r)
}

// WithoutCorners leaves out the corners of a box, which may be round: what is outside the circle of the largest radius,
// and its line.
func (k *Ink) WithoutCorners(r image.Rectangle) {
	size := min(r.Dx()/3, r.Dy()/3, mostCorner)
	radius := max(0, size-lineWidth)
	for dy := range size {
		for dx := range size {
			if x, y := size-dx, size-dy; x*x+y*y <= radius*radius {
				continue
			}
			for _, at := range []image.Point{
				{r.Min.X + dx, r.Min.Y + dy}, {r.Max.X - 1 - dx, r.Min.Y + dy},
				{r.Min.X + dx, r.Max.Y - 1 - dy}, {r.Max.X - 1 - dx, r.Max.Y - 1 - dy},
			} {
				if at.In(k.part) {
					k.not[(at.Y-k.part.Min.Y)*k.part.Dx()+at.X-k.part.Min.X] = true
				}
			}
		}
	}
}

// Any reports whether there is any edge.
func (k *Ink) Any() bool {
	across, columns := k.edges()
	return across+sum(columns) > noise
}

// HasCharacters reports whether there is more than the straight lines of borders: along a horizontal one nothing
// changes, and a vertical one changes a whole column alike, or as much of it as is in view.
func (k *Ink) HasCharacters() bool {
	_, columns := k.edges()
	found, straight := 0, 0
	for x, n := range columns {
		if n == 0 {
			continue
		}
		if n*4 >= k.rowsOf(x)*3 || k.endless(x, n) {
			straight++
		} else {
			found += n
		}
	}
	return found > noise || straight > borderEdges
}

// endless reports whether the edges of a column are one line that is longer than a stroke of a character, and starts or
// ends where the part does.
func (k *Ink) endless(x, n int) bool {
	if n < shortestLine || x == 0 {
		return false
	}
	first, last, rows := -1, 0, k.part.Dy()
	for y := range rows {
		at := y*k.part.Dx() + x
		if !k.not[at] && !k.not[at-1] && anEdge(colourAt(k.img, k.part.Min.X+x, k.part.Min.Y+y),
			colourAt(k.img, k.part.Min.X+x-1, k.part.Min.Y+y)) {
			if first < 0 {
				first = y
			}
			last = y
		}
	}
	left := func(y int) bool { return y < 0 || y >= rows || k.not[y*k.part.Dx()+x] || k.not[y*k.part.Dx()+x-1] }
	return last-first < n+noise && (left(first-1) || left(last+1))
}

// Line reports whether an edge runs along nearly all of a part that is two pixels wide, or two high.
func (k *Ink) Line() bool {
	step, length := image.Pt(0, 1), k.part.Dx()
	if k.part.Dx() == 2 {
		step, length = image.Pt(1, 0), k.part.Dy()
	}
	along, found := image.Pt(step.Y, step.X), 0
	for i := range length {
		a := k.part.Min.Add(along.Mul(i))
		b := a.Add(step)
		if anEdge(colourAt(k.img, a.X, a.Y), colourAt(k.img, b.X, b.Y)) {
			found++
		}
	}
	return length >= shortestLine && found*10 >= length*9
}

// rowsOf is how many pixels of a column count.
func (k *Ink) rowsOf(x int) int {
	rows := 0
	for i := x; i < len(k.not); i += k.part.Dx() {
		if !k.not[i] {
			rows++
		}
	}
	return rows
}

// edges counts the differences between rows, and those between a column and the one before it.
func (k *Ink) edges() (across int, columns []int) {
	width := k.part.Dx()
	columns = make([]int, max(0, width))
	var above [][3]int
	for y := k.part.Min.Y; y < k.part.Max.Y; y++ {
		row := make([][3]int, width)
		at := (y - k.part.Min.Y) * width
		for x := range width {
			row[x] = colourAt(k.img, k.part.Min.X+x, y)
			if k.not[at+x] {
				continue
			}
			if x > 0 && !k.not[at+x-1] && anEdge(row[x], row[x-1]) {
				columns[x]++
			}
			if above != nil && !k.not[at+x-width] && anEdge(row[x], above[x]) {
				across++
			}
		}
		above = row
	}
	return across, columns
}

func sum(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}
