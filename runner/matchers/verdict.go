package matchers

import (
	"errors"
	"fmt"

	"github.com/onsi/gomega/types"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner"
	"github.com/taproot-dev/taproot/runner/run"
)

// passing tells whether an error of a look may be over at the next one.
func passing(err error) bool { return errors.Is(err, drivers.ErrNotReady) }

// HavePassed succeeds for a test that passed: a run.Outcome, a *event.Result, or a list of outcomes, which must not be
// empty and of which each must have passed.
func HavePassed() types.GomegaMatcher { return HaveVerdict(event.Pass) }

// HaveVerdict succeeds for tests that ended so; see HavePassed.
func HaveVerdict(v event.Verdict) types.GomegaMatcher { return &verdict{want: v} }

type verdict struct {
	want event.Verdict
	not  string // what ended in another way
}

func (m *verdict) Match(actual any) (bool, error) {
	m.not = ""
	switch a := actual.(type) {
	case run.Outcome:
		m.see(a)
	case *event.Result:
		if a == nil {
			return false, errors.New("there is no result")
		}
		o := run.Outcome{Result: a}
		o.Case.Test = runner.Reported(a)
		m.see(o)
	case []run.Outcome:
		if len(a) == 0 {
			return false, errors.New("no test was run, so none has ended in any way")
		}
		for _, o := range a {
			m.see(o)
		}
	default:
		return false, fmt.Errorf("a verdict is had by a runner.Outcome, a []runner.Outcome or a *reporters.Result, not by %T",
			actual)
	}
	return m.not == "", nil
}

func (m *verdict) see(o run.Outcome) {
	if o.Verdict() == m.want {
		return
	}
	if m.not != "" {
		m.not += "\n\n"
	}
	m.not += runner.FailureText(o)
}

// FailureMessage has the place, the line and what was there of each test that ended in another way.
func (m *verdict) FailureMessage(any) string {
	return fmt.Sprintf("expected the verdict %s\n%s", m.want, m.not)
}

// NegatedFailureMessage says that the verdict is what it should not be.
func (m *verdict) NegatedFailureMessage(any) string {
	return fmt.Sprintf("expected another verdict than %s", m.want)
}
