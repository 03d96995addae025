package action

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	flows "github.com/taproot-dev/taproot/dsl/maestro"
)

// maestroPerformers adds the commands of flows to the table. Those that hold others are the engine's.
func maestroPerformers(table performersTable) {
	on(table, flowTap)
	on(table, flowAssert)
	on(table, flowLaunch)
	on(table, flowPermissions)
	on(table, flowStop)
	on(table, flowKill)
	on(table, flowClear)
	on(table, flowKeychain)
	on(table, flowInput)
	on(table, flowRandom)
	on(table, flowErase)
	on(table, flowCopy)
	on(table, flowClipboard)
	on(table, flowPaste)
	on(table, flowPress)
	on(table, flowHideKeyboard)
	on(table, flowSwipe)
	on(table, flowScroll)
	on(table, flowScrollUntil)
	on(table, flowOpenLink)
	on(table, flowLocation)
	on(table, flowTravel)
	on(table, flowOrientation)
	on(table, flowAirplane)
	on(table, flowDarkMode)
	on(table, flowAssertDark)
	on(table, flowAddMedia)
	on(table, flowStartRecording)
	on(table, flowStopRecording)
	on(table, flowScreenshot)
	on(table, flowAssertScreenshot)
	on(table, flowAI)
	on(table, flowSettle)
}

// lower returns the selector of a flow in Taproot's form.
func lower(s *flows.Selector) (dsl.Selector, error) {
	sel, err := s.Lower()
	if err != nil {
		return sel, fatal("%v", err)
	}
	return sel, nil
}

func flowTap(ctx context.Context, s *Session, a flows.Tap) error {
	t := touching{screen: a.Point, in: a.In, long: a.Touch == flows.Long, repeat: a.Repeat,
		pause: time.Duration(a.DelayMs) * time.Millisecond,
		retry: a.RetryUnchanged, untilVisible: a.UntilVisible, settleMs: a.SettleMs}
	if a.On != nil {
		sel, err := lower(a.On)
		if err != nil {
			return err
		}
		t.on = &sel
	}
	return s.tapAt(ctx, t)
}

func flowAssert(ctx context.Context, s *Session, a flows.Assert) error {
	if a.True != nil && !flows.Truth(*a.True) {
		p := problem("the condition is %s, which counts as false", screen.Quote(*a.True))
		p.Assertion, p.Expected, p.Actual = true, "a condition that is true", screen.Quote(*a.True)
		return &Failure{p}
	}
	var visible, gone *dsl.Selector
	for _, side := range []struct {
		from *flows.Selector
		to   **dsl.Selector
	}{{a.Visible, &visible}, {a.NotVisible, &gone}} {
		if side.from == nil {
			continue
		}
		sel, err := lower(side.from)
		if err != nil {
			return err
		}
		*side.to = &sel
	}
	return s.finding(ctx, visible, gone, s.Timeout)
}

func flowAI(ctx context.Context, s *Session, a flows.AI) error {
	var err error
	switch a.Kind {
	case "extract":
		err = extract(ctx, s, dsl.Extract{Prompt: a.Text})
	case "defects":
		err = assertVisual(ctx, s,
			dsl.AssertVisual{Prompt: "The screen has no visible defects: no text that is cut off or overlaps other text, no " +
				"element that is cut off or out of place", Votes: 1})
	default:
		err = assertVisual(ctx, s, dsl.AssertVisual{Prompt: a.Text, Votes: 1})
	}
	var noVision *VisionError
	if errors.As(err, &noVision) { // Maestro warns, too, when it has no key
		return &Failure{problem("%v", err)}
	}
	return err
}

// resting is how much of two screenshots may differ on a screen that rests.
const resting = 0.005

func flowSettle(ctx context.Context, s *Session, a flows.Settle) error {
	limit := 15 * time.Second
	if a.Timeout != nil {
		given, err := Milliseconds(*a.Timeout)
		if err != nil {
			return err
		}
		limit = given
	}
	for deadline := time.Now().Add(limit); ; {
		before, err := s.Device.Screenshot(ctx)
		var p *drivers.ProtectedError
		if errors.As(err, &p) {
			s.note("whether the screen moves was not seen: the app forbids screenshots of the window %s", p.Parts[0].Window)
			return nil
		}
		if err != nil {
			return err
		}
		after, err := s.Device.Screenshot(ctx)
		if err != nil {
			return err
		}
		if before.Bounds() == after.Bounds() && 1-equalPart(before, after) <= resting {
			return nil
		}
		if !time.Now().Before(deadline) {
			s.note("the screen still moved after %s, which Maestro does not mind", limit)
			return nil
		}
		if err := drivers.Pause(ctx, maestroLook); err != nil {
			return err
		}
	}
}
