package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

const (
	// scrollPart is how much of a box one movement crosses: the rest overlaps what was seen before.
	scrollPart = 0.8
	swipePart  = 0.6
	leastPart  = 0.1
	mostPart   = 4    // of a box on a page that scrolls less than the mouse wheel is turned
	smaller    = 0.75 // is a movement after one that skipped rows: they may be few and tall
)

// search is one scrollTo.
//
// It moves the box in steps that overlap (scrollPart), so that each row of a virtual list, which exists only while it
// is near the view, is in at least one read. After each step it compares the rows of the box with those before: if none
// is the same, the step went too far; it goes back and takes smaller steps. If nothing has changed, the content ended,
// or it loads more (lateContent); then the search turns once, when it did not start at the edge, and continues with the
// next box of the screen, the largest first. Devices that can scroll by themselves until a text may be in view do
// several steps within one call (drivers.ScrollOn). The search ends by its time, by its limit of movements, or at the
// end of all boxes, and the error lists the rows that it saw, because the usual mistake is another spelling.
type search struct {
	*reader
	a        dsl.ScrollTo
	way      image.Point
	deadline time.Time
	part     float64
	moves    int
	unknown  bool     // how far a movement goes: the page scrolls in its own way
	jumps    int      // movements that skipped rows
	rows     []string // that the box shows now
	first    string   // of all rows that were seen
	last     string
	anchor   []string       // the rows before a movement that went too far: it is gone back to them
	meant    []screen.Trace // the elements that inside has meant, whatever names them now
	nth      int            // of the boxes, the largest first, is scrolled
	boxes    int
	begun    bool // the box was not at its start when the search started
	turned   bool
	rested   bool          // the last movement came to rest
	looked   bool          // the screen was looked at since the last movement
	found    *screen.Match // by that read
	// by that read, too: it is under a bar of the system, and comes free by scrolling on, or back from under a bar at the
	// top, unless the content ends
	beneath *screen.Match
}

// scrollTo looks for the element and scrolls on until it is there, the content ends, or the limit is reached. Each
// movement overlaps what was seen before; one that went further is gone back.
func scrollTo(ctx context.Context, s *Performer, a dsl.ScrollTo) error {
	c := &search{reader: newReader(s, decide.Want{Purpose: decide.See, Selector: a.Selector}), a: a,
		way:      directionVector(a.Direction),
		deadline: time.Now().Add(s.Timeout), part: swipePart}
	if _, ok := s.Device.(drivers.Scroller); ok {
		c.part = scrollPart
	}
	c.readsParts(a.Selector)
	for {
		if !c.looked {
			if err := c.lookAround(ctx); err != nil {
				return err
			}
		}
		if c.looked = false; c.found != nil {
			c.told()
			c.keep(c.found)
			return c.arrive(ctx)
		}
		before := c.rows
		if err := c.see(ctx); err != nil {
			return err
		}
		back := c.skipped(before) || c.beneath != nil && c.way.Y > 0 && c.beneath.Cover.Bounds.Min.Y <= 0
		switch {
		case time.Now().After(c.deadline):
			return c.notFound(fmt.Sprintf("the time of %s was over after %d movements", s.Timeout, c.moves))
		case a.Limit > 0 && c.moves >= a.Limit:
			return c.notFound(fmt.Sprintf("%d movements were not enough", c.moves))
		}
		moved, err := c.move(ctx, back)
		if err != nil {
			return err
		}
		if moved {
			continue
		}
		more, err := c.growing(ctx)
		if err != nil {
			return err
		}
		if !more && c.beneath != nil {
			c.found = c.beneath
			c.keep(c.found)
			return c.arrive(ctx)
		}
		if !more && !c.turnBack() && !c.next() {
			return c.notFound(fmt.Sprintf("the content ends after %d movements", c.moves))
		}
	}
}

// directionVector is the direction in which content is, as a vector.
func directionVector(d dsl.Direction) image.Point {
	switch d {
	case dsl.Up:
		return image.Pt(0, -1)
	case dsl.Left:
		return image.Pt(-1, 0)
	case dsl.Right:
		return image.Pt(1, 0)
	}
	return image.Pt(0, 1)
}

// left is the time that the search still has.
func (c *search) left() time.Duration { return max(time.Until(c.deadline), 0) }

