package action

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/decide"
	flows "github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// maestroPerformers adds the commands of flows to the table. Those that hold others are the engine's.
func maestroPerformers(table performersTable) {
	onFlow(table, flowTap)
	onFlow(table, flowAssert)
	onFlow(table, flowLaunch)
	onFlow(table, flowPermissions)
	onFlow(table, flowStop)
	onFlow(table, flowKill)
	onFlow(table, flowClear)
	onFlow(table, flowKeychain)
	onFlow(table, flowInput)
	onFlow(table, flowRandom)
	onFlow(table, flowErase)
	onFlow(table, flowCopy)
	onFlow(table, flowClipboard)
	onFlow(table, flowPaste)
	onFlow(table, flowPress)
	onFlow(table, flowHideKeyboard)
	onFlow(table, flowSwipe)
	onFlow(table, flowScroll)
	onFlow(table, flowScrollUntil)
	onFlow(table, flowOpenLink)
	onFlow(table, flowLocation)
	onFlow(table, flowTravel)
	onFlow(table, flowOrientation)
	onFlow(table, flowAirplane)
	onFlow(table, flowDarkMode)
	onFlow(table, flowAssertDark)
	onFlow(table, flowAddMedia)
	onFlow(table, flowStartRecording)
	onFlow(table, flowStopRecording)
	onFlow(table, flowScreenshot)
	onFlow(table, flowAssertScreenshot)
	onFlow(table, flowAI)
	onFlow(table, flowSettle)
}

// onFlow puts the performer of one command into the table.
func onFlow[T any](table performersTable, do func(context.Context, maestroPerformer, T) error) {
	on(table, func(ctx context.Context, s *Performer, args T) error {
		return do(ctx, maestroPerformer{Performer: s}, args)
	})
}

// lower returns the selector of a flow in Taproot's form.
func lower(s *flows.Selector) (dsl.Selector, error) {
	sel, err := s.Lower()
	if err != nil {
		return sel, fatal("%v", err)
	}
	return sel, nil
}

func flowTap(ctx context.Context, s maestroPerformer, a flows.Tap) error {
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

func flowAssert(ctx context.Context, s maestroPerformer, a flows.Assert) error {
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

func flowAI(ctx context.Context, s maestroPerformer, a flows.AI) error {
	var err error
	switch a.Kind {
	case "extract":
		err = extract(ctx, s.Performer, dsl.Extract{Prompt: a.Text})
	case "defects":
		err = assertVisual(
			ctx,
			s.Performer,
			dsl.AssertVisual{
				Prompt: "The screen has no visible defects: no text that is cut off or overlaps other text, no " +
					"element that is cut off or out of place",
				Votes: 1,
			},
		)
	default:
		err = assertVisual(ctx, s.Performer, dsl.AssertVisual{Prompt: a.Text, Votes: 1})
	}
	var noVision *VisionError
	if errors.As(err, &noVision) { // Maestro warns, too, when it has no key
		return &Failure{problem("%v", err)}
	}
	return err
}

// resting is how much of two screenshots may differ on a screen that rests.
const resting = 0.005

func flowSettle(ctx context.Context, s maestroPerformer, a flows.Settle) error {
	limit := maestroSettleLimit
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
			s.note(
				"whether the screen moves was not seen: the app forbids screenshots of the window %s",
				p.Parts[0].Window,
			)
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
		if err := drivers.Pause(ctx, decide.Native().MaestroPause); err != nil {
			return err
		}
	}
}

func flowOpenLink(ctx context.Context, s maestroPerformer, a flows.OpenLink) error {
	if s.isWeb() {
		if !strings.HasPrefix(a.Link, "http") {
			a.Link = "https://" + a.Link
		}
		return s.openURL(ctx, a.Link, false)
	}
	if err := s.mayOpen(ctx, a.Link); err != nil {
		return err
	}
	if a.AutoVerify {
		s.note("autoVerify: questions of the system are left to the flow")
	}
	if err := onApps(s.Performer, func(d drivers.AppManager) error { return d.OpenLink(ctx, a.Link, "") }); err != nil {
		return err
	}
	return Settle(ctx, s.Performer, nil)
}

func flowLocation(ctx context.Context, s maestroPerformer, a flows.Location) error {
	for _, text := range []string{a.Latitude, a.Longitude} {
		if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			return fatal("%q is not a number of degrees", text)
		}
	}
	return setLocation(
		ctx,
		s.Performer,
		dsl.SetLocation{At: strings.TrimSpace(a.Latitude) + "," + strings.TrimSpace(a.Longitude)},
	)
}

// legs is in how many steps a way between two places is gone.
const legs = 50

func flowTravel(ctx context.Context, s maestroPerformer, a flows.Travel) error {
	d, err := capability[drivers.LocationSetter](s.Performer)
	if err != nil || len(a.Points) == 0 {
		return err
	}
	at := placeOf(a.Points[0], 0)
	if err := d.SetLocation(ctx, at); err != nil {
		return err
	}
	for _, text := range a.Points[1:] {
		to := placeOf(text, 0)
		pause := time.Duration(0)
		if a.Speed > 0 {
			pause = time.Duration(metres(at, to) / a.Speed / legs * float64(time.Second))
		}
		for i := 1; i <= legs; i++ {
			if err := d.SetLocation(ctx, between(at, to, float64(i)/legs)); err != nil {
				return err
			}
			if err := drivers.Pause(ctx, pause); err != nil {
				return err
			}
		}
		at = to
	}
	return nil
}

