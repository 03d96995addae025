package android

import (
	"context"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// screenAccess is how the screen of a phone is read and touched: by the phone's own tools, or by an agent that runs on
// it. Its methods are called one at a time. An error of look means what one of Device.Tree means.
type screenAccess interface {
	// readTree reads the elements; choose leaves out windows.
	readTree(ctx context.Context, choose func(*dump)) (*screen.Tree, error)
	// touch makes a gesture, once. What may have happened is never repeated.
	touch(ctx context.Context, t touch) error
	// write enters a text that has a character without a key, the first of which is passed, where the focus is.
	write(ctx context.Context, text string, first rune) error
	// copied and copy are the clipboard.
	copied(ctx context.Context) (string, error)
	copy(ctx context.Context, text string) error
	// health requests something that only works when all of it does.
	health(ctx context.Context) error
}

var (
	_ screenAccess = stockAccess{}
	_ screenAccess = (*agentAccess)(nil)
)

// The kinds of touch.
const (
	touchTap    = "tap"
	touchDouble = "double tap"
	touchHold   = "long press"
	touchSwipe  = "swipe"
	touchDrag   = "drag"
	touchPinch  = "pinch"
)

// touch is a gesture: from one point to another within a time, which are one for a tap. A pinch has its fingers at a
// distance from the point `from`.
type touch struct {
	kind     string
	from, to image.Point
	took     time.Duration
	near     [2]int        // the distances of a pinch, at the beginning and in the end
	aimed    *screen.Node  // that it is meant for; nil: whatever is there
	points   []image.Point // that must be on the screen
}

// stockAccess is uiautomator's dumps, and the program input.
type stockAccess struct{ d *Device }

func (s stockAccess) readTree(ctx context.Context, choose func(*dump)) (*screen.Tree, error) {
	return s.d.dumped(ctx, choose)
}

func (s stockAccess) touch(ctx context.Context, t touch) error {
	d := s.d
	switch t.kind {
	case touchDouble:
		return d.inputDoubleTap(ctx, t.from)
	case touchHold:
		return d.swipe(ctx, t.kind, [2]image.Point{t.from, t.from}, t.took)
	case touchSwipe:
		return d.swipe(ctx, t.kind, [2]image.Point{t.from, t.to}, t.took)
	case touchDrag:
		return d.inputDrag(ctx, t.from, t.to, t.took)
	case touchPinch:
		return d.panelPinch(ctx, t.from, t.near, t.took)
	}
	return d.inputTap(ctx, t.from)
}

func (s stockAccess) write(ctx context.Context, text string, first rune) error {
	return s.d.typeByKeyboard(ctx, text, first)
}

func (s stockAccess) copied(context.Context) (string, error) { return "", s.d.noClipboard() }

func (s stockAccess) copy(context.Context, string) error { return s.d.noClipboard() }

func (s stockAccess) health(ctx context.Context) error {
	_, err := s.d.link.state(ctx)
	return err
}

// backend returns the backend by which this phone is read and touched now.
func (d *Device) backend() screenAccess {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.agent != nil {
		return d.agent
	}
	return stockAccess{d}
}

// gesture checks the points and touches.
func (d *Device) gesture(ctx context.Context, t touch) error {
	aimed := d.takeAim()
	if err := d.onScreen(ctx, t.points...); err != nil {
		return err
	}
	if aimed == nil || !aimed.InPage {
		t.aimed = aimed
		return d.backend().touch(ctx, t)
	}
	met, err := d.aimInPage(ctx, aimed)
	if err != nil {
		return err
	}
	if err := d.backend().touch(ctx, t); err != nil {
		return err
	}
	return met(ctx)
}
