// Package maestro finds elements by the rules of Maestro: a tree and a selector with the match maestro go in, the
// elements that it picks come out in Maestro's order, of which the first is meant. Nothing is ambiguous, and what
// covers an element plays no part.
package maestro

import (
	"cmp"
	"math"
	"slices"

	"github.com/taproot-dev/taproot/dsl"
)

// Query is what only the device knows of a selector: the elements that its css picks.
type Query func(css string) (func(*Node) bool, error)

// Find returns what the selector picks below root, in Maestro's order: the first is meant.
func Find(root *Node, s dsl.Selector, css Query) ([]*Node, error) {
	f := finder{css: css}
	parent := f.parent(s.Inside, root)
	if parent == nil || f.err != nil {
		return nil, f.err
	}
	found := f.filter(s)(parent.All())
	return found, f.err
}

type finder struct {
	css Query
	err error
}

// filter picks elements of a list.
type filter = func([]*Node) []*Node

// parent is the first element that the selector of a parent picks, within that of its own parent; root: there is none
// to look for.
func (f *finder) parent(s *dsl.Selector, root *Node) *Node {
	if s == nil {
		return root
	}
	around := f.parent(s.Inside, root)
	if around == nil {
		return nil
	}
	if found := f.filter(*s)(around.All()); len(found) > 0 {
		return found[0]
	}
	return nil
}

// filter makes the filter of a selector. Where its element must lie inside of another is not part of it.
func (f *finder) filter(s dsl.Selector) filter {
	own := f.criteria(s)
	relations := f.relations(s)
	return func(nodes []*Node) []*Node {
		found := nodes
		if len(own) > 0 {
			found = deepest(nodes, func(n *Node) bool {
				for _, holds := range own {
					if !holds(n) {
						return false
					}
				}
				return true
			})
		}
		found = once(found)
		for _, r := range relations {
			related := map[uint64]bool{}
			for _, n := range r(nodes) {
				related[n.sum] = true
			}
			found = slices.DeleteFunc(found, func(n *Node) bool { return !related[n.sum] })
		}
		if s.Index != nil {
			return pick(found, *s.Index)
		}
		slices.SortStableFunc(found, func(a, b *Node) int { return cmp.Compare(rank(a), rank(b)) })
		return found
	}
}

// rank puts what reacts to a tap first.
func rank(n *Node) int {
	if n.Clickable {
		return 0
	}
	return 1
}

// once drops elements that are equal to one before.
func once(nodes []*Node) []*Node {
	seen := make(map[uint64]bool, len(nodes))
	var all []*Node
	for _, n := range nodes {
		if !seen[n.sum] {
			seen[n.sum] = true
			all = append(all, n)
		}
	}
	return all
}

// deepest returns, of each element that holds, the innermost ones in it that do.
func deepest(nodes []*Node, holds func(*Node) bool) []*Node {
	known := map[*Node][]*Node{}
	var within func(n *Node) []*Node
	within = func(n *Node) []*Node {
		if found, done := known[n]; done {
			return found
		}
		var found []*Node
		for _, c := range n.Children {
			found = append(found, within(c)...)
		}
		if len(found) == 0 && holds(n) {
			found = []*Node{n}
		}
		known[n] = found
		return found
	}
	var all []*Node
	for _, n := range nodes {
		all = append(all, within(n)...)
	}
	return once(all)
}

// criteria are what an element itself must be.
func (f *finder) criteria(s dsl.Selector) (all []func(*Node) bool) {
	if s.Label != "" {
		p := compile(s.Label)
		all = append(all, func(n *Node) bool { return p.shown(n.Text) || p.shown(n.Hint) || p.shown(n.Desc) })
	}
	if s.ID != "" {
		p := compile(s.ID)
		all = append(all, func(n *Node) bool { return p.id(n.ID) })
	}
	if s.Size != nil {
		all = append(all, func(n *Node) bool { return sized(n, *s.Size) })
	}
	for _, trait := range s.Traits {
		all = append(all, func(n *Node) bool { return hasTrait(n, trait) })
	}
	for _, state := range []struct {
		want *bool
		have func(*Node) *bool
	}{
		{s.Enabled, func(n *Node) *bool { return n.Enabled }}, {s.Selected, func(n *Node) *bool { return n.Selected }},
		{s.Checked, func(n *Node) *bool { return n.Checked }}, {s.Focused, func(n *Node) *bool { return n.Focused }},
	} {
		if state.want != nil {
			all = append(all, func(n *Node) bool { have := state.have(n); return have != nil && *have == *state.want })
		}
	}
	if s.CSS != "" {
		picked := func(*Node) bool { return false }
		if f.css != nil {
			got, err := f.css(s.CSS)
			if err != nil {
				f.err = cmp.Or(f.err, err)
			} else {
				picked = got
			}
		}
		all = append(all, picked)
	}
	return all
}

