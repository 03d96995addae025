package action

import (
	"errors"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

// Failure is what the app, or the test, did wrong.
type Failure struct{ event.Problem }

func (f *Failure) Error() string { return f.Message }

// Mistake is what the test did wrong whatever the app does, such as an expression that cannot be computed. Its result
// is error.
type Mistake struct{ event.Problem }

func (m *Mistake) Error() string { return m.Message }

// WrongExpression returns the error of an expression: a Failure when it lacks a value, which may be the app's fault,
// else a Mistake.
func WrongExpression(err error) error {
	p := event.Problem{Message: err.Error()}
	var place *source.Error
	if !errors.As(err, &place) {
		return &Failure{p}
	}
	if p.Message = place.Msg; place.Hint != "" {
		p.Message += "; " + place.Hint
	}
	if place.Missing {
		return &Failure{p}
	}
	return &Mistake{p}
}

// ProblemOf explains any error of Perform; a Failure and a Mistake explain themselves.
func ProblemOf(err error) event.Problem {
	var f *Failure
	if errors.As(err, &f) {
		return f.Problem
	}
	var m *Mistake
	if errors.As(err, &m) {
		return m.Problem
	}
	problem := event.Problem{Message: err.Error(), Kind: kindOf(err)}
	var several *screen.AmbiguousError
	if errors.As(err, &several) {
		problem.Message = strings.Replace(problem.Message, several.Error(), several.Short(), 1)
		problem.Candidates = several.Named()
	}
	return problem
}

// kindOf is what an error of a driver is for a program that called.
func kindOf(err error) string {
	for _, k := range []struct {
		is   error
		kind string
	}{{drivers.ErrNoPage, event.NoPage}, {screen.ErrNotFound, event.NotFound}, {screen.ErrAmbiguous, event.Ambiguous},
		{drivers.ErrNotActionable, event.NotActionable},
		{drivers.ErrNoApp, event.NoApp}, {drivers.ErrAppCrashed, event.AppCrashed},
		{drivers.ErrUnsupported, event.Unsupported}, {drivers.ErrDeviceLost, event.DeviceLost}} {
		if errors.Is(err, k.is) {
			return k.kind
		}
	}
	return ""
}

// ResultOf returns the result that an error of Perform means.
func ResultOf(err error) event.Result {
	var f *Failure
	switch {
	case err == nil:
		return event.Pass
	case errors.As(err, &f), drivers.AppIsWrong(err):
		return event.Fail
	}
	return event.Error
}

// failureOf is the failure that a problem of a decision is.
func failureOf(p decide.Problem) *Failure {
	f := event.Problem{Message: p.Message, Expected: p.Expected, Actual: p.Actual, Assertion: p.Assertion,
		Candidates: p.Candidates, Rejected: p.Rejected}
	switch p.Kind {
	case decide.NotFound:
		f.Kind = event.NotFound
	case decide.NotActionable:
		f.Kind = event.NotActionable
	}
	return &Failure{f}
}
