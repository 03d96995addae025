package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// checkView is a view of elements of which a check must be true.
type checkView struct{ *view }

// state waits until an element fits the selector and has what the check says, or as many elements as it says.
func (v checkView) state() (Decision, error) {
	c := v.want.Check
	matches, err := v.find(v.want.Selector, false)
	if err != nil {
		return Decision{}, err
	}
	hits, why, err := v.hits(c, matches)
	if err != nil {
		return Decision{}, err
	}
	fit := c.meeting(matches, hits)
	unmet := ""
	switch {
	case why != "":
	case c.Count != nil:
		unmet, why = v.unmetCount(len(fit))
	case len(matches) == 0:
		why = "nothing matches"
	case len(fit) == 0:
		unmet = c.unmet(matches[0], hits)
	}
	if unmet == "" && why == "" && v.tooSoon() && !v.lasts(matches, hits) {
		why = "it may be taken back"
	}
	switch {
	case unmet == "" && why == "":
		if len(matches) == 0 {
			if err := v.nothingOver(); err != nil {
				return Decision{}, err
			}
		}
		return Decision{Kind: Found, Matches: fit}, nil
	case !v.over():
		if why == "" {
			why = unmet
		}
		return v.wait(why), nil
	case unmet == "":
		return Decision{Kind: Fail, Problem: v.missing(v.want.Selector, true)}, nil
	}
	want := c.String()
	p := Problem{Assertion: true, Expected: want, Actual: unmet, Part: v.partOf(c, matches)}
	p.Message = fmt.Sprintf("%s: expected %s within %s; %s", screen.Describe(v.want.Selector), want, v.want.StepTimeout,
		unmet)
	return Decision{Kind: Fail, Problem: &p}, nil
}

// lasts reports whether what was found counts at once, however soon after an action: a new text, on a page that reports
// that nothing is pending by which it could be taken back.
func (v checkView) lasts(matches, hits []screen.Match) bool {
	c := v.want.Check
	onlyText := c.Is == nil && c.Count == nil && c.Value == nil && !asksState(v.want.Selector)
	return onlyText && v.f.Tree.Rest == screen.Quiet && !v.wasPresentBefore(matches) &&
		(len(hits) == 0 || !v.wasPresentBefore(hits))
}

// hits returns the elements that an assertion of the text of a check alone would find, nil where the check has no text,
// or why such an assertion waits.
func (v checkView) hits(c Check, among []screen.Match) (hits []screen.Match, why string, err error) {
	if c.Text == nil || *c.Text == "" || len(among) == 0 {
		return nil, "", nil
	}
	matched, under, undrawn := v.matched, v.hiddenUnder, v.undrawn
	defer func() { v.matched, v.hiddenUnder, v.undrawn = matched, under, undrawn }()
	q, err := v.query(c.text(), false)
	if err != nil {
		return nil, "", err
	}
	if hits, err = v.searchAnyhow(q); err != nil {
		return nil, "", err
	}
	if see := seeView(v); v.want.Purpose == State {
		if hits = see.newer(hits); len(hits) > 0 && see.leaves(hits) {
			return nil, "it is on its way out", nil
		}
	}
	return hits, "", nil
}

// text is the selector of an assertion of the text alone.
func (c Check) text() dsl.Selector { return dsl.Selector{Label: *c.Text, Match: c.Match} }

// partOf returns the first way to compare the text in which one of the matches has it, "" when none does.
func (v checkView) partOf(c Check, matches []screen.Match) dsl.MatchMode {
	if c.Text == nil || *c.Text == "" || c.Match != dsl.MatchWhole {
		return ""
	}
	for _, mode := range []dsl.MatchMode{dsl.MatchWords, dsl.MatchContains} {
		c.Match = mode
		hits, err := v.f.Tree.Find(screen.Query{Selector: c.text()})
		if err == nil && len(c.meeting(matches, hits)) > 0 {
			return mode
		}
	}
	return ""
}

// unmetCount returns what is wrong with the number of elements, or why the number may still change.
func (v checkView) unmetCount(n int) (unmet, why string) {
	c := v.want.Check
	switch {
	case *c.Count == 0 && (v.busy() != "" && !v.late() || !v.rested()):
		return "", "the screen does not rest"
	case v.f.Tree.Loading:
		return fmt.Sprintf("%d elements match so far, and the page is still being loaded", n), ""
	case n != *c.Count:
		return fmt.Sprintf("%d elements match", n), ""
	}
	return "", ""
}

