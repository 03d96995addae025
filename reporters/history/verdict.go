package history

import "github.com/taproot-dev/taproot/reporters/event"

// RunCounts are how many cases of a run ended in which way; a case that was tried again counts once.
type RunCounts struct {
	Total       int `json:"total"`
	Passed      int `json:"passed"`
	Failed      int `json:"failed"`
	Errored     int `json:"errored"`
	Skipped     int `json:"skipped"`
	Interrupted int `json:"interrupted"` // those that never began, too
	Flaky       int `json:"flaky"`       // of any verdict
}

// Count counts the cases.
func (r *Run) Count() RunCounts {
	n := RunCounts{Total: len(r.Cases)}
	for i := range r.Cases {
		switch r.Cases[i].Result.Verdict {
		case event.Pass:
			n.Passed++
		case event.Fail:
			n.Failed++
		case event.Skipped:
			n.Skipped++
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

// Verdict sums the run up, as its exit code does: a case that was interrupted weighs more than one that failed, that
// one more than an error. A run in which nothing passed because everything was skipped, or nothing was there, is
// skipped.
func (r *Run) Verdict() event.Verdict {
	switch n := r.Count(); {
	case n.Interrupted > 0:
		return event.Interrupted
	case n.Failed > 0:
		return event.Fail
	case n.Errored > 0:
		return event.Error
	case n.Passed == 0:
		return event.Skipped
	}
	return event.Pass
}

// ExitCode is that of a run with this verdict, when it was not allowed to be empty.
func (r *Run) ExitCode() int {
	switch r.Verdict() {
	case event.Pass:
		return 0
	case event.Fail:
		return 1
	case event.Interrupted:
		return 130
	}
	return 3
}

// Bad gives the cases that neither passed nor were skipped: those that failed first, then errors, then what was
// interrupted.
func (r *Run) Bad() []*RunCase {
	var bad []*RunCase
	for _, v := range []event.Verdict{event.Fail, event.Error, event.Interrupted} {
		for i := range r.Cases {
			if r.Cases[i].Result.Verdict == v {
				bad = append(bad, &r.Cases[i])
			}
		}
	}
	return bad
}

// Unchecked is a line of the ledger: something that a green tick does not cover.
type Unchecked struct {
	Case  *RunCase
	Step  int    // 0: the whole case
	What  string // skipped, unreached, interrupted, note
	Place string // file:line:col
	Text  string
}

// Ledger lists what the run did not check: cases and steps that were skipped, steps that failed and were allowed to,
// steps that were not reached, and what is in doubt.
func (r *Run) Ledger() []Unchecked {
	var list []Unchecked
	for i := range r.Cases {
		list = append(list, r.Cases[i].ledger()...)
	}
	return list
}

func (c *RunCase) ledger() []Unchecked {
	res := c.Result
	var list []Unchecked
	add := func(step int, what, place, text string) {
		list = append(list, Unchecked{Case: c, Step: step, What: what, Place: place, Text: text})
	}
	if res.Verdict == event.Skipped {
		add(0, "skipped", res.Case.Place.String(), problemText(res.Problem))
	} else if c.Pack == "" {
		add(0, "interrupted", res.Case.Place.String(), problemText(res.Problem))
	}
	for i := range res.Steps {
		s := &res.Steps[i]
		switch s.Verdict {
		case event.Skipped:
			add(s.N, "skipped", s.Place.String(), problemText(s.Problem))
		case event.Warned:
			add(s.N, "warned", s.Place.String(), problemText(s.Problem))
		case event.Unreached:
			if res.Verdict != event.Skipped && c.Pack != "" {
				add(s.N, "unreached", s.Place.String(), "")
			}
		}
		for _, n := range s.Notes {
			add(s.N, "note", s.Place.String(), n)
		}
		if s.Detail != nil {
			for _, n := range s.Detail.Doubts {
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