func flowOrientation(ctx context.Context, s maestroPerformer, a flows.Orientation) error {
	name := flows.OrientationOf(a.To)
	if name == "" {
		return &Failure{problem("there is no orientation %q", a.To)}
	}
	if s.isWeb() {
		return nil
	}
	quarters := slices.Index(flows.Orientations(), name)
	if t, ok := s.Device.(drivers.Rotator); ok {
		if err := t.SetRotation(ctx, quarters); err != nil {
			return err
		}
		return Settle(ctx, s.Performer, nil)
	}
	if err := onSystem(s.Performer, func(d drivers.System) error { return d.Rotate(ctx, quarters%2 == 1) }); err != nil {
		return err
	}
	return Settle(ctx, s.Performer, nil)
}

func flowAirplane(ctx context.Context, s maestroPerformer, a flows.Airplane) error {
	if s.Platform != dsl.Android {
		s.note("airplane mode is Android's")
		return nil
	}
	return setAirplaneMode(ctx, s.Performer, dsl.SetAirplaneMode{On: a.Set == flows.On, Toggle: a.Set == flows.Toggle})
}

func flowDarkMode(ctx context.Context, s maestroPerformer, a flows.DarkMode) error {
	return setDarkMode(ctx, s.Performer, dsl.SetDarkMode{On: a.Set == flows.On, Toggle: a.Set == flows.Toggle})
}

func flowAssertDark(ctx context.Context, s maestroPerformer, a flows.AssertDark) error {
	return assertDarkMode(ctx, s.Performer, dsl.AssertDarkMode{On: a.Dark})
}

func flowAddMedia(ctx context.Context, s maestroPerformer, a flows.AddMedia) error {
	if s.isWeb() {
		return nil
	}
	d, err := capability[drivers.MediaAdder](s.Performer)
	if err != nil {
		return err
	}
	for _, name := range a.Files {
		path, err := s.flowFile(name)
		if err != nil {
			return err
		}
		if err := d.AddMedia(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// The actions with a selector that may follow the rules of Maestro, as these rules perform them.

// onEither puts two performers of one action into the table: the policy of its selector, nil when it has none, chooses.
func onEither[T any](table performersTable, selector func(T) *dsl.Selector,
	native func(context.Context, *Performer, T) error, byRules func(context.Context, maestroPerformer, T) error) {
	on(table, func(ctx context.Context, s *Performer, a T) error {
		if sel := selector(a); sel != nil && byMaestro(*sel) {
			return byRules(ctx, maestroPerformer{Performer: s}, a)
		}
		return native(ctx, s, a)
	})
}

// byMaestro reports whether a selector uses the rules of Maestro.
func byMaestro(sel dsl.Selector) bool { return decide.PolicyOf(sel) == decide.ByMaestro }

func maestroTap(ctx context.Context, s maestroPerformer, a dsl.Tap) error {
	return s.tapAt(ctx, touching{on: &a.Selector, in: pointText(a.At), repeat: a.Times, pause: doublePause})
}

func maestroDoubleTap(ctx context.Context, s maestroPerformer, a dsl.DoubleTap) error {
	return s.tapAt(ctx, touching{on: &a.Selector, in: pointText(a.At), repeat: 2, pause: doublePause})
}

func maestroLongPress(ctx context.Context, s maestroPerformer, a dsl.LongPress) error {
	return s.tapAt(ctx, touching{on: &a.Selector, in: pointText(a.At), long: true})
}

// swipedInside is the element in which a swipe has its way; nil: it names both of its ends, or none.
func swipedInside(a dsl.Swipe) *dsl.Selector {
	if a.From != nil && a.To != nil {
		return nil
	}
	return a.Inside
}

func maestroSwipe(ctx context.Context, s maestroPerformer, a dsl.Swipe) error {
	return s.dragFrom(ctx, *a.Inside, "", flows.Swipe{Direction: a.Direction, Ms: cmp.Or(a.DurationMs, 400)})
}

func maestroScrollTo(ctx context.Context, s maestroPerformer, a dsl.ScrollTo) error {
	enough := 1.0
	if a.Percent != nil {
		enough = float64(*a.Percent) / 100
	}
	return s.scrollUntilSeen(ctx, a.Selector, scrollOptions{direction: a.Direction, limit: s.Timeout, enough: enough,
		ms: cmp.Or(a.DurationMs, 601), centre: a.Center})
}

// maestroCopyText copies the first text that the element has.
func maestroCopyText(ctx context.Context, s maestroPerformer, a dsl.CopyText) error {
	_, n, err := s.want(ctx, a.Selector)
	if err != nil {
		return err
	}
	text := ""
	for _, t := range []*string{n.Desc, n.Hint, n.Text} {
		if t != nil && *t != "" {
			text = *t
		}
	}
	s.Value = text
	return s.copied(ctx, text)
}

func maestroAssert(ctx context.Context, s maestroPerformer, a dsl.Assert) error {
	return s.finding(ctx, &a.Selector, nil, s.Timeout)
}

func maestroAssertNot(ctx context.Context, s maestroPerformer, a dsl.AssertNot) error {
	return s.finding(ctx, nil, &a.Selector, s.Timeout)
}

// waitedFor is the element that a wait is for; nil: it is for something else, or for a state.
func waitedFor(a dsl.WaitFor) *dsl.Selector {
	if a.Visible != nil {
		return a.Visible
	}
	return a.NotVisible
}

func maestroWaitFor(ctx context.Context, s maestroPerformer, a dsl.WaitFor) error {
	return s.finding(ctx, a.Visible, a.NotVisible, s.Timeout)
}

// maestroScreenshot keeps a picture of the element.
func maestroScreenshot(ctx context.Context, s maestroPerformer, a dsl.Screenshot) error {
	name := cmp.Or(a.Name, elementPicture)
	clean, err := artifact(name)
	if err != nil {
		return err
	}
	return s.keepPicture(ctx, clean, name, a.Element)
}
