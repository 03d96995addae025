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
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// capability returns the device as one with the capability T; a device without it is a matter of the device, not of the
// app.
func capability[T any](s *Performer) (T, error) {
	d, ok := s.Device.(T)
	if !ok {
		return d, fmt.Errorf("device %s: %w", s.Device.Info().ID, drivers.ErrUnsupported)
	}
	return d, nil
}

// aim returns where to touch: the requested point, or the element once it is stationary.
func aim(ctx context.Context, s *Performer, sel dsl.Selector) (image.Point, error) {
	p, _, err := aimMatch(ctx, s, decide.Want{Selector: sel})
	return p, err
}

// aimMatch is aim for what a want says in addition to its selector, and returns the element as well, unless a point is
// asked for.
func aimMatch(ctx context.Context, s *Performer, w decide.Want) (image.Point, *screen.Match, error) {
	if point := w.Selector.Point; point != nil {
		p, err := place(ctx, s, *point)
		if err == nil {
			s.touched(p)
			s.tapped = nil
			aimAt(s, nil)
		}
		return p, nil, err
	}
	m, err := wanted(ctx, s, w)
	if err != nil {
		return image.Point{}, nil, err
	}
	s.touched(m.Point)
	aimAt(s, m.Aimed())
	s.tapped = m.Target
	return m.Point, &m, nil
}

func doubleTap(ctx context.Context, s *Performer, a dsl.DoubleTap) error {
	return touch(ctx, s, tapTarget{a.Selector, a.At}, func(ctx context.Context, d drivers.Gestures, p image.Point) error {
		return d.DoubleTap(ctx, p)
	})
}

func longPress(ctx context.Context, s *Performer, a dsl.LongPress) error {
	return touch(ctx, s, tapTarget{a.Selector, a.At}, func(ctx context.Context, d drivers.Gestures, p image.Point) error {
		return d.LongPress(ctx, p, millis(a.DurationMs, 800))
	})
}

// touch makes a gesture at one element or point.
func touch(ctx context.Context, s *Performer, at tapTarget,
	do func(context.Context, drivers.Gestures, image.Point) error) error {
	d, err := capability[drivers.Gestures](s)
	if err != nil {
		return err
	}
	return tapWithRetry(ctx, s, at.aim, func(p image.Point) error {
		return finish(ctx, func(ctx context.Context) error { return do(ctx, d, p) })
	})
}

// aimAt sets on a device that can block a touch the target of the next one; nil: whatever is there.
func aimAt(s *Performer, n *screen.Node) {
	d, ok := s.Device.(drivers.Aimer)
	if !ok {
		return
	}
	if n != nil && n.Type == decide.SeenType { // in the pixels
		n = nil
	}
	d.Aim(n)
}

// tapWithRetry aims and touches. When the device held the touch back, because something else had come to the place by
// then, it aims again.
func tapWithRetry(ctx context.Context, s *Performer, aim func(context.Context, *Performer) (image.Point, error),
	touch func(image.Point) error) error {
	defer func(whole time.Duration) { s.Timeout = whole }(s.Timeout)
	var covered error
	for deadline := time.Now().Add(s.Timeout); ; s.Timeout = max(time.Until(deadline), 0) {
		p, err := aim(ctx, s)
		if covered != nil && ResultOf(err) == event.Fail { // too little time was left to aim once more
			s.Detail.Proof = event.ProofOccluded
			return covered
		}
		if err == nil {
			if err = touch(p); err == nil {
				s.confirmed()
			}
		}
		if !errors.Is(err, drivers.ErrMissed) {
			return err
		}
		if covered = nil; errors.Is(err, drivers.ErrCovered) {
			covered = err
		}
		s.noteOnce("blocked: %v", err)
		if time.Until(deadline) <= 0 {
			s.Detail.Proof = event.ProofMoved
			if errors.Is(err, drivers.ErrCovered) {
				s.Detail.Proof = event.ProofOccluded
			}
			return err
		}
	}
}

// tapTarget is an element, or a place within it.
type tapTarget struct {
	sel dsl.Selector
	at  *dsl.Point
}

