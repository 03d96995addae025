package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	maxNamed    = 8       // candidates that the text of an AmbiguousError names
	maxProposed = 3       // selectors that its short text proposes
	maxTried    = 400     // selectors that are tried on a screen to choose between candidates: fewer on large ones,
	minTried    = 32      // but so many
	maxVisited  = 200_000 // elements that are looked at for them
	maxNearby   = 16      // texts around a candidate that are tried as an anchor
	maxIndex    = 300     // indexes that are tried
	maxAnchor   = 60      // characters of a text that names an anchor
)

// AmbiguousError lists elements between which a selector does not decide.
type AmbiguousError struct {
	What       string   // the selector, in words
	Candidates []string // every candidate with its bounds
	// Choices returns, for the first of the candidates, a selector as a test would write it that was seen to pick this one
	// on this screen; "" for one that no selector picks. Nil: none is known. It takes a while, and is requested by a
	// caller that shows the error.
	Choices func() []string
}

// Error is the whole of it: each of the first candidates, with its selector.
func (e *AmbiguousError) Error() string {
	named := e.Named()
	text := e.head() + ": " + strings.Join(named[:min(maxNamed, len(named))], "; ")
	if more := len(named) - maxNamed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// Short is Error without the candidates, for a caller that lists them next to it.
func (e *AmbiguousError) Short() string {
	choices := slices.DeleteFunc(slices.Clone(e.choices()), func(s string) bool { return s == "" })
	if len(choices) == 0 {
		return e.head()
	}
	return e.head() + "; choose one: " + strings.Join(choices[:min(maxProposed, len(choices))], " or ")
}

// Named returns the candidates, each with the selector that picks it.
func (e *AmbiguousError) Named() []string {
	named := slices.Clone(e.Candidates)
	for i, choice := range e.choices() {
		if i < len(named) && choice != "" {
			named[i] += " is " + choice
		}
	}
	return named
}

func (e *AmbiguousError) head() string {
	return fmt.Sprintf("%d elements match %s equally well", len(e.Candidates), e.What)
}

func (e *AmbiguousError) choices() []string {
	if e.Choices == nil {
		return nil
	}
	return e.Choices()
}

// Unwrap makes it an ErrAmbiguous.
func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// Ambiguous is the error that lists several matches of an action, and how to choose one.
func (t *Tree) Ambiguous(q Query, matches []Match) error {
	e := &AmbiguousError{What: Describe(q.Selector)}
	for _, m := range matches {
		e.Candidates = append(e.Candidates, m.Node.String())
	}
	e.Choices = sync.OnceValue(func() []string {
		c := newChooser(newFinder(t, q))
		var choices []string
		for _, m := range matches[:min(len(matches), maxNamed)] {
			choices = append(choices, c.choose(q.Selector, m, c.picks))
		}
		return choices
	})
	return e
}

// chooser looks for selectors that decide between candidates.
type chooser struct {
	*finder
	left    int     // selectors that may still be tried
	anchors []*Node // visible texts, each of which is once on the screen
}

func newChooser(f *finder) *chooser {
	c := &chooser{finder: f}
	count, nodes := map[string]int{}, 0
	for n := range f.tree.All {
		nodes++
		if text := anchorText(n); text != "" && f.visible(n, false) && !isRepeated(n) {
			count[Normalise(text)]++
			c.anchors = append(c.anchors, n)
		}
	}
	c.anchors = slices.DeleteFunc(c.anchors, func(n *Node) bool { return count[Normalise(anchorText(n))] > 1 })
	c.left = max(minTried, min(maxTried, maxVisited/max(nodes, 1)))
	return c
}

// picks reports whether an action with the selector would take the match and no other.
func (c *chooser) picks(s dsl.Selector, m Match) bool {
	found, err := c.search(s, true)
	return err == nil && len(found) == 1 && found[0].Node == m.Node
}

// choose writes a selector that picks the match: what s says, what is next to it, what it is in, what is above
// or below it, its id, or which of several it is, whatever comes first. picks reports whether a selector does.
func (c *chooser) choose(s dsl.Selector, m Match, picks func(dsl.Selector, Match) bool) string {
	for more := range c.additions(s, m) {
		if c.left--; c.left < 0 {
			return ""
		}
		if picks(more, m) {
			if c.q.AsWritten != nil {
				more = c.q.AsWritten(more)
			}
			return selectorText(more)
		}
	}
	return ""
}

// additions returns selectors that say more than s, those first by which a person would distinguish the match from
// others.
func (c *chooser) additions(s dsl.Selector, m Match) func(yield func(dsl.Selector) bool) {
	return func(yield func(dsl.Selector) bool) {
		nearby := c.nearby(m)
		try := func(anchors []*Node, set func(s, to *dsl.Selector, n *Node) bool) bool {
			for _, n := range anchors {
				more := s
				if set(&more, &dsl.Selector{Label: anchorText(n)}, n) && !yield(more) {
					return false
				}
			}
			return true
		}
		row := func(s, to *dsl.Selector, n *Node) bool {
			switch at, place := n.place(), m.Node.place(); {
			case s.RightOf == nil && rightOf(place, at):
				s.RightOf = to
			case s.LeftOf == nil && rightOf(at, place):
				s.LeftOf = to
			default:
				return false
			}
			return true
		}
		column := func(s, to *dsl.Selector, n *Node) bool {
			switch at, place := n.place(), m.Node.place(); {
			case s.Below == nil && below(place, at):
				s.Below = to
			case s.Above == nil && below(at, place):
				s.Above = to
			default:
				return false
			}
			return true
		}
		_ = try(nearby, row) && c.around(s, m, yield) && try(nearby, column) && c.own(s, m, yield) && c.indexes(s, yield)
	}
}

// around yields what the match is in.
func (c *chooser) around(s dsl.Selector, m Match, yield func(dsl.Selector) bool) bool {
	if s.Inside != nil {
		return true
	}
	for a := m.Node.Parent; a != nil; a = a.Parent {
		var in dsl.Selector
		switch {
		case a.ID != "":
			in.ID = idSuffix(a.ID)
		case anchorText(a) != "" && a != m.Target:
			in.Label = anchorText(a)
		case a.Role != "":
			in.Type = a.Role
		default:
			continue
		}
		more := s
		if more.Inside = &in; !yield(more) {
			return false
		}
	}
	return true
}

// own yields the id of the match itself.
func (c *chooser) own(s dsl.Selector, m Match, yield func(dsl.Selector) bool) bool {
	for _, id := range []string{idSuffix(m.Node.ID), m.Node.TestID} {
		if id == "" || s.ID != "" || s.TestID != "" {
			continue
		}
		more := s
		if id == m.Node.TestID && c.tree.HitTested {
			more.TestID = id
		} else {
			more.ID = id
		}
		if !yield(more) {
			return false
		}
	}
	return true
}

// indexes yields which of several it is, as a person counts them.
func (c *chooser) indexes(s dsl.Selector, yield func(dsl.Selector) bool) bool {
	bare := s
	bare.First = false
	for i := range maxIndex {
		bare.Index = &i
		if found, err := c.search(bare, true); err != nil || len(found) == 0 || !yield(bare) {
			return false
		}
	}
	return true
}

// nearby are the texts around the match that could name a place next to it, the nearest first, and words before
// numbers: a time or an amount is another one tomorrow.
func (c *chooser) nearby(m Match) []*Node {
	var list []*Node
	for _, n := range c.anchors {
		if n != m.Node && !n.Within(m.Node) && !n.Within(m.Target) {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(wordless(a), wordless(b)), cmp.Compare(distance(a.place(), m.Node.place()),
			distance(b.place(), m.Node.place())))
	})
	return list[:min(len(list), maxNearby)]
}

