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
	"github.com/taproot-dev/taproot/runner/decide"
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
	w := newReader(s, decide.Want{})
	began := time.Now()
	quiet := quietStable
	err := pollEvery(ctx, s.Timeout, stablePace, func() error {
		err := w.screen.Shoot(ctx)
		var p *drivers.ProtectedError
		if errors.As(err, &p) {
			return w.restsByElements(ctx, p)
		}
		if err != nil {
			return err
		}
		if w.screen.Rest().Looks() < stableLooks || time.Since(w.screen.Rest().Since()) < quiet {
			return errWait
		}
		if err := w.read(ctx, false); err != nil { // the elements must be readable, too
			return err
		}
		if n := w.tree.Focused(); n != nil && n.Editable {
			w.screen.Rest().Mask = n.Bounds
		}
		since := w.screen.Rest().Since()
		if err := w.screen.Shoot(ctx); err != nil {
			return err
		}
		// reading them takes seconds on some phones, and the screen did not rest meanwhile
		if w.screen.Rest().Since() != since {
			quiet = quietClock
			return errWait
		}
		return nil
	})
	switch {
	case errors.Is(err, errWait):
		return unstable(s, w, began)
	case err == nil && len(w.screen.Rest().Ignored()) > 0:
		r := w.screen.Rest().Ignored()[0]
		s.note("the screen rests except for what ticks or blinks at %d,%d to %d,%d", r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
	}
	return err
}

// restsByElements reports by its elements alone whether a screen rests of which no screenshots may be taken. errWait:
// not yet.
func (w *reader) restsByElements(ctx context.Context, p *drivers.ProtectedError) error {
	w.want.Device.Pixels = false
	if err := w.read(ctx, false); err != nil {
		return err
	}
	if w.frame.PixelsOnly {
		return p
	}
	if w.tree.Taken.Sub(w.search.SameSince()) < quietStable {
		return errWait
	}
	w.s.doubtOnce("the app forbids screenshots of its window %s: that its elements rest is all that was seen",
		p.Parts[0].Window)
	return nil
}

// unstable is the failure of a screen that did not come to rest; the report draws the place into the screenshot.
func unstable(s *Session, w *reader, began time.Time) error {
	p := event.Problem{Expected: "nothing moves on the screen", Assertion: true}
	if r := w.screen.Rest().Unrest(); r.Empty() {
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
