package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
)

// Rate is how often something happened, with the interval that contains the true rate with 95 % confidence (Wilson's).
type Rate struct {
	Bad, Of   int
	Low, High float64 // of 1
}

// NewRate is the rate of bad among of.
func NewRate(bad, of int) Rate {
	r := Rate{Bad: bad, Of: of}
	if of == 0 {
		r.High = 1
		return r
	}
	const z = 1.959964
	n, p := float64(of), float64(bad)/float64(of)
	mid, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	r.Low, r.High = max(0, (mid-half)/(1+z*z/n)), min(1, (mid+half)/(1+z*z/n))
	return r
}

// rateRuns is the number of runs below which a share and its interval add nothing to the two counts.
const rateRuns = 3

// String returns "failed in 3 of 20 runs (15 %, 95 % interval 5–36 %)", and for few runs "failed in 1 of 2 runs".
func (r Rate) String() string {
	if r.Of == 0 {
		return "has not run yet"
	}
	runs := "runs"
	if r.Of == 1 {
		runs = "run"
	}
	if r.Of < rateRuns {
		return fmt.Sprintf("failed in %d of %d %s", r.Bad, r.Of, runs)
	}
	return fmt.Sprintf("failed in %d of %d %s (%.0f %%, 95 %% interval %.0f–%.0f %%)", r.Bad, r.Of, runs,
		100*float64(r.Bad)/float64(r.Of), 100*r.Low, 100*r.High)
}

// Story describes the results of a case in earlier runs and this one.
type Story struct {
	Rate   Rate         // of the runs with the same test source; a run that needed another attempt counts as bad
	Steps  []StepRate   // that failed, the most often failing first
	First  *FirstFailed // nil: this run passed
	Before int          // the number of runs, this one included
}

// StepRate is how often a test failed at one step.
type StepRate struct {
	Step int
	Rate Rate
}

// FirstFailed is the first of the runs, without a pass since, in which the case did not pass.
type FirstFailed struct {
	Run    string
	Commit string // may be empty
	Since  int    // runs that have failed in a row, this one included
	Whole  bool   // an earlier run that passed is known
}

// Story says since when the case fails, and how often. Runs with another test source do not count as flaky.
func (c *RunCase) Story(run *Run) Story {
	all := append(slices.Clone(c.Trend.Recent), run.entry(c))
	s := Story{Before: len(all)}
	hash := c.CaseResult.Case.Hash
	bad, of, steps := 0, 0, map[int]int{}
	for _, e := range all {
		if e.Hash != hash || e.Result != event.Pass && e.Result != event.Fail {
			continue // an error is the infrastructure's
		}
		of++
		if e.Result == event.Fail || e.Attempts > 1 {
			bad++
		}
		if e.Result == event.Fail && e.Step > 0 {
			steps[e.Step]++
		}
	}
	s.Rate = NewRate(bad, of)
	for n, k := range steps {
		s.Steps = append(s.Steps, StepRate{n, NewRate(k, of)})
	}
	slices.SortFunc(s.Steps, func(a, b StepRate) int {
		return cmp.Or(cmp.Compare(b.Rate.Bad, a.Rate.Bad), cmp.Compare(a.Step, b.Step))
	})
	if c.CaseResult.Result.Good() {
		return s
	}
	s.First = &FirstFailed{}
	for _, e := range slices.Backward(all) {
		if e.Result == event.Pass {
			s.First.Whole = true
			break
		}
		if !e.Result.Good() {
			s.First.Run, s.First.Commit = e.Run, e.Commit
			s.First.Since++
		}
	}
	return s
}

// entry is the line that this run adds to the history of a case.
func (r *Run) entry(c *RunCase) HistoryEntry {
	e := HistoryEntry{Format: format.History, Run: r.Name, ID: c.CaseResult.Case.ID, Pack: c.Pack,
		Platform: string(c.CaseResult.Case.Platform),
		Result:   c.CaseResult.Result, DurationMS: c.CaseResult.Duration.Milliseconds(), Hash: c.CaseResult.Case.Hash,
		Step: c.CaseResult.ProblemStep, Weak: r.weakAssertions(c.CaseResult.Case.ID), Repair: r.repairState(c)}
	if r.Env != nil {
		e.Commit = r.Env.Commit
	}
	for _, t := range c.Attempts {
		if !t.CaseResult.LostDevice() {
			e.Attempts++
		}
	}
	if e.Attempts > 0 {
		e.Attempts++ // the last attempt
	}
	return e
}