// meeting returns the matches that have what is required, the number aside.
func (c Check) meeting(matches, hits []screen.Match) []screen.Match {
	return slices.DeleteFunc(slices.Clone(matches), func(m screen.Match) bool { return c.unmet(m, hits) != "" })
}

// unmet returns what a match is instead of what is required, the number aside, or "".
func (c Check) unmet(m screen.Match, hits []screen.Match) string {
	n, field := m.Node, m.Node
	if n.Control != nil {
		field = n.Control
	}
	switch {
	case c.Text != nil && !c.shows(m, hits):
		return fmt.Sprintf("%s shows %s", n, showing(n))
	case c.Value != nil && !screen.SameValue(field.Value(), *c.Value):
		return fmt.Sprintf("%s holds %s", field, screen.Quote(field.Value()))
	}
	for _, s := range c.states() {
		have, holder := s.have(n)
		switch {
		case holder == nil:
			return n.Stateless(s.name)
		case have != s.want:
			return fmt.Sprintf("%s is %s", holder, not(!have)+s.name)
		}
	}
	return ""
}

// shows reports whether a match shows the text that is required.
func (c Check) shows(m screen.Match, hits []screen.Match) bool {
	if *c.Text == "" {
		return screen.SameText(m.Node.Shown(), "")
	}
	return m.Says(*c.Text, c.Match, hits)
}

// showing is what an element shows, for messages.
func showing(n *screen.Node) string {
	const most = 5
	texts := n.Showing()
	if len(texts) == 0 {
		return "no text"
	}
	list := make([]string, 0, most+1)
	for _, t := range texts[:min(len(texts), most)] {
		list = append(list, screen.Quote(t))
	}
	if len(texts) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// requiredState is a state that is required, and how it is read of an element: holder is nil when nothing here can have
// it.
type requiredState struct {
	name string
	want bool
	have func(n *screen.Node) (have bool, holder *screen.Node)
}

func (c Check) states() []requiredState {
	if c.Is == nil {
		return nil
	}
	var list []requiredState
	for _, s := range []struct {
		name string
		want *bool
		have func(n *screen.Node) (bool, *screen.Node)
	}{{"enabled", c.Is.Enabled, (*screen.Node).EnabledState}, {"checked", c.Is.Checked, (*screen.Node).CheckedState},
		{"selected", c.Is.Selected, (*screen.Node).SelectedState}, {"focused", c.Is.Focused, (*screen.Node).FocusedState}} {
		if s.want != nil {
			list = append(list, requiredState{s.name, *s.want, s.have})
		}
	}
	return list
}

// stateless says that none of the matches can have a state that is required, "" when one of them can have all.
func (c Check) stateless(matches []screen.Match) string {
	why := ""
	for _, m := range matches {
		lacks := ""
		for _, s := range c.states() {
			if _, holder := s.have(m.Node); holder == nil {
				lacks = m.Node.Stateless(s.name)
			}
		}
		if lacks == "" {
			return ""
		}
		why = cmp.Or(why, lacks)
	}
	return why
}

func not(negate bool) string {
	if negate {
		return "not "
	}
	return ""
}

// String is what is required, for messages.
func (c Check) String() string {
	parts := c.parts()
	for _, s := range c.states() {
		parts = append(parts, "to be "+not(!s.want)+s.name)
	}
	return strings.Join(parts, ", ")
}

// with describes a selector with what is required of its elements.
func (c Check) with(sel dsl.Selector) string {
	parts := append([]string{screen.Describe(sel)}, c.parts()...)
	for _, s := range c.states() {
		parts = append(parts, not(!s.want)+s.name)
	}
	return strings.Join(parts, ", ")
}

// parts is what is required but for states.
func (c Check) parts() []string {
	var parts []string
	if c.Count != nil {
		parts = append(parts, fmt.Sprintf("%d elements", *c.Count))
	}
	if c.Text != nil {
		parts = append(parts, "the text "+screen.Quote(*c.Text))
		if c.Match != "" {
			parts[len(parts)-1] += " (match: " + string(c.Match) + ")"
		}
	}
	if c.Value != nil {
		parts = append(parts, "the value "+screen.Quote(*c.Value))
	}
	return parts
}
