package screen

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// Explain says in one sentence why nothing fits the query, "" when it has nothing to say beyond that: which condition failed, where the
// element is instead, or in which longer text the label stands.
func (t *Tree) Explain(q Query) string {
	f := newFinder(t, q)
	s := q.Selector
	if all, err := f.anchors(s); err == nil && all.missing {
		return Describe(*all.lacking) + " is not on the screen, and nothing can be related to it"
	}
	for _, why := range []func(dsl.Selector) string{f.unmetState, f.unmetRelation, f.outOfRange, f.outOfSight, f.partOfText} {
		if text := why(s); text != "" {
			return text
		}
	}
	return ""
}

// Stateless says that all elements which the query would pick cannot have a state that it asks for, "" when one of them can. An
// assertion about such a state, also that nothing is in it, cannot be evaluated.
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
func (f *finder) unmetState(s dsl.Selector) string {
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
func (f *finder) unmetRelation(s dsl.Selector) string {
	if len(s.Relations()) == 0 && s.Not == nil {
		return ""
	}
	bare := s
	bare.Below, bare.Above, bare.LeftOf, bare.RightOf, bare.Near, bare.Inside, bare.Contains, bare.Not = nil, nil, nil, nil, nil, nil, nil, nil
	bare.Index, bare.First = nil, false
	if !bare.Names() && bare.Type == "" {
		return ""
	}
	matches, err := f.search(bare, false)
	if err != nil || len(matches) == 0 {
		return ""
	}
	related := strings.TrimPrefix(strings.TrimPrefix(Describe(s), Describe(bare)), ", ")
	return fmt.Sprintf("%s is on the screen, but not %s", matches[0].Node, related)
}

// outOfRange: there are fewer than the index says.
func (f *finder) outOfRange(s dsl.Selector) string {
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

// outOfSight: it is there, and nobody can see it.
func (f *finder) outOfSight(s dsl.Selector) string {
	hidden := *f
	hidden.q.Action, hidden.q.Reveal = true, true
	matches, err := hidden.search(s, true)
	if err != nil || len(matches) == 0 {
		return ""
	}
	m := matches[0]
	switch {
	case m.Node.Obscured != "":
		return fmt.Sprintf("%s is there, but hidden under %s", m.Node, m.Node.Obscured)
	case m.Node.Offscreen || f.seen(m.Node).Empty():
		return fmt.Sprintf("%s is there, but outside the part of it that the screen shows; scrollTo brings it into view", m.Node)
	}
	return ""
}

// partOfText: the label stands within a longer text, and a selector with match would find it.
func (f *finder) partOfText(s dsl.Selector) string {
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
			if _, ok := fits(have); ok {
				return fmt.Sprintf("%s contains it: %s", Quote(have), written("label: "+yamlText(s.Label), "match: "+string(mode)))
			}
		}
	}
	return ""
}

// Ambiguous is the error that lists several matches of an action, and how to choose one.
func (t *Tree) Ambiguous(q Query, matches []Match) error {
	e := &AmbiguousError{What: Describe(q.Selector)}
	for _, m := range matches {
		e.Candidates = append(e.Candidates, m.Node.String())
	}
	s := q.Selector
	if s.Label == "" || s.Match != "" || len(s.Relations()) > 0 {
		return e
	}
	f := newFinder(t, q)
	for i, m := range matches[:min(len(matches), 2)] {
		e.Mend = append(e.Mend, cmp.Or(f.relationTo(s, m), written("label: "+yamlText(s.Label), "index: "+strconv.Itoa(i))))
	}
	return e
}

// relationTo writes a selector that picks the match by a text in its row, "" when there is none.
func (f *finder) relationTo(s dsl.Selector, m Match) string {
	for n := range f.tree.All {
		text := strings.TrimSpace(n.Text)
		if text == "" || len(text) > 60 || n.Editable || Normalise(text) == Normalise(s.Label) || !f.visible(n, false) || !sameRow(n.place(), m.Node.place()) {
			continue
		}
		for _, r := range []struct {
			key  string
			with func(*dsl.Selector, *dsl.Selector)
		}{{"rightOf", func(s, to *dsl.Selector) { s.RightOf = to }}, {"leftOf", func(s, to *dsl.Selector) { s.LeftOf = to }}} {
			related := s
			r.with(&related, &dsl.Selector{Label: text})
			if found, err := f.search(related, true); err == nil && len(found) == 1 && found[0].Node == m.Node {
				return written("label: "+yamlText(s.Label), r.key+": "+yamlText(text))
			}
		}
	}
	return ""
}

func written(fields ...string) string { return "{" + strings.Join(fields, ", ") + "}" }

// plainText is what YAML reads as a text also within braces, without quotes.
var plainText = regexp.MustCompile(`^[\pL\pN_][\pL\pN_ ./+-]*[\pL\pN_.+]$|^[\pL\pN_]$`)

// yamlText writes a text as YAML within braces.
func yamlText(s string) string {
	if plainText.MatchString(s) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off"}, strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}