func sized(n *Node, want dsl.Size) bool {
	if !n.Bounded {
		return false
	}
	if want.Width != nil && diff(n.Bounds.Dx(), *want.Width) > want.Tolerance {
		return false
	}
	return want.Height == nil || diff(n.Bounds.Dy(), *want.Height) <= want.Tolerance
}

func diff(a, b int) int { return max(a-b, b-a) }

func hasTrait(n *Node, trait string) bool {
	switch trait {
	case "text":
		return n.Text != nil
	case "long-text":
		return n.Text != nil && len([]rune(*n.Text)) > 200
	}
	return n.Bounded && math.Abs(1-float64(n.Bounds.Dx())/float64(n.Bounds.Dy())) < 0.03
}

// relations are filters over all elements of a list.
func (f *finder) relations(s dsl.Selector) (all []filter) {
	for _, r := range []struct {
		to    *dsl.Selector
		holds func(n, anchor *Node) bool
	}{
		{s.Below, func(n, a *Node) bool { return n.Bounds.Min.Y > a.Bounds.Min.Y }},
		{s.Above, func(n, a *Node) bool { return n.Bounds.Min.Y < a.Bounds.Min.Y }},
		{s.LeftOf, func(n, a *Node) bool { return n.Bounds.Min.X < a.Bounds.Min.X }},
		{s.RightOf, func(n, a *Node) bool { return n.Bounds.Min.X > a.Bounds.Min.X }},
	} {
		if r.to == nil {
			continue
		}
		anchors := f.filter(*r.to)
		all = append(all, func(nodes []*Node) (found []*Node) {
			at := slices.DeleteFunc(slices.Clone(anchors(nodes)), func(n *Node) bool { return !n.Bounded })
			for _, n := range nodes {
				if n.Bounded && slices.ContainsFunc(at, func(a *Node) bool { return r.holds(n, a) }) {
					found = append(found, n)
				}
			}
			return found
		})
	}
	if s.Child != nil {
		inner := f.filter(*s.Child)
		all = append(all, func(nodes []*Node) (found []*Node) {
			wanted := map[uint64]bool{}
			for _, n := range inner(nodes) {
				wanted[n.sum] = true
			}
			for _, n := range nodes {
				if slices.ContainsFunc(n.Children, func(c *Node) bool { return wanted[c.sum] }) {
					found = append(found, n)
				}
			}
			return found
		})
	}
	if len(s.Contains) > 0 {
		all = append(all, f.holding(s.Contains))
	}
	return all
}

// holding picks elements that hold, at any depth, one for each of the selectors.
func (f *finder) holding(wanted []dsl.Selector) filter {
	filters := make([]filter, len(wanted))
	for i, s := range wanted {
		filters[i] = f.filter(s)
	}
	return func(nodes []*Node) (found []*Node) {
		for _, n := range nodes {
			if !slices.ContainsFunc(filters, func(g filter) bool {
				return !slices.ContainsFunc(n.Children, func(c *Node) bool { return anywhere(g, c) })
			}) {
				found = append(found, n)
			}
		}
		return found
	}
}

func anywhere(g filter, n *Node) bool {
	return len(g([]*Node{n})) > 0 || slices.ContainsFunc(n.Children, func(c *Node) bool { return anywhere(g, c) })
}

// pick counts elements by the y, then the x of their corner; negative from the end.
func pick(nodes []*Node, index int) []*Node {
	sorted := slices.Clone(nodes)
	at := func(n *Node) (x, y int) {
		if !n.Bounded {
			return math.MaxInt, math.MaxInt
		}
		return n.Bounds.Min.X, n.Bounds.Min.Y
	}
	slices.SortStableFunc(sorted, func(a, b *Node) int {
		ax, ay := at(a)
		bx, by := at(b)
		return cmp.Or(cmp.Compare(ay, by), cmp.Compare(ax, bx))
	})
	if index < 0 {
		index += len(sorted)
	}
	if index < 0 || index >= len(sorted) {
		return nil
	}
	return sorted[index : index+1]
}
