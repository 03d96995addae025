package engine_test

import (
	"context"
	"image"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/engine"
)

// toaster is a device on which a tap shows a text for two seconds, and whose pictures take as long.
type toaster struct {
	*device
	cheap  bool
	shot   time.Duration
	tapped time.Time
}

func (d *toaster) PixelsAreCheap() bool { return d.cheap }

func (d *toaster) Tap(ctx context.Context, p image.Point) error {
	d.tapped = time.Now()
	return d.device.Tap(ctx, p)
}

func (d *toaster) Tree(ctx context.Context) (*screen.Tree, error) {
	t, err := d.device.Tree(ctx)
	if err == nil && !d.tapped.IsZero() && time.Since(d.tapped) < 2*time.Second {
		toast := &screen.Node{Type: "Text", Text: "Saved", Bounds: image.Rect(0, 60, 40, 70)}
		t = screen.NewTree([]*screen.Node{t.Windows[0], toast}, t.Size, t.Taken)
	}
	return t, drivers.Pause(ctx, 50*time.Millisecond)
}

func (d *toaster) Screenshot(ctx context.Context) (image.Image, error) {
	d.shots++
	return blank, drivers.Pause(ctx, d.shot)
}

// TestTextThatStandsForTwoSeconds is seen: no picture is taken between the tap and the next look, and each step has one all the same.
func TestTextThatStandsForTwoSeconds(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d, s := &toaster{device: &device{}, shot: 2500 * time.Millisecond}, &sink{dir: dir}
		verdict, err := engine.Run(t.Context(), testCase(t, "  - tap: Go\n  - assert: Saved\n  - tap: Go\n"), d, s, engine.Options{})
		if err != nil || verdict != event.Pass {
			t.Errorf("%s, %v, %+v", verdict, err, s.result(t).Problem)
		}
		var of []int
		for _, shot := range s.shots {
			of = append(of, shot.Step)
		}
		if len(of) != 3 || of[0] != 1 || of[1] != 2 || of[2] != 3 {
			t.Errorf("pictures of steps %v", of)
		}
	})
}

// TestTapsShareTheirPictures: on a screen that stands still a tap costs one tree and two pictures, the report's included.
func TestTapsShareTheirPictures(t *testing.T) {
	const taps = 5
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d, s := &toaster{device: &device{}, cheap: true, shot: 250 * time.Millisecond}, &sink{dir: dir}
		verdict, err := engine.Run(t.Context(), testCase(t, strings.Repeat("  - tap: Go\n", taps)), d, s, engine.Options{})
		if err != nil || verdict != event.Pass || len(s.shots) != taps {
			t.Errorf("%s, %v, %d pictures in the report", verdict, err, len(s.shots))
		}
		if most := 2*taps + 1; d.trees != taps || d.shots > most+1 { // the first has none to share; the last one's effect is looked for again
			t.Errorf("%d trees, %d pictures", d.trees, d.shots)
		}
	})
}
