package drivers

import (
	"image"
	"slices"
)

// match works out where the element would be touched and what is in the way.
func (f *finder) match(n *Node, tier Tier) Match {
	m := Match{Node: n, Target: n.target(), Tier: tier}
	label, target := n.Bounds.Intersect(f.screen), m.Target.Bounds.Intersect(f.screen)
	if label.Empty() {
		m.Point = centre(n.Bounds) // off the screen: the caller brings it into view first
		return m
	}
	if f.tree.HitTested {
		m.Point, m.CoverText = centre(label), n.Covered
		return m
	}
	for i, p := range points(label, target) {
		cover := f.tree.cover(n, m.Target, p)
		if cover == nil {
			m.Point, m.Cover, m.CoverText = p, nil, ""
			return m
		}
		if i == 0 {
			m.Point, m.Cover, m.CoverText = p, cover, cover.String()
		}
	}
	return m
}

// points are where an element may be touched, best first: its label's centre, its own, then between them and the edges.
func points(label, target image.Rectangle) []image.Point {
	list := []image.Point{centre(label), centre(target)}
	for _, r := range []image.Rectangle{label, target} {
		for _, at := range [][2]int{{1, 1}, {3, 1}, {1, 3}, {3, 3}} {
			list = append(list, image.Pt(r.Min.X+r.Dx()*at[0]/4, r.Min.Y+r.Dy()*at[1]/4))
		}
	}
	return list
}

func centre(r image.Rectangle) image.Point { return r.Min.Add(r.Size().Div(2)) }

// cover gives the element that would take a touch at p instead of n (whose touches target takes), or nil. Only what is drawn
// later, reacts, and shows something covers: layouts lie over each other all the time.
func (t *Tree) cover(n, target *Node, p image.Point) *Node {
	from := n.order
	if !p.In(n.Bounds) {
		from = target.order
	}
	var top *Node
	for c := range t.All {
		if c.order > from && c.Clickable && !c.Hidden && p.In(c.Bounds) && !c.Within(n) && !n.Within(c) && c.hasContent() {
			top = c
		}
	}
	return top
}

// hasContent tells whether the element or anything in it shows or says something.
func (n *Node) hasContent() bool {
	return n.Text != "" || n.Desc != "" || n.Hint != "" || slices.ContainsFunc(n.Children, (*Node).hasContent)
}
