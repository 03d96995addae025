package screen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Explain says in one sentence why nothing fits the query, "" when it has nothing to say beyond that: which condition
// failed, where the element is instead, or in which longer text the label is.
func (t *Tree) Explain(q Query) string {
	f := explainer{newFinder(t, q)}
	s := q.Selector
	if all, err := f.anchors(s); err == nil && all.missing {
		why := Describe(*all.lacking) + " is not on the screen, and nothing can be related to it"
		if more := t.Explain(Query{Selector: *all.lacking, Matched: q.Matched}); more != "" {
			why += "; " + more
		}
		return why
	}
	for _, why := range []func(dsl.Selector) string{f.unmetState, f.unmetRelation, f.outOfRange, f.outOfSight,
		f.optionOfList, f.partOfText, f.unread} {
		if text := why(s); text != "" {
			return text
		}
	}
	return ""
}

// explainer says of one query over one tree why it finds nothing. Each of its methods knows one reason, and returns ""
// when it is not that.
type explainer struct{ *finder }

// Stateless says that all elements which the query would pick cannot have a state that it requires, "" when one of them
// can. An assertion about such a state, also that nothing is in it, cannot be evaluated.
func (t *Tree) Stateless(q Query) string {
	s := q.Selector
	if len(statesAsked(s)) == 0 || !s.Names() {
		return ""
	}
	f := newFinder(t, q)
	matches, err := f.search(withoutStates(s), false)
	if err != nil {
		return ""
	}
	why := ""
	for _, m := range matches {
		lacks := ""
		for _, a := range statesAsked(s) {
			if _, holder := a.have(m.Node); holder == nil {
				lacks = m.Node.Stateless(a.word)
			}
		}
		if lacks == "" {
			return ""
		}
		why = cmp.Or(why, lacks)
	}
	return why
}

func withoutStates(s dsl.Selector) dsl.Selector {
	s.Enabled, s.Checked, s.Selected, s.Focused = nil, nil, nil, nil
	return s
}

// unmetState: it is there, in another state.
func (f explainer) unmetState(s dsl.Selector) string {
	if len(statesAsked(s)) == 0 {
		return ""
	}
	matches, err := f.search(withoutStates(s), false)
	if err != nil || len(matches) == 0 {
		return ""
	}
	return unmetState(s, matches[0].Node)
}

// unmetRelation: it is there, in another place.
func (f explainer) unmetRelation(s dsl.Selector) string {
	if len(s.Relations()) == 0 && s.Not == nil {
		return ""
	}
	bare := s
	bare.Below, bare.Above, bare.LeftOf, bare.RightOf, bare.Near, bare.Inside, bare.Contains, bare.Not = nil, nil, nil,
		nil, nil, nil, nil, nil
	bare.Index, bare.First = nil, false
	if !bare.Names() && bare.Type == "" {
		return ""
	}
	matches, err := f.search(bare, false)
	if err != nil || len(matches) == 0 {
		return ""
	}
	related := strings.TrimPrefix(strings.TrimPrefix(Describe(s), Describe(bare)), ", ")
	return fmt.Sprintf("%s is on the screen, but not %s%s", matches[0].Node, related, f.innermostText(s))
}

// innermostText names the element that a relation to a content means, "" where there is none.
func (f explainer) innermostText(s dsl.Selector) string {
	if s.Inside == nil || len(s.Inside.Contains) == 0 {
		return ""
	}
	matches, err := f.search(*s.Inside, false)
	if err != nil || len(matches) == 0 {
		return ""
	}
	return fmt.Sprintf("; the innermost element that contains it is %s; name a larger one by its id or type",
		matches[0].Node)
}

// outOfRange: there are fewer than the index says.
func (f explainer) outOfRange(s dsl.Selector) string {
	if s.Index == nil {
		return ""
	}
	bare := s
	bare.Index = nil
	matches, err := f.search(bare, false)
	if err != nil || len(matches) == 0 {
		return ""
	}
	return fmt.Sprintf("%d match without the index, and it counts from 0", len(matches))
}

