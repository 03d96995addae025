package touch

import (
	"context"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/alert"
	"github.com/taproot-dev/taproot/drivers/ios/internal/capture"
	"github.com/taproot-dev/taproot/drivers/ios/internal/geometry"
	"github.com/taproot-dev/taproot/drivers/ios/internal/view"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/drivers/ios/internal/webview"
)

const (
	// dragHold is how long a finger rests before it moves with what it has picked up; UIKit lifts after half a second.
	dragHold = 700 * time.Millisecond
	// dragRest is how long it rests over the target, so that it takes notice.
	dragRest = 150 * time.Millisecond
)

// Fingers touch the screen of one device. Its methods are called one at a time, except Aim.
type Fingers struct {
	parts Parts

	mu    sync.Mutex
	aimed *screen.Node // what the next touch is meant for
}

// Parts are what Fingers need.
type Parts struct {
	Link     *wda.Link
	Geometry *geometry.Screen
	Reader   *view.Reader
	Camera   *capture.Camera
	Alerts   *alert.Alerts
	Web      *webview.Views
}

// New returns Fingers of such parts.
func New(p Parts) *Fingers { return &Fingers{parts: p} }

// Tap touches a point once.
func (f *Fingers) Tap(ctx context.Context, p image.Point) error {
	if button := f.parts.Reader.StandInFor(p); button != "" {
		f.Aim(nil)
		return f.parts.Alerts.AnswerAlert(ctx, button, "")
	}
	at, err := f.parts.Geometry.Points(p)
	if err != nil {
		return err
	}
	ask := wda.Post("tap", "/wda/tap", map[string]any{"x": at[0][0], "y": at[0][1]})
	ask.Older = "/wda/tap/0" // before version 6
	return f.touch(ctx, p, func() error { return f.parts.Link.Do(ctx, ask, nil) })
}

// DoubleTap taps twice.
func (f *Fingers) DoubleTap(ctx context.Context, p image.Point) error {
	at, err := f.parts.Geometry.Points(p)
	if err != nil {
		return err
	}
	ask := wda.Post("double tap", "/wda/doubleTap", map[string]any{"x": at[0][0], "y": at[0][1]})
	return f.touch(ctx, p, func() error { return f.parts.Link.Do(ctx, ask, nil) })
}

// LongPress holds a finger.
func (f *Fingers) LongPress(ctx context.Context, p image.Point, hold time.Duration) error {
	at, err := f.parts.Geometry.Points(p)
	if err != nil {
		return err
	}
	ask := wda.Post("long press", "/wda/touchAndHold", map[string]any{"x": at[0][0], "y": at[0][1],
		"duration": hold.Seconds()})
	ask.Limit = wda.CallLimit + hold
	return f.touch(ctx, p, func() error { return f.parts.Link.Do(ctx, ask, nil) })
}

// Swipe moves a finger at an even pace, and lifts it while it moves. One that would start in the area of the home
// indicator, from which the system takes swipes, starts above it.
func (f *Fingers) Swipe(ctx context.Context, a, b image.Point, took time.Duration) error {
	if _, err := f.parts.Geometry.Points(a, b); err != nil {
		return err
	}
	at, err := f.parts.Geometry.Points(f.parts.Geometry.AboveHome(a, b))
	if err != nil {
		return err
	}
	err = f.fingers(ctx, "swipe", took, []step{{to: at[0]}, {down: true}, {to: at[1], took: took}})
	if wda.UnknownCommand(err) {
		return f.dragged(ctx, at, 0)
	}
	return err
}

// Drag holds a finger until what is under it is picked up, moves it, and rests before it lifts it.
func (f *Fingers) Drag(ctx context.Context, a, b image.Point, took time.Duration) error {
	at, err := f.parts.Geometry.Points(a, b)
	if err != nil {
		return err
	}
	return f.touch(ctx, a, func() error {
		err := f.fingers(ctx, "drag", took+dragHold+dragRest, []step{{to: at[0]}, {down: true}, {rest: dragHold},
			{to: at[1], took: took}, {rest: dragRest}})
		if wda.UnknownCommand(err) {
			return f.dragged(ctx, at, dragHold)
		}
		return err
	})
}

// dragged is the gesture of a WebDriverAgent without WebDriver's actions, which moves the finger at a pace of its own.
func (f *Fingers) dragged(ctx context.Context, at [][2]float64, hold time.Duration) error {
	return f.parts.Link.Do(
		ctx,
		wda.Post("drag", "/wda/dragfromtoforduration", map[string]any{"fromX": at[0][0], "fromY": at[0][1],
			"toX": at[1][0], "toY": at[1][1], "duration": hold.Seconds()}),
		nil,
	)
}

// Pinch moves two fingers on a horizontal line.
func (f *Fingers) Pinch(ctx context.Context, centre image.Point, from, to int, took time.Duration) error {
	at, err := f.parts.Geometry.Points(
		centre.Sub(image.Pt(from, 0)),
		centre.Sub(image.Pt(to, 0)),
		centre.Add(image.Pt(from, 0)),
		centre.Add(image.Pt(to, 0)),
	)
	if err != nil {
		return err
	}
	return f.fingers(ctx, "pinch", took, []step{{to: at[0]}, {down: true}, {to: at[1], took: took}},
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
func (f *Fingers) fingers(ctx context.Context, what string, took time.Duration, hands ...[]step) error {
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
	ask := wda.Post(what, "/actions", map[string]any{"actions": all})
	ask.Limit = wda.CallLimit + took
	return f.parts.Link.Do(ctx, ask, nil)
}
