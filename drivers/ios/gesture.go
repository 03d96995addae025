package ios

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	// dragHold is how long a finger rests before it moves with what it has picked up; UIKit lifts after half a second.
	dragHold = 700 * time.Millisecond
	// dragRest is how long it rests over the target, so that it takes notice.
	dragRest = 150 * time.Millisecond
)

// points puts pixels of the screenshot into points of the app. One that is not on the screen is refused: XCTest would
// move it.
func (d *Device) points(pixels ...image.Point) ([][2]float64, error) {
	d.mu.Lock()
	size, scale, wide, corner := d.shot, d.scale, d.wide, d.corner
	d.mu.Unlock()
	if wide != (size.X > size.Y) {
		size = image.Pt(size.Y, size.X)
	}
	out := make([][2]float64, len(pixels))
	for i, p := range pixels {
		if !p.In(image.Rectangle{Max: size}) {
			return nil, fmt.Errorf("device %s: %w: the point %d,%d is not on the screen of %dx%d", d.info.ID,
				drivers.ErrNotActionable, p.X, p.Y, size.X, size.Y)
		}
		out[i] = [2]float64{(float64(p.X)+0.5)/scale - float64(corner.X), (float64(p.Y)+0.5)/scale - float64(corner.Y)}
	}
	return out, nil
}

// Tap touches a point once.
func (d *Device) Tap(ctx context.Context, p image.Point) error {
	if button := d.standInFor(p); button != "" {
		d.Aim(nil)
		return d.AnswerAlert(ctx, button, "")
	}
	at, err := d.points(p)
	if err != nil {
		return err
	}
	ask := post("tap", "/wda/tap", map[string]any{"x": at[0][0], "y": at[0][1]})
	ask.older = "/wda/tap/0" // before version 6
	return d.touch(ctx, p, func() error { return d.do(ctx, ask, nil) })
}

// DoubleTap taps twice.
func (d *Device) DoubleTap(ctx context.Context, p image.Point) error {
	at, err := d.points(p)
	if err != nil {
		return err
	}
	ask := post("double tap", "/wda/doubleTap", map[string]any{"x": at[0][0], "y": at[0][1]})
	return d.touch(ctx, p, func() error { return d.do(ctx, ask, nil) })
}

// LongPress holds a finger.
func (d *Device) LongPress(ctx context.Context, p image.Point, hold time.Duration) error {
	at, err := d.points(p)
	if err != nil {
		return err
	}
	ask := post("long press", "/wda/touchAndHold", map[string]any{"x": at[0][0], "y": at[0][1],
		"duration": hold.Seconds()})
	ask.limit = callLimit + hold
	return d.touch(ctx, p, func() error { return d.do(ctx, ask, nil) })
}

// Swipe moves a finger at an even pace, and lifts it while it moves. One that would start in the area of the home
// indicator, from which the system takes swipes, starts above it.
func (d *Device) Swipe(ctx context.Context, a, b image.Point, took time.Duration) error {
	if _, err := d.points(a, b); err != nil {
		return err
	}
	at, err := d.points(d.aboveHome(a, b))
	if err != nil {
		return err
	}
	err = d.fingers(ctx, "swipe", took, []step{{to: at[0]}, {down: true}, {to: at[1], took: took}})
	if unknownCommand(err) {
		return d.dragged(ctx, at, 0)
	}
	return err
}

// Drag holds a finger until what is under it is picked up, moves it, and rests before it lifts it.
func (d *Device) Drag(ctx context.Context, a, b image.Point, took time.Duration) error {
	at, err := d.points(a, b)
	if err != nil {
		return err
	}
	return d.touch(ctx, a, func() error {
		err := d.fingers(ctx, "drag", took+dragHold+dragRest, []step{{to: at[0]}, {down: true}, {rest: dragHold},
			{to: at[1], took: took}, {rest: dragRest}})
		if unknownCommand(err) {
			return d.dragged(ctx, at, dragHold)
		}
		return err
	})
}

// dragged is the gesture of a WebDriverAgent without WebDriver's actions, which moves the finger at a pace of its own.
func (d *Device) dragged(ctx context.Context, at [][2]float64, hold time.Duration) error {
	return d.do(ctx, post("drag", "/wda/dragfromtoforduration", map[string]any{"fromX": at[0][0], "fromY": at[0][1],
		"toX": at[1][0], "toY": at[1][1], "duration": hold.Seconds()}), nil)
}

// Pinch moves two fingers on a horizontal line.
func (d *Device) Pinch(ctx context.Context, centre image.Point, from, to int, took time.Duration) error {
	at, err := d.points(centre.Sub(image.Pt(from, 0)), centre.Sub(image.Pt(to, 0)), centre.Add(image.Pt(from, 0)),
		centre.Add(image.Pt(to, 0)))
	if err != nil {
		return err
	}
	return d.fingers(ctx, "pinch", took, []step{{to: at[0]}, {down: true}, {to: at[1], took: took}},
		[]step{{to: at[2]}, {down: true}, {to: at[3], took: took}})
}

// step is one thing that a finger does.
type step struct {
	to   [2]float64
	took time.Duration // of the way to it
	down bool
	rest time.Duration
}

// fingers makes one gesture of WebDriver's actions: each list is what one finger does until it is lifted.
func (d *Device) fingers(ctx context.Context, what string, took time.Duration, hands ...[]step) error {
	var all []any
	for i, steps := range hands {
		var acts []any
		for _, s := range steps {
			switch {
			case s.down:
				acts = append(acts, map[string]any{"type": "pointerDown", "button": 0})
			case s.rest > 0:
				acts = append(acts, map[string]any{"type": "pause", "duration": s.rest.Milliseconds()})
			default:
				acts = append(acts, map[string]any{"type": "pointerMove", "duration": s.took.Milliseconds(), "x": s.to[0],
					"y": s.to[1]})
			}
		}
		acts = append(acts, map[string]any{"type": "pointerUp", "button": 0})
		all = append(all, map[string]any{"type": "pointer", "id": fmt.Sprintf("finger%d", i+1),
			"parameters": map[string]any{"pointerType": "touch"}, "actions": acts})
	}
	ask := post(what, "/actions", map[string]any{"actions": all})
	ask.limit = callLimit + took
	return d.do(ctx, ask, nil)
}
