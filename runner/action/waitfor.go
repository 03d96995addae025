package action

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/decide"
)

func waitFor(ctx context.Context, s *Session, a dsl.WaitFor) error {
	switch {
	case a.Visible != nil && byMaestro(*a.Visible):
		return maestroSession{Session: s}.finding(ctx, a.Visible, nil, s.Timeout)
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
		d, err := capability[drivers.WebPages](s)
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

// gone waits until no element fits the selector, in any tier, on a fresh and whole tree of a screen that rests. A
// screen that never rests may prove it at the end of the time.
func gone(ctx context.Context, s *Session, sel dsl.Selector) error {
	if byMaestro(sel) {
		return maestroSession{Session: s}.finding(ctx, nil, &sel, s.Timeout)
	}
	r := newReader(s, decide.Want{Purpose: decide.Absent, Selector: sel})
	d, err := r.run(ctx)
	if err == nil {
		err = r.result(d)
	}
	return asAssertion(err)
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
