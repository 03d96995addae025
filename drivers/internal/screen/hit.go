package screen

import (
	"image"
	"slices"
)

// match works out where the thing that some elements are would be touched and what is in the way; the first of them
// represents it.
func (f *finder) match(same []*Node, fit fitted) Match {
	tier := fit.tiers[same[0]]
	m, known := f.hits[same[0]] // relations ask for the same elements again and again
	switch {
	case len(same) > 1:
		m = f.hit(same, tier)
	case !known:
		m = f.hit(same, tier)
		f.hits[same[0]] = m
	}
	m.Tier, m.spots = tier, fit.spots
	if at := m.spotsOf(m.Node); at[0].asked {
		f.atSpot(&m, at[0])
	}
	m.toControl()
	return m
}

// toControl moves the touch of a label on a page to the control that it names: a click on the label may only focus the
// control, which opens at the press of a button that the label does not pass on. A box is ticked by its label as well.
func (m *Match) toControl() {
	n, c := m.Node, m.Node.Control
	if c == nil || !n.hitTested() || m.Target != c && (m.Target != n || n.Type != "label") {
		return
	}
	if c.hasCheck() || c.Hidden || c.Offscreen || c.Press == nil || c.Obscured != "" || c.Covered != "" {
		return
	}
	m.Target, m.aimed, m.Point, m.Cover, m.CoverText, m.Unplaced = c, c, *c.Press, nil, "", ""
	if c.InPage {
		area := c.Bounds.Intersect(image.Rectangle{Max: c.tree.Size})
		if m.Point, m.Cover = c.tree.pagePoint(c, m.Point, area); m.Cover != nil {
			m.CoverText = m.Cover.String()
		}
	}
}

// Aimed is the element that a touch at Point meets.
func (m Match) Aimed() *Node {
	if m.aimed != nil {
		return m.aimed
	}
	return m.Node
}

// hit is match, made again.
func (f *finder) hit(same []*Node, tier Tier) Match {
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
	if n.hitTested() {
		m.Point, m.CoverText = centre(label), n.Covered
		if n.Press != nil {
			m.Point = *n.Press
		}
		if n.Obscured != "" {
			m.CoverText = n.Obscured
		}
		if n.InPage && m.CoverText == "" {
			m.Point, m.Cover = f.tree.pagePoint(n, m.Point, label)
		}
		if m.Cover != nil {
			m.CoverText = m.Cover.String()
		}
		return m
	}
	m.Point, m.Cover = f.touchPoint(same, m.Target, label)
	if m.Cover != nil {
		m.CoverText = m.Cover.String()
	}
	return m
}

// target is the element that takes a touch of n: on a phone the switch that it is known to name, else the nearest
// around it that reacts, else the control that it names, else n.
func (f *finder) target(n *Node) *Node {
	if c := n.Control; c != nil && c.hasCheck() && !n.hitTested() {
		return c
	}
	a := n.actionable()
	if a != nil && (a == n || !a.container()) {
		return a
	}
	if n.Control != nil {
		return n.Control
	}
	if c := checkControlOf(n); c != nil && (c.Clickable || c.Editable) {
		return c
	}
	if a != nil {
		return a
	}
	return n
}

// touchPoint returns the best point at which a touch reaches the element, and nothing that is over it or reacts in it.
// Points in the part of the element that nothing is drawn over come first: whether a layer that neither reacts nor
// shows something takes touches, a tree does not say. Where no point reaches the element, touchPoint returns what takes
// the touch.
func (f *finder) touchPoint(same []*Node, target *Node, label image.Rectangle) (image.Point, *Node) {
	n := same[0]
	if !target.Within(n) && !n.Within(target) {
		label = target.Bounds.Intersect(f.screen) // the label does not react: the control that it names does
		n = target
	}
	label, seen := touchable(target, label), touchable(target, f.seen(target))
	all, at := points(label, seen), touch{n: n, target: target, same: same, undrawn: f.q.Undrawn}
	all = freeFirst(freeFirst(all, f.tree.SwipeEdges), f.tree.partlyOver(at, label.Union(seen)))
	// when something that reacts fills all of it, a touch of that is a touch of it
	for _, at.inner = range []bool{true, false} {
		for _, p := range all {
			if f.tree.cover(at, p) == nil {
				return p, nil
			}
		}
	}
	return all[0], f.tree.cover(at, all[0])
}

