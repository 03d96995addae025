package pixels

import (
	"image"
	"slices"
	"time"
)

// What is known of how screens move.
const (
	tileSide = 32 // pixels

	// A change is a tick, as of a clock, when what changed had been still for so long, seen often enough to be sure of it.
	tickStill  = 550 * time.Millisecond
	blinkStill = 350 * time.Millisecond // of something as small as a cursor
	tickGap    = 450 * time.Millisecond // between two screenshots, at most
	blinkGap   = 200 * time.Millisecond // the same; at a slower pace a spinner may look like something that blinks
	tickLooks  = 2

	// recent is how far back unrest is reported.
	recent = 2 * time.Second
)

// Rest watches the screenshots of one screen and reports since when it rests. Carets, clocks and the status bar do not
// disturb it. It is used by one goroutine.
type Rest struct {
	// StatusBar leaves the upper edge of a phone's screen out.
	StatusBar bool
	// Mask is left out, too: the text field that has the focus.
	Mask image.Rectangle

	last      *image.RGBA
	lastAt    time.Time
	since     time.Time
	looks     int // screenshots without unrest since then
	tiles     []tile
	columns   int
	caretAt   image.Rectangle // all that had the shape of a caret of late
	caretSeen time.Time
	unrest    []moment
	ignored   []image.Rectangle
}

// tile is the history of a small square of the screen.
type tile struct {
	changed time.Time // last
	looks   int       // screenshots since then in which it was still
	wide    bool      // too long a gap between two of them to know
	ticks   int       // changes in a row that were ticks
}

// moment is something that moved.
type moment struct {
	at  time.Time
	box image.Rectangle
}

// See takes the next screenshot and when it was requested.
func (r *Rest) See(at time.Time, img image.Image) {
	now := RGBA(img)
	if r.last == nil || r.last.Rect != now.Rect {
		r.begin(at, now)
		return
	}
	gap := at.Sub(r.lastAt)
	restless := false
	for _, region := range r.regions(now) {
		if r.disturbs(region, at, gap) {
			restless = true
			r.unrest = append(r.unrest, moment{at, region.box})
		}
	}
	for i := range r.tiles {
		t := &r.tiles[i]
		if t.changed != at {
			t.looks++
			t.wide = t.wide || gap > tickGap
		}
	}
	r.last, r.lastAt = now, at
	r.unrest = slices.DeleteFunc(r.unrest, func(m moment) bool { return at.Sub(m.at) > recent })
	if r.looks++; restless {
		r.since, r.looks = at, 0
	}
}

func (r *Rest) begin(at time.Time, now *image.RGBA) {
	if r.last != nil { // it was turned
		r.unrest = append(r.unrest, moment{at, now.Rect})
	}
	r.last, r.lastAt, r.since, r.looks = now, at, at, 0
	r.columns = (now.Rect.Dx() + tileSide - 1) / tileSide
	r.tiles = make([]tile, r.columns*((now.Rect.Dy()+tileSide-1)/tileSide))
}

// Last returns the newest screenshot, nil before the first.
func (r *Rest) Last() image.Image {
	if r.last == nil {
		return nil
	}
	return r.last
}

// Since returns when the screenshot was taken from which on nothing has moved; zero before the first.
func (r *Rest) Since() time.Time { return r.since }

// Looks returns how many screenshots, one after the other, nothing has moved in.
func (r *Rest) Looks() int { return r.looks }

// Unrest is the part of the screen that moved of late, empty when nothing did.
func (r *Rest) Unrest() image.Rectangle {
	var box image.Rectangle
	for _, m := range r.unrest {
		box = box.Union(m.box)
	}
	return box
}

// Ignored lists the places that move as clocks and cursors do.
func (r *Rest) Ignored() []image.Rectangle { return r.ignored }

// region is a group of changed tiles that touch each other.
type region struct {
	box   image.Rectangle // exact
	tiles []int
}

