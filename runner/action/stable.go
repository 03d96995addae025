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
	"github.com/taproot-dev/taproot/reporters/event"
)

// How long the pixels must rest for waitStable. Once they moved while the elements were read, it looks for long enough
// to know a clock by its ticks.
const (
	quietStable = 400 * time.Millisecond
	quietClock  = 1300 * time.Millisecond
)

// stablePace is how long waitStable rests between two screenshots: what blinks is distinguished from what turns only by
// often looking.
const stablePace = 60 * time.Millisecond

// stableLooks is how many screenshots in a row must show no movement.
const stableLooks = 2

func waitStable(ctx context.Context, s *Session, _ dsl.WaitStable) error {
	w := newScreenReader(s)
	w.onlySeen = true
	began := time.Now()
	quiet := quietStable
	err := pollEvery(ctx, s.Timeout, stablePace, func() error {
		err := w.takeScreenshot(ctx)
		var p *drivers.ProtectedError
		if errors.As(err, &p) {
			return w.restsByElements(ctx, p)
		}
		if err != nil {
			return err
		}
		if w.rest.Looks() < stableLooks || time.Since(w.rest.Since()) < quiet {
			return errWait
		}
		if err := w.read(ctx, false); err != nil { // the elements must be readable, too
			return err
		}
		if n := w.tree.Focused(); n != nil && n.Editable {
			w.rest.Mask = n.Bounds
		}
		since := w.rest.Since()
		if err := w.takeScreenshot(ctx); err != nil {
			return err
		}
		if w.rest.Since() != since { // reading them takes seconds on some phones, and the screen did not rest meanwhile
			quiet = quietClock
			return errWait
		}
		return nil
	})
	switch {
	case errors.Is(err, errWait):
		return s.unstable(w, began)
	case err == nil && len(w.rest.Ignored()) > 0:
		r := w.rest.Ignored()[0]
		s.note("the screen rests except for what ticks or blinks at %d,%d to %d,%d", r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
	}
	return err
}

// restsByElements reports by its elements alone whether a screen rests of which no screenshots may be taken. errWait:
// not yet.
func (w *screenReader) restsByElements(ctx context.Context, p *drivers.ProtectedError) error {
	w.pixels = false
	if err := w.read(ctx, false); err != nil {
		return err
	}
	if w.pixelsOnly {
		return p
	}
	if w.tree.Taken.Sub(w.treeSince) < quietStable {
		return errWait
	}
	w.s.doubtOnce("the app forbids screenshots of its window %s: that its elements rest is all that was seen",
		p.Parts[0].Window)
	return nil
}

// unstable is the failure of a screen that did not come to rest; the report draws the place into the screenshot.
func (s *Session) unstable(w *screenReader, began time.Time) error {
	p := event.Problem{Expected: "nothing moves on the screen", Assertion: true}
	if r := w.rest.Unrest(); r.Empty() {
		p.Actual = fmt.Sprintf("%s were not enough to see it rest for %s", time.Since(began).Round(time.Millisecond),
			quietStable)
	} else {
		p.Actual = fmt.Sprintf("the region %d,%d to %d,%d kept changing", r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
		s.Detail.Bounds = &[4]int{r.Min.X, r.Min.Y, r.Max.X, r.Max.Y}
		if n := elementAt(w.tree, r.Min.Add(r.Size().Div(2))); n != nil {
			p.Actual += ", in " + n.String()
		}
	}
	p.Message = fmt.Sprintf("the screen did not settle within %s: %s", s.Timeout, p.Actual)
	return &Failure{p}
}

// elementAt returns the smallest element at a place that has a name, or nil.
func elementAt(t *screen.Tree, p image.Point) *screen.Node {
	if t == nil {
		return nil
	}
	var found *screen.Node
	area := func(n *screen.Node) int { return n.Bounds.Dx() * n.Bounds.Dy() }
	for n := range t.All {
		if p.In(n.Bounds) && !n.Hidden && n.Label() != "" && (found == nil || area(n) <= area(found)) {
			found = n
		}
	}
	return found
}
