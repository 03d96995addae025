package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// search is one scrollTo: it reads the screen, and makes the movements that decide.Scrolling chooses.
//
// If nothing has changed after a movement, the content ended, or it loads more (lateContent). Devices that can scroll
// by themselves until a text may be in view do several steps within one call (drivers.ScrollOn). The search ends by its
// time, by its limit of movements, or at the end of all boxes, and the error lists the rows that it saw, because the
// usual mistake is another spelling.
type search struct {
	*reader
	a        dsl.ScrollTo
	scroll   decide.Scrolling
	deadline time.Time
	meant    []screen.Trace // the elements that inside has meant, whatever names them now
	rested   bool           // the last movement came to rest
	looked   bool           // the screen was looked at since the last movement
	found    *screen.Match  // by that read
	// by that read, too: it is under a bar of the system, and comes free by scrolling on, or back from under a bar at the
	// top, unless the content ends
	beneath *screen.Match
}

// scrollTo looks for the element and scrolls on until it is there, the content ends, or the limit is reached. Each
// movement overlaps what was seen before; one that went further is gone back.
func scrollTo(ctx context.Context, s *Performer, a dsl.ScrollTo) error {
	_, wheel := s.Device.(drivers.Scroller)
	c := &search{reader: newReader(s, decide.Want{Purpose: decide.See, Selector: a.Selector}), a: a,
		scroll: decide.NewScrolling(a.Direction, a.Limit, wheel), deadline: time.Now().Add(s.Timeout)}
	c.readsParts(a.Selector)
	for {
		if !c.looked {
			if err := c.lookAround(ctx); err != nil {
				return err
			}
		}
		if c.looked = false; c.found != nil {
			c.noteMovements()
			c.keep(c.found)
			return c.arrive(ctx)
		}
		if err := c.see(ctx); err != nil {
			return err
		}
		if time.Now().After(c.deadline) {
			return c.notFound(fmt.Sprintf("the time of %s was over after %d movements", s.Timeout, c.scroll.Moves))
		}
		way, back, end := c.scroll.Next(c.beneath != nil && c.beneath.Cover.Bounds.Min.Y <= 0)
		if end != "" {
			return c.notFound(end)
		}
		moved, err := c.move(ctx, way, back)
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
		if !more && !c.scroll.AtEnd() {
			return c.notFound(fmt.Sprintf("the content ends after %d movements", c.scroll.Moves))
		}
	}
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
		case scrolls && (c.scroll.Moves == 0 || c.rested || c.tree.Taken.Sub(c.search.SameSince()) >= listRests ||
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
	var rows []string
	late := box == nil && c.tree.HitTested // it came after the tree was read: what is in its place there is behind it
	beside := func(n *screen.Node) bool { return c.tree.HitTested && (n.Obscured != "" || !n.Within(box)) }
	for n := range c.tree.All {
		at := n.Bounds.Min.Add(n.Bounds.Size().Div(2))
		if !late && n.Text != "" && !n.Hidden && !n.Offscreen && at.In(area) && !beside(n) {
			rows = append(rows, n.Text)
		}
	}
	c.scroll.See(rows)
	return nil
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

func (c *search) noteMovements() {
	if m := c.scroll; m.Moves > 0 && m.First != "" {
		c.s.note("scrolled %d times, from %s to %s", m.Moves, screen.Quote(m.First), screen.Quote(m.Last))
	}
}

func (c *search) notFound(why string) error {
	c.keep(nil)
	err := c.missing(c.a.Selector, false)
	var f *Failure
	if errors.As(err, &f) {
		seen := ""
		if c.scroll.First != "" {
			seen = fmt.Sprintf("; the first row that was seen is %s, the last one %s", screen.Quote(c.scroll.First),
				screen.Quote(c.scroll.Last))
		}
		f.Message = fmt.Sprintf("%s was not found by scrolling: %s%s; %s", screen.Describe(c.a.Selector), why, seen, f.Actual)
	}
	return err
}