// regions groups what differs between the last screenshot and this one.
func (r *Rest) regions(now *image.RGBA) []region {
	area := now.Rect
	if r.StatusBar {
		area.Min.Y = StatusBar(area.Size()).Max.Y
	}
	boxes := map[int]image.Rectangle{}
	differing(r.last, now, area, func(row, first, last int) {
		p, q := r.last.Pix[r.last.PixOffset(first, row):], now.Pix[now.PixOffset(first, row):]
		masked := row >= r.Mask.Min.Y && row < r.Mask.Max.Y
		for x := first; x <= last; { // tile by tile
			at, from, to := row/tileSide*r.columns+x/tileSide, -1, -1
			for end := min(last+1, (x/tileSide+1)*tileSide); x < end; x++ {
				if i := 4 * (x - first); differ(p[i:], q[i:]) && !(masked && x >= r.Mask.Min.X && x < r.Mask.Max.X) {
					if from < 0 {
						from = x
					}
					to = x + 1
				}
			}
			if from >= 0 {
				boxes[at] = boxes[at].Union(image.Rect(from, row, to, row+1))
			}
		}
	})
	var all []region
	for len(boxes) > 0 {
		for at := range boxes {
			all = append(all, r.group(boxes, at))
			break
		}
	}
	slices.SortFunc(all, func(a, b region) int { return a.tiles[0] - b.tiles[0] })
	return all
}

// group takes all tiles out of boxes that hang together with the one at start.
func (r *Rest) group(boxes map[int]image.Rectangle, start int) region {
	var g region
	queue := []int{start}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		box, changed := boxes[at]
		if !changed {
			continue
		}
		delete(boxes, at)
		g.box, g.tiles = g.box.Union(box), append(g.tiles, at)
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if x := at%r.columns + dx; x >= 0 && x < r.columns {
					queue = append(queue, at+dy*r.columns+dx)
				}
			}
		}
	}
	slices.Sort(g.tiles)
	return g
}

// StatusBar is the bar with the clock at the top of a phone: a thirtieth of an upright screen.
func StatusBar(screen image.Point) image.Rectangle {
	part := 30
	if screen.X > screen.Y {
		part = 15
	}
	return image.Rect(0, 0, screen.X, screen.Y/part)
}

// disturbs reports whether a change is a movement, and notes it in the tiles' histories.
func (r *Rest) disturbs(g region, at time.Time, gap time.Duration) bool {
	tick := r.ticks(g, at, gap)
	screen := r.last.Rect
	if caretShaped(g.box, screen) && r.caret(g.box, at) {
		return false
	}
	if tick {
		r.ignore(g.box)
	}
	return !tick
}

// ticks reports whether a change is one of those that a clock or a blinking cursor makes. The first is a movement; the
// second, after the time between two ticks, is not.
func (r *Rest) ticks(g region, at time.Time, gap time.Duration) bool {
	screen := r.last.Rect.Size()
	size := g.box.Size()
	if 20*size.X*size.Y > screen.X*screen.Y {
		return false
	}
	need := tickStill
	if gap <= blinkGap && 20*size.X <= screen.X && 15*size.Y <= screen.Y {
		need = blinkStill
	}
	known := slices.ContainsFunc(g.tiles, func(i int) bool { return r.tiles[i].ticks > 0 })
	slow := true
	for _, i := range g.tiles {
		t := &r.tiles[i]
		still := r.lastAt.Sub(t.changed)
		if gap > tickGap { // it is unknown what happened meanwhile
			slow = slow && known
			continue
		}
		seen := !t.changed.IsZero() && t.looks >= tickLooks && !t.wide && still >= need
		fresh := t.changed.IsZero() && known // 9:59 becomes 10:00, which is wider
		slow = slow && (seen || fresh)
	}
	for _, i := range g.tiles {
		t := &r.tiles[i]
		ticks := 0
		if slow {
			ticks = t.ticks + 1
		}
		*t = tile{changed: at, ticks: ticks}
	}
	return slow
}

// caret reports whether a change of the shape of a text cursor is one: it blinks in its place. A line that moves on is
// the end of a bar that grows.
func (r *Rest) caret(box image.Rectangle, at time.Time) bool {
	const near = 3
	if at.Sub(r.caretSeen) > recent {
		r.caretAt = image.Rectangle{}
	}
	r.caretAt, r.caretSeen = r.caretAt.Union(box), at
	return r.caretAt.Dx() <= max(3, r.last.Rect.Dx()/150)+near && r.caretAt.Dy() <= r.last.Rect.Dy()/15
}

// caretShaped reports whether a change has the shape of a text cursor: a line, upright, not taller than a line of large
// text.
func caretShaped(box, screen image.Rectangle) bool {
	w, h := box.Dx(), box.Dy()
	return w > 0 && w <= max(3, screen.Dx()/150) && h >= 2*w && h <= screen.Dy()/15
}

func (r *Rest) ignore(box image.Rectangle) {
	for i, known := range r.ignored {
		if box.Overlaps(known.Inset(-tileSide)) {
			r.ignored[i] = known.Union(box)
			return
		}
	}
	r.ignored = append(r.ignored, box)
}
