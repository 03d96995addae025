// Package matchers has gomega matchers for tests in Go: they take devices and outcomes of tests, and their failure
// messages are as detailed as those of YAML tests.
package matchers

import (
	"errors"
	"fmt"

	"github.com/onsi/gomega/types"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// passing reports whether an error of a screen read may disappear with the next one.
func passing(err error) bool { return errors.Is(err, drivers.ErrNotReady) }

// HavePassed succeeds for a test that passed: a run.Outcome, a *event.Result, or a list of outcomes that is not empty
// and in which each has passed.
func HavePassed() types.GomegaMatcher { return HaveResult(event.Pass) }

// HaveResult succeeds for tests with that result; see HavePassed.
func HaveResult(v event.Result) types.GomegaMatcher { return &result{want: v} }

type result struct {
	want event.Result
	not  string // the tests with another result
}

func (m *result) Match(actual any) (bool, error) {
	m.not = ""
	switch a := actual.(type) {
	case run.Outcome:
		m.see(a)
	case *event.CaseResult:
		if a == nil {
			return false, errors.New("there is no result")
		}
		o := run.Outcome{CaseResult: a}
		o.Case.Test = failure.Reported(a)
		m.see(o)
	case []run.Outcome:
		if len(a) == 0 {
			return false, errors.New("no test was run, so there is no result")
		}
		for _, o := range a {
			m.see(o)
		}
	default:
		return false, fmt.Errorf("this matcher needs a run.Outcome, a []run.Outcome or a *reporters.Result; it got %T",
			actual)
	}
	return m.not == "", nil
}

func (m *result) see(o run.Outcome) {
	if o.Result() == m.want {
		return
	}
	if m.not != "" {
		m.not += "\n\n"
	}
	m.not += failure.Text(o)
}

// FailureMessage has the place, the line and the details of each test with another result.
func (m *result) FailureMessage(any) string {
	return fmt.Sprintf("expected the result %s\n%s", m.want, m.not)
}

// NegatedFailureMessage says that the tests have the result that they should not have.
func (m *result) NegatedFailureMessage(any) string {
	return fmt.Sprintf("expected another result than %s", m.want)
}
