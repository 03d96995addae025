package history

import (
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// RunCounts are the numbers of cases per result; a case with several attempts counts once.
type RunCounts struct {
	Total       int `json:"total"`
	Passed      int `json:"passed"`
	Failed      int `json:"failed"`
	Errored     int `json:"errored"`
	Skipped     int `json:"skipped"`
	Expected    int `json:"expected"`    // known failures
	Interrupted int `json:"interrupted"` // those that never started, too
	Flaky       int `json:"flaky"`       // of any result
}

// Count counts the cases.
func (r *Run) Count() RunCounts {
	n := RunCounts{Total: len(r.Cases)}
	for i := range r.Cases {
		switch r.Cases[i].CaseResult.Result {
		case event.Pass:
			n.Passed++
		case event.Fail:
			n.Failed++
		case event.Skipped:
			n.Skipped++
		case event.Expected:
			n.Expected++
		case event.Interrupted:
			n.Interrupted++
		default:
			n.Errored++
		}
		if r.Cases[i].Flaky() != "" {
			n.Flaky++
		}
	}
	return n
}

// Result sums the run up, as its exit code does: an interrupted case takes precedence over a failed one, a failed one
// over an error. A run in which nothing passed or failed as expected is skipped: everything was skipped, or it has no
// tests.
func (r *Run) Result() event.Result {
	switch n := r.Count(); {
	case n.Interrupted > 0:
		return event.Interrupted
	case n.Failed > 0:
		return event.Fail
	case n.Errored > 0:
		return event.Error
	case n.Passed+n.Expected == 0:
		return event.Skipped
	}
	return event.Pass
}

// ExitCode is the exit code of a run with this result, if the run was not allowed to be empty.
func (r *Run) ExitCode() int {
	switch r.Result() {
	case event.Pass:
		if slices.ContainsFunc(r.Cases, func(c RunCase) bool {
			return c.CaseResult.Problem != nil && c.CaseResult.Problem.Kind == event.OutOfTime
		}) {
			return 3
		}
		return 0
	case event.Fail:
		return 1
	case event.Interrupted:
		return 130
	}
	return 3
}

// Bad returns the cases with a result that is not good: the failed ones first, then errors, then interrupted
// ones.
func (r *Run) Bad() []*RunCase {
	var bad []*RunCase
	for _, v := range []event.Result{event.Fail, event.Error, event.Interrupted} {
		for i := range r.Cases {
			if r.Cases[i].CaseResult.Result == v {
				bad = append(bad, &r.Cases[i])
			}
		}
	}
	return bad
}

// Warning is a line of the list of warnings: something that a pass does not cover.
type Warning struct {
	Case  *RunCase
	Step  int    // 0: the whole case
	What  string // skipped, expected, unreached, interrupted, note
	Place string // file:line:col
	Text  string
}

// Warnings lists what the run did not verify: cases and steps that were skipped, steps that failed and were allowed to,
// steps that were not reached, and warnings.
func (r *Run) Warnings() []Warning {
	var list []Warning
	for i := range r.Cases {
		list = append(list, r.Cases[i].warnings()...)
	}
	return list
}

func (c *RunCase) warnings() []Warning {
	res := c.CaseResult
	var list []Warning
	add := func(step int, what, place, text string) {
		list = append(list, Warning{Case: c, Step: step, What: what, Place: place, Text: text})
	}
	if res.Result == event.Skipped {
		add(0, "skipped", res.Case.Place.String(), problemText(res.Problem))
	} else if res.Result == event.Expected {
		add(0, "expected", res.ProblemPlace(), problemText(res.Problem))
	} else if c.Pack == "" {
		add(0, "interrupted", res.Case.Place.String(), problemText(res.Problem))
	}
	for i := range res.Steps {
		s := &res.Steps[i]
		switch s.Result {
		case event.Skipped:
			add(s.N, "skipped", s.Place.String(), problemText(s.Problem))
		case event.Warned:
			add(s.N, "warned", s.Place.String(), problemText(s.Problem))
		case event.Unreached:
			if res.Result != event.Skipped && c.Pack != "" {
				add(s.N, "unreached", s.Place.String(), "")
			}
		}
		for _, n := range s.Notes {
			add(s.N, "note", s.Place.String(), n)
		}
		if s.Detail != nil {
			for _, n := range s.Detail.Warnings {
				add(s.N, "note", s.Place.String(), n)
			}
		}
	}
	for _, n := range res.Notes {
		add(0, "note", res.Case.Place.String(), n)
	}
	return list
}

func problemText(p *event.Problem) string {
	if p == nil {
		return "no reason was given"
	}
	return p.Message
}
