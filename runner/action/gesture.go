package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
)

// able gives the device as one that has the power T; a device without it is a matter of the device, not of the app.
func able[T any](s *Session) (T, error) {
	d, ok := s.Device.(T)
	if !ok {
		return d, fmt.Errorf("device %s: %w", s.Device.Info().ID, drivers.ErrUnsupported)
	}
	return d, nil
}

// aim gives where to touch: the point that is asked for, or the element once it stands still.
func aim(ctx context.Context, s *Session, sel dsl.Selector) (image.Point, error) {
	if sel.Point != nil {
		p, err := place(ctx, s, *sel.Point)
		if err == nil {
			s.touched(p)
			s.tapped = nil
			s.meant(nil)
		}
		return p, err
	}
	m, err := target(ctx, s, sel)
	if err != nil {
		return image.Point{}, err
	}
	s.touched(m.Point)
	s.meant(m.Node)
	s.tapped = m.Target
	return m.Point, nil
}

func doubleTap(ctx context.Context, s *Session, a dsl.DoubleTap) error {
	return touch(ctx, s, spot{a.Selector, a.At}, func(d drivers.Gestures, p image.Point) error { return d.DoubleTap(ctx, p) })
}

func longPress(ctx context.Context, s *Session, a dsl.LongPress) error {
	return touch(ctx, s, spot{a.Selector, a.At}, func(d drivers.Gestures, p image.Point) error {
		return d.LongPress(ctx, p, millis(a.DurationMs, 800))
	})
}

// touch makes a gesture at one element or point.
func touch(ctx context.Context, s *Session, at spot, do func(drivers.Gestures, image.Point) error) error {
	d, err := able[drivers.Gestures](s)
	if err != nil {
		return err
	}
	return strike(ctx, s, at.aim, func(p image.Point) error { return do(d, p) })
}

// meant tells a device that can hold a touch back which element the next one is meant for; nil: whatever is there.
func (s *Session) meant(n *drivers.Node) {
	d, ok := s.Device.(drivers.Aimer)
	if !ok {
		return
	}
	if n != nil && n.Type == seenType { // in the pixels
		n = nil
	}
	d.Aim(n)
}

// strike aims and touches. When the device held the touch back, because something else had come to the place by then, it aims again.
func strike(ctx context.Context, s *Session, aim func(context.Context, *Session) (image.Point, error), touch func(image.Point) error) error {
	defer func(whole time.Duration) { s.Timeout = whole }(s.Timeout)
	for deadline := time.Now().Add(s.Timeout); ; s.Timeout = max(time.Until(deadline), 0) {
		p, err := aim(ctx, s)
		if err == nil {
			err = touch(p)
		}
		if !errors.Is(err, drivers.ErrMissed) {
			return err
		}
		s.noteOnce("held back: %v", err)
		if time.Until(deadline) <= 0 {
			s.Detail.Proof = reporters.ProofMoved
			return err
		}
	}
}

// spot is an element, or a place within it.
type spot struct {
	sel dsl.Selector
	at  *dsl.Point
}

// aim gives where to touch.
func (o spot) aim(ctx context.Context, s *Session) (image.Point, error) {
	p, err := aim(ctx, s, o.sel)
	if err != nil || o.at == nil {
		return p, err
	}
	b := s.Detail.Bounds
	area := image.Rect(b[0], b[1], b[2], b[3])
	x, y := o.at.X, o.at.Y
	if o.at.Percent {
		x, y = x*float64(area.Dx())/100, y*float64(area.Dy())/100
	}
	p = area.Min.Add(image.Pt(int(x), int(y)))
	if o.at.Percent { // 100 % is the last pixel
		p.X, p.Y = min(p.X, area.Max.X-1), min(p.Y, area.Max.Y-1)
	}
	if !p.In(area) {
		return p, &Failure{problem("%g,%g lies outside %s, which is %dx%d", o.at.X, o.at.Y, s.Detail.Matched, area.Dx(), area.Dy())}
	}
	s.touched(p)
	return p, nil
}

func drag(ctx context.Context, s *Session, a dsl.Drag) error {
	d, err := able[drivers.Gestures](s)
	if err != nil {
		return err
	}
	var to image.Point
	ends := func(ctx context.Context, s *Session) (from image.Point, err error) {
		if to, err = aim(ctx, s, a.To.Selector); err != nil {
			return from, err
		}
		return aim(ctx, s, a.From.Selector)
	}
	return strike(ctx, s, ends, func(from image.Point) error {
		s.noteOnce("dropped at %d,%d", to.X, to.Y)
		s.tapped = nil
		return d.Drag(ctx, from, to, millis(a.DurationMs, 1000))
	})
}

func swipe(ctx context.Context, s *Session, a dsl.Swipe) error {
	if a.From != nil && a.To != nil {
		from, err := place(ctx, s, *a.From)
		if err != nil {
			return err
		}
		to, err := place(ctx, s, *a.To)
		if err != nil {
			return err
		}
		return move(ctx, s, from, to, millis(a.DurationMs, 400))
	}
	area, err := areaOf(ctx, s, a.Inside)
	if err != nil {
		return err
	}
	from, to := stroke(area, a.Direction, 70)
	return move(ctx, s, from, to, millis(a.DurationMs, 400))
}

func scroll(ctx context.Context, s *Session, a dsl.Scroll) error {
	area, err := areaOf(ctx, s, a.Inside)
	if err != nil {
		return err
	}
	return scrollArea(ctx, s, area, a.Direction, a.Amount)
}

