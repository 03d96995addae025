package action

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

func waitFor(ctx context.Context, s *Session, a dsl.WaitFor) error {
	switch {
	case a.Visible != nil && byMaestro(*a.Visible):
		return s.finding(ctx, a.Visible, nil, s.Timeout)
	case a.Gone != nil:
		return gone(ctx, s, *a.Gone)
	case a.Enabled != nil:
		yes := true
		sel := *a.Enabled
		sel.Enabled = &yes
		_, err := locateVisible(ctx, s, sel)
		return asAssertion(err)
	case a.Text != "":
		return assert(ctx, s, dsl.Assert{Selector: dsl.Selector{Label: a.Text}})
	case a.URL != "":
		d, err := able[drivers.WebPages](s)
		if err != nil {
			return err
		}
		return asAssertion(d.WaitPage(ctx, drivers.WebEvent{URL: a.URL}, s.Timeout))
	}
	return assert(ctx, s, dsl.Assert{Selector: *a.Visible})
}

func assertNot(ctx context.Context, s *Session, a dsl.AssertNot) error {
	return gone(ctx, s, a.Selector)
}

// gone waits until no element fits the selector, in any tier, on a fresh and whole tree of a screen that rests. A screen that never
// rests may prove it at the end of the time.
func gone(ctx context.Context, s *Session, sel dsl.Selector) error {
	if byMaestro(sel) {
		return s.finding(ctx, nil, &sel, s.Timeout)
	}
	w := newScreenReader(s)
	w.onlySeen, w.eager = needsVision(sel) && visionSuffices(sel), true
	stateless := ""
	absent, pixelsTell := false, needsVision(sel) || sel.Fallback != ""
	var absentSince time.Time // by what is seen
	var still []screen.Match
	err := poll(ctx, s.Timeout, func() error {
		absent = false
		if err := w.read(ctx, true); err != nil {
			return err
		}
		if why := w.tree.Cut(); why != "" {
			return fmt.Errorf("what is not there cannot be told from a part of the screen: %s", why)
		}
		q, err := w.query(ctx, sel, toSee)
		if err != nil {
			return err
		}
		if still, err = w.search(ctx, q); err != nil {
			return err
		}
		absent = len(still) == 0
		if stateless = ""; absent {
			stateless = w.tree.Stateless(q)
		}
		absent = absent && stateless == ""
		if !absent || absentSince.IsZero() {
			absentSince = time.Time{}
			if absent {
				absentSince = time.Now()
			}
		}
		if !absent || w.tree.Loading || !w.settled(quietToAssert) || pixelsTell && time.Since(absentSince) < quietToAssert {
			return errWait
		}
		return nil
	})
	if absent && pixelsTell && (err == nil || errors.Is(err, errWait)) {
		s.doubt("%s was not seen in the pixels, and what eyes cannot make out is not seen either", screen.Describe(sel))
	}
	if err == nil || errors.Is(err, errWait) && absent {
		if over := s.nothingOver(ctx, w.tree); over != nil {
			return over
		}
	}
	switch {
	case errors.Is(err, errWait) && absent && w.tree.Loading:
		return &Failure{stillComing(sel)}
	case errors.Is(err, errWait) && absent:
		s.doubt("the screen never came to rest; the element was not there at the end of the time")
		return nil
	case errors.Is(err, errWait) && stateless != "":
		return &Failure{event.Problem{Assertion: true, Message: fmt.Sprintf("whether there is %s cannot be told: %s", screen.Describe(sel), stateless),
			Expected: "no " + screen.Describe(sel) + " on the screen", Actual: stateless}}
	case errors.Is(err, errWait):
		return &Failure{event.Problem{Assertion: true,
			Message:  fmt.Sprintf("%s is still there after %s: %s", screen.Describe(sel), s.Timeout, still[0].Node),
			Expected: "no " + screen.Describe(sel) + " on the screen", Actual: still[0].Node.String()}}
	}
	return asAssertion(err)
}

// stillComing is the failure of a page that did not come whole in time.
func stillComing(sel dsl.Selector) event.Problem {
	return event.Problem{Assertion: true, Expected: "no " + screen.Describe(sel) + " on the whole page", Actual: "the page is still being loaded",
		Message: screen.Describe(sel) + " is not on the page as far as it has come, and it is still being loaded: what is not there yet may come"}
}

// sleep sleeps; `taproot validate` warns about it.
func sleep(ctx context.Context, _ *Session, a dsl.Sleep) error {
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
