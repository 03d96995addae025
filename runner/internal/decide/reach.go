package decide

import (
	"slices"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// reach decides on one frame whether a search by scrolling has arrived: the element is in view, can be brought there,
// or is under a bar of the system.
func (v *view) reach() (Decision, error) {
	var within []*screen.Node
	if a, known := v.f.Evidence[Question{Ask: AskWithin}.Key()]; known {
		for n := range v.nodes(a.Nodes) {
			within = append(within, n)
		}
	}
	find := func(act bool) ([]screen.Match, error) {
		q, err := v.query(v.want.Selector, act)
		if err != nil {
			return nil, err
		}
		q.Within = within
		return v.search(q)
	}
	matches, err := find(false)
	if err == nil && len(matches) == 0 && v.want.Device.Reveals {
		var q screen.Query
		if q, err = v.query(v.want.Selector, true); err == nil {
			q.Within = within
			matches, err = v.f.Tree.Candidates(q)
		}
	}
	if err == nil && len(matches) == 0 && len(v.f.Tree.Bars) > 0 {
		if matches, err = find(true); err == nil {
			matches = slices.DeleteFunc(matches, func(m screen.Match) bool { return v.f.Tree.BarOver(m) == nil })
		}
	}
	switch {
	case err != nil:
		return Decision{}, err
	case len(matches) > 0:
		return Decision{Kind: Found, Matches: matches[:1]}, nil
	}
	return Decision{Kind: Fail, Problem: v.missing(v.want.Selector, false)}, nil
}

// Reached is the recording of a search by scrolling: its last frame, what its "inside" has meant, and what was found
// there, nil for nothing.
func (s *Search) Reached(sel dsl.Selector, f Frame, within []*screen.Node, found *screen.Match) Recording {
	w := s.want
	w.Purpose, w.Selector = Reach, sel
	v := s.view(&f)
	if len(within) > 0 {
		var a Answer
		for _, n := range within {
			if i := v.numberOf(n); i >= 0 {
				a.Nodes = append(a.Nodes, i)
			}
		}
		slices.Sort(a.Nodes)
		f.Evidence = withAnswer(f.Evidence, Question{Ask: AskWithin}, a)
	}
	r := Recording{Want: w, Frames: []Frame{f}}
	if found == nil {
		r.Result = ResultOf(Decision{Kind: Fail, Problem: v.missing(sel, false)})
	} else {
		r.Result = ResultOf(Decision{Kind: Found, Matches: []screen.Match{*found}})
	}
	if !r.Again().Equal(r.Result) {
		r.Lacks = "how far the screen was scrolled decided it"
	}
	return r
}

// withAnswer adds an answer to a copy of the evidence of a frame.
func withAnswer(evidence map[string]Answer, q Question, a Answer) map[string]Answer {
	more := make(map[string]Answer, len(evidence)+1)
	for key, known := range evidence {
		more[key] = known
	}
	more[q.Key()] = a
	return more
}
