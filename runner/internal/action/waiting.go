package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// DefaultTimeout is how long a step waits for what it needs by default.
const DefaultTimeout = 10 * time.Second

// ProofGrace is how long a screen on which a tap has changed nothing is watched before that counts.
const ProofGrace = 400 * time.Millisecond

// The times of performers, in one table. Those of searches, which decide what is on the screen, are decide.Timing, and
// those of waitStable are decide.SettleTiming.
const (
	// Reads by a performer follow each other after firstPause, each next one after pauseGrowth times as long, up to
	// longestPause: most of what is waited for is there soon.
	firstPause   = 20 * time.Millisecond
	pauseGrowth  = 1.6
	longestPause = 400 * time.Millisecond

	// conditionTime is how long a condition searches for something that is not there; what is there costs one read.
	conditionTime = time.Second
	// firstLook is how long webAssert searches before the report takes the screenshot of the step before.
	firstLook = 50 * time.Millisecond
	// quickScreenshot is the longest time for a screenshot that is taken while a step watches the screen, so that it
	// does not delay the next screen read.
	quickScreenshot = 80 * time.Millisecond

	// scrollStroke is the duration of the swipe of scroll: a list follows it without a fling.
	scrollStroke = 500 * time.Millisecond
	// lateContent is how long a list that ends is watched for rows that it still loads.
	lateContent = 1500 * time.Millisecond
	// listRests is how long a list must show the same after a movement, listMoves after how long a page that never does
	// is read. listLimit is the longest wait for both.
	listRests = 50 * time.Millisecond
	listMoves = 250 * time.Millisecond
	listLimit = 3 * time.Second
	// blindTime is how long a box may be moved on without a read of the screen.
	blindTime = time.Second

	// focusGrace is how long the focus may take to reach the field that was tapped before another field's focus is
	// accepted.
	focusGrace = time.Second
	// cellOpens is how long a cell of a grid may take to open its field, and to show the key that has opened it.
	cellOpens = 500 * time.Millisecond
	// fieldRests is how long a field must keep showing what was typed: a page may take it back after a computation.
	// quietRests takes its place where nothing is pending that the app has started. fieldLimit is the longest wait.
	fieldRests = 120 * time.Millisecond
	quietRests = 40 * time.Millisecond
	fieldLimit = 3 * time.Second
	// typingRests is how long a field that took something else than what was typed is watched before that counts as its
	// content.
	typingRests = 500 * time.Millisecond
	// goneFor is how long a field must be gone: a page that draws itself again removes it for a moment.
	goneFor = 300 * time.Millisecond
	// keyPace is between two keys of a text that is typed once more, for pages that are slow to take them.
	keyPace = 40 * time.Millisecond
	// responseLimit is how long the response to one of these keys is awaited, responsePace between two reads of it.
	responseLimit = time.Second
	responsePace  = 20 * time.Millisecond
	// personPace is between two keys of a person who types slowly.
	personPace = 200 * time.Millisecond

	// progressEvery is how often a long installation reports its progress.
	progressEvery = 5 * time.Second
	// travelPace is how often the location of a travelling device is set, as a GPS receiver reports it.
	travelPace = time.Second
)

// Those of Maestro's flows are Maestro's own.
const (
	doublePause        = 100 * time.Millisecond // between two taps
	longTouch          = 3 * time.Second
	pageLimit          = 10 * time.Second // of a query to a page
	maestroLaunchLimit = 5 * time.Second  // an app may be anywhere afterwards
	maestroOpenLimit   = 30 * time.Second
	maestroScrollLimit = 20 * time.Second
	maestroSettleLimit = 15 * time.Second
	maestroRetryPause  = time.Second // between two reads until nothing covers the element
)

// errWait says that what is waited for is not there (any more or yet).
var errWait = errors.New("not there yet")

// poll looks again and again until look returns something else than errWait, or the time ends: its own, or that of the
// step. The end stops new reads, not one under way: a step ends within its time and the length of one read. There is
// at least one, and one more right at the end, so that a result rests on what is there then, unless the one before
// took beyond it. Reading errors that may pass (drivers.ErrNotReady) are waited out; when the last read ends so, that
// error is the answer, for nothing was seen.
func poll(ctx context.Context, timeout time.Duration, look func() error) error {
	return pollWith(ctx, timeout, slowing(), look)
}

func slowing() *backoff.ExponentialBackOff {
	pause := &backoff.ExponentialBackOff{InitialInterval: firstPause, Multiplier: pauseGrowth,
		MaxInterval: longestPause}
	pause.Reset()
	return pause
}

// holdBackOff is a pace that slows down, and looks again as soon as what has started to hold may have held for long
// enough.
type holdBackOff struct {
	backoff.BackOff
	left time.Duration
}

func (u *holdBackOff) NextBackOff() time.Duration {
	next := u.BackOff.NextBackOff()
	if u.left > 0 {
		return min(next, u.left)
	}
	return next
}

// pollEvery is poll at one pace.
func pollEvery(ctx context.Context, timeout, pace time.Duration, look func() error) error {
	return pollWith(ctx, timeout, backoff.NewConstantBackOff(pace), look)
}

