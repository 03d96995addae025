package maestro

import (
	"hash/maphash"
	"image"
	"slices"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// Node is an element as Maestro sees it. A state that the platform does not report is nil.
type Node struct {
	Text, Hint, Desc, ID *string // nil: it has no such attribute
	Class                string
	Bounds               image.Rectangle
	Bounded              bool // it has bounds
	Anywhere             bool // it counts wherever its bounds lie: toasts, the options of an open list
	Clickable            bool
	Enabled, Checked     *bool
	Selected, Focused    *bool
	Scrollable           bool
	Loading              bool            // a page that is not loaded yet
	Styles               map[string]bool // the css that pick it, of those that were asked for
	Children             []*Node
	Of                   *screen.Node // of a phone

	sum uint64 // of all that it says and holds: equal elements count once
}

// FromTree makes Maestro's view of a phone's elements: all windows, that in which the user works first, under one root.
func FromTree(t *screen.Tree) *Node {
	root := &Node{}
	order := make([]int, 0, len(t.Windows))
	for i := len(t.Windows) - 1; i >= 0; i-- {
		order = append(order, i)
	}
	if t.Active >= 0 && t.Active < len(t.Windows) {
		order = append([]int{t.Active}, slices.DeleteFunc(order, func(i int) bool { return i == t.Active })...)
	}
	for _, i := range order {
		if n := fromNode(t.Windows[i]); n != nil {
			root.Children = append(root.Children, n)
		}
	}
	return root.within(t.Size)
}

const toast = "android.widget.Toast"

func fromNode(n *screen.Node) *Node {
	if n.Hidden {
		return nil
	}
	enabled, checked, selected, focused := !n.Disabled, n.Checked, n.Selected, n.Focused
	text, hint, desc, id := n.Text, n.Hint, n.Desc, n.ID
	m := &Node{Text: &text, Hint: &hint, Desc: &desc, ID: &id, Class: n.Type, Bounds: n.Bounds, Bounded: true,
		Anywhere:  n.Type == toast,
		Clickable: n.Clickable && !n.LongOnly, Enabled: &enabled, Checked: &checked, Selected: &selected, Focused: &focused,
		Scrollable: n.Scrollable, Of: n}
	for _, c := range n.Children {
		if inner := fromNode(c); inner != nil {
			m.Children = append(m.Children, inner)
		}
	}
	return m
}

// Within drops what is outside the screen: less than a tenth of it is inside, and nothing that it holds is left.
func (n *Node) Within(size image.Point) *Node { return n.within(size) }

func (n *Node) within(size image.Point) *Node {
	if left := n.clipped(size); left != nil {
		return left.summed()
	}
	return n.summed()
}

func (n *Node) clipped(size image.Point) *Node {
	if n.Anywhere {
		return n
	}
	var kept []*Node
	for _, c := range n.Children {
		if c := c.clipped(size); c != nil {
			kept = append(kept, c)
		}
	}
	if n.Visible(size) < 0.1 && len(kept) == 0 {
		return nil
	}
	own := *n
	own.Children = kept
	return &own
}

// Visible is how much of the element is on a screen of that size, from 0 to 1.
func (n *Node) Visible(size image.Point) float64 {
	b := n.Bounds
	if !n.Bounded || b.Dx() == 0 && b.Dy() == 0 {
		return 0
	}
	if b.Min.X <= 0 && b.Min.Y <= 0 && b.Max.X >= size.X && b.Max.Y >= size.Y {
		return 1
	}
	wide := max(0, min(b.Max.X, size.X)-max(b.Min.X, 0))
	high := max(0, min(b.Max.Y, size.Y)-max(b.Min.Y, 0))
	all := b.Dx() * b.Dy()
	if all == 0 {
		return 1 // not a number in Maestro, which is less than nothing
	}
	return float64(wide*high) / float64(all)
}

var seed = maphash.MakeSeed()

// summed works out what distinguishes elements.
func (n *Node) summed() *Node {
	var h maphash.Hash
	h.SetSeed(seed)
	text := func(s *string) {
		if s == nil {
			h.WriteByte(0)
			return
		}
		h.WriteByte(1)
		h.WriteString(*s)
		h.WriteByte(0)
	}
	state := func(b *bool) {
		switch {
		case b == nil:
			h.WriteByte(0)
		case *b:
			h.WriteByte(1)
		default:
			h.WriteByte(2)
		}
	}
	for _, s := range []*string{n.Text, n.Hint, n.Desc, n.ID, &n.Class} {
		text(s)
	}
	for _, b := range []*bool{n.Enabled, n.Checked, n.Selected, n.Focused, &n.Clickable, &n.Scrollable, &n.Bounded} {
		state(b)
	}
	maphash.WriteComparable(&h, n.Bounds)
	for _, c := range n.Children {
		maphash.WriteComparable(&h, c.summed().sum)
	}
	n.sum = h.Sum64()
	return n
}

// Sum distinguishes one state of a tree from another.
func (n *Node) Sum() uint64 { return n.sum }

// All returns the element and all that it holds, parents first.
func (n *Node) All() []*Node {
	list := []*Node{n}
	for _, c := range n.Children {
		list = append(list, c.All()...)
	}
	return list
}

// Centre is where it is touched.
func (n *Node) Centre() image.Point {
	return image.Pt(n.Bounds.Min.X+n.Bounds.Dx()/2, n.Bounds.Min.Y+n.Bounds.Dy()/2)
}

// like reports whether two elements are the same one, apart from their place.
func (n *Node) like(o *Node) bool {
	same := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
	state := func(a, b *bool) bool { return a == b || a != nil && b != nil && *a == *b }
	return same(n.Text, o.Text) && same(n.Hint, o.Hint) && same(n.Desc, o.Desc) && same(n.ID, o.ID) &&
		n.Class == o.Class &&
		state(n.Enabled, o.Enabled) && state(n.Checked, o.Checked) && state(n.Selected, o.Selected) &&
		state(n.Focused, o.Focused) &&
		n.Clickable == o.Clickable && n.Scrollable == o.Scrollable
}

// Again finds the element in a newer tree, when exactly one there is like it; nil: there is not.
func (n *Node) Again(root *Node) *Node {
	var found *Node
	for _, c := range root.All() {
		if c.like(n) && c.Bounded == n.Bounded {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// On reports whether the element is what is topmost at its own centre.
func (n *Node) On(root *Node) bool {
	top := root.at(n.Centre())
	return n.Bounded && top != nil && top.sum == n.sum
}

// at is the last, and in it the innermost, element at a place.
func (n *Node) at(p image.Point) *Node {
	for _, c := range slices.Backward(n.Children) {
		if inner := c.at(p); inner != nil {
			return inner
		}
		if c.Bounded && p.In(c.Bounds) {
			return c
		}
	}
	return nil
}