// aim returns where to touch. A place within the element must be free: what covers it is given the time of the step to
// go.
func (o tapTarget) aim(ctx context.Context, s *Performer) (p image.Point, err error) {
	if o.at == nil {
		return aim(ctx, s, o.sel)
	}
	defer func(whole time.Duration) { s.Timeout = whole }(s.Timeout)
	var over *screen.Node
	deadline := time.Now().Add(s.Timeout)
	err = poll(ctx, s.Timeout, func() error {
		s.Timeout = max(time.Until(deadline), 0)
		_, m, err := aimMatch(ctx, s, decide.Want{Selector: o.sel})
		if over != nil && ResultOf(err) == event.Fail { // too little time was left to aim once more
			return errWait
		}
		if err != nil {
			return err
		}
		if p, err = o.within(s); err != nil || m == nil {
			return err
		}
		if over = m.TakenBy(p); over != nil {
			return errWait
		}
		return nil
	})
	if errors.Is(err, errWait) {
		s.Detail.Proof = event.ProofOccluded
		return p, &Failure{problem("%g,%g of %s is covered by %s, which takes the touch", o.at.X, o.at.Y, s.Detail.Matched,
			over)}
	}
	if err == nil {
		s.touched(p)
	}
	return p, err
}

// within returns the place that is asked for, within the element that was found.
func (o tapTarget) within(s *Performer) (image.Point, error) {
	b := s.Detail.Bounds
	area := image.Rect(b[0], b[1], b[2], b[3])
	x, y := o.at.X, o.at.Y
	if o.at.Percent {
		x, y = x*float64(area.Dx())/100, y*float64(area.Dy())/100
	}
	p := area.Min.Add(image.Pt(int(x), int(y)))
	if o.at.Percent { // 100 % is the last pixel
		p.X, p.Y = min(p.X, area.Max.X-1), min(p.Y, area.Max.Y-1)
	}
	if !p.In(area) {
		return p, &Failure{problem("%g,%g is outside %s, which is %dx%d", o.at.X, o.at.Y, s.Detail.Matched, area.Dx(),
			area.Dy())}
	}
	return p, nil
}

func drag(ctx context.Context, s *Performer, a dsl.Drag) error {
	d, err := capability[drivers.Gestures](s)
	if err != nil {
		return err
	}
	var to image.Point
	ends := func(ctx context.Context, s *Performer) (from image.Point, err error) {
		if a.By == nil {
			from, to, err = bothEnds(ctx, s, a)
			return from, err
		}
		if from, err = aim(ctx, s, a.From.Selector); err != nil {
			return from, err
		}
		to = from.Add(image.Pt(a.By.X, a.By.Y))
		return from, nil
	}
	return tapWithRetry(ctx, s, ends, func(from image.Point) error {
		s.noteOnce("dropped at %d,%d", to.X, to.Y)
		s.tapped = nil
		return finish(ctx, func(ctx context.Context) error { return d.Drag(ctx, from, to, millis(a.DurationMs, 1000)) })
	})
}

// bothEnds returns where a drag starts and ends. Scrolling to one of them may move the other one: then both are looked
// for once more, and must be on the screen together.
func bothEnds(ctx context.Context, s *Performer, a dsl.Drag) (from, to image.Point, err error) {
	for range 2 {
		if to, err = drop(ctx, s, a.To.Selector); err != nil {
			return from, to, err
		}
		reveals := s.reveals
		if from, err = aim(ctx, s, a.From.Selector); err != nil || s.reveals == reveals {
			return from, to, err
		}
	}
	return from, to, &Failure{problem("%s and %s are not on the screen together: scroll before this step so that they are",
		screen.Describe(a.From.Selector), screen.Describe(a.To.Selector))}
}

// drop is where a drag ends.
func drop(ctx context.Context, s *Performer, sel dsl.Selector) (image.Point, error) {
	if sel.Point != nil {
		return aim(ctx, s, sel)
	}
	m, err := wanted(ctx, s, decide.Want{Selector: sel, Drop: true})
	if err != nil {
		return image.Point{}, err
	}
	return s.Tree.Drop(m), nil
}

