package action_test

import (
	"context"
	"fmt"
	"image"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// lagging is a device with trees that say where things were some time ago.
type lagging struct {
	*fake
	behind time.Duration
}

func (d *lagging) Tree(ctx context.Context) (*screen.Tree, error) {
	old := *d.fake
	old.show = func(at time.Duration, taps []image.Point) []*screen.Node { return d.show(max(at-d.behind, 0), taps) }
	t, err := old.Tree(ctx)
	d.trees = old.trees
	return t, err
}

// onPixels performs one action on a phone in fake time.
func onPixels(t *testing.T, f *fake, behind time.Duration, args any, check func(t *testing.T, s *action.Performer,
	err error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f.began, f.cheap = time.Now(), true
		if f.treeCost == 0 {
			f.treeCost, f.pictureCost = 500*time.Millisecond, 50*time.Millisecond
		}
		s := &action.Performer{Device: &lagging{f, behind}, Timeout: 10 * time.Second}
		check(t, s, action.Perform(t.Context(), s, args))
	})
}

// TestPixelsThatMoveOverrideEqualTrees: the trees have not changed for long, and the newest screenshot shows the button
// on its way.
func TestPixelsThatMoveOverrideEqualTrees(t *testing.T) {
	t.Parallel()
	f := &fake{show: func(at time.Duration, _ []image.Point) []*screen.Node {
		y := 100 + int(min(at, 3*time.Second)/time.Millisecond)/4
		return []*screen.Node{button("Go", 100, y, 400, y+100)}
	}}
	onPixels(t, f, time.Hour, dsl.Tap{Selector: label("Go")}, func(t *testing.T, s *action.Performer, err error) {
		for _, when := range f.when {
			if when < 3*time.Second {
				t.Errorf("tapped at %v, on its way: %v", when, err)
			}
		}
	})
	f = &fake{show: func(at time.Duration, _ []image.Point) []*screen.Node {
		y := 100 + 400*(int(at/(300*time.Millisecond))%4) // it jumps, and then stays
		if at > 5*time.Second {
			y = 1700
		}
		return []*screen.Node{button("Go", 100, y, 400, y+100)}
	}}
	onPixels(t, f, 0, dsl.Tap{Selector: label("Go")}, func(t *testing.T, _ *action.Performer, err error) {
		if err != nil || len(f.taps) != 1 || f.taps[0].Y != 1750 {
			t.Errorf("taps %v at %v, %v", f.taps, f.when, err)
		}
	})
}

// TestWhatAnimatesInsideIsTapped: a spinner in a button, a caret in a field, a video around it must not keep it from
// being touched.
func TestWhatAnimatesInsideIsTapped(t *testing.T) {
	t.Parallel()
	frame := func(at time.Duration) int { return int(at / (70 * time.Millisecond)) }
	for name, show := range map[string]func(at time.Duration, _ []image.Point) []*screen.Node{
		"a spinner in it": func(at time.Duration, _ []image.Point) []*screen.Node {
			return []*screen.Node{button("Go", 100, 500, 400, 600), el(fmt.Sprint("dot", frame(at)), 120, 520, 160, 560)}
		},
		"nothing but a spinner": func(at time.Duration, _ []image.Point) []*screen.Node {
			return []*screen.Node{{Type: "View", Desc: "Go", Text: fmt.Sprint("dot", frame(at)), Clickable: true,
				Bounds: image.Rect(110, 500, 390, 600)}}
		},
		"a film around it": func(at time.Duration, _ []image.Point) []*screen.Node {
			return []*screen.Node{el(fmt.Sprint("film", frame(at)), 0, 0, 1000, 2000), button("Go", 100, 500, 400, 600)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{show: show}
			onPixels(t, f, 0, dsl.Tap{Selector: label("Go")}, func(t *testing.T, s *action.Performer, err error) {
				if err != nil || len(f.taps) != 1 || f.taps[0].Y != 550 {
					t.Errorf("taps %v, %v", f.taps, err)
				}
			})
		})
	}
}

// TestNotificationAboveTheTarget is waited for, and named when it stays.
func TestNotificationAboveTheTarget(t *testing.T) {
	for _, stays := range []time.Duration{3 * time.Second, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), cheap: true, treeCost: 100 * time.Millisecond, pictureCost: 20 * time.Millisecond,
				show: always(button("Go", 100, 100, 400, 200))}
			d := &notified{f, stays}
			s := &action.Performer{Device: d, Timeout: 10 * time.Second}
			err := action.Perform(t.Context(), s, dsl.Tap{Selector: label("Go")})
			if stays < time.Hour {
				if err != nil || len(f.taps) != 1 || f.when[0] < stays {
					t.Errorf("taps at %v, %v", f.when, err)
				}
				return
			}
			wantFail(t, err, false, "Lunch?")
			if len(f.taps) != 0 || s.Detail.ProofKind() != event.ProofOccluded {
				t.Errorf("taps %v, proof %s", f.taps, s.Detail.Proof)
			}
		})
	}
}

// notified is a device on which another app's window covers the top for a while.
type notified struct {
	*fake
	stays time.Duration
}

func (d *notified) Tree(ctx context.Context) (*screen.Tree, error) {
	t, err := d.fake.Tree(ctx)
	if err != nil || d.at() >= d.stays {
		return t, err
	}
	note := &screen.Node{Type: "Window", Bounds: image.Rect(0, 0, 1000, 300), Children: []*screen.Node{
		el("Lunch?", 20, 20, 980, 280)}}
	return screen.NewTree(append(t.Windows, note), t.Size, t.Taken), nil
}

// TestStepEndsWithinItsTimeAndOneCall of the device, whatever it waits for.
func TestStepEndsWithinItsTimeAndOneCall(t *testing.T) {
	for name, args := range map[string]any{
		"tap": dsl.Tap{Selector: label("Nowhere")}, "assert": dsl.Assert{Selector: label("Nowhere")},
		"drag": dsl.Drag{From: dsl.Target{Selector: label("Nowhere")}, To: &dsl.Target{Selector: label("Go")}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &phone{fake{show: func(at time.Duration, _ []image.Point) []*screen.Node {
				if at < 6*time.Second {
					return nil
				}
				return []*screen.Node{button("Go", 100, 100, 400, 200)}
			}, cheap: true, treeCost: 2200 * time.Millisecond, pictureCost: 250 * time.Millisecond}}
			synctest.Test(t, func(t *testing.T) {
				f.began = time.Now()
				err := action.Perform(t.Context(), &action.Performer{Device: f, Timeout: 10 * time.Second}, args)
				if took := f.at(); err == nil || took > 10*time.Second+f.treeCost+2*f.pictureCost {
					t.Errorf("it took %v: %v", took, err)
				}
			})
		})
	}
}

// phone is a fake that feels gestures.
type phone struct{ fake }

func (*phone) LongPress(context.Context, image.Point, time.Duration) error          { return nil }
func (*phone) DoubleTap(context.Context, image.Point) error                         { return nil }
func (*phone) Swipe(context.Context, image.Point, image.Point, time.Duration) error { return nil }
func (*phone) Drag(context.Context, image.Point, image.Point, time.Duration) error  { return nil }
