package html

import (
	"github.com/taproot-dev/taproot/internal/result/event"
)

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
