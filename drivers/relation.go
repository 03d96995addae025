package drivers

import (
	"cmp"
	"image"
	"slices"

	"github.com/taproot-dev/taproot/dsl"
)

// anchors are the elements that a selector's relations speak of.
type anchors struct {
	list    []anchor
	missing bool // one of them is not on the screen
}

// anchor is one relation and the elements that it may refer to.
type anchor struct {
	nodes []*Node
	holds func(n, a *Node) bool
	rank  bool // the nearest is meant, when several hold
}

// anchors finds what the relations of s refer to. For an action each must be one element.
func (f *finder) anchors(s dsl.Selector, action bool) (anchors, error) {
	var found anchors
	for _, r := range []struct {
		to    *dsl.Selector
		holds func(n, a *Node) bool
		rank  bool
	}{
		{s.Below, below, true}, {s.Above, func(n, a *Node) bool { return below(a, n) }, true},
		{s.RightOf, rightOf, true}, {s.LeftOf, func(n, a *Node) bool { return rightOf(a, n) }, true},
		{s.Near, unrelated, true},
		{s.Inside, inside, false}, {s.Contains, func(n, a *Node) bool { return inside(a, n) }, false},
	} {
		if r.to == nil {
			continue
		}
		nodes, _, err := f.search(*r.to, false)
		if err != nil {
			return found, err
		}
		if len(nodes) == 0 {
			found.missing = true
			return found, nil
		}
		if action && len(nodes) > 1 {
			return found, ambiguous(*r.to, nodes)
		}
		found.list = append(found.list, anchor{nodes, r.holds, r.rank})
	}
	return found, nil
}

// hold tells whether n stands in every relation to at least one of its anchors.
func (as anchors) hold(n *Node) bool {
	for _, a := range as.list {
		if !slices.ContainsFunc(a.nodes, func(to *Node) bool { return n != to && a.holds(n, to) }) {
			return false
		}
	}
	return true
}

// nearest orders by the distance to the ranking anchors and keeps those that are equally near.
func (as anchors) nearest(nodes []*Node) []*Node {
	ranked := slices.ContainsFunc(as.list, func(a anchor) bool { return a.rank })
	if !ranked || len(nodes) < 2 {
		return nodes
	}
	cost := make(map[*Node]int, len(nodes))
	for _, n := range nodes {
		for _, a := range as.list {
			if a.rank {
				cost[n] += a.cost(n)
			}
		}
	}
	slices.SortStableFunc(nodes, func(a, b *Node) int { return cmp.Compare(cost[a], cost[b]) })
	return slices.DeleteFunc(nodes, func(n *Node) bool { return cost[n] > cost[nodes[0]] })
}

// cost is the distance of n to its nearest anchor; an element beside the anchor's column and row counts as farther than any within.
func (a anchor) cost(n *Node) int {
	best := -1
	for _, to := range a.nodes {
		if n == to || !a.holds(n, to) {
			continue
		}
		dx, dy := gap(n.Bounds.Min.X, n.Bounds.Max.X, to.Bounds.Min.X, to.Bounds.Max.X),
			gap(n.Bounds.Min.Y, n.Bounds.Max.Y, to.Bounds.Min.Y, to.Bounds.Max.Y)
		c := dx*dx + dy*dy
		if dx > 0 && dy > 0 {
			c += 1 << 40
		}
		if best < 0 || c < best {
			best = c
		}
	}
	return best
}

// gap is the room between two spans, 0 when they overlap.
func gap(aMin, aMax, bMin, bMax int) int { return max(0, aMin-bMax, bMin-aMax) }

// below: n begins where a ends or lower. Frames of neighbours may overlap by a hair.
func below(n, a *Node) bool { return n.Bounds.Min.Y >= a.Bounds.Max.Y-slack(n, a).Y }

// rightOf: n begins where a ends or farther right, on the same line.
func rightOf(n, a *Node) bool {
	return n.Bounds.Min.X >= a.Bounds.Max.X-slack(n, a).X &&
		gap(n.Bounds.Min.Y, n.Bounds.Max.Y, a.Bounds.Min.Y, a.Bounds.Max.Y) == 0
}

// slack is how far two elements may overlap and still count as side by side: a tenth of the smaller one.
func slack(n, a *Node) image.Point {
	return image.Pt(min(n.Bounds.Dx(), a.Bounds.Dx())/10, min(n.Bounds.Dy(), a.Bounds.Dy())/10)
}

func unrelated(n, a *Node) bool { return !n.Within(a) && !a.Within(n) }

// inside: by the tree, or by place when the tree is flat.
func inside(n, a *Node) bool {
	return n.Within(a) || n.Window == a.Window && n.Bounds.In(a.Bounds) && !a.Within(n)
}
