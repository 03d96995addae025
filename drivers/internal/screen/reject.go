package screen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// Rejected is an element that is similar to what a query requires, and why it was not picked.
type Rejected struct {
	Node *Node
	Why  string // a clause: `it says "Sign in", not "Sing in"`
}

// Rejected explains, for the elements that come nearest to the query, why each was not picked: first those of Nearest,
// at most limit, then as many that are invisible and that would fit otherwise.
func (t *Tree) Rejected(q Query, limit int) []Rejected {
	f := newFinder(t, q)
	var list []Rejected
	for _, n := range t.Nearest(q.Selector, limit) {
		list = append(list, Rejected{n, f.whyNot(q.Selector, n)})
	}
	unseen := 0
	for n := range t.All {
		if unseen == limit || !q.Selector.Names() || len(q.Selector.CSS)+len(q.Selector.XPath) > 0 {
			break
		}
		if f.visible(n, false) || !fitsWords(q.Selector, n) ||
			slices.ContainsFunc(list, func(r Rejected) bool { return r.Node == n }) {
			continue
		}
		unseen++
		list = append(list, Rejected{n, f.whyNot(q.Selector, n)})
	}
	return list
}

// whyNot names the first condition that an element does not meet, in the order in which a person would look.
func (f *finder) whyNot(s dsl.Selector, n *Node) string {
	if why := wrongWords(s, n); why != "" {
		return why
	}
	switch {
	case n.Hidden:
		return "the device says that it cannot be seen"
	case n.Obscured != "":
		return "it is hidden under " + n.Obscured
	case n.Offscreen || f.seen(n).Empty():
		return "it is outside the part that the screen shows; scrollTo brings it into view"
	case len(f.spots(s, n, false)) == 0:
		return "the part of its text that is asked for cannot be seen"
	case len(statesAsked(s)) > 0:
		if why := unmetState(s, n); why != "" {
			return why
		}
	}
	if len(s.Relations()) > 0 || s.Not != nil {
		return "it is not in the required relation"
	}
	return "another element fits better"
}

// fitsWords reports whether an element has the required texts, id and type.
func fitsWords(s dsl.Selector, n *Node) bool { return wrongWords(s, n) == "" }

func wrongWords(s dsl.Selector, n *Node) string {
	if s.Label != "" {
		fits, err := comparison(s.Label, s.Match)
		if err != nil {
			return err.Error()
		}
		if _, ok := n.fits(fits, n.texts()); !ok {
			return fmt.Sprintf("it says %s, not %s", saying(n), Quote(s.Label))
		}
	}
	for _, c := range []struct{ what, want, have string }{{"text", s.Text, n.Text}, {"description", s.Desc, n.Desc},
		{"hint", s.Hint, n.Hint}} {
		if c.want == "" {
			continue
		}
		fits, err := comparison(c.want, s.Match)
		if err != nil {
			return err.Error()
		}
		if _, ok := n.fits(fits, []string{c.have}); !ok {
			return fmt.Sprintf("its %s is %s, not %s", c.what, Quote(c.have), Quote(c.want))
		}
	}
	if s.TestID != "" && n.TestID != s.TestID {
		return fmt.Sprintf("its testId is %s, not %s", Quote(n.TestID), Quote(s.TestID))
	}
	if s.ID != "" && !strings.ContainsAny(s.ID, "*?") && n.ID != s.ID && idSuffix(n.ID) != s.ID {
		return fmt.Sprintf("its id is %s, not %s", Quote(n.ID), Quote(s.ID))
	}
	return ""
}

// saying is what an element says, however it does.
func saying(n *Node) string {
	for _, text := range n.texts() {
		if text != "" {
			return Quote(text)
		}
	}
	return "nothing"
}

// What comes of a search that does not end with one element. Both blame the app or the test, not the device.
var (
	ErrNotFound  = errors.New("element not found")
	ErrAmbiguous = errors.New("several elements match")
)
