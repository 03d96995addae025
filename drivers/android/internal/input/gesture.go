package input

import (
	"context"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
)

const (
	// A second tap counts from 40 to 300 ms after the first. `cmd input` needs 20 to 50 ms of that for itself.
	doubleTapPause = "0.06"
	// Where each `input` starts a VM, which takes half a second, both are started at once, the second so much later.
	doubleTapStagger = "0.15"

	ShortestSwipe = 50 * time.Millisecond // in less time `input swipe` makes no move between down and up

	// DragHold is longer than the 600 ms after which old gesture detectors see a long press.
	DragHold  = 700 * time.Millisecond
	dragSteps = 8
	DragEnd   = 100 * time.Millisecond // over the target, so that it takes notice
	// moveCost is what one `cmd input` takes.
	moveCost = 40 * time.Millisecond
)

func (j *Injector) swipe(ctx context.Context, name string, way [2]image.Point, took time.Duration) error {
	took = max(took, ShortestSwipe)
	_, err := j.give(ctx, inputLine{name: name, took: took, line: func(via string) string {
		return fmt.Sprintf("%s swipe %d %d %d %d %d", via, way[0].X, way[0].Y, way[1].X, way[1].Y, took.Milliseconds())
	}})
	return err
}

func (j *Injector) inputDoubleTap(ctx context.Context, p image.Point) error {
	_, err := j.give(ctx, inputLine{name: "double tap", line: func(via string) string {
		tap := fmt.Sprintf("%s tap %d %d", via, p.X, p.Y)
		if via == viaCmd {
			return tap + " && sleep " + doubleTapPause + " && " + tap
		}
		return fmt.Sprintf("%s & sleep %s; %s; c=$?; wait; [ $c = 0 ]", tap, doubleTapStagger, tap)
	}})
	return err
}

// inputDrag: from Android 12 on that is single events in one shell line, because `input draganddrop` holds for no
// longer than a view's long press, too short for a gesture detector's; before, each event would start a VM, so there it
// is `draganddrop` (Android 7).
func (j *Injector) inputDrag(ctx context.Context, a, b image.Point, took time.Duration) error {
	took = max(took, ShortestSwipe)
	down := false
	_, err := j.give(ctx, inputLine{name: "drag", took: took + DragHold + DragEnd + dragSteps*moveCost,
		line: func(via string) string {
			down = via == viaCmd
			if !down {
				return fmt.Sprintf("%s draganddrop %d %d %d %d %d", via, a.X, a.Y, b.X, b.Y, took.Milliseconds())
			}
			return dragLine(via, a, b, took)
		}})
	if err != nil && down {
		// The finger may still be down, and would spoil the next gesture.
		_, _ = j.Phone.Run(j.Phone.Life, adb.Command{Name: "input cancel", Limit: hurriedLimit,
			Line: fmt.Sprintf("%s motionevent CANCEL %d %d", viaCmd, b.X, b.Y)})
	}
	return err
}

func dragLine(via string, a, b image.Point, took time.Duration) string {
	event := func(kind string, p image.Point) string {
		return fmt.Sprintf("%s motionevent %s %d %d", via, kind, p.X, p.Y)
	}
	rest := func(t time.Duration) string { return fmt.Sprintf("sleep %.3f", t.Seconds()) }
	parts := []string{event("DOWN", a), rest(DragHold)}
	for i := range dragSteps {
		parts = append(parts, event("MOVE", a.Add(b.Sub(a).Mul(i+1).Div(dragSteps))))
		if step := took/dragSteps - moveCost; step > 0 {
			parts = append(parts, rest(step))
		}
	}
	return strings.Join(append(parts, rest(DragEnd), event("UP", b)), " && ")
}