// scrollArea moves the content of an area so that what lies in the direction comes into view.
func scrollArea(ctx context.Context, s *Session, area image.Rectangle, d dsl.Direction, percent int) error {
	if percent == 0 {
		percent = 60
	}
	opposite := map[dsl.Direction]dsl.Direction{dsl.Down: dsl.Up, "": dsl.Up, dsl.Up: dsl.Down, dsl.Left: dsl.Right, dsl.Right: dsl.Left}
	from, to := stroke(area, opposite[d], percent)
	return move(ctx, s, from, to, 500*time.Millisecond)
}

func move(ctx context.Context, s *Session, from, to image.Point, d time.Duration) error {
	g, err := able[drivers.Gestures](s)
	if err != nil {
		return err
	}
	s.touched(from)
	s.tapped = nil
	s.note("moved from %d,%d to %d,%d", from.X, from.Y, to.X, to.Y)
	return g.Swipe(ctx, from, to, d)
}

// stroke gives the way of a finger that crosses so many per cent of an area, through its centre.
func stroke(area image.Rectangle, d dsl.Direction, percent int) (from, to image.Point) {
	c := area.Min.Add(area.Size().Div(2))
	dx, dy := area.Dx()*percent/200, area.Dy()*percent/200
	switch d {
	case dsl.Up:
		return image.Pt(c.X, c.Y+dy), image.Pt(c.X, c.Y-dy)
	case dsl.Down:
		return image.Pt(c.X, c.Y-dy), image.Pt(c.X, c.Y+dy)
	case dsl.Left:
		return image.Pt(c.X+dx, c.Y), image.Pt(c.X-dx, c.Y)
	}
	return image.Pt(c.X-dx, c.Y), image.Pt(c.X+dx, c.Y)
}

// areaOf gives where to swipe: over an element, or over the screen without its edges, which belong to the system.
func areaOf(ctx context.Context, s *Session, inside *dsl.Selector) (image.Rectangle, error) {
	if inside != nil {
		m, err := target(ctx, s, *inside)
		if err != nil {
			return image.Rectangle{}, err
		}
		s.Detail.Proof, s.aimed = "", nil // nothing is tapped
		return m.Node.Bounds, nil
	}
	img, err := s.Device.Screenshot(ctx)
	if err != nil {
		return image.Rectangle{}, err
	}
	screen := img.Bounds()
	return image.Rect(screen.Min.X+screen.Dx()/20, screen.Min.Y+screen.Dy()/10, screen.Max.X-screen.Dx()/20, screen.Max.Y-screen.Dy()/10), nil
}

// scrollTo looks for the element and scrolls on until it is there, the content ends, or the limit is reached.
func scrollTo(ctx context.Context, s *Session, a dsl.ScrollTo) error {
	limit := a.Limit
	if limit == 0 {
		limit = 30
	}
	var before uint64
	seed := newWatch(s).seed // one for all looks, so that their digests can be compared
	for moves := 0; ; moves++ {
		w := newWatch(s)
		w.seed = seed
		found, err := w.lookAround(ctx, a.Selector)
		if err != nil {
			return err
		}
		if found != nil {
			s.matched(*found)
			return nil
		}
		switch {
		case moves > 0 && w.digest == before:
			return notFoundByScrolling(s, w, a.Selector, fmt.Sprintf("the content ends after %d movements", moves))
		case moves == limit:
			return notFoundByScrolling(s, w, a.Selector, fmt.Sprintf("%d movements were not enough", moves))
		}
		before = w.digest
		area, err := scrollable(ctx, s, w.tree, a.In)
		if err != nil {
			return err
		}
		if err := scrollArea(ctx, s, area, a.Direction, 60); err != nil {
			return err
		}
	}
}

// lookAround waits until the screen rests for a moment and looks for the element; an element that the device can bring into view is
// brought there.
func (w *watch) lookAround(ctx context.Context, sel dsl.Selector) (*drivers.Match, error) {
	var found *drivers.Match
	err := poll(ctx, 3*time.Second, func() error {
		if err := w.read(ctx, true); err != nil {
			return err
		}
		matches, err := w.reachable(ctx, sel)
		if err != nil {
			return err
		}
		if len(matches) == 0 && !w.settled(quietToAssert) {
			return errWait
		}
		if len(matches) > 0 {
			found = &matches[0]
		}
		return nil
	})
	if errors.Is(err, errWait) {
		err = nil
	}
	if err != nil || found == nil {
		return nil, err
	}
	r, ok := w.s.Device.(drivers.Revealer)
	if ok && (found.Node.Offscreen || !found.Node.Bounds.In(image.Rectangle{Max: w.tree.Size})) {
		return found, r.Reveal(ctx, found.Node)
	}
	return found, nil
}

// scrollable gives the area that scrollTo scrolls: what the test names, else the largest scrollable element, else the screen.
func scrollable(ctx context.Context, s *Session, t *drivers.Tree, in *dsl.Selector) (image.Rectangle, error) {
	if in != nil {
		return areaOf(ctx, s, in)
	}
	var best image.Rectangle
	for n := range t.All {
		b := n.Bounds.Intersect(image.Rectangle{Max: t.Size})
		if n.Scrollable && !n.Hidden && b.Dx()*b.Dy() > best.Dx()*best.Dy() {
			best = b
		}
	}
	if best.Empty() {
		return areaOf(ctx, s, nil)
	}
	return best.Inset(min(best.Dx(), best.Dy()) / 20), nil
}

func notFoundByScrolling(s *Session, w *watch, sel dsl.Selector, why string) error {
	err := w.missing(sel, false)
	var f *Failure
	if errors.As(err, &f) {
		f.Message = fmt.Sprintf("%s was not found by scrolling: %s; %s", drivers.Describe(sel), why, f.Actual)
	}
	return err
}

// millis gives a time of the language, or its default.
func millis(ms, otherwise int) time.Duration {
	if ms == 0 {
		ms = otherwise
	}
	return time.Duration(ms) * time.Millisecond
}
