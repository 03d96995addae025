package ui

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// Tap touches one point, once. When the connection breaks it may have happened, and the error is what the caller has to
// live with.
func (u *Screen) Tap(ctx context.Context, p image.Point) error {
	return u.gesture(ctx, input.Touch{Kind: input.Tap, From: p, Points: []image.Point{p}})
}

// LongPress holds one finger: a swipe that goes nowhere, which is one command on every Android.
func (u *Screen) LongPress(ctx context.Context, p image.Point, hold time.Duration) error {
	return u.gesture(ctx, input.Touch{Kind: input.Hold, From: p, Took: hold, Points: []image.Point{p}})
}

// Swipe moves one finger.
func (u *Screen) Swipe(ctx context.Context, a, b image.Point, took time.Duration) error {
	return u.gesture(ctx, input.Touch{Kind: input.Swipe, From: a, To: b, Took: took, Points: []image.Point{a, b}})
}

// DoubleTap taps twice, in one shell line where there is no agent.
func (u *Screen) DoubleTap(ctx context.Context, p image.Point) error {
	return u.gesture(ctx, input.Touch{Kind: input.DoubleTap, From: p, Points: []image.Point{p}})
}

// Drag holds, moves and lifts.
func (u *Screen) Drag(ctx context.Context, a, b image.Point, took time.Duration) error {
	return u.gesture(ctx, input.Touch{Kind: input.Drag, From: a, To: b, Took: took, Points: []image.Point{a, b}})
}

// onScreen checks points against the last screenshot, and against a new one before it refuses any that the screen would
// have if it had turned. Points outside it are taken by Android without a word.
func (u *Screen) onScreen(ctx context.Context, points ...image.Point) error {
	size := u.Phone.ScreenSize()
	if size == (image.Point{}) || within(size, points) == nil {
		return nil
	}
	longer := max(size.X, size.Y)
	if within(image.Pt(longer, longer), points) == nil {
		if _, err := u.Camera.Screenshot(ctx); err != nil {
			return err
		}
		size = u.Phone.ScreenSize()
	}
	if p := within(size, points); p != nil {
		return fmt.Errorf("device %s: %w: the point %d,%d is not on the screen of %dx%d", u.Phone.Link.Serial,
			drivers.ErrNotActionable,
			p.X, p.Y, size.X, size.Y)
	}
	return nil
}

// within returns the first point that is outside.
func within(size image.Point, points []image.Point) *image.Point {
	for i, p := range points {
		if !p.In(image.Rectangle{Max: size}) {
			return &points[i]
		}
	}
	return nil
}

// Pinch moves two fingers.
func (u *Screen) Pinch(ctx context.Context, centre image.Point, from, to int, took time.Duration) error {
	far := image.Pt(max(from, to), 0)
	return u.gesture(ctx, input.Touch{Kind: input.Pinch, From: centre, Near: [2]int{from, to}, Took: took,
		Points: []image.Point{
			centre.Sub(far), centre.Add(far)}})
}

func middle(n *screen.Node) image.Point { return n.Bounds.Min.Add(n.Bounds.Size().Div(2)) }
