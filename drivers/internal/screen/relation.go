package screen

import (
	"image"
	"maps"
	"slices"

	"github.com/taproot-dev/taproot/dsl"
)

// anchors are the elements that a selector's relations speak of.
type anchors struct {
	list    []anchor
	missing bool          // one of them is not on the screen
	lacking *dsl.Selector // that one
}

// anchor is one relation and the elements that it may refer to.
type anchor struct {
	selector dsl.Selector
	matches  []Match
	holds    func(n, a spot, outermost *Node) bool
	rank     bool // the nearest is meant, when several hold
	self     bool // see relation
	inside   bool // the relation is "inside"
	set      func(s *dsl.Selector, to dsl.Selector)
}

// anchors finds what the relations of s refer to.
func (f *finder) anchors(s dsl.Selector) (anchors, error) {
	var found anchors
	for _, r := range relationsOf(s) {
		if r.to == nil {
			continue
		}
		var matches []Match
		var err error
		if r.to == f.q.Selector.Inside && len(f.q.Within) > 0 {
			matches = keptBoxes(f.q.Within)
		} else if matches, err = f.searchBox(*r.to, r.around && byContent(*r.to)); err != nil {
			return found, err
		}
		if len(matches) == 0 && r.around && r.to.Label+r.to.Text == "" {
			if matches, err = f.searchBox(*r.to, true); err != nil {
				return found, err
			}
		}
		if len(matches) == 0 {
			found.missing, found.lacking = true, r.to
			return found, nil
		}
		if f.q.Action { // the spelling that the test has, where that is there
			matches = bestSpelled(matches, counted(*r.to))
		}
		found.list = append(found.list, anchor{*r.to, matches, r.holds, r.rank, r.self, r.to == s.Inside, r.set})
	}
	return found, nil
}

// searchBox is search for what is around others, with what has no area of its own if hollow is true.
func (f *finder) searchBox(s dsl.Selector, hollow bool) ([]Match, error) {
	was := f.hollow
	f.hollow = hollow
	defer func() { f.hollow = was }()
	return f.search(s, false)
}

// byContent reports whether a selector names an element by its content alone. The innermost one counts, also where it
// has no area of its own, as a row with display: contents, or one of which all content floats.
func byContent(s dsl.Selector) bool { return len(s.Contains) > 0 && !s.Names() && s.Type == "" }

// keptBoxes are matches of elements that a relation has meant before.
func keptBoxes(nodes []*Node) (matches []Match) {
	for _, n := range nodes {
		matches = append(matches, Match{Node: n, Target: n, same: []*Node{n}, outermost: n})
	}
	return matches
}

type relation struct {
	to    *dsl.Selector
	holds func(n, a spot, outermost *Node) bool
	rank  bool
	set   func(s *dsl.Selector, to dsl.Selector) // puts another element into a selector's relation

	self   bool // it may be the element itself
	around bool // it may have no area of its own, as a box with content that is placed elsewhere on the page
}

func relationsOf(s dsl.Selector) []relation {
	list := []relation{
		{to: s.Below, holds: func(n, a spot, _ *Node) bool { return below(n.place(), a.place()) && !outsideColumn(n, a) },
			rank: true, set: func(s *dsl.Selector, to dsl.Selector) { s.Below = &to }},
		{to: s.Above, holds: func(n, a spot, _ *Node) bool { return below(a.place(), n.place()) && !outsideColumn(n, a) },
			rank: true, set: func(s *dsl.Selector, to dsl.Selector) { s.Above = &to }},
		{to: s.RightOf, holds: func(n, a spot, _ *Node) bool { return rightOf(n.place(), a.place()) || inRow(n, a) },
			rank: true, set: func(s *dsl.Selector, to dsl.Selector) { s.RightOf = &to }},
		{to: s.LeftOf, holds: func(n, a spot, _ *Node) bool { return rightOf(a.place(), n.place()) || inRow(a, n) },
			rank: true, set: func(s *dsl.Selector, to dsl.Selector) { s.LeftOf = &to }},
		{to: s.Near, holds: func(n, a spot, _ *Node) bool { return apart(n, a) }, rank: true,
			set: func(s *dsl.Selector, to dsl.Selector) { s.Near = &to }},
		{around: true, to: s.Inside, holds: func(n, _ spot, outermost *Node) bool { return inside(n.Node, outermost) },
			set: func(s *dsl.Selector, to dsl.Selector) { s.Inside = &to }},
	}
	for i := range s.Contains {
		list = append(list, relation{to: &s.Contains[i], self: true, holds: holdsContent,
			set: func(s *dsl.Selector, to dsl.Selector) {
				s.Contains = slices.Clone(s.Contains)
				s.Contains[i] = to
			}})
	}
	return list
}

