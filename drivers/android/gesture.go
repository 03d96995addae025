package android

import (
	"context"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	// A second tap counts from 40 to 300 ms after the first. `cmd input` needs 20 to 50 ms of that for itself.
	doubleTapPause = "0.06"
	// Where each `input` starts a VM, which takes half a second, both are started at once, the second so much later.
	doubleTapStagger = "0.15"

	shortestSwipe = 50 * time.Millisecond // in less time `input swipe` makes no move between down and up

	// dragHold is longer than the 600 ms after which old gesture detectors see a long press.
	dragHold  = 700 * time.Millisecond
	dragSteps = 8
	dragEnd   = 100 * time.Millisecond // over the target, so that it takes notice
	// moveCost is what one `cmd input` takes.
	moveCost = 40 * time.Millisecond
)

// LongPress holds one finger: a swipe that goes nowhere, which is one command on every Android.
func (u *ui) LongPress(ctx context.Context, p image.Point, hold time.Duration) error {
	return u.gesture(ctx, touch{kind: touchHold, from: p, took: hold, points: []image.Point{p}})
}

// Swipe moves one finger.
func (u *ui) Swipe(ctx context.Context, a, b image.Point, took time.Duration) error {
	return u.gesture(ctx, touch{kind: touchSwipe, from: a, to: b, took: took, points: []image.Point{a, b}})
}

func (j *injector) swipe(ctx context.Context, name string, way [2]image.Point, took time.Duration) error {
	took = max(took, shortestSwipe)
	_, err := j.give(ctx, inputLine{name: name, took: took, line: func(via string) string {
		return fmt.Sprintf("%s swipe %d %d %d %d %d", via, way[0].X, way[0].Y, way[1].X, way[1].Y, took.Milliseconds())
	}})
	return err
}

// DoubleTap taps twice, in one shell line where there is no agent.
func (u *ui) DoubleTap(ctx context.Context, p image.Point) error {
	return u.gesture(ctx, touch{kind: touchDouble, from: p, points: []image.Point{p}})
}

func (j *injector) inputDoubleTap(ctx context.Context, p image.Point) error {
	_, err := j.give(ctx, inputLine{name: "double tap", line: func(via string) string {
		tap := fmt.Sprintf("%s tap %d %d", via, p.X, p.Y)
		if via == viaCmd {
			return tap + " && sleep " + doubleTapPause + " && " + tap
		}
		return fmt.Sprintf("%s & sleep %s; %s; c=$?; wait; [ $c = 0 ]", tap, doubleTapStagger, tap)
	}})
	return err
}

// Drag holds, moves and lifts.
func (u *ui) Drag(ctx context.Context, a, b image.Point, took time.Duration) error {
	return u.gesture(ctx, touch{kind: touchDrag, from: a, to: b, took: took, points: []image.Point{a, b}})
}

// inputDrag: from Android 12 on that is single events in one shell line, because `input draganddrop` holds for no
// longer than a view's long press, too short for a gesture detector's; before, each event would start a VM, so there it
// is `draganddrop` (Android 7).
func (j *injector) inputDrag(ctx context.Context, a, b image.Point, took time.Duration) error {
	took = max(took, shortestSwipe)
	down := false
	_, err := j.give(ctx, inputLine{name: "drag", took: took + dragHold + dragEnd + dragSteps*moveCost,
		line: func(via string) string {
			down = via == viaCmd
			if !down {
				return fmt.Sprintf("%s draganddrop %d %d %d %d %d", via, a.X, a.Y, b.X, b.Y, took.Milliseconds())
			}
			return dragLine(via, a, b, took)
		}})
	if err != nil && down {
		// The finger may still be down, and would spoil the next gesture.
		_, _ = j.phone.run(j.phone.life, command{name: "input cancel", limit: hurriedLimit,
			line: fmt.Sprintf("%s motionevent CANCEL %d %d", viaCmd, b.X, b.Y)})
	}
	return err
}

func dragLine(via string, a, b image.Point, took time.Duration) string {
	event := func(kind string, p image.Point) string {
		return fmt.Sprintf("%s motionevent %s %d %d", via, kind, p.X, p.Y)
	}
	rest := func(t time.Duration) string { return fmt.Sprintf("sleep %.3f", t.Seconds()) }
	parts := []string{event("DOWN", a), rest(dragHold)}
	for i := range dragSteps {
		parts = append(parts, event("MOVE", a.Add(b.Sub(a).Mul(i+1).Div(dragSteps))))
		if step := took/dragSteps - moveCost; step > 0 {
			parts = append(parts, rest(step))
		}
	}
	return strings.Join(append(parts, rest(dragEnd), event("UP", b)), " && ")
}

// onScreen checks points against the last screenshot, and against a new one before it refuses any that the screen would
// have if it had turned. Points outside it are taken by Android without a word.
func (u *ui) onScreen(ctx context.Context, points ...image.Point) error {
	size := u.phone.screenSize()
	if size == (image.Point{}) || within(size, points) == nil {
		return nil
	}
	longer := max(size.X, size.Y)
	if within(image.Pt(longer, longer), points) == nil {
		if _, err := u.camera.Screenshot(ctx); err != nil {
			return err
		}
		size = u.phone.screenSize()
	}
	if p := within(size, points); p != nil {
		return fmt.Errorf("device %s: %w: the point %d,%d is not on the screen of %dx%d", u.phone.link.serial,
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

// screenSize is that of the last screenshot, or the natural one before there was any, or zero.
func (p *phone) screenSize() image.Point {
	if shot := p.lastShot(); shot != (image.Point{}) {
		return shot
	}
	return image.Pt(p.info.Width, p.info.Height)
}

// lastShot is the size of the last screenshot, zero before there was any since the screen was turned.
func (p *phone) lastShot() image.Point {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shot
}

// setShot notes the size of a screenshot.
func (p *phone) setShot(size image.Point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shot = size
}