var word = lazyregexp.New(`\pL{2}`)

func wordless(n *Node) int {
	if word.MatchString(anchorText(n)) {
		return 0
	}
	return 1
}

// anchorText is the name of an element that another one is related to; "" for fields, as their texts change, and for
// long texts.
func anchorText(n *Node) string {
	text := strings.TrimSpace(cmp.Or(n.Text, n.Desc))
	if n.Editable || len([]rune(text)) > maxAnchor || strings.ContainsAny(text, "\r\n") {
		return ""
	}
	return text
}

// relationTo writes a selector that picks the match by a text in its row, "" when there is none.
func (f *finder) relationTo(s dsl.Selector, m Match) string {
	c := newChooser(f)
	beside := func(more dsl.Selector, m Match) bool {
		return (more.RightOf != nil || more.LeftOf != nil) && c.picks(more, m)
	}
	return c.choose(s, m, beside)
}

// ambiguous is the error of a relation that refers to several elements: for each, the whole selector with this one in
// it.
func (f *finder) ambiguous(s dsl.Selector, all anchors) error {
	i := slices.IndexFunc(all.list, func(a anchor) bool { return len(a.matches) > 1 })
	if i < 0 {
		return nil
	}
	a := all.list[i]
	e := &AmbiguousError{What: Describe(a.selector)}
	for _, m := range a.matches {
		e.Candidates = append(e.Candidates, m.Node.String())
	}
	e.Choices = sync.OnceValue(func() []string {
		c := newChooser(f)
		var choices []string
		for _, m := range a.matches[:min(len(a.matches), maxNamed)] {
			whole := s
			refers := func(to dsl.Selector, m Match) bool {
				found, err := c.search(to, false)
				if err != nil || len(found) != 1 || found[0].Node != m.Node {
					return false
				}
				whole = s
				a.set(&whole, to)
				found, err = c.search(whole, true)
				return err == nil && len(found) == 1
			}
			text := c.choose(a.selector, m, refers)
			if text != "" {
				if f.q.AsWritten != nil {
					whole = f.q.AsWritten(whole)
				}
				text = selectorText(whole)
			}
			choices = append(choices, text)
		}
		return choices
	})
	return e
}
