package screen

import (
	"slices"

	"github.com/taproot-dev/taproot/dsl"
)

// Says reports whether a match shows a text, as a person reads it: as its whole text, unless mode says otherwise. hits
// are the elements that an assertion of that text alone finds on the screen: what they do not have, no match shows. A
// field shows what it holds, whatever it is called. A box shows the text of the element in it; of several texts in it,
// none is its whole text.
func (m Match) Says(want string, mode dsl.MatchMode, hits []Match) bool {
	fits, err := comparison(want, mode)
	if err != nil {
		return false
	}
	for _, s := range hits {
		for _, x := range s.elements() {
			if slices.ContainsFunc(m.elements(), func(n *Node) bool { return n.says(x, mode, fits) }) {
				return true
			}
		}
	}
	return false
}

// elements are those that the match is made of.
func (m Match) elements() []*Node {
	if len(m.same) == 0 {
		return []*Node{m.Node}
	}
	return m.same
}

// says reports whether n shows the text of x, which fits.
func (n *Node) says(x *Node, mode dsl.MatchMode, fits func(have string) (Tier, bool)) bool {
	switch {
	case x != n && !x.Within(n):
		return false
	case n.field():
		_, holds := fits(n.Shown())
		return holds
	case x == n:
		return true
	case mode == dsl.MatchWords || mode == dsl.MatchContains:
		return true
	}
	texts := n.textsIn("", nil)
	if x.Type == BareText && x.Parent == n { // the lines of one text
		return !slices.ContainsFunc(texts, func(t *Node) bool { return t != n && (t.Type != BareText || t.Parent != n) })
	}
	if mode == dsl.MatchPrefix {
		texts = texts[:min(len(texts), 1)]
	}
	return !slices.ContainsFunc(texts, func(t *Node) bool {
		_, ok := t.fits(fits, []string{t.Text})
		return !ok
	})
}

// textsIn adds the elements in n, that included, that show a text in addition to that around them.
func (n *Node) textsIn(around string, list []*Node) []*Node {
	if n.Hidden {
		return list
	}
	if Normalise(n.Text) != "" && (around == "" || !TextShows(around, n.Text)) {
		list, around = append(list, n), n.Text
	}
	for _, c := range n.Children {
		list = c.textsIn(around, list)
	}
	return list
}

// Showing is Shown; of a box it is what the elements in it show.
func (n *Node) Showing() []string {
	if shown := n.Shown(); shown != "" || n.field() {
		return []string{shown}
	}
	var texts []string
	for _, t := range n.textsIn("", nil) {
		texts = append(texts, t.Text)
	}
	return texts
}
