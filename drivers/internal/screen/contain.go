package screen

import (
	"slices"

	"github.com/taproot-dev/taproot/dsl"
)

// contains reports whether an element contains another one: by the tree, or by place when the tree is flat; then a
// container is drawn before what it contains.
func contains(n, a *Node) bool {
	return inside(a, n) && (a.Within(n) || n.order < a.order)
}

// holdsContent is the relation of an element to what it contains.
func holdsContent(n, a spot, _ *Node) bool {
	return contains(n.Node, a.Node) || n.Node == a.Node && isItem(n.Node)
}

// isItem reports whether an element with a text is itself the thing that contains the text, as an entry of a list is:
// it has more in it, it is of such a kind, or one of its kind above or below it in the same box has more in it, or the
// box is a list. Otherwise the element around it is meant.
func isItem(n *Node) bool {
	switch {
	case isKind(n, "li", "listitem", "tr", "row", "article", "option", "treeitem", "Cell"):
		return true
	case isKind(n, "heading", "span", "b", "i", "em", "strong", "small", "label"):
		return false
	case holdsMore(n, n.ownLabel(), n.Clickable):
		return true
	case n.Parent == nil || isKind(n, "td", "th", "cell", "gridcell", "columnheader", "rowheader", "dt", "dd"):
		return false // a cell of a table is a part of its row, whatever the others hold
	}
	rows := slices.DeleteFunc(slices.Clone(n.Parent.Children), func(o *Node) bool {
		return o == n || o.Hidden || sameRow(o.Bounds, n.Bounds) || !holdsSeveral(o)
	})
	return slices.ContainsFunc(rows, func(o *Node) bool { return o.Type == n.Type && o.Role == n.Role }) ||
		listsItem(n.Parent, n, rows)
}

// listsItem reports whether the content of a box are the rows of a list, one of which is n, of whatever kind: the box
// says so, it is scrolled, with n below others of its rows, or two of its rows have the same thing to press.
func listsItem(b, n *Node, rows []*Node) bool {
	if len(rows) == 0 {
		return false
	}
	if isKind(b, "list", "listbox", "ul", "ol", "RecyclerView", "ListView", "GridView", "Table", "CollectionView") {
		return true
	}
	scrolled := b.Scrollable || b.Parent != nil && b.Parent.Scrollable && len(b.Parent.Children) == 1
	above := func(o *Node) bool { return o.Bounds.Max.Y <= n.Bounds.Min.Y && len(pressedIn(o)) > 0 }
	if scrolled && slices.ContainsFunc(rows, above) {
		return true
	}
	had := map[string]bool{}
	for _, o := range rows {
		for label := range pressedIn(o) {
			if had[label] {
				return true
			}
			had[label] = true
		}
	}
	return false
}

// pressedIn are the labels of what reacts in an element.
func pressedIn(n *Node) map[string]bool {
	labels := map[string]bool{}
	var walk func(c *Node)
	walk = func(c *Node) {
		if label := c.Label(); c.Clickable && !c.Hidden && label != "" {
			labels[label] = true
		}
		for _, k := range c.Children {
			walk(k)
		}
	}
	for _, c := range n.Children {
		walk(c)
	}
	return labels
}

// isKind reports whether the role or the class of an element is one of some.
func isKind(n *Node, kinds ...string) bool {
	return slices.Contains(kinds, n.Role) || slices.Contains(kinds, n.kind())
}

// holdsMore reports whether something in an element says something else than its label, or reacts for itself. In what
// reacts, as links do, the second alone counts.
func holdsMore(n *Node, label string, reacting bool) bool {
	return slices.ContainsFunc(n.Children, func(c *Node) bool {
		if c.Hidden || c.Quoted() {
			return false
		}
		own, reacts := c.ownLabel(), c.Clickable || c.Editable
		return reacts && (own == "" || !SameText(own, label)) || !reacting && own != "" && !SameText(own, label) ||
			holdsMore(c, label, reacting)
	})
}

// holdsSeveral reports whether an element and what is in it say more than one thing.
func holdsSeveral(n *Node) bool {
	first, several := "", false
	var walk func(c *Node)
	walk = func(c *Node) {
		if own := c.ownLabel(); own != "" && !c.Hidden && !c.Quoted() {
			several = several || first != "" && !SameText(own, first)
			first = own
		}
		for _, k := range c.Children {
			walk(k)
		}
	}
	walk(n)
	return several
}

// innermostPlaced is innermost for elements that are known by what they contain, also where place alone shows what
// holds what.
func innermostPlaced(nodes []*Node) []*Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool {
		return slices.ContainsFunc(nodes, func(m *Node) bool { return m != n && contains(n, m) })
	})
}

// outermost is the element that "inside" means: the widest around n that fits. Of those that are asked for by a text
// only what says the same counts, and all around a content hold it: there the innermost is meant.
func outermost(s dsl.Selector, n *Node, tiers map[*Node]Tier) *Node {
	outer := speakerOf(n)
	words := s.Label+s.Text+s.Desc+s.Hint != ""
	for a := n.Parent; a != nil && len(s.Contains) == 0; a = a.Parent {
		if _, fits := tiers[a]; fits && (!words || saysSame(a, n)) {
			outer = a
		}
	}
	return outer
}

// saysSame reports whether an element says what another one says, all of it.
func saysSame(n, other *Node) bool {
	for _, a := range n.texts() {
		for _, b := range other.texts() {
			if a != "" && b != "" && SameText(a, b) {
				return true
			}
		}
	}
	return false
}
