package action

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

func assertElement(ctx context.Context, s *Session, a dsl.AssertElement) error {
	if a.Visible != nil && !*a.Visible {
		return gone(ctx, s, a.Selector)
	}
	if a.Count != nil && *a.Count == 0 && a.Is == nil && a.Value == nil {
		return gone(ctx, s, shownAs(a.Selector, a.Text))
	}
	w := newScreenReader(s)
	// a state is one whether it is seen or not
	w.unseenToo = a.Count == nil && (a.Is != nil || a.Value != nil) && a.Visible == nil
	w.readsParts(a.Selector)
	var matches []screen.Match
	unmet := ""
	err := poll(ctx, s.Timeout, func() (err error) {
		if err = w.read(ctx, true); err != nil {
			return err
		}
		if matches, err = w.find(ctx, a.Selector, toSee); err != nil {
			return err
		}
		unmet = ""
		if a.Count != nil {
			if *a.Count == 0 && (w.busy() != "" && !w.late() || !w.rested()) {
				return errWait
			}
			if w.tree.Loading {
				unmet = fmt.Sprintf("%d elements match so far, and the page is still being loaded", len(matches))
				return errWait
			}
			if len(matches) != *a.Count {
				unmet = fmt.Sprintf("%d elements match", len(matches))
				return errWait
			}
		}
		if a.Count == nil && len(matches) == 0 {
			return errWait
		}
		if unmet = unmetBy(a, matches); unmet != "" || w.tooSoon() && (a.Is != nil || a.Count != nil || a.Value != nil ||
			asksState(a.Selector) || w.wasPresentBefore(matches)) {
			return errWait
		}
		return nil
	})
	switch {
	case err == nil && len(matches) > 0:
		s.matched(matches[0])
		s.notInFront(w.tree)
		s.noteOwner(matches[0].Node)
		if n := matches[0].Node; a.Value != nil && n.HintUnsure && n.Text == *a.Value {
			s.warn("the phone reports a field's hint and its text alike: whether %s holds %s or only suggests it is "+
				"unknown", n, screen.Quote(n.Text))
		}
		return nil
	case err == nil:
		return s.nothingOver(ctx, w.tree, w.rest.Last())
	case errors.Is(err, errWait) && unmet == "":
		return w.missing(a.Selector, true)
	case errors.Is(err, errWait):
		want := wanted(a)
		return &Failure{event.Problem{Assertion: true, Expected: want, Actual: unmet,
			Message: fmt.Sprintf("%s: expected %s within %s; %s", screen.Describe(a.Selector), want, s.Timeout, unmet)}}
	}
	return asAssertion(err)
}

// unmetBy returns "" when one of the matches is all that the assertion wants, else what the first one is instead.
func unmetBy(a dsl.AssertElement, matches []screen.Match) string {
	why := ""
	for _, m := range matches {
		this := unmet(a, m.Node)
		if this == "" {
			return ""
		}
		if why == "" {
			why = this
		}
	}
	return why
}

func unmet(a dsl.AssertElement, n *screen.Node) string {
	shows := n.Shown()
	field := n
	if n.Control != nil {
		field = n.Control
	}
	switch {
	case a.Text != nil && !screen.SameText(shows, *a.Text):
		return fmt.Sprintf("%s shows %s", n, screen.Quote(shows))
	case a.Value != nil && !screen.SameValue(field.Value(), *a.Value):
		return fmt.Sprintf("%s holds %s", field, screen.Quote(field.Value()))
	}
	if a.Is == nil {
		return ""
	}
	for _, state := range []struct {
		word string
		want *bool
		have func() (bool, *screen.Node)
	}{{"enabled", a.Is.Enabled, n.EnabledState}, {"checked", a.Is.Checked, n.CheckedState},
		{"selected", a.Is.Selected, n.SelectedState}, {"focused", a.Is.Focused, n.FocusedState}} {
		if state.want == nil {
			continue
		}
		have, holder := state.have()
		switch {
		case holder == nil:
			return n.Stateless(state.word)
		case have != *state.want:
			return fmt.Sprintf("%s is %s", holder, not(!have)+state.word)
		}
	}
	return ""
}

func not(negate bool) string {
	if negate {
		return "not "
	}
	return ""
}

func wanted(a dsl.AssertElement) string {
	var parts []string
	if a.Count != nil {
		parts = append(parts, fmt.Sprintf("%d elements", *a.Count))
	}
	if a.Text != nil {
		parts = append(parts, "the text "+screen.Quote(*a.Text))
	}
	if a.Value != nil {
		parts = append(parts, "the value "+screen.Quote(*a.Value))
	}
	if a.Is != nil {
		for _, state := range []struct {
			word string
			want *bool
		}{{"enabled", a.Is.Enabled}, {"checked", a.Is.Checked}, {"selected", a.Is.Selected}, {"focused", a.Is.Focused}} {
			if state.want != nil {
				parts = append(parts, "to be "+not(!*state.want)+state.word)
			}
		}
	}
	return strings.Join(parts, ", ")
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
