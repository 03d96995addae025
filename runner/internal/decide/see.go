package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// seeView is a view of what must be on the screen.
type seeView struct{ *view }

// see waits until something on the screen fits the selector.
func (v seeView) see() (Decision, error) {
	sel := v.want.Selector
	var matches []screen.Match
	var err error
	if v.want.Anywhere {
		matches, err = v.reachable(sel)
	} else {
		matches, err = v.find(sel, false)
	}
	if err != nil {
		return Decision{}, err
	}
	if len(matches) == 0 {
		v.missed()
	}
	matches = v.newer(matches)
	why := ""
	switch {
	case len(matches) == 0:
		why = "nothing matches"
	case v.leaves(matches):
		why = "it is on its way out"
	case v.tooSoon() && (asksState(sel) || v.wasPresentBefore(matches)):
		why = "it may be taken back"
	default:
		return Decision{Kind: Found, Matches: matches}, nil
	}
	v.unsure(matches)
	if !v.over() {
		return v.wait(why), nil
	}
	return Decision{Kind: Fail, Problem: v.missing(sel, true)}, nil
}

// unsure says of what was found, if the time ends before the next read, that it was not known to be there for a person.
func (v seeView) unsure(matches []screen.Match) {
	if len(matches) > 0 && v.hiddenUnder == "" {
		v.hiddenUnder = fmt.Sprintf(
			"%s is there, but the time ended before it was seen to stay, and not to be hidden, as by the "+
				"keyboard", matches[0].Node)
	}
}

// newer leaves out what was there before the screen was touched last.
func (v seeView) newer(matches []screen.Match) []screen.Match {
	return slices.DeleteFunc(matches, func(m screen.Match) bool {
		if m.Node.Earlier {
			v.hiddenUnder = screen.Quote(m.Node.Text) +
				" was there before the last touch, so that it says nothing of what that did"
		}
		return m.Node.Earlier
	})
}

// wasPresentBefore reports whether all that was found was on the screen before the last action, too: what the action
// takes away may be there for a moment.
func (v *view) wasPresentBefore(matches []screen.Match) bool {
	before := v.want.Earlier.Tree
	return before != nil && !slices.ContainsFunc(matches, func(m screen.Match) bool {
		for n := range before.All {
			if n.Type == m.Node.Type && n.Text == m.Node.Text && n.Desc == m.Node.Desc && !n.Hidden && !n.Offscreen {
				return false
			}
		}
		return true
	})
}

// leaves reports whether all that was found may be on its way out, and the time lets one wait for what becomes of it.
func (v seeView) leaves(matches []screen.Match) bool {
	staying := slices.ContainsFunc(matches, func(m screen.Match) bool { return !m.Node.Leaving })
	return !staying && v.since(v.want.Began) < min(v.want.Timing.LeavesFor, v.want.Timeout)
}

// missing is the problem of an element that did not come.
func (v *view) missing(sel dsl.Selector, assertion bool) *Problem {
	p := Missing(screen.Query{Selector: sel, Matched: v.matched}, v.f.Tree)
	p.Assertion = assertion
	if v.hiddenUnder != "" {
		p.Actual = v.hiddenUnder + "; " + p.Actual
	}
	if r := v.reading; r != nil && (sel.OCR != "" || sel.Fallback != "" || v.f.PixelsOnly) {
		p.Candidates, p.Actual = append(slices.Clone(r.Nearest), p.Candidates...), r.Shown
	}
	if v.f.PixelsOnly && v.labelled() {
		p.Actual += "; the screen never stops moving, so that its elements cannot be read, and an icon's description is " +
			"not among what pixels show"
	}
	p.Message = fmt.Sprintf("%s did not appear within %s; %s", screen.Describe(sel), v.want.StepTimeout, p.Actual)
	return &p
}

// Missing explains that nothing on a screen fits a query, as a failed assertion does.
func Missing(q screen.Query, t *screen.Tree) Problem {
	sel := q.Selector
	p := Problem{Expected: screen.Describe(sel) + " on the screen", Actual: Shown(t), Assertion: true, Kind: NotFound}
	if why := t.Explain(q); why != "" {
		p.Actual = why + "; " + p.Actual
	}
	for _, r := range t.Rejected(q, 3) {
		p.Candidates, p.Rejected = append(p.Candidates, r.Node.String()), append(p.Rejected, r.Why)
	}
	p.Message = screen.Describe(sel) + " is not on the screen; " + p.Actual
	return p
}

// Shown returns what a screen shows, in a few words.
func Shown(t *screen.Tree) string {
	texts := t.Texts(12)
	if len(texts) == 0 {
		return "the screen shows no text; what a game or a canvas draws is found in the pixels: {label: …, fallback: ocr}"
	}
	for i, text := range texts {
		texts[i] = screen.Quote(text)
	}
	return "the screen shows " + strings.Join(texts, ", ")
}
