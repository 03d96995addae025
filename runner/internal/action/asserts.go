package action

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

func assert(ctx context.Context, s *Performer, a dsl.Assert) error {
	return claimOfAssert(a).holds(ctx, s)
}

func assertNot(ctx context.Context, s *Performer, a dsl.AssertNot) error {
	return claimOfAssert(dsl.Assert(a)).fails(ctx, s)
}

func claimOfAssert(a dsl.Assert) claim {
	c := claim{Claim: decide.ClaimOfAssert(a)}
	c.written = func(match dsl.MatchMode) any {
		a.Match = match
		return a
	}
	return c
}

// claim is a decide.Claim that an assertion waits for.
type claim struct {
	decide.Claim
	// written returns the assertion as a step in which the text is compared in another way.
	written func(match dsl.MatchMode) any
}

// claimOf is the claim of the selector of an assertion.
func claimOf(sel dsl.Selector) claim { return claim{Claim: decide.ClaimOf(sel)} }

// holds waits until the claim is true.
func (c claim) holds(ctx context.Context, s *Performer) error {
	switch {
	case c.Check.None():
		return c.present(ctx, s)
	case c.Check.Count != nil && *c.Check.Count == 0:
		none := c
		none.Check.Count = nil
		return none.fails(ctx, s)
	}
	r := newReader(s, c.Want(decide.State))
	d, err := r.run(ctx)
	if err == nil {
		err = r.result(d)
	}
	if err != nil {
		return asAssertion(c.withLine(d, err))
	}
	n := d.Matches[0].Node
	s.matched(d.Matches[0])
	notInFront(s, r.tree)
	noteOwner(s, n)
	if value := c.Check.Value; value != nil && n.HintUnsure && n.Text == *value {
		s.warn("the phone reports a field's hint and its text alike: whether %s holds %s or only suggests it is "+
			"unknown", n, screen.Quote(n.Text))
	}
	return nil
}

// present waits until an element is there.
func (c claim) present(ctx context.Context, s *Performer) error {
	r, matches, err := locate(ctx, s, decide.Want{Selector: c.Selector})
	if err != nil {
		return asAssertion(err)
	}
	s.matched(matches[0])
	if len(matches) > 1 {
		s.note("%d elements match", len(matches))
	}
	s.notePart(matches[0])
	notInFront(s, r.tree)
	noteOwner(s, matches[0].Node)
	return nil
}

// fails waits until the claim is not true: on a fresh and whole tree of a screen that rests, in any tier. A screen that
// never rests may show it at the end of the time.
func (c claim) fails(ctx context.Context, s *Performer) error {
	if count := c.Check.Count; count != nil && *count == 0 {
		some := c
		some.Check.Count = nil
		return some.holds(ctx, s)
	}
	r := newReader(s, c.Want(decide.Absent))
	d, err := r.run(ctx)
	if err == nil {
		err = r.result(d)
	}
	return asAssertion(err)
}

// withLine adds the line to paste to a failure of which a part of the text would have been enough.
func (c claim) withLine(d decide.Decision, err error) error {
	var f *Failure
	if c.written == nil || d.Problem == nil || d.Problem.Part == "" || !errors.As(err, &f) {
		return err
	}
	step, _, bad := dsl.NewStep(c.written(d.Problem.Part), source.Pos{}, nil)
	if bad != nil {
		return err
	}
	line := fmt.Sprintf("; a part of it is %s: %s: %s", screen.Quote(*c.Check.Text), step.Def.Name, source.Flow(step.Args))
	f.Message += line
	f.Actual += line
	return f
}

// locate waits until something on the screen fits a want's selector.
func locate(ctx context.Context, s *Performer, w decide.Want) (*reader, []screen.Match, error) {
	w.Purpose = decide.See
	r := newReader(s, w)
	d, err := r.run(ctx)
	if err == nil {
		err = r.result(d)
	}
	return r, d.Matches, err
}

// assertElement is assert by another name, with its states in "is".
func assertElement(ctx context.Context, s *Performer, a dsl.AssertElement) error {
	c := claim{Claim: decide.ClaimOfElement(a)}
	c.written = func(match dsl.MatchMode) any {
		a.Match = match
		return a
	}
	if c.Not {
		return c.fails(ctx, s)
	}
	return c.holds(ctx, s)
}

