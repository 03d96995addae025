package action_test

import (
	"errors"
	"fmt"
	"image"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// TestPitfallTapIsRepeated: a screen that does not change after a tap is not tapped again: the second tap could hit the
// next screen.
func TestPitfallTapIsRepeated(t *testing.T) {
	t.Parallel()
	perform(t, &fake{show: always(button("Go", 0, 100, 900, 200))}, dsl.Tap{Selector: label("Go")},
		func(t *testing.T, s *action.Performer, err error) {
			if err != nil || len(device(s).taps) != 1 {
				t.Errorf("%d taps, %v", len(device(s).taps), err)
			}
		})
}

// TestPitfallFirstLaidOutRectangle: an element is tapped where it comes to rest, not where it was laid out first.
func TestPitfallFirstLaidOutRectangle(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		y := 100
		if at > 700*time.Millisecond {
			y = 1500
		} else {
			y += int(at.Milliseconds())
		}
		return []*screen.Node{button("Go", 0, y, 900, y+100)}
	}
	perform(t, &fake{show: show}, dsl.Tap{Selector: label("Go")}, func(t *testing.T, s *action.Performer, err error) {
		if taps := device(s).taps; err != nil || len(taps) != 1 || taps[0].Y != 1550 {
			t.Errorf("taps %v, %v", taps, err)
		}
	})
}

// TestPitfallUsableHeightIsNotThePhysicalOne: per cent are of the screenshot, which is what is tapped.
func TestPitfallUsableHeightIsNotThePhysicalOne(t *testing.T) {
	t.Parallel()
	at := dsl.Point{X: 50, Y: 100, Percent: true}
	perform(t, &fake{show: always()}, dsl.Tap{Selector: dsl.Selector{Point: &at}}, func(t *testing.T, s *action.Performer,
		err error) {
		if taps := device(s).taps; err != nil || taps[0] != image.Pt(500, 1999) {
			t.Errorf("taps %v, %v", taps, err)
		}
	})
}

// TestPitfallPercentagesWithIntegerDivision: parts of per cent count.
func TestPitfallPercentagesWithIntegerDivision(t *testing.T) {
	t.Parallel()
	at := dsl.Point{X: 33.3, Y: 0.55, Percent: true}
	perform(t, &fake{show: always()}, dsl.Tap{Selector: dsl.Selector{Point: &at}}, func(t *testing.T, s *action.Performer,
		err error) {
		if taps := device(s).taps; err != nil || taps[0] != image.Pt(333, 11) {
			t.Errorf("taps %v, %v", taps, err)
		}
	})
}

// TestPitfallWaitThatReturnsAtOnce: a screen is not at rest because it was looked at; one that never rests fails the
// wait.
func TestPitfallWaitThatReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{began: time.Now(), treeCost: time.Millisecond, pictureCost: time.Millisecond,
			show: always(el("Ready", 0, 0, 900, 100))}
		if err := action.Perform(t.Context(), &action.Performer{Device: f, Timeout: 5 * time.Second},
			dsl.WaitStable{}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(f.began); took < 300*time.Millisecond {
			t.Errorf("it was enough to look for %s", took)
		}
	})
}

// TestPitfallNotVisibleBeforeTheChange: what is about to come is not absent. The screen still changes when it is looked
// at first.
func TestPitfallNotVisibleBeforeTheChange(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		if at < 600*time.Millisecond {
			return []*screen.Node{el(fmt.Sprintf("Loading %d", at.Milliseconds()/40), 0, 0, 900, 100)}
		}
		return []*screen.Node{el("Error", 0, 200, 900, 300)}
	}
	perform(t, &fake{show: show}, dsl.AssertNot{Selector: label("Error")}, func(t *testing.T, _ *action.Performer,
		err error) {
		wantFail(t, err, true, "still there")
	})
}

// TestPitfallInfrastructureIsNotFound: a device that is lost is an error, never an element that was not found, and
// never one that is gone.
func TestPitfallInfrastructureIsNotFound(t *testing.T) {
	t.Parallel()
	f := &fake{show: always(), treeErr: func(time.Duration) error { return fmt.Errorf("R58: %w", drivers.ErrDeviceLost) }}
	for _, args := range []any{dsl.Assert{Selector: label("Paid")}, dsl.AssertNot{Selector: label("Paid")},
		dsl.Tap{Selector: label("Paid")},
		dsl.WaitFor{NotVisible: &dsl.Selector{Label: "Paid"}}} {
		perform(t, f, args, func(t *testing.T, _ *action.Performer, err error) {
			if action.ResultOf(err) != event.Error || !errors.Is(err, drivers.ErrDeviceLost) {
				t.Errorf("%T: %s, %v", args, action.ResultOf(err), err)
			}
		})
	}
}
