package html

import (
	"cmp"
	"slices"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
)

var (
	boundsInText    = lazyregexp.New(`\[-?\d+,-?\d+\]\[-?\d+,-?\d+\]`)
	numbersInText   = lazyregexp.New(`[0-9]+(\.[0-9]+)*`)
	numbersOfBounds = lazyregexp.New(`-?\d+`)
)

// Cause is a reason for which tests of a run did not pass. Messages that differ only in numbers and in places on the
// screen are the same cause.
type Cause struct {
	N        int // from 1: the cause of most tests first
	Result   event.Result
	Headline string
	Cases    []int // of Run.Cases
}

// Causes groups the cases of a run that did not pass.
func Causes(run *history.Run) []Cause {
	at := map[string]int{}
	var list []Cause
	for i := range run.Cases {
		res := run.Cases[i].CaseResult
		if res.Result.Good() {
			continue
		}
		line := causeLine(res)
		key := string(res.Result) + "\x00" + signature(line)
		k, found := at[key]
		if !found {
			k = len(list)
			at[key] = k
			list = append(list, Cause{Result: res.Result, Headline: line})
		}
		list[k].Cases = append(list[k].Cases, i)
	}
	slices.SortStableFunc(list, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(len(b.Cases), len(a.Cases)), cmp.Compare(a.Headline, b.Headline))
	})
	for i := range list {
		list[i].N = i + 1
	}
	return list
}

func causeLine(res *event.CaseResult) string {
	if res.Problem == nil || res.Problem.Message == "" {
		return "no reason was given"
	}
	return headline(res.Problem.Message)
}

func signature(line string) string {
	return numbersInText.ReplaceAllString(line, "#")
}

// warningsOf lists what the result of a case does not cover: steps that were skipped or not reached, and warnings.
func warningsOf(res *event.CaseResult) []warningData {
	var list []warningData
	add := func(u warningData) { list = append(list, u) }
	for i := range res.Steps {
		s := &res.Steps[i]
		switch s.Result {
		case event.Skipped:
			add(warningData{Step: s.N, What: "skipped", Text: reason(s.Problem)})
		case event.Warned:
			add(warningData{Step: s.N, What: "warned", Text: reason(s.Problem)})
		case event.Unreached:
			if n := len(list); n > 0 && list[n-1].What == "unreached" && max(list[n-1].Step, list[n-1].To)+1 == s.N {
				list[n-1].To = s.N
				continue
			}
			add(warningData{Step: s.N, What: "unreached"})
		}
	}
	for i := range res.Steps {
		s := &res.Steps[i]
		notes := s.Notes
		if s.Detail != nil {
			notes = append(notes[:len(notes):len(notes)], s.Detail.Warnings...)
		}
		for _, n := range notes {
			add(warningData{Step: s.N, What: "note", Text: shownLines(n, maxLabel)})
		}
	}
	for _, n := range res.Notes {
		add(warningData{What: "note", Text: shownLines(n, maxText)})
	}
	return list
}

func reason(p *event.Problem) string {
	if p == nil {
		return ""
	}
	return shownLines(p.Message, maxLabel)
}
