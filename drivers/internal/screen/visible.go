package screen

import (
	"image"
	"slices"
)

// leastSeen is the least width and height, in pixels, of a part of an element by which a person sees it.
const leastSeen = 4

// visible reports whether a person can see the element, or, when it may be revealed, could after scrolling to it.
// Whether something is drawn over it, see Match.Over.
func (f *finder) visible(n *Node, reveal bool) bool {
	if f.hollow && n.hitTested() && (n.Bounds.Dx() <= 0 || n.Bounds.Dy() <= 0) {
		return slices.ContainsFunc(n.Children, func(c *Node) bool { return f.visible(c, reveal) })
	}
	if n.Hidden || n.Bounds.Dx() <= 0 || n.Bounds.Dy() <= 0 {
		return false
	}
	if reveal || f.far {
		return true
	}
	if n.Offscreen || n.Obscured != "" && !f.q.Action {
		return false
	}
	part := f.seen(n)
	return !part.Empty() && (part == n.Bounds && n.hitTested() || part.Dx() >= leastSeen && part.Dy() >= leastSeen ||
		n.ownLabel() == "")
}

// seen is the part of the element inside the screen and every clip around it.
func (f *finder) seen(n *Node) image.Rectangle {
	part := n.Bounds.Intersect(f.screen)
	if n.Seen != nil {
		part = part.Intersect(*n.Seen)
	}
	if f.tree.HitTested {
		return part
	}
	if n.InPage { // the page knows of its own clips
		return part.Intersect(f.seen(n.aroundPage()))
	}
	for a := n.Parent; a != nil; a = a.Parent {
		if a.Scrollable {
			part = part.Intersect(a.Bounds)
		}
	}
	return part
}

// drawn checks the pixels whether a person can see the element. Where the device itself knows what is seen, its answer
// is in the tree, but for what a canvas may draw.
func (f *finder) drawn(n *Node) bool {
	if f.q.Drawn == nil || f.tree.HitTested && n.Traced == nil {
		return true
	}
	part := f.seen(n)
	return f.q.Drawn(n, part, f.tree.drawnLater(n, part), f.tree.mayBeOver(n, part))
}

// readable leaves out the elements of phones of which the name is drawn by a text in them that is out of view or
// covered: the rest of a row or button does not say it.
func (f *finder) readable(nodes []*Node, rate textRater) []*Node {
	return slices.DeleteFunc(nodes, func(n *Node) bool {
		if n.hitTested() || len(n.Children) == 0 {
			return false
		}
		unread := false
		for c := range (&Tree{Windows: []*Node{n}}).All {
			if c == n || c.Text == "" || c.Bounds.Empty() || c.Key {
				continue
			}
			if _, says := rate(c, false); !says {
				continue
			}
			part := f.seen(c)
			covered := func(over *Node) bool { return part.In(over.Bounds) }
			switch {
			case part.Empty() || slices.ContainsFunc(f.tree.drawnLater(c, part), covered) && !f.drawn(c):
				unread = true
			case !c.Hidden:
				return false
			}
		}
		return unread
	})
}

// place is where the element is for relations: where its own text is drawn, when that is known, else its bounds.
func (n *Node) place() image.Rectangle {
	if n.TextBounds != nil && !n.TextBounds.Empty() {
		return *n.TextBounds
	}
	return n.Bounds
}

// over are the elements drawn over all of a part of n: whether they hide it, their pixels show.
func (f *finder) over(n *Node, part image.Rectangle) []*Node {
	if f.tree.HitTested {
		return nil
	}
	return slices.DeleteFunc(f.tree.drawnLater(n, part), func(c *Node) bool { return !part.In(c.Bounds) })
}

// drawnLater are the elements drawn over a part of n, or over some of it.
func (t *Tree) drawnLater(n *Node, part image.Rectangle) []*Node {
	if part.Empty() {
		return nil
	}
	var list []*Node
	for c := range t.All {
		if c.order > n.order && !c.Hidden && !(n.InPage && c.InPage) && c.Bounds.Overlaps(part) && !c.Within(n) &&
			!n.Within(c) {
			list = append(list, c)
		}
	}
	for _, bar := range t.Bars {
		if len(bar.Children) == 0 { // what it draws is unknown
			continue
		}
		for _, c := range append([]*Node{bar}, bar.Children...) {
			if c.Bounds.Overlaps(part) {
				list = append(list, c)
			}
		}
	}
	return list
}

// mayBeOver are the elements listed before n that may be drawn over some of a part of it all the same.
func (t *Tree) mayBeOver(n *Node, part image.Rectangle) []*Node {
	if part.Empty() || !t.byPlace {
		return nil
	}
	var list []*Node
	for c := range t.All {
		if c.order < n.order && !c.Hidden && c.Bounds.Overlaps(part) && orderUnknown(c, n) {
			list = append(list, c)
		}
	}
	return list
}

// orderUnknown reports whether nothing says which of two elements is drawn over the other: what they are both in lists
// its children by their places. Android lists such as have one place in the order in which they were made, which is
// that of drawing.
func orderUnknown(a, b *Node) bool {
	if a.tree == nil || !a.tree.byPlace {
		return false
	}
	x, y := branch(a, b), branch(b, a)
	return x != nil && y != nil && x.Parent != nil && x.Parent.ByPlace && x.Bounds != y.Bounds
}

// branch is n, or the outermost element around it that is not around another one as well; nil for one that is.
func branch(n, other *Node) *Node {
	if other.Within(n) {
		return nil
	}
	for n.Parent != nil && !other.Within(n.Parent) {
		n = n.Parent
	}
	return n
}

// WebViews collects the views below n that show a web page and can be seen: all of them, or those of which
// accessibility has nothing. is reports which elements are such views; views within views are not looked for.
func WebViews(n *Node, is func(*Node) bool, all bool, list []*Node) []*Node {
	if is(n) && !n.Hidden && n.Bounds.Dx() > 1 && n.Bounds.Dy() > 1 {
		if all || !TellsOfPage(n, is) {
			list = append(list, n)
		}
		return list
	}
	for _, c := range n.Children {
		list = WebViews(c, is, all, list)
	}
	return list
}

// TellsOfPage reports whether anything in a web view is reported; the views within it repeat the page's title.
func TellsOfPage(view *Node, is func(*Node) bool) bool {
	return slices.ContainsFunc(view.Children, func(c *Node) bool {
		return !is(c) && (c.Text != "" || c.Desc != "" || c.Hint != "" || c.ID != "" || c.Editable) || TellsOfPage(c, is)
	})
}
