package drivers

import (
	"image"
	"slices"
)

// match works out where the thing that some elements are would be touched and what is in the way; the first of them stands for it.
func (f *finder) match(same []*Node, tier Tier) Match {
	n := same[0]
	m := Match{Node: n, Target: f.target(n), Tier: tier, Seen: f.seen(n), same: same, outermost: n}
	label := m.Seen
	if n.TextBounds != nil && !n.TextBounds.Intersect(label).Empty() {
		label = n.TextBounds.Intersect(label)
	}
	if label.Empty() {
		m.Point = centre(n.Bounds) // off the screen: the caller brings it into view first
		return m
	}
	m.Over = f.over(n, m.Seen)
	if f.tree.HitTested {
		m.Point, m.CoverText = centre(label), n.Covered
		if n.Press != nil {
			m.Point = *n.Press
		}
		if n.Obscured != "" {
			m.CoverText = n.Obscured
		}
		return m
	}
	m.Point, m.Cover = f.touchPoint(n, m.Target, label)
	if m.Cover != nil {
		m.CoverText = m.Cover.String()
	}
	return m
}

// target is the element that takes a touch of n: the nearest around it that reacts, else the control that it names, else n.
func (f *finder) target(n *Node) *Node {
	a := n.actionable()
	if a != nil && (a == n || !a.container()) {
		return a
	}
	if n.Control != nil {
		return n.Control
	}
	if c := n.checkControl(); c != nil && (c.Clickable || c.Editable) {
		return c
	}
	if a != nil {
		return a
	}
	return n
}

// touchPoint gives the best point at which a touch reaches the element, and nothing that lies over it or reacts in it. Where there is
// none, it gives what takes the touch.
func (f *finder) touchPoint(n, target *Node, label image.Rectangle) (image.Point, *Node) {
	if !target.Within(n) && !n.Within(target) {
		label = target.Bounds.Intersect(f.screen) // the label does not react: the control that it names does
		n = target
	}
	all := points(label, f.seen(target))
	for _, p := range all {
		if f.tree.cover(n, target, p, true) == nil {
			return p, nil
		}
	}
	for _, p := range all { // something that reacts fills all of it: a touch of that is a touch of it
		if f.tree.cover(n, target, p, false) == nil {
			return p, nil
		}
	}
	return all[0], f.tree.cover(n, target, all[0], false)
}

// points are where an element may be touched, best first: its label's centre, its own, then between them and the edges.
func points(label, target image.Rectangle) []image.Point {
	list := []image.Point{centre(label), centre(target)}
	for _, r := range []image.Rectangle{label, target} {
		for _, at := range [][2]int{{1, 1}, {3, 1}, {1, 3}, {3, 3}, {1, 2}, {3, 2}, {2, 1}, {2, 3}} {
			list = append(list, image.Pt(r.Min.X+r.Dx()*at[0]/4, r.Min.Y+r.Dy()*at[1]/4))
		}
	}
	for _, at := range [][2]int{{1, 4}, {7, 4}, {4, 1}, {4, 7}, {1, 1}, {7, 1}, {1, 7}, {7, 7}} {
		list = append(list, image.Pt(target.Min.X+target.Dx()*at[0]/8, target.Min.Y+target.Dy()*at[1]/8))
	}
	return list
}

func centre(r image.Rectangle) image.Point { return r.Min.Add(r.Size().Div(2)) }

// cover gives the element that would take a touch at p instead of n (whose touches target takes), or nil. What is drawn later, reacts and
// shows something covers; layouts lie over each other all the time. With inner, what reacts inside the target for itself covers, too.
func (t *Tree) cover(n, target *Node, p image.Point, inner bool) *Node {
	from := n.order
	if !p.In(n.Bounds) {
		from = target.order
	}
	var top *Node
	for c := range t.All {
		if c.order <= from || c.Hidden || !p.In(c.Bounds) || n.Within(c) || target.Within(c) {
			continue
		}
		switch {
		case c.Window > n.Window:
			if c.Clickable || c.Editable || c.Text != "" || c.Desc != "" {
				top = c
			}
		case c.Within(n) || c.Within(target):
			if inner && c.ownTouch() {
				top = c
			}
		case c.Clickable && c.hasContent():
			top = c
		}
	}
	return top
}

// ownTouch tells whether an element inside another one takes touches for itself.
func (n *Node) ownTouch() bool { return n.Clickable || n.Editable }

// hasContent tells whether the element or anything in it shows or says something.
func (n *Node) hasContent() bool {
	return n.Text != "" || n.Desc != "" || n.Hint != "" || slices.ContainsFunc(n.Children, (*Node).hasContent)
}

// Topmost gives the element that lies topmost at a point: the last drawn one there, or what it lies in that reacts to a touch; nil when
// there is none.
func (t *Tree) Topmost(p image.Point) *Node {
	var top *Node
	for n := range t.All {
		if !n.Hidden && !n.Offscreen && p.In(n.Bounds) && (top == nil || n.order > top.order) {
			top = n
		}
	}
	if top == nil {
		return nil
	}
	if unit := top.unit(); unit != nil {
		return unit
	}
	return top
}
