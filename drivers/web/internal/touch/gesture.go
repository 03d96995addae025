package touch

import (
	"context"
	"image"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
)

const (
	// gestureSteps is how many moves a gesture is made of; fewer when there is little time.
	gestureSteps = 20
	frameTime    = 16 * time.Millisecond
	// pickUp is how long a finger rests before what is under it is picked up.
	pickUp = 600 * time.Millisecond
	// holdUp is the same of a mouse, for pages that distinguish a drag from a click by how long the button is held; it is
	// a part of the drag's time.
	holdUp = 300 * time.Millisecond
)

// LongPress holds the finger, or the left button, at p.
func (h *Hand) LongPress(ctx context.Context, p image.Point, hold time.Duration) error {
	return h.gesture(ctx, hold, []image.Point{p}, func(f finger) error {
		if err := f.down(p); err != nil {
			return err
		}
		err := browser.Pause(ctx, hold)
		return OrElse(err, f.up(p)) // up in either case: nothing stays pressed
	})
}

// DoubleTap clicks or taps twice.
func (h *Hand) DoubleTap(ctx context.Context, p image.Point) error {
	return h.gesture(ctx, 0, []image.Point{p}, func(f finger) error { return f.twice(p) })
}

// Swipe moves a finger where a touch screen is emulated. With a mouse it makes the gesture that it listens to
// at a, and refuses where it listens to none: a mouse does not scroll by being drawn along.
func (h *Hand) Swipe(ctx context.Context, a, b image.Point, dur time.Duration) error {
	s, err := h.OnScreen(a, b)
	if err != nil {
		return err
	}
	if !s.Touch {
		return h.swipeWithMouse(ctx, a, b, dur)
	}
	return h.gesture(ctx, dur, []image.Point{a, b}, func(f finger) error { return f.swipe(ctx, a, b, dur) })
}

// Drag picks up what is at a and lifts the finger, or the button, at b.
func (h *Hand) Drag(ctx context.Context, a, b image.Point, dur time.Duration) error {
	s, err := h.OnScreen(a, b)
	if err != nil {
		return err
	}
	return h.gesture(ctx, dur+pickUp, []image.Point{a, b}, func(f finger) error {
		_, page, err := h.slot.Page()
		if err != nil {
			return err
		}
		became, err := dragByEvents(s, page, a, b)
		if became.done() || err != nil {
			return err
		}
		if err := f.down(a); err != nil {
			return err
		}
		left, err := f.rest(ctx, dur)
		last := a
		if err == nil && became == nothingDraggable {
			if became, err = dragHeld(s, page, a, b); became.done() {
				return f.up(last)
			}
		}
		if err == nil {
			err = EachStep(ctx, a, b, left, func(p image.Point) error { last = p; return f.move(p) })
		}
		if err == nil {
			err = f.move(b) // a second move at the end: drop targets learn of the drag by the first
		}
		return OrElse(err, f.up(last))
	})
}

func OrElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// gesture runs one gesture on the current page.
func (h *Hand) gesture(ctx context.Context, dur time.Duration, points []image.Point, f func(finger) error) error {
	s, err := h.OnScreen(points...)
	if err != nil {
		return err
	}
	return h.touch(ctx, max(dur, 0)+h.slot.Limit, func(page playwright.Page) error {
		z, err := s.Zoom(page)
		if err != nil {
			return err
		}
		if !s.Touch {
			return f(pointer{page.Mouse(), z})
		}
		cdp, err := s.Context.NewCDPSession(page)
		if err != nil {
			return err
		}
		defer func() { _ = cdp.Detach() }() // it ends with the page otherwise
		return f(fingertip{page.Touchscreen(), cdp, z})
	})
}

// EachStep calls move along the way from a to b, at even times within dur.
func EachStep(ctx context.Context, a, b image.Point, dur time.Duration, move func(image.Point) error) error {
	n := int(min(max(dur/frameTime, 2), gestureSteps))
	for i := 1; i <= n; i++ {
		if err := browser.Pause(ctx, dur/time.Duration(n)); err != nil {
			return err
		}
		way := b.Sub(a)
		if err := move(a.Add(image.Pt(way.X*i/n, way.Y*i/n))); err != nil {
			return err
		}
	}
	return nil
}

