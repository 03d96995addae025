package action_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// readers see one text in every screenshot.
type readers struct {
	drivers.Vision
	text string
	at   image.Rectangle
}

func (r readers) OCR(context.Context, image.Image) ([]drivers.TextLine, error) {
	return []drivers.TextLine{{Text: r.text, Bounds: r.at, Confidence: 1}}, nil
}

// restless is a screen on which something moves, with a tree that costs eleven seconds to be refused.
func restless() *fake {
	return &fake{began: time.Now(), cheap: true, treeCost: 11 * time.Second, pictureCost: 100 * time.Millisecond,
		show: func(at time.Duration, _ []image.Point) []*screen.Node {
			return []*screen.Node{el(fmt.Sprint(at), 0, 1500, 400, 1600), el("Stop", 100, 300, 300, 400)}
		},
		treeErr: func(time.Duration) error { return fmt.Errorf("device fake: %w", drivers.ErrNeverIdle) }}
}

func TestScreenThatNeverStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := restless()
		s := &action.Performer{Device: f, Timeout: 10 * time.Second, Settings: action.Settings{
			Vision: readers{text: "Stop", at: image.Rect(100, 300, 300, 400)}}}
		for range 3 {
			if err := action.Perform(t.Context(), s, dsl.Tap{Selector: label("Stop")}); err != nil {
				t.Fatal(err)
			}
		}
		if f.trees != 1 || len(f.taps) != 3 || f.taps[0] != image.Pt(200, 350) {
			t.Errorf("%d trees, taps %v: it is asked once", f.trees, f.taps)
		}
		if err := action.Perform(t.Context(), s, dsl.Assert{Selector: label("Stop")}); err != nil {
			t.Error(err)
		}
		wantFail(t, action.Perform(t.Context(), s, dsl.Assert{Selector: label("Start")}), true, "Start",
			"what can be read in the pixels is \"Stop\"", "never stops moving")
		// Pixels do not prove that something is not there, nor do they know ids.
		for _, args := range []any{dsl.AssertNot{Selector: label("Start")}, dsl.Tap{Selector: dsl.Selector{ID: "stop"}}} {
			if err := action.Perform(t.Context(), s, args); action.ResultOf(err) != event.Error ||
				!errors.Is(err, drivers.ErrNeverIdle) {
				t.Errorf("%T: %v", args, err)
			}
		}
		if took := f.at(); took > 90*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestScreenThatNeverStandsStillWithoutEyes is an error of the device, as it was.
func TestScreenThatNeverStandsStillWithoutEyes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := action.Perform(t.Context(), &action.Performer{Device: restless(), Timeout: 10 * time.Second},
			dsl.Tap{Selector: label("Stop")})
		if action.ResultOf(err) != event.Error || !errors.Is(err, drivers.ErrNeverIdle) {
			t.Errorf("error %v", err)
		}
	})
}

// TestIDOnAScreenThatNeverStandsStill ends in time, and the steps behind it do not ask the phone again in vain.
func TestIDOnAScreenThatNeverStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := restless()
		s := &action.Performer{Device: f, Timeout: 10 * time.Second, Settings: action.Settings{Vision: readers{}}}
		for range 2 {
			began := time.Now()
			err := action.Perform(t.Context(), s, dsl.Tap{Selector: dsl.Selector{ID: "stop"}})
			if took := time.Since(began); took > s.Timeout+f.treeCost {
				t.Errorf("it took %v", took)
			}
			if action.ResultOf(err) != event.Error || !strings.Contains(err.Error(), "a label, ocr:") {
				t.Errorf("error %v", err)
			}
		}
		if f.trees != 1 {
			t.Errorf("%d trees", f.trees)
		}
	})
}

// TestIDOnAScreenThatComesToRest is found then.
func TestIDOnAScreenThatComesToRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := restless()
		moving, target := f.show, button("Stop", 100, 300, 300, 400)
		target.ID = "stop"
		f.treeCost = 4 * time.Second
		f.show = func(at time.Duration, taps []image.Point) []*screen.Node {
			if at < 5*time.Second {
				return moving(at, taps)
			}
			return []*screen.Node{target}
		}
		f.treeErr = func(at time.Duration) error {
			if at < 5*time.Second {
				return drivers.ErrNeverIdle
			}
			return nil
		}
		if err := action.Perform(t.Context(), &action.Performer{Device: f, Timeout: 10 * time.Second},
			dsl.Tap{Selector: dsl.Selector{ID: "stop"}}); err != nil || len(f.taps) != 1 {
			t.Errorf("%d taps, %v", len(f.taps), err)
		}
	})
}