func pollWith(ctx context.Context, timeout time.Duration, pause backoff.BackOff, look func() error) error {
	deadline := time.Now().Add(timeout)
	if end, ok := drivers.StepDeadline(ctx); ok && end.Before(deadline) { // several searches within one step do not add up
		deadline = end
	}
	for {
		err := look()
		if err == nil || !errors.Is(err, errWait) && !errors.Is(err, drivers.ErrNotReady) {
			return err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return err
		}
		if err := drivers.Pause(ctx, min(pause.NextBackOff(), left)); err != nil {
			return err
		}
	}
}

func waitStable(ctx context.Context, s *Performer, _ dsl.WaitStable) error {
	w := newReader(s, decide.Want{})
	began := time.Now()
	settling := decide.Settling{Timing: decide.Settles()}
	err := pollEvery(ctx, s.Timeout, settling.Timing.Pace, func() error {
		for read := false; ; read = true {
			err := w.shoot(ctx)
			var p *drivers.ProtectedError
			if errors.As(err, &p) {
				return w.restsByElements(ctx, p, &settling)
			}
			if err != nil {
				return err
			}
			rest := w.screen.Rest()
			switch settling.Next(rest.Looks(), rest.Since(), time.Now(), read) {
			case decide.SettleDone:
				return nil
			case decide.SettleWaits:
				return errWait
			}
			if err := w.read(ctx, false); err != nil { // the elements must be readable, too
				return err
			}
			if n := w.tree.Focused(); n != nil && n.Editable {
				rest.Mask = n.Bounds
			}
		}
	})
	switch {
	case errors.Is(err, errWait):
		return unstable(s, w, began)
	case err == nil && len(w.screen.Rest().Ignored()) > 0:
		r := w.screen.Rest().Ignored()[0]
		s.note("the screen rests except for what ticks or blinks at %d,%d to %d,%d", r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
	}
	return err
}

// restsByElements reports by its elements alone whether a screen rests of which no screenshots may be taken. errWait:
// not yet.
func (w *reader) restsByElements(ctx context.Context, p *drivers.ProtectedError, settling *decide.Settling) error {
	w.want.Device.Pixels = false
	if err := w.read(ctx, false); err != nil {
		return err
	}
	if w.frame.PixelsOnly {
		return p
	}
	if !settling.Rested(w.search.SameSince(), w.tree.Taken) {
		return errWait
	}
	w.s.doubtOnce("the app forbids screenshots of its window %s: that its elements rest is all that was seen",
		p.Parts[0].Window)
	return nil
}

// unstable is the failure of a screen that did not come to rest; the report draws the place into the screenshot.
func unstable(s *Performer, w *reader, began time.Time) error {
	p := event.Problem{Expected: "nothing moves on the screen", Assertion: true}
	if r := w.screen.Rest().Unrest(); r.Empty() {
		p.Actual = fmt.Sprintf("%s were not enough to see it rest for %s", time.Since(began).Round(time.Millisecond),
			decide.Settles().Rests)
	} else {
		p.Actual = fmt.Sprintf("the region %d,%d to %d,%d kept changing", r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
		s.Detail.Bounds = &[4]int{r.Min.X, r.Min.Y, r.Max.X, r.Max.Y}
		if n := elementAt(w.tree, r.Min.Add(r.Size().Div(2))); n != nil {
			p.Actual += ", in " + n.String()
		}
	}
	p.Message = fmt.Sprintf("the screen did not settle within %s: %s", s.Timeout, p.Actual)
	return &Failure{p}
}

// elementAt returns the smallest element at a place that has a name, or nil.
func elementAt(t *screen.Tree, p image.Point) *screen.Node {
	if t == nil {
		return nil
	}
	var found *screen.Node
	area := func(n *screen.Node) int { return n.Bounds.Dx() * n.Bounds.Dy() }
	for n := range t.All {
		if p.In(n.Bounds) && !n.Hidden && n.Label() != "" && (found == nil || area(n) <= area(found)) {
			found = n
		}
	}
	return found
}

func waitFor(ctx context.Context, s *Performer, a dsl.WaitFor) error {
	switch {
	case a.NotVisible != nil:
		return assertNot(ctx, s, dsl.AssertNot{Selector: *a.NotVisible})
	case a.Enabled != nil:
		yes := true
		sel := *a.Enabled
		sel.Enabled = &yes
		_, err := locateVisible(ctx, s, sel)
		return asAssertion(err)
	case a.Text != "":
		return assert(ctx, s, dsl.Assert{Selector: dsl.Selector{Label: a.Text}})
	case a.URL != "":
		d, err := capability[drivers.WebPages](s)
		if err != nil {
			return err
		}
		return asAssertion(d.WaitPage(ctx, drivers.WebEvent{URL: a.URL}, s.Timeout))
	}
	c := claimOf(*a.Visible)
	c.written = func(match dsl.MatchMode) any {
		sel := *a.Visible
		sel.Match = match
		return dsl.WaitFor{Visible: &sel}
	}
	return c.holds(ctx, s)
}

// sleep sleeps; `taproot validate` warns about it.
func sleep(ctx context.Context, _ *Performer, a dsl.Sleep) error {
	return drivers.Pause(ctx, time.Duration(a.Ms)*time.Millisecond)
}

// asAssertion marks what blames the app as an assertion that did not hold.
func asAssertion(err error) error {
	var f *Failure
	if err == nil || !errors.As(err, &f) && !drivers.AppIsWrong(err) {
		return err
	}
	p := ProblemOf(err)
	p.Assertion = true
	return &Failure{p}
}