func assertTrue(_ context.Context, s *Performer, a dsl.AssertTrue) error {
	value, err := s.Support.eval(a.Expr)
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

func assertApp(ctx context.Context, s *Performer, a dsl.AssertApp) error {
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

// Visible reports whether a label is on the screen, for conditions: that it is not is a result, not a failure.
func Visible(ctx context.Context, s *Performer, label string) (bool, error) {
	asked := *s
	asked.Detail = &event.Detail{} // the search for a condition is not a part of any step
	return sees(ctx, &asked, dsl.Selector{Label: label}, conditionTime)
}

// Holds reports whether an element is there, or gone, within the time, for conditions.
func Holds(ctx context.Context, s *Performer, visible, missing *dsl.Selector, wait time.Duration) (bool, error) {
	asked := *s
	asked.Detail, asked.Timeout = &event.Detail{}, wait
	switch {
	case missing != nil && byMaestro(*missing):
		return Misses(ctx, &asked, *missing, wait)
	case missing != nil:
		err := claimOf(*missing).fails(ctx, &asked)
		var there *Failure
		if errors.As(err, &there) {
			return false, nil
		}
		return err == nil, err
	case byMaestro(*visible):
		return Sees(ctx, &asked, *visible, wait)
	}
	return sees(ctx, &asked, *visible, wait)
}

// sees reports whether what a selector claims comes true within the time.
func sees(ctx context.Context, s *Performer, sel dsl.Selector, wait time.Duration) (bool, error) {
	c := claimOf(sel)
	w := c.Want(decide.See)
	if w.Timeout = max(wait, 1); !c.Check.None() {
		w.Purpose = decide.State
	}
	r := newReader(s, w)
	d, err := r.run(ctx)
	switch {
	case err != nil:
		return false, err
	case d.Kind == decide.Fail && (d.Problem.Kind == decide.NotFound || d.Problem.Assertion):
		return false, nil
	}
	err = r.result(d)
	return err == nil, err
}

func logMessage(_ context.Context, s *Performer, a dsl.Log) error {
	s.note("%s", a.Message)
	return nil
}

// extract saves a text of the screen, or what a regular expression finds in it.
func extract(ctx context.Context, s *Performer, a dsl.Extract) error {
	if a.Text != "" {
		return extractFromScreen(ctx, s, a)
	}
	if a.Prompt != "" {
		return extractByPrompt(ctx, s, a.Prompt)
	}
	n, err := locateVisible(ctx, s, a.Selector)
	if err != nil {
		return err
	}
	text := textOf(n)
	if a.Regex == "" {
		s.Value = text
		return nil
	}
	value, ok, err := match(a.Regex, text, a.Group)
	if err == nil && !ok {
		p := problem("%s does not fit the regular expression %s", screen.Quote(text), a.Regex)
		p.Expected, p.Actual = a.Regex, screen.Quote(text)
		return &Failure{p}
	}
	s.Value = value
	return err
}

func extractFromScreen(ctx context.Context, s *Performer, a dsl.Extract) error {
	pattern := a.Text
	var tree *screen.Tree
	err := poll(ctx, s.Timeout, func() (err error) {
		if tree, err = s.Device.Tree(ctx); err != nil {
			return err
		}
		s.Detail.ScreenReads++
		value, ok, err := match(pattern, strings.Join(tree.AllTexts(), "\n"), a.Group)
		if err != nil {
			return err
		}
		if !ok {
			return errWait
		}
		s.Value = value
		return nil
	})
	if errors.Is(err, errWait) {
		p := problem("nothing on the screen fits the regular expression %s within %s; %s", pattern, s.Timeout,
			decide.Shown(tree))
		p.Expected, p.Actual = pattern, decide.Shown(tree)
		return &Failure{p}
	}
	return err
}

// match returns the requested group; without a request the first, or all where there is none.
func match(pattern, text string, group *int) (string, bool, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", false, &Failure{problem("regular expression %q: %v", pattern, err)}
	}
	m := re.FindStringSubmatch(text)
	if m == nil {
		return "", false, nil
	}
	want := min(1, len(m)-1)
	if group != nil {
		want = *group
	}
	if want >= len(m) {
		return "", false, &Failure{problem("the regular expression %q has no bracket %d", pattern, want)}
	}
	return m[want], true, nil
}
