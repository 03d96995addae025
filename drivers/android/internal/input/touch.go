package input

import (
	"context"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// The kinds of touch.
const (
	Tap       = "tap"
	DoubleTap = "double tap"
	Hold      = "long press"
	Swipe     = "swipe"
	Drag      = "drag"
	Pinch     = "pinch"
)

// Touch is a gesture: from one point to another within a time, which are one for a tap. A pinch has its fingers at a
// distance from the point `from`.
type Touch struct {
	Kind     string
	From, To image.Point
	Took     time.Duration
	Near     [2]int        // the distances of a pinch, at the beginning and in the end
	Aimed    *screen.Node  // that it is meant for; nil: whatever is there
	Points   []image.Point // that must be on the screen
}

// Touch makes a gesture, once. What may have happened is never repeated.
func (j *Injector) Touch(ctx context.Context, t Touch) error {
	switch t.Kind {
	case DoubleTap:
		return j.inputDoubleTap(ctx, t.From)
	case Hold:
		return j.swipe(ctx, t.Kind, [2]image.Point{t.From, t.From}, t.Took)
	case Swipe:
		return j.swipe(ctx, t.Kind, [2]image.Point{t.From, t.To}, t.Took)
	case Drag:
		return j.inputDrag(ctx, t.From, t.To, t.Took)
	case Pinch:
		return j.panelPinch(ctx, t.From, t.Near, t.Took)
	}
	return j.inputTap(ctx, t.From)
}

// Unlock wakes the display and takes a lock without a secret away. The error says why the phone cannot be used as it
// is.
func (j *Injector) Unlock(ctx context.Context) error {
	s := j.Phone.LockState(ctx)
	if s.Asleep == "" && !s.Locked {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, unlockLimit)
	defer cancel()
	for {
		if s.Asleep != "" {
			if _, err := j.Inputs(ctx, "wake", []string{"keyevent 224"}); err != nil {
				j.Phone.Log.Warn("the display is off and cannot be woken", "error", err)
			}
		}
		// Against a PIN it brings up the question, which is as good as the clock.
		j.Phone.Link.QueryOptional(ctx, adb.Command{Name: "dismiss the keyguard", Line: "wm dismiss-keyguard"})
		s = j.Phone.LockState(ctx)
		if s.Asleep == "" && (!s.Locked || s.Secure) || drivers.Pause(wait, unlockPoll) != nil {
			break
		}
	}
	return j.Phone.Unusable(s)
}

const (
	unlockLimit = 4 * time.Second // for a display to turn on, and for a keyguard to go away
	unlockPoll  = 150 * time.Millisecond
)
