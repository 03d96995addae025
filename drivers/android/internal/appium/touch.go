package appium

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// Tap touches one point.
func (u *Screen) Tap(ctx context.Context, p image.Point) error {
	return u.touch(ctx, input.Touch{Kind: input.Tap, From: p, Points: []image.Point{p}})
}

// TapOn touches the middle of an element.
func (u *Screen) TapOn(ctx context.Context, n *screen.Node) error {
	return u.Tap(ctx, n.Bounds.Min.Add(n.Bounds.Size().Div(2)))
}

// LongPress holds one finger.
func (u *Screen) LongPress(ctx context.Context, p image.Point, hold time.Duration) error {
	return u.touch(ctx, input.Touch{Kind: input.Hold, From: p, Took: hold, Points: []image.Point{p}})
}

// DoubleTap taps twice.
func (u *Screen) DoubleTap(ctx context.Context, p image.Point) error {
	return u.touch(ctx, input.Touch{Kind: input.DoubleTap, From: p, Points: []image.Point{p}})
}

// Swipe moves one finger.
func (u *Screen) Swipe(ctx context.Context, a, b image.Point, took time.Duration) error {
	return u.touch(ctx, input.Touch{Kind: input.Swipe, From: a, To: b, Took: took, Points: []image.Point{a, b}})
}

// Drag holds, moves and lifts.
func (u *Screen) Drag(ctx context.Context, a, b image.Point, took time.Duration) error {
	return u.touch(ctx, input.Touch{Kind: input.Drag, From: a, To: b, Took: took, Points: []image.Point{a, b}})
}

// Pinch moves two fingers.
func (u *Screen) Pinch(ctx context.Context, centre image.Point, from, to int, took time.Duration) error {
	far := image.Pt(max(from, to), 0)
	return u.touch(ctx, input.Touch{Kind: input.Pinch, From: centre, Near: [2]int{from, to}, Took: took,
		Points: []image.Point{centre.Sub(far), centre.Add(far)}})
}

// touch makes a gesture, once. One with a lost answer may have happened.
func (u *Screen) touch(ctx context.Context, t input.Touch) error {
	u.mu.Lock()
	aimed, unseen := u.aim, u.unseen
	u.aim, u.unseen = nil, true
	u.toasts.Touched()
	u.mu.Unlock()
	size := u.size()
	for _, p := range t.Points {
		if size != (image.Point{}) && !p.In(image.Rectangle{Max: size}) {
			return fmt.Errorf("device %s: %w: the point %d,%d is not on the screen of %dx%d", u.Device,
				drivers.ErrNotActionable, p.X, p.Y, size.X, size.Y)
		}
	}
	if unseen { // a display that is off takes no touches, and its elements may be reported all the same
		if err := u.displayOn(ctx); err != nil {
			return err
		}
	}
	if aimed != nil && aimed.InPage {
		return u.WebViews.gesture(ctx, aimed, t)
	}
	fingers, took := agent.Fingers(t)
	err := u.Do(ctx, t.Kind, func(ctx context.Context) error {
		return u.Lease.Perform(ctx, fingers, took+touchLimit)
	})
	if webdriver.Is(err, webdriver.ElementState) {
		return fmt.Errorf("%w: %w", drivers.ErrUnsupported, err)
	}
	return u.Changed(t.Kind, err)
}