func swipe(ctx context.Context, s *Performer, a dsl.Swipe) error {
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

func scroll(ctx context.Context, s *Performer, a dsl.Scroll) error {
	area, err := areaOf(ctx, s, a.Inside)
	if err != nil {
		return err
	}
	return scrollArea(ctx, s, area, a.Direction, a.Amount)
}

// scrollArea moves the content of an area so that what is in the direction comes into view.
func scrollArea(ctx context.Context, s *Performer, area image.Rectangle, direction dsl.Direction, percent int) error {
	if percent == 0 {
		percent = 60
	}
	if d, ok := s.Device.(drivers.Scroller); ok {
		at := area.Min.Add(area.Size().Div(2))
		way := decide.WayOf(direction)
		by := image.Pt(area.Dx()*percent/100*way.X, area.Dy()*percent/100*way.Y)
		s.touched(at)
		s.tapped = nil
		s.note("scrolled at %d,%d by %d,%d", at.X, at.Y, by.X, by.Y)
		return d.Wheel(ctx, at, by, 0)
	}
	opposite := map[dsl.Direction]dsl.Direction{dsl.Down: dsl.Up, "": dsl.Up, dsl.Up: dsl.Down, dsl.Left: dsl.Right,
		dsl.Right: dsl.Left}
	from, to := stroke(area, opposite[direction], percent)
	return move(ctx, s, from, to, scrollStroke)
}

func move(ctx context.Context, s *Performer, from, to image.Point, d time.Duration) error {
	g, err := capability[drivers.Gestures](s)
	if err != nil {
		return err
	}
	s.touched(from)
	s.tapped = nil
	s.note("moved from %d,%d to %d,%d", from.X, from.Y, to.X, to.Y)
	return finish(ctx, func(ctx context.Context) error { return g.Swipe(ctx, from, to, d) })
}

// stroke returns the way of a finger that crosses so many per cent of an area, through its centre.
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

// areaOf returns where to swipe: over an element, or over the screen without its edges, which belong to the system.
func areaOf(ctx context.Context, s *Performer, inside *dsl.Selector) (image.Rectangle, error) {
	if inside != nil {
		m, err := target(ctx, s, *inside)
		if err != nil {
			return image.Rectangle{}, err
		}
		s.Detail.Proof, s.aimed = "", nil // nothing is tapped
		area := m.Node.Bounds             // of which the screen may show a part only
		if s.Tree != nil {
			area = s.Tree.Free(area.Intersect(image.Rectangle{Max: s.Tree.Size}))
		}
		return area, nil
	}
	size, err := s.firstPicture(ctx)
	if err != nil {
		return image.Rectangle{}, err
	}
	return image.Rect(size.X/20, size.Y/10, size.X-size.X/20, size.Y-size.Y/10), nil
}

// millis returns a time of the test syntax, or its default.
func millis(ms, otherwise int) time.Duration {
	if ms == 0 {
		ms = otherwise
	}
	return time.Duration(ms) * time.Millisecond
}

// pinch moves two fingers on a horizontal line through the middle of the area, never beyond it.
func pinch(ctx context.Context, s *Performer, a dsl.Pinch) error {
	d, err := capability[drivers.Pincher](s)
	if err != nil {
		return err
	}
	area, err := areaOf(ctx, s, a.Inside)
	if err != nil {
		return err
	}
	percent := a.Percent
	if percent == 0 {
		percent = 60
	}
	side := min(area.Dx(), area.Dy())
	far, near := side*percent/200, max(side/20, 1)
	from, to := near, far
	if a.Direction == "close" {
		from, to = far, near
	}
	centre := area.Min.Add(area.Size().Div(2))
	s.touched(centre)
	s.tapped = nil
	s.note("two fingers moved from %d to %d pixels around %d,%d", from, to, centre.X, centre.Y)
	return finish(ctx, func(ctx context.Context) error {
		return d.Pinch(ctx, centre, from, to, millis(a.DurationMs, 500))
	})
}

func press(ctx context.Context, s *Performer, a dsl.Press) error {
	d, err := capability[drivers.Keys](s)
	if err != nil {
		return err
	}
	for range max(a.Times, 1) {
		for _, chord := range a.Chords() {
			key := chord.Key
			if key == "recents" {
				key = "appSwitch"
			}
			keys := append(append([]string{}, chord.Modifiers...), key)
			if err := finish(ctx, func(ctx context.Context) error { return d.Press(ctx, keys) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func hideKeyboard(ctx context.Context, s *Performer, _ dsl.HideKeyboard) error {
	d, err := capability[drivers.KeyboardHider](s)
	if err != nil {
		return err
	}
	return d.HideKeyboard(ctx)
}

// touchKey is the key of the context in which touches are finished.
type touchKey struct{}

// WithTouches returns ctx with another context for what cannot be left half done: a touch that has started when ctx
// ends is finished, unless the other context ends, too.
func WithTouches(ctx, touches context.Context) context.Context {
	return context.WithValue(ctx, touchKey{}, touches)
}

// finish does what cannot be left half done, such as a touch: see WithTouches.
func finish(ctx context.Context, do func(context.Context) error) error {
	outer, ok := ctx.Value(touchKey{}).(context.Context)
	if !ok || ctx.Err() != nil {
		return do(ctx)
	}
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(outer, func() { cancel(context.Cause(outer)) })()
	return do(own)
}