// lookAround looks for the element once the screen rests for a moment.
func (c *search) lookAround(ctx context.Context) error {
	c.found, c.beneath = nil, nil
	_, scrolls := c.s.Device.(drivers.Scroller)
	began := time.Now()
	err := poll(ctx, min(c.left(), listLimit), func() error {
		if err := c.read(ctx, !scrolls); err != nil {
			return err
		}
		if err := c.keepInside(ctx); err != nil {
			return err
		}
		matches, err := c.reachable(ctx, c.a.Selector)
		if err == nil && len(matches) == 0 {
			matches, err = c.underBar(ctx)
		}
		switch {
		case err != nil:
			return err
		case len(matches) > 0 && c.barOver(matches[0]) != nil:
			c.beneath = &matches[0]
			return nil
		case len(matches) > 0:
			c.found = &matches[0]
			return nil
		case scrolls && (c.moves == 0 || c.rested || c.tree.Taken.Sub(c.search.SameSince()) >= listRests ||
			time.Since(began) >= listMoves):
			return nil
		case !scrolls && c.settled(c.want.Timing.QuietToAssert):
			return nil
		}
		return errWait
	})
	if errors.Is(err, errWait) {
		err = nil
	}
	return err
}

// keepInside finds the elements that the selector's inside means in the newest tree. Where it picks none, they are
// those that it meant before: the movement may have taken the heading that names them out of view.
func (c *search) keepInside(ctx context.Context) error {
	inside := c.a.Selector.Inside
	if inside == nil || decide.NeedsVision(*inside) {
		return nil
	}
	c.within, c.withinOf = nil, inside
	matches, err := c.find(ctx, *inside, false)
	if err != nil {
		return err
	}
	for _, m := range matches {
		c.within = append(c.within, m.Box())
	}
	for _, trace := range c.meant {
		if n := c.tree.Again(trace); len(matches) == 0 && n != nil && !n.Hidden {
			c.within = append(c.within, n)
		}
	}
	if len(c.within) > 0 {
		c.meant = nil
		for _, n := range c.within {
			c.meant = append(c.meant, screen.TraceOf(n))
		}
	}
	return nil
}

// barOver returns the bar of the system that takes the touches of what was found, or nil.
func (c *search) barOver(m screen.Match) *screen.Node { return c.tree.BarOver(m) }

// keep keeps the frame that decided the search, so that it can be decided on again.
func (c *search) keep(found *screen.Match) {
	if c.tree != nil && c.frame.Tree == c.tree {
		c.s.Searches = append(c.s.Searches, c.search.Reached(c.a.Selector, c.frame, c.within, found))
	}
}

// underBar returns what is sought where it is invisible because a bar of the system is over all of it.
func (c *search) underBar(ctx context.Context) ([]screen.Match, error) {
	if len(c.tree.Bars) == 0 {
		return nil, nil
	}
	matches, err := c.find(ctx, c.a.Selector, true)
	if err != nil || len(matches) == 0 || c.barOver(matches[0]) == nil {
		return nil, err
	}
	return matches[:1], nil
}

// arrive brings what was found into view, where the device can.
func (c *search) arrive(ctx context.Context) error {
	c.s.matched(*c.found)
	n := c.found.Node
	r, ok := c.s.Device.(drivers.Revealer)
	if ok && (c.found.Away(c.tree) || c.found.Part == nil && !n.Bounds.In(image.Rectangle{Max: c.tree.Size})) {
		err := reveal(ctx, r, *c.found)
		c.s.acted, c.s.before = time.Now(), c.tree // what else it moved or faded was not looked at
		if err != nil || c.found.Part == nil {
			return err
		}
		return c.shows(ctx)
	}
	return nil
}

// shows checks that the part of a text that was scrolled to is in view.
func (c *search) shows(ctx context.Context) error {
	err := poll(ctx, min(c.left(), lateContent), func() error {
		if err := c.read(ctx, false); err != nil {
			return err
		}
		matches, err := c.find(ctx, c.a.Selector, false)
		if err == nil && len(matches) == 0 {
			err = errWait
		}
		return err
	})
	if errors.Is(err, errWait) {
		return c.notFound("its text does not come into view")
	}
	return err
}

