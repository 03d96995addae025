package action

import (
	"context"
	"errors"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

func assertElement(ctx context.Context, s *Session, a dsl.AssertElement) error {
	if a.Visible != nil && !*a.Visible {
		return gone(ctx, s, a.Selector)
	}
	if a.Count != nil && *a.Count == 0 && a.Is == nil && a.Value == nil {
		return gone(ctx, s, decide.ShownAs(a.Selector, a.Text))
	}
	r := newReader(s, decide.Want{Purpose: decide.State, Selector: a.Selector,
		Check: decide.Check{Count: a.Count, Text: a.Text, Value: a.Value, Is: a.Is},
		// a state is one whether it is seen or not
		UnseenToo: a.Count == nil && (a.Is != nil || a.Value != nil) && a.Visible == nil})
	d, err := r.run(ctx)
	if err == nil {
		err = r.result(d)
	}
	if err != nil {
		return asAssertion(err)
	}
	if len(d.Matches) == 0 {
		return nil
	}
	n := d.Matches[0].Node
	s.matched(d.Matches[0])
	notInFront(s, r.tree)
	noteOwner(s, n)
	if a.Value != nil && n.HintUnsure && n.Text == *a.Value {
		s.warn("the phone reports a field's hint and its text alike: whether %s holds %s or only suggests it is "+
			"unknown", n, screen.Quote(n.Text))
	}
	return nil
}

func assertTrue(_ context.Context, s *Session, a dsl.AssertTrue) error {
	value, err := s.host().Eval(a.Expr)
	var p event.Problem
	var wrong *Mistake
	switch {
	case errors.As(err, &wrong):
		return err
	case err != nil:
		p = ProblemOf(err)
	case value == true:
		return nil
	default:
		p = problem("%s is %s, not true", a.Expr.Text, dsl.Show(value))
		p.Actual = dsl.Show(value)
	}
	p.Assertion, p.Expected = true, a.Expr.Text+" to be true"
	return &Failure{p}
}

func assertApp(ctx context.Context, s *Session, a dsl.AssertApp) error {
	apps, err := capability[drivers.Apps](s)
	if err != nil {
		return err
	}
	front := ""
	err = poll(ctx, s.Timeout, func() (err error) {
		if front, err = apps.Foreground(ctx); err != nil {
			return err
		}
		if front == a.Package {
			return nil
		}
		return errWait
	})
	if errors.Is(err, errWait) {
		seen := front
		if seen == "" {
			seen = "no app that the device reports"
		}
		p := problem("%s did not come to the front within %s; %s is there", a.Package, s.Timeout, seen)
		p.Assertion, p.Expected, p.Actual = true, a.Package+" in the foreground", seen+" in the foreground"
		return &Failure{p}
	}
	return err
}
