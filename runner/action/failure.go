package action

import (
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
)

// Failure is what the app, or the test, did wrong.
type Failure struct{ reporters.Problem }

func (f *Failure) Error() string { return f.Message }

// ProblemOf explains any error of Perform; a Failure explains itself.
func ProblemOf(err error) reporters.Problem {
	var f *Failure
	if errors.As(err, &f) {
		return f.Problem
	}
	problem := reporters.Problem{Message: err.Error(), Kind: kindOf(err)}
	var several *drivers.AmbiguousError
	if errors.As(err, &several) {
		problem.Candidates = several.Candidates
	}
	return problem
}

// kindOf is what an error of a driver is for a program that called.
func kindOf(err error) string {
	for _, k := range []struct {
		is   error
		kind string
	}{{drivers.ErrNotFound, reporters.NotFound}, {drivers.ErrAmbiguous, reporters.Ambiguous}, {drivers.ErrNotActionable, reporters.NotActionable},
		{drivers.ErrNoApp, reporters.NoApp}, {drivers.ErrAppCrashed, reporters.AppCrashed}, {drivers.ErrUnsupported, reporters.Unsupported}} {
		if errors.Is(err, k.is) {
			return k.kind
		}
	}
	return ""
}

// VerdictOf gives the verdict that an error of Perform means.
func VerdictOf(err error) reporters.Verdict {
	var f *Failure
	switch {
	case err == nil:
		return reporters.Pass
	case errors.As(err, &f), drivers.AppIsWrong(err):
		return reporters.Fail
	}
	return reporters.Error
}

// missing is the failure of an element that did not come.
func (w *watch) missing(sel dsl.Selector, assertion bool) error {
	s := w.s
	f := &Failure{missing(drivers.Query{Selector: sel, Matched: w.matched}, w.tree)}
	f.Assertion = assertion
	if w.hiddenUnder != "" {
		f.Actual = w.hiddenUnder + "; " + f.Actual
	}
	if r := s.Reading; r != nil && (sel.OCR != "" || sel.Fallback != "" || w.blind) {
		f.Candidates, f.Actual = append(r.nearest(), f.Candidates...), r.shown()
	}
	if w.blind && w.labelled {
		f.Actual += "; the screen never stands still, so that its elements cannot be read, and an icon's description is not among what pixels show"
	}
	f.Message = fmt.Sprintf("%s did not appear within %s; %s", drivers.Describe(sel), s.Timeout, f.Actual)
	return f
}

// shown tells what a screen shows, in a few words.
func shown(t *drivers.Tree) string {
	texts := t.Texts(12)
	if len(texts) == 0 {
		return "the screen shows no text"
	}
	for i, text := range texts {
		texts[i] = drivers.Quote(text)
	}
	return "the screen shows " + strings.Join(texts, ", ")
}