// outOfSight: it is there, but invisible.
func (f explainer) outOfSight(s dsl.Selector) string {
	hidden := *f.finder
	hidden.q.Action, hidden.q.Reveal, hidden.evenCut = true, true, true
	matches, err := hidden.search(s, true)
	if err != nil || len(matches) == 0 {
		return ""
	}
	m := matches[0]
	if m.Part != nil {
		return m.outOfSight()
	}
	switch {
	case m.Node.Obscured != "":
		return fmt.Sprintf("%s is there, but hidden under %s", m.Node, m.Node.Obscured)
	case m.Node.Offscreen || f.seen(m.Node).Empty():
		return fmt.Sprintf("%s is there, but outside the part of it that the screen shows; scrollTo brings it into view",
			m.Node)
	}
	return ""
}

// outOfSight says why the part of a text that is asked for cannot be seen, "" when it can.
func (m Match) outOfSight() string {
	words := Quote(m.Part.Part.Text)
	switch p := m.Part; {
	case p.Cut:
		return fmt.Sprintf("%s is in the text of %s, but cut off there", words, m.Node)
	case p.Offscreen:
		return fmt.Sprintf(
			"%s is in the text of %s, but outside the part of it that the screen shows; scrollTo brings it into "+
				"view", words, m.Node)
	case p.Obscured != "":
		return fmt.Sprintf("%s is in the text of %s, but hidden under %s", words, m.Node, p.Obscured)
	}
	return ""
}

// optionOfList: it is an entry of a list that the browser shows in a window of its own, which no tap reaches.
func (f explainer) optionOfList(s dsl.Selector) string {
	want := cmp.Or(s.Label, s.Text)
	if want == "" {
		return ""
	}
	for n := range f.tree.All {
		if n.Type != "select" || n.Hidden || n.Holds == nil {
			continue
		}
		for option := range strings.SplitSeq(n.Holds.Form, " | ") {
			if !SameText(option, want) {
				continue
			}
			list := fmt.Sprintf("select:has(option:text-is(%q))", option)
			if plainID.MatchString(n.ID) {
				list = "#" + n.ID
			}
			return fmt.Sprintf(
				"%s is an option of %s, which the browser shows in a window of its own; choose it by webSelect: "+
					"%s", Quote(option), n,
				written("selector: "+yamlText(list), "label: "+yamlText(option)))
		}
	}
	return ""
}

// plainID is an id that a CSS selector can have as it is.
var plainID = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// unread: it may be in what an element shows in a form that cannot be read.
func (f explainer) unread(dsl.Selector) string {
	for n := range f.tree.All {
		if n.Type == "embed" && len(n.Children) == 0 && !n.Hidden && !n.Offscreen {
			return fmt.Sprintf("what %s shows is not read", n)
		}
	}
	return ""
}

// partOfText: the label is within a longer text, and a selector with match would find it.
func (f explainer) partOfText(s dsl.Selector) string {
	if s.Label == "" || s.Match != dsl.MatchWhole {
		return ""
	}
	for _, mode := range []dsl.MatchMode{dsl.MatchWords, dsl.MatchContains} {
		part := s
		part.Match = mode
		matches, err := f.search(part, false)
		if err != nil || len(matches) == 0 {
			continue
		}
		fits, _ := comparison(s.Label, mode)
		for _, have := range matches[0].Node.texts() {
			if _, ok := fits(have); !ok || have == "" {
				continue
			}
			m := matches[0]
			if m.spotsOf(m.Node)[0].lost && !m.sameEverywhere() { // the words alone could not be touched
				return fmt.Sprintf("%s contains it: %s", Quote(have), written("label: "+yamlText(have)))
			}
			return fmt.Sprintf("%s contains it: %s", Quote(have), written("label: "+yamlText(s.Label), "match: "+string(mode)))
		}
	}
	return ""
}