// bestSpelled are the anchors that an action would take.
func (as anchors) bestSpelled() anchors {
	best := anchors{list: slices.Clone(as.list)}
	for i := range best.list {
		best.list[i].matches = bestSpelled(best.list[i].matches, counted(best.list[i].selector))
	}
	return best
}

// several reports whether a relation may refer to more than one element.
func (as anchors) several() bool {
	return slices.ContainsFunc(as.list, func(a anchor) bool { return len(a.each()) > 1 })
}

// each returns the elements that a relation may refer to one by one, also where they are places in one text.
func (a anchor) each() []Match {
	var list []Match
	for _, m := range a.matches {
		at := m.spotsOf(m.Node)
		if !a.rank || len(at) == 1 {
			list = append(list, m)
			continue
		}
		for i := range at {
			one := m
			one.spots = maps.Clone(m.spots)
			one.spots[m.Node] = at[i : i+1]
			list = append(list, one)
		}
	}
	return list
}

// maxAnchors bounds how many combinations of anchors are worked out one by one.
const maxAnchors = 64

// sameAnswer works each relation out for each of the elements that it may refer to. Where the results differ, the
// relation does not decide, and the error lists its anchors.
func (f *finder) sameAnswer(s dsl.Selector, all anchors) error {
	combinations, each := 1, make([][]Match, len(all.list))
	for i, a := range all.list {
		each[i] = a.each()
		combinations *= len(each[i])
	}
	var answer *Match
	for i := range min(combinations, maxAnchors) {
		one := anchors{list: slices.Clone(all.list)}
		for j, rest := 0, i; j < len(one.list); j++ {
			k := len(each[j])
			one.list[j].matches = each[j][rest%k : rest%k+1]
			rest /= k
		}
		matches, err := f.related(s, true, one)
		if err != nil {
			return err
		}
		for _, m := range matches {
			if answer != nil && (answer.Node != m.Node || answer.Part != m.Part) {
				return f.ambiguous(s, all)
			}
			answer = &m
		}
	}
	if combinations > maxAnchors {
		return f.ambiguous(s, all)
	}
	return nil
}

// hold returns the places of an element at which it is in every relation to at least one of its anchors.
func (as anchors) hold(at []spot) []spot {
	if len(as.list) == 0 {
		return at
	}
	return slices.DeleteFunc(at, func(n spot) bool {
		return slices.ContainsFunc(as.list, func(a anchor) bool {
			return !slices.ContainsFunc(a.matches, func(to Match) bool { _, holds := a.related(n, to); return holds })
		})
	})
}

// related returns the nearest to n of the places of an anchor, which are one thing, to which n is in the relation;
// false: it does not.
func (a anchor) related(n spot, to Match) (nearest spot, holds bool) {
	for _, x := range to.same {
		for _, at := range to.spotsOf(x) {
			at = at.besidePart(n)
			nearer := !holds || distance(n.place(), at.place()) < distance(n.place(), nearest.place())
			if nearer && (n.apartFrom(at) || a.self) && n.comparable(at) && a.holds(n, at, to.outermost) {
				nearest, holds = at, true
			}
		}
	}
	return nearest, holds
}

// apartFrom reports whether two places are of two elements, or of one text in two places.
func (s spot) apartFrom(a spot) bool {
	return s.Node != a.Node || s.part != nil && a.part != nil && s.at.Intersect(a.at).Empty()
}

// nearest keeps the matches that are equally near to the ranking anchors, and nearest.
func (as anchors) nearest(matches []Match) []Match {
	ranked := slices.ContainsFunc(as.list, func(a anchor) bool { return a.rank })
	if !ranked || len(matches) < 2 {
		return matches
	}
	cost, least := make([]int, len(matches)), -1
	for i, m := range matches {
		cost[i] = as.cost(m.spot())
		if least < 0 || cost[i] < least {
			least = cost[i]
		}
	}
	var kept []Match
	for i, m := range matches {
		if cost[i] == least {
			kept = append(kept, m)
		}
	}
	return kept
}

