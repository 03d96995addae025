package android

import (
	"context"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
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

// touch makes a gesture, once. What may have happened is never repeated.
func (j *injector) touch(ctx context.Context, t touch) error {
	switch t.kind {
	case touchDouble:
		return j.inputDoubleTap(ctx, t.from)
	case touchHold:
		return j.swipe(ctx, t.kind, [2]image.Point{t.from, t.from}, t.took)
	case touchSwipe:
		return j.swipe(ctx, t.kind, [2]image.Point{t.from, t.to}, t.took)
	case touchDrag:
		return j.inputDrag(ctx, t.from, t.to, t.took)
	case touchPinch:
		return j.panelPinch(ctx, t.from, t.near, t.took)
	}
	return j.inputTap(ctx, t.from)
}