// finger is what touches a page.
type finger interface {
	down(p image.Point) error
	move(p image.Point) error
	up(p image.Point) error
	twice(p image.Point) error
	swipe(ctx context.Context, a, b image.Point, dur time.Duration) error
	wheel(ctx context.Context, at, by image.Point, dur time.Duration) error
	// rest waits until what is under it is picked up, and returns what is left of the time of a drag.
	rest(ctx context.Context, dur time.Duration) (left time.Duration, err error)
}

// pointer is a mouse.
type pointer struct {
	mouse playwright.Mouse
	zoom  dom.Zoom
}

func (m pointer) move(p image.Point) error { return m.mouse.Move(m.zoom.OnPage(p)) }

func (m pointer) down(p image.Point) error {
	if err := m.move(p); err != nil {
		return err
	}
	return m.mouse.Down()
}

func (m pointer) up(image.Point) error { return m.mouse.Up() }

func (m pointer) rest(ctx context.Context, dur time.Duration) (time.Duration, error) {
	hold := min(holdUp, dur*3/10)
	return dur - hold, browser.Pause(ctx, hold)
}

func (m pointer) twice(p image.Point) error { return m.mouse.Dblclick(m.zoom.OnPage(p)) }

func (m pointer) swipe(ctx context.Context, a, b image.Point, dur time.Duration) error {
	if err := m.down(a); err != nil {
		return err
	}
	err := EachStep(ctx, a, b, dur, m.move)
	return OrElse(err, m.up(b))
}

func (m pointer) wheel(ctx context.Context, at, by image.Point, dur time.Duration) error {
	if err := m.move(at); err != nil {
		return err
	}
	if dur == 0 { // one turn: a box that snaps goes back between two
		return m.mouse.Wheel(float64(by.X), float64(by.Y))
	}
	var last image.Point
	return EachStep(ctx, image.Point{}, by, dur, func(p image.Point) error {
		turn := p.Sub(last)
		last = p
		return m.mouse.Wheel(float64(turn.X), float64(turn.Y))
	})
}

// fingertip is a touch screen.
type fingertip struct {
	screen playwright.Touchscreen
	cdp    playwright.CDPSession
	zoom   dom.Zoom
}

func (t fingertip) touch(kind string, points ...image.Point) error {
	list := make([]any, len(points))
	for i, p := range points {
		x, y := t.zoom.OnPage(p)
		list[i] = map[string]any{"x": x, "y": y}
	}
	_, err := t.cdp.Send("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": list})
	return err
}

func (t fingertip) down(p image.Point) error { return t.touch("touchStart", p) }

func (t fingertip) move(p image.Point) error { return t.touch("touchMove", p) }

func (t fingertip) up(image.Point) error { return t.touch("touchEnd") }

func (t fingertip) rest(ctx context.Context, dur time.Duration) (time.Duration, error) {
	return dur, browser.Pause(ctx, pickUp)
}

// twice requests both taps at once, so that the browser has them one right behind the other although the page, or the
// machine, may be too busy to respond to the first in time: two with more time between them are not a double tap.
func (t fingertip) twice(p image.Point) error {
	x, y := t.zoom.OnPage(p)
	first := make(chan error, 1)
	tap := func() error { return t.screen.Tap(dom.Clamp(x), dom.Clamp(y)) }
	go func() { first <- tap() }()
	err := tap()
	return OrElse(<-first, err)
}

func (t fingertip) swipe(ctx context.Context, a, b image.Point, dur time.Duration) error {
	if err := t.down(a); err != nil {
		return err
	}
	err := EachStep(ctx, a, b, dur, t.move)
	return OrElse(err, t.up(b))
}

func (t fingertip) wheel(ctx context.Context, at, by image.Point, dur time.Duration) error {
	return t.swipe(ctx, at, at.Sub(by), max(dur, slowSwipe))
}

// slowSwipe is how long a finger takes that must not leave the content moving.
const slowSwipe = 300 * time.Millisecond