// nearestUnder returns the element of an action that is nearer to what it is related to than all others and cannot be
// touched now, because something else is over it: the button of another row is not meant by the name of this one. nil:
// there is none.
func (f *finder) nearestUnder(s dsl.Selector, all anchors, matches []Match) []Match {
	if !slices.ContainsFunc(all.list, func(a anchor) bool { return a.rank }) || len(matches) == 0 {
		return nil
	}
	usable := slices.DeleteFunc(slices.Clone(matches), func(m Match) bool { return m.CoverText != "" || !f.reacts(m) })
	if len(usable) == 0 {
		return nil
	}
	drawn := f.q.Drawn
	f.q.Drawn = nil // what is under something opaque counts
	fit, err := f.fitting(s, true, all)
	f.q.Drawn = drawn
	if err != nil {
		return nil
	}
	under := slices.DeleteFunc(inState(s, true, f.merge(s, fit)), func(m Match) bool {
		return m.CoverText == "" || !f.reacts(m) || m.Node.Key || !all.closer(m, usable)
	})
	for i := range under {
		f.settle(&under[i], all)
	}
	nearest := all.nearest(append(usable, under...))
	if len(nearest) == 1 && nearest[0].CoverText != "" {
		return nearest
	}
	return nil
}

// closer reports whether the box around a match and a ranking anchor is in the boxes around that anchor and others, so
// that it is not what a sheet with the anchor covers.
func (as anchors) closer(m Match, others []Match) bool {
	for _, a := range as.list {
		for _, to := range a.matches {
			box := commonBox(to.Node, m.Node)
			if a.rank && box != nil && !slices.ContainsFunc(others, func(o Match) bool {
				around := commonBox(to.Node, o.Node)
				return around != nil && !box.Within(around)
			}) {
				return true
			}
		}
	}
	return false
}

// commonBox is the innermost element around both; nil: they are in two windows.
func commonBox(a, b *Node) *Node {
	for ; a != nil; a = a.Parent {
		if b.Within(a) {
			return a
		}
	}
	return nil
}

// cost is how far a place is from all anchors that rank.
func (as anchors) cost(n spot) int {
	sum := 0
	for _, a := range as.list {
		if a.rank {
			sum += a.cost(n)
		}
	}
	return sum
}

// cost is the distance of n to its nearest anchor; an element outside of the anchor's column and row counts as farther
// than any within.
func (a anchor) cost(n spot) int {
	best := -1
	for _, to := range a.matches {
		x, holds := a.related(n, to)
		if !holds {
			continue
		}
		if c := distance(n.place(), x.place()); best < 0 || c < best {
			best = c
		}
	}
	return max(best, 0)
}

// distance is the square of the distance between two elements; outside of both column and row counts as farther than
// any within.
func distance(a, b image.Rectangle) int {
	dx, dy := gap(a.Min.X, a.Max.X, b.Min.X, b.Max.X), gap(a.Min.Y, a.Max.Y, b.Min.Y, b.Max.Y)
	c := dx*dx + dy*dy
	if dx > 0 && dy > 0 && !sameRow(a, b) {
		c += 1 << 40
	}
	return c
}

// gap is the distance between two spans, 0 when they overlap.
func gap(aMin, aMax, bMin, bMax int) int { return max(0, aMin-bMax, bMin-aMax) }

// below: n starts where a ends or lower. Frames of neighbours may overlap by a hair.
func below(n, a image.Rectangle) bool { return n.Min.Y >= a.Max.Y-slack(n, a).Y }

// outsideColumn reports whether n is outside of a's column, in a box that has a title of its own where a is one, or one
// of a's kind in a's row, or at a's place in a box of the same kind: what is in the next card is not below this card's
// title. On pages alone, as their trees have such boxes.
func outsideColumn(n, a spot) bool {
	// columns without a gap between them meet in the same pixel
	if !n.hitTested() || min(n.place().Max.X, a.place().Max.X)-max(n.place().Min.X, a.place().Min.X) > 1 {
		return false
	}
	box, other := branchWithout(n.Node, a.Node), branchWithout(a.Node, n.Node)
	if slices.ContainsFunc(box.Children, func(c *Node) bool { return hasPeer(c, a.Node) }) {
		return true
	}
	if box == n.Node || other == a.Node || other.Type != box.Type ||
		min(other.Bounds.Max.X, box.Bounds.Max.X) > max(other.Bounds.Min.X, box.Bounds.Min.X) {
		return false
	}
	kin, own := alike(box, kindsUpTo(a.Node, other)), slices.Index(alike(other, kindsUpTo(a.Node, other)), a.Node)
	return own >= 0 && own < len(kin) && kin[own] != n.Node && !n.Within(kin[own]) && kin[own].Label() != ""
}

// branchWithout is the widest element around n, or n itself, that does not hold a.
func branchWithout(n, a *Node) *Node {
	for p := n.Parent; p != nil && !a.Within(p); p = p.Parent {
		n = p
	}
	return n
}

