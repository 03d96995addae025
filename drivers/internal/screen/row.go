package screen

import "slices"

// What contains a text is the innermost element that does, which in a row of a list is often only a part of the row: a
// box around a name and a date, with the row's button beside it. A person means the row. So where nothing in the
// innermost element fits, the row around it counts, and nothing larger: an element is a row when the box around it has
// another child of the same kind with content of the same kinds, where one of the two may have more, or else when
// a box next to that one has. A page with a single row, or with neighbours of other kinds, has none, and the search
// fails as before.

// inRows are anchors of which those for "inside", where they are known by their content alone, are the rows around what
// they were. It is false when that changes nothing.
func (as anchors) inRows() (anchors, bool) {
	wide := anchors{list: slices.Clone(as.list)}
	changed := false
	for i, a := range as.list {
		if !a.inside || a.selector.Names() || a.selector.Type != "" || len(a.selector.Contains) == 0 {
			continue
		}
		var rows []*Node
		for _, m := range a.matches {
			row := m.Node.rowAround()
			if row == nil {
				row = m.Node
			}
			changed = changed || row != m.Node
			if !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
		wide.list[i].matches = keptBoxes(rows)
	}
	return wide, changed
}

// rowAround is the nearest element around n that is a row of a list, or else the only row of one of several lists; nil:
// there is none, or n is one itself.
func (n *Node) rowAround() *Node {
	for _, isRow := range []func(*Node) bool{(*Node).isRepeated, isOnlyRow} {
		for a := n; a != nil; a = a.Parent {
			switch {
			case !isRow(a):
			case a == n:
				return nil
			default:
				return a
			}
		}
	}
	return nil
}

// isOnlyRow reports whether a box like the one around an element, next to it, has one of the same kind with content of
// similar kinds: the only card in one of the columns of a board.
func isOnlyRow(n *Node) bool {
	list, shape := n.Parent, n.shape()
	return list != nil && list.Parent != nil && len(shape) > 1 &&
		slices.ContainsFunc(list.Parent.Children, func(o *Node) bool {
			return o != list && o.Type == list.Type && o.Role == list.Role && hasRow(o, n, shape)
		})
}

// hasRow reports whether a box has an element of the kind of n, with content of kinds similar to shape.
func hasRow(box, n *Node, shape []string) bool {
	return slices.ContainsFunc(box.Children, func(o *Node) bool {
		return o != n && o.shows() && o.Type == n.Type && o.Role == n.Role && similar(o.shape(), shape)
	})
}

// isRepeated reports whether the box around an element has another one of the same kind with content of similar kinds.
// In a list of a phone, the content may be of any kinds.
func (n *Node) isRepeated() bool {
	shape := n.shape()
	if n.Parent == nil || len(shape) < 2 {
		return false
	}
	list := !n.hitTested() && isKind(n.Parent, "RecyclerView", "ListView", "GridView", "Table", "CollectionView")
	return slices.ContainsFunc(n.Parent.Children, func(o *Node) bool {
		if o == n || !o.shows() || o.Type != n.Type || o.Role != n.Role {
			return false
		}
		kinds := o.shape()
		return similar(kinds, shape) || list && len(kinds) > 1
	})
}

// shows reports whether an element, or something in one without an area of its own, is drawn.
func (n *Node) shows() bool {
	return !n.Hidden || n.Bounds.Empty() && slices.ContainsFunc(n.Children, (*Node).shows)
}

// similar reports whether two rows hold things of the same kinds, but for those that only one of them has: an image, a
// badge.
func similar(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	left := a
	for _, kind := range b {
		if len(left) > 0 && left[0] == kind {
			left = left[1:]
		}
	}
	return len(a) > 1 && len(left) == 0
}

// shape are the kinds of what is directly in an element, or in the only element in it: the row of a custom element is
// the box in its shadow root.
func (n *Node) shape() (kinds []string) {
	var only *Node
	for _, c := range n.Children {
		if c.shows() {
			kinds, only = append(kinds, c.Type+" "+c.Role), c
		}
	}
	if len(kinds) == 1 {
		kinds = append(kinds, only.shape()...)
	}
	return kinds
}