// freeFirst moves the points in one of some areas behind the others.
func freeFirst(points []image.Point, areas []image.Rectangle) []image.Point {
	covered := func(p image.Point) int {
		if slices.ContainsFunc(areas, p.In) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(points, func(a, b image.Point) int { return covered(a) - covered(b) })
	return points
}

// partlyOver returns where elements are, or may be, drawn later than the one that is meant, and outside of it, over a
// part of an area of it but not all of it.
func (t *Tree) partlyOver(at touch, area image.Rectangle) (list []image.Rectangle) {
	for c := range t.All {
		text := c.Text != "" && len(c.Children) == 0 // which lets touches through
		later := c.order > at.n.order || orderUnknown(c, at.n)
		// XCTest calls a button hidden of which the middle is covered
		hidden := c.Hidden && !c.Clickable
		if hidden || text || !later || !c.Bounds.Overlaps(area) || area.In(c.Bounds) ||
			slices.Contains(at.same, c) {
			continue
		}
		if !c.Within(at.n) && !c.Within(at.target) && !at.n.Within(c) && !at.target.Within(c) {
			list = append(list, c.Bounds)
		}
	}
	return list
}

// touchable is the part of an area of the element in which it is touched: what reaches beyond the elements around it is
// drawn there at the most, and takes no touches. All of it, where nothing would be left.
func touchable(n *Node, area image.Rectangle) image.Rectangle {
	part := area
	for a := n.Parent; a != nil; a = a.Parent {
		if !a.Bounds.Empty() {
			part = part.Intersect(a.Bounds)
		}
	}
	if part.Empty() {
		return area
	}
	return part
}

// touch is one with the target n, of which target takes the touches; same are the elements that are one thing with n.
// With inner, what reacts inside the target takes the touch for itself.
type touch struct {
	n, target *Node
	same      []*Node
	inner     bool
	undrawn   func(over, beside *Node) bool // as Query.Undrawn
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

// cover returns the element that would take a touch at p instead of its target, or nil. Layouts lie over
// each other all the time: what is drawn later covers when it reacts, or belongs to an upper window.
func (t *Tree) cover(at touch, p image.Point) *Node {
	from := at.n.order
	if !p.In(at.n.Bounds) {
		from = at.target.order
	}
	var top *Node
	for c := range t.All {
		if c.Hidden || c.order <= from || !p.In(c.Bounds) && (c.Parent != nil || c.Window <= at.n.Window || !isModal(c)) {
			continue
		}
		if !at.n.Within(c) && !at.target.Within(c) && !slices.Contains(at.same, c) && at.goesTo(c) &&
			!at.under(c) {
			top = c
		}
	}
	if top == nil {
		if b := t.BarAt(p); b != nil {
			return b
		}
	}
	if top == nil && !at.n.added && at.target.actionable() == nil {
		return t.beneath(at.n, p)
	}
	return top
}

// BarAt returns the bar of the system at a point, or nil.
func (t *Tree) BarAt(p image.Point) *Node {
	for _, b := range t.Bars {
		if p.In(b.Bounds) {
			return b
		}
	}
	return nil
}

// pagePoint returns where an element of a page is touched: the point that the page has chosen, else one in the label
// that no bar of the system covers. The page does not know of these bars; whether the touch meets the element there, it
// decides once more. Where no point is left, pagePoint returns what takes the touch as well.
func (t *Tree) pagePoint(n *Node, chosen image.Point, label image.Rectangle) (image.Point, *Node) {
	if t.BarAt(chosen) == nil {
		return chosen, t.overPage(n, chosen)
	}
	for _, p := range points(label, label) {
		if t.BarAt(p) == nil && t.overPage(n, p) == nil {
			return p, nil
		}
	}
	return chosen, t.BarAt(chosen)
}

// Free is an area without its parts in the bars along the edges of the screen, and in those strips from which the
// system takes swipes; all of it, where nothing would be left.
func (t *Tree) Free(area image.Rectangle) image.Rectangle {
	left := area
	strips := slices.Clone(t.SwipeEdges)
	for _, b := range t.Bars {
		strips = append(strips, b.Bounds)
	}
	for _, s := range strips {
		if !s.Overlaps(left) {
			continue
		}
		switch whole := s.Intersect(left); {
		case whole.Dx() == left.Dx() && s.Min.Y <= 0:
			left.Min.Y = whole.Max.Y
		case whole.Dx() == left.Dx() && s.Max.Y >= t.Size.Y:
			left.Max.Y = whole.Min.Y
		case whole.Dy() == left.Dy() && s.Min.X <= 0:
			left.Min.X = whole.Max.X
		case whole.Dy() == left.Dy() && s.Max.X >= t.Size.X:
			left.Max.X = whole.Min.X
		}
	}
	if left.Empty() {
		return area
	}
	return left
}

// Stroke is the part of an area of an element in which a finger that moves it may start and end: without what is drawn
// over one of its ends, in the middle of the way, as a message over the end of a list is. All of it, where less than a
// third would be left.
func (t *Tree) Stroke(n *Node, area image.Rectangle, across bool) image.Rectangle {
	turned := func(r image.Rectangle) image.Rectangle {
		if across {
			return image.Rect(r.Min.Y, r.Min.X, r.Max.Y, r.Max.X)
		}
		return r
	}
	left := turned(area)
	middle := centre(left)
	for c := range t.All {
		b := turned(c.Bounds)
		shows := c.Clickable || c.Editable || c.Blocks || hasContent(c)
		if c.order <= n.order || c.Hidden || !shows || c.Within(n) || n.Within(c) || b.Min.X > middle.X ||
			b.Max.X <= middle.X || !b.Overlaps(left) {
			continue
		}
		switch {
		case b.Min.Y > middle.Y:
			left.Max.Y = b.Min.Y
		case b.Max.Y <= middle.Y:
			left.Min.Y = b.Max.Y
		}
	}
	if left.Dy()*3 < turned(area).Dy() {
		return area
	}
	return turned(left)
}

// MayTake returns what may take the touch of a match instead of it: it reacts, and nothing says which of the two is
// drawn over the other. Nil where nothing does.
func (m Match) MayTake() *Node {
	var top *Node
	if t := m.Node.tree; t != nil && t.byPlace {
		for _, c := range t.mayBeOver(m.Aimed(), image.Rectangle{Min: m.Point, Max: m.Point.Add(image.Pt(1, 1))}) {
			if c.Clickable || c.Editable || c.Blocks {
				top = c
			}
		}
	}
	return top
}

// TakenBy returns what is over a match at a point and takes a touch there, or nil. What reacts inside of the element
// counts as a part of it.
func (m Match) TakenBy(p image.Point) *Node {
	t := m.Node.tree
	switch {
	case t == nil || t.HitTested:
		return nil
	case !m.Node.InPage:
		return t.cover(touch{n: m.Node, target: m.Target, same: m.same}, p)
	}
	if b := t.BarAt(p); b != nil {
		return b
	}
	return t.overPage(m.Node, p)
}

// overPage returns the element of the phone's own that would take a touch of a page's element at p, or nil: what is
// drawn later than the view.
func (t *Tree) overPage(n *Node, p image.Point) *Node {
	var top *Node
	at := touch{n: n, target: n}
	for c := range t.All {
		if c.InPage || c.Hidden || c.order <= n.order || n.Within(c) || !p.In(c.Bounds) &&
			(c.Parent != nil || c.Window <= n.Window || !isModal(c)) {
			continue
		}
		if at.goesTo(c) {
			top = c
		}
	}
	return top
}

// Drop is where something is dropped on an element: in the middle of what is seen of it, unless something else is drawn
// there; then where it is pressed.
func (t *Tree) Drop(m Match) image.Point {
	middle := centre(m.Seen)
	if m.Seen.Empty() || m.CoverText != "" || !m.Node.hitTested() {
		return m.Point
	}
	for c := range t.All {
		if c.Hidden || c == m.Node || m.Node.Within(c) || !middle.In(c.Bounds) {
			continue
		}
		if !c.Within(m.Node) || c.Text != "" || c.Desc != "" || c.Hint != "" || c.Clickable || c.Editable {
			return m.Point
		}
	}
	return middle
}

// goesTo reports whether an element at the point, drawn later than the target, takes the touch.
func (at touch) goesTo(c *Node) bool {
	reacts := c.Clickable || c.Editable || c.Blocks
	switch {
	case c.Window > at.n.Window:
		return reacts || c.Text != "" || c.Desc != "" || c.Parent == nil && !fillsScreen(c)
	case c.Within(at.n) || c.Within(at.target):
		return at.inner && reacts
	case !reacts || hasContent(c):
		return reacts
	}
	// It reacts and shows nothing: a clear layer over the page, or what makes a row of texts react.
	return c.container() || (at.target.Clickable || at.target.Editable) && c.Bounds != at.target.Bounds
}

// under reports whether an element that is listed after the target is drawn below it.
func (at touch) under(c *Node) bool {
	return at.undrawn != nil && orderUnknown(c, at.n) && at.undrawn(c, branch(at.n, c))
}

// beneath returns the button under a text that does not react itself: a touch goes through the text, and presses
// the button.
func (t *Tree) beneath(n *Node, p image.Point) *Node {
	var top *Node
	for c := range t.All {
		if c.order < n.order && c.Window == n.Window && !c.Hidden && c.Clickable && p.In(c.Bounds) && !n.Within(c) &&
			!c.container() && hasContent(c) {
			top = c
		}
	}
	return top
}

// isModal reports whether the window of which n is the root takes every touch, also those outside of it.
func isModal(n *Node) bool { return n.kind() == "Alert" || n.kind() == "Sheet" }

// fillsScreen reports whether a window is as large as the screen: then it may be clear where it shows nothing.
func fillsScreen(n *Node) bool {
	return n.tree != nil && n.Bounds.Dx()*n.Bounds.Dy()*10 >= n.tree.Size.X*n.tree.Size.Y*9
}

// hasContent reports whether the element or anything in it shows or says something.
func hasContent(n *Node) bool {
	return n.Text != "" || n.Desc != "" || n.Hint != "" || slices.ContainsFunc(n.Children, hasContent)
}

// Topmost returns the topmost element at a point: the last drawn one there, or what it is in that reacts to a
// touch; nil when there is none.
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

// BarOver returns the bar of the system that takes the touches of a match, or nil.
func (t *Tree) BarOver(m Match) *Node {
	for _, bar := range t.Bars {
		if m.Cover != nil && (m.Cover == bar || slices.Contains(bar.Children, m.Cover)) {
			return bar
		}
	}
	return nil
}

// actionable is the nearest element around n, n included, that reacts to a touch, or nil.
func (n *Node) actionable() *Node {
	for a := n; a != nil; a = a.Parent {
		if a.Clickable || a.Editable {
			return a
		}
	}
	return nil
}