// see notes the texts that the box shows, in the order in which they are read.
func (c *search) see(ctx context.Context) error {
	box, area, err := c.box(ctx)
	if err != nil {
		return err
	}
	if box == nil && c.tree.HitTested { // it came after the tree was read: what is in its place there is behind it
		return nil
	}
	beside := func(n *screen.Node) bool { return c.tree.HitTested && (n.Obscured != "" || !n.Within(box)) }
	var rows []string
	for n := range c.tree.All {
		at := n.Bounds.Min.Add(n.Bounds.Size().Div(2))
		if n.Text != "" && !n.Hidden && !n.Offscreen && at.In(area) && !beside(n) {
			rows = append(rows, n.Text)
		}
	}
	if len(rows) == 0 { // they are still drawn: what comes next is held against those before
		return nil
	}
	c.rows = rows
	if c.first == "" {
		c.first = c.rows[0]
	}
	c.last = c.rows[len(c.rows)-1]
	if c.turned || c.way.X+c.way.Y < 0 {
		c.last = c.rows[0]
	}
	return nil
}

// skipped reports whether to go back, because rows between the last two reads were not seen; the steps are smaller
// then.
func (c *search) skipped(before []string) bool {
	if c.moves == 0 || len(c.rows) == 0 {
		return false
	}
	if c.anchor == nil && c.part > leastPart && apart(before, c.rows) {
		c.anchor = before
		c.part *= smaller
		if c.jumps++; c.jumps > 1 {
			c.part /= 2 // the content moves further than its box
		}
	}
	if c.anchor != nil && !apart(c.anchor, c.rows) {
		c.anchor = nil
	}
	if new := newShare(before, c.rows); c.unknown && c.jumps == 0 && new > 0 && new < swipePart {
		c.part = min(c.part*min(2, scrollPart/new), mostPart)
	}
	return c.anchor != nil
}

// newShare is the part of the rows that were not there before.
func newShare(before, now []string) float64 {
	n := 0
	for _, row := range now {
		if !slices.Contains(before, row) {
			n++
		}
	}
	return float64(n) / float64(max(len(now), 1))
}

// next continues with the next box of the screen, when the test names none that is there.
func (c *search) next() bool {
	if c.nth+1 >= c.boxes {
		return false
	}
	c.nth++
	c.rows, c.anchor, c.turned = nil, nil, false
	c.way = directionVector(c.a.Direction)
	return true
}

// apart reports whether two reads of a list have no row in common: what was between them was not seen.
func apart(before, now []string) bool {
	return len(before) > 1 && len(now) > 1 &&
		!slices.ContainsFunc(now, func(row string) bool { return slices.Contains(before, row) })
}

// growing waits for rows that a list at its end still loads.
func (c *search) growing(ctx context.Context) (bool, error) {
	before := c.frame.Digest
	err := pollEvery(ctx, min(c.left(), lateContent), 2*listRests, func() error {
		if err := c.read(ctx, false); err != nil {
			return err
		}
		if c.frame.Digest == before {
			return errWait
		}
		return nil
	})
	if errors.Is(err, errWait) {
		return false, nil
	}
	return err == nil, err
}

// turnBack looks the other way, once, when the test did not say where the element is and the box was not at its
// beginning.
func (c *search) turnBack() bool {
	if c.turned || !c.begun || c.a.Direction != "" {
		return false
	}
	c.turned, c.way = true, image.Pt(-c.way.X, -c.way.Y)
	c.moves = 0
	c.begun = false
	return true
}

func (c *search) told() {
	if c.moves > 0 && c.first != "" {
		c.s.note("scrolled %d times, from %s to %s", c.moves, screen.Quote(c.first), screen.Quote(c.last))
	}
}

func (c *search) notFound(why string) error {
	c.keep(nil)
	err := c.missing(c.a.Selector, false)
	var f *Failure
	if errors.As(err, &f) {
		seen := ""
		if c.first != "" {
			seen = fmt.Sprintf("; the first row that was seen is %s, the last one %s", screen.Quote(c.first),
				screen.Quote(c.last))
		}
		f.Message = fmt.Sprintf("%s was not found by scrolling: %s%s; %s", screen.Describe(c.a.Selector), why, seen, f.Actual)
	}
	return err
}