// kindsUpTo returns the types on the way from the content of an element around n to n.
func kindsUpTo(n, around *Node) []string {
	var kinds []string
	for p := n; p != around; p = p.Parent {
		kinds = append(kinds, p.Type)
	}
	slices.Reverse(kinds)
	return kinds
}

// alike returns what is in an element at the end of a way of types: what is at the same places in two cards.
func alike(n *Node, kinds []string) (found []*Node) {
	if len(kinds) == 0 {
		return []*Node{n}
	}
	for _, c := range n.Children {
		if c.Type == kinds[0] && len(found) < maxAnchors {
			found = append(found, alike(c, kinds[1:])...)
		}
	}
	return found
}

// hasPeer reports whether n, or what it holds, is of a's kind, and is in a's row unless that is the kind of titles.
func hasPeer(n, a *Node) bool {
	if n.Type == a.Type && n.Label() != "" && !n.Hidden && (a.Role == "heading" || sameRow(n.place(), a.place())) {
		return true
	}
	return slices.ContainsFunc(n.Children, func(c *Node) bool { return hasPeer(c, a) })
}

// rightOf: n starts where a ends or farther right, in the same row.
func rightOf(n, a image.Rectangle) bool { return n.Min.X >= a.Max.X-slack(n, a).X && sameRow(n, a) }

// inRow reports whether n is right of a in another cell of the same row of a table or a list, high or low in it. One of
// the cells is a single line, next to the other one, or nothing in either cell is in the line of the other one: cells
// that hold several lines each are columns.
func inRow(n, a spot) bool {
	if n.Within(a.Node) || a.Within(n.Node) || n.place().Min.X < a.place().Max.X-slack(n.place(), a.place()).X {
		return false
	}
	cell, other := branchWithout(n.Node, a.Node), branchWithout(a.Node, n.Node)
	row := cell.Parent
	if row == nil || row != other.Parent {
		return false
	}
	table := row.Role == "row" || row.Type == "tr"
	if (table || row.isRepeated()) && sameRow(cell.Bounds, other.Bounds) &&
		(isLine(cell, n) || isLine(other, a)) {
		return true
	}
	return table && !hasBeside(cell, n.Node, a) && !hasBeside(other, a.Node, n)
}

// isLine reports whether all that a cell says is in the line of n.
func isLine(cell *Node, n spot) bool {
	if cell.ownLabel() != "" && !cell.Hidden && !sameRow(cell.place(), n.place()) {
		return false
	}
	return !slices.ContainsFunc(cell.Children, func(c *Node) bool { return !isLine(c, n) })
}

// hasBeside reports whether something in a cell, other than own, is in the line of n.
func hasBeside(n, own *Node, of spot) bool {
	if n.Label() != "" && !n.Hidden && n != own && !own.Within(n) && !n.Within(own) && sameRow(n.place(), of.place()) {
		return true
	}
	return slices.ContainsFunc(n.Children, func(c *Node) bool { return hasBeside(c, own, of) })
}

// sameRow reports whether two elements are in one row: a third of the lower one's height is next to the other. A button
// may stand a few pixels lower than its label; rows that share an edge, or overlap by a hair, are two.
func sameRow(a, b image.Rectangle) bool {
	shared := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	return shared > 0 && 3*shared >= min(a.Dy(), b.Dy())
}

// slack is how far two elements may overlap and still count as side by side: a tenth of the smaller one.
func slack(n, a image.Rectangle) image.Point {
	return image.Pt(min(n.Dx(), a.Dx())/10, min(n.Dy(), a.Dy())/10)
}

// apart reports whether neither element holds the other, or the text of one that holds the other has a place of its
// own.
func apart(n, a spot) bool {
	if n.Within(a.Node) || a.Within(n.Node) {
		return n.apartFrom(a) && n.place().Intersect(a.place()).Empty()
	}
	return true
}

// inside: by the tree, or by place when the tree is flat.
func inside(n, a *Node) bool {
	return n != a && n.Within(a) || n.Window == a.Window && a.Obscured == "" && n.Bounds.In(a.Bounds) && !a.Within(n) &&
		dialogOf(n) == dialogOf(a)
}

// dialogOf is the dialog that an element is or is in, nil for the screen itself: what is over a dialog, or behind it,
// is not in it.
func dialogOf(n *Node) *Node {
	for p := n; p != nil; p = p.Parent {
		if p.Role == "dialog" || p.Role == "alertdialog" || p.Type == "dialog" || p.Type == "XCUIElementTypeAlert" ||
			p.Type == "XCUIElementTypeSheet" {
			return p
		}
	}
	return nil
}
