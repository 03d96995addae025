package screen

import (
	"cmp"
	"image"
	"slices"

	"github.com/taproot-dev/taproot/dsl"
)

// merge combines elements that a person sees as one into one match: nested elements with the same text, a
// label and the control that it names, the labels of one button or row, and twins with equal bounds.
func (f *finder) merge(s dsl.Selector, fit fitted) []Match {
	nodes, tiers := fit.nodes, fit.tiers
	inner := innermost(nodes)
	if !s.Names() && len(s.Contains) > 0 {
		inner = innermostPlaced(nodes)
	}
	groups := make([][]*Node, len(inner))
	for i, n := range inner {
		groups[i] = []*Node{n}
	}
	if s.Names() {
		groups = f.things(inner)
	}
	var matches []Match
	for _, group := range groups {
		m := f.match(group, fit)
		for _, n := range group {
			m.Tier = min(m.Tier, tiers[n])
		}
		m.outermost = outermost(s, group[0], tiers)
		matches = append(matches, m)
	}
	return onePart(matches)
}

// speakerOf is the element with the text that n is a part of, where a page has an element for that part; else n.
func speakerOf(n *Node) *Node {
	if n.Type == BareText && n.Parent != nil {
		return n.Parent
	}
	return n
}

// Quoted reports whether n is a part of a text that the element around it shows as its own.
func (n *Node) Quoted() bool {
	return n.Type == BareText && n.Parent != nil && TextShows(n.Parent.ownLabel(), n.Text)
}

// onePart keeps one of the matches that mean the same place of a text: of a run of text and an element within it, the
// element.
func onePart(matches []Match) []Match {
	area := func(m Match) int { return m.Node.Bounds.Dx() * m.Node.Bounds.Dy() }
	return slices.DeleteFunc(slices.Clone(matches), func(m Match) bool {
		return m.Part != nil && slices.ContainsFunc(matches, func(o Match) bool {
			return o.Part != nil && o.Node != m.Node && area(o) < area(m) && slices.Equal(o.Part.Lines, m.Part.Lines)
		})
	})
}

// innermost drops the elements that hold another one, of which there is more than its parts: a label around a list of
// options stays.
func innermost(nodes []*Node) []*Node {
	holds := make(map[*Node]bool, len(nodes))
	for _, n := range nodes {
		if n.Filled {
			continue
		}
		for p := n.Parent; p != nil && !holds[p]; p = p.Parent {
			holds[p] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool { return holds[n] })
}

// things groups elements that are one thing. The first of each group represents it: the control before its label, what
// reacts before what does not, what is on top before what is buried, then in reading order.
func (f *finder) things(nodes []*Node) [][]*Node {
	among := make(map[*Node]bool, len(nodes))
	for _, n := range nodes {
		among[n] = true
	}
	type key struct {
		node   *Node
		bounds image.Rectangle
	}
	group := map[key]int{}
	var groups [][]*Node
	for _, n := range nodes {
		thing := f.thing(n, among)
		keys := []key{{node: thing}, {bounds: n.Bounds}}
		at := -1
		for _, k := range keys {
			if i, known := group[k]; known {
				at = i
				break
			}
		}
		if at < 0 {
			at = len(groups)
			groups = append(groups, nil)
		}
		for _, k := range keys {
			group[k] = at
		}
		groups[at] = append(groups[at], n)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *Node) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), after(a.Buried, b.Buried), readingOrder(a.Bounds, b.Bounds))
		})
	}
	return groups
}

// after puts what is so after what is not.
func after(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// rank orders the elements of one thing: a control, what reacts, the rest. The text of a row that is selected by itself
// comes before the check box in the row that is called the same: one ticks, the other chooses.
func rank(n *Node) int {
	switch {
	case n.Filled: // its child elements take all touches, so it cannot be pressed itself
		return 4
	case ticksRow(n):
		return 3
	case n.hasCheck() || n.Editable:
		return 0
	case n.Clickable:
		return 1
	}
	return 2
}

// ticksRow: a check box without words in a row of a page that reacts and can be selected for itself.
func ticksRow(n *Node) bool {
	if !n.hasCheck() || n.Text != "" || n.Parent == nil || !n.hitTested() {
		return false
	}
	row := n.Parent.unit()
	return row != nil && !row.Unselectable && !row.hasCheck()
}

// thing returns the element that identifies n's group: nodes with the same result are merged into one match.
func (f *finder) thing(n *Node, among map[*Node]bool) *Node {
	for a := range n.around {
		if a.Control != nil {
			return a.Control
		}
	}
	if c := checkControlOf(n); c != nil && among[c] {
		return c
	}
	if unit := n.unit(); unit != nil {
		return unit
	}
	return n
}

// inReadingOrder sorts matches as a person counts them: line by line, then left to right. Elements with middles within
// one another's height are in one line.
func inReadingOrder(matches []Match) {
	slices.SortStableFunc(matches, func(a, b Match) int {
		return cmp.Or(readingOrder(a.read(), b.read()), readingOrder(a.placed(), b.placed()))
	})
	for from := 0; from < len(matches); {
		line, to := matches[from], from+1
		for to < len(matches) && sameLine(line.read(), matches[to].read()) &&
			sameLine(line.placed(), matches[to].placed()) {
			to++
		}
		slices.SortStableFunc(matches[from:to], func(a, b Match) int {
			return cmp.Compare(a.placed().Min.X, b.placed().Min.X)
		})
		from = to
	}
}

// placed is where the element is: the part of it in view, or all of it when it is scrolled away.
func (m Match) placed() image.Rectangle {
	if m.Seen.Empty() {
		return m.spot().place()
	}
	return m.Seen
}

// read is where a person reads the element: what is scrolled away in a box is read at the edge of the box.
func (m Match) read() image.Rectangle {
	at := m.placed()
	if !m.spot().away() && !m.Seen.Empty() {
		return at
	}
	for box := m.Node.Parent; box != nil && box.Parent != nil; box = box.Parent {
		if !box.Scrollable || !at.Intersect(box.Bounds).Empty() {
			continue
		}
		to := image.Pt(min(max(at.Min.X, box.Bounds.Min.X), box.Bounds.Max.X-1),
			min(max(at.Min.Y, box.Bounds.Min.Y), box.Bounds.Max.Y-1))
		at = at.Add(to.Sub(at.Min))
	}
	return at
}

// readingOrder is top to bottom, then left to right.
func readingOrder(a, b image.Rectangle) int {
	return cmp.Or(cmp.Compare(a.Min.Y, b.Min.Y), cmp.Compare(a.Min.X, b.Min.X))
}

// sameLine reports whether two elements are in one line: the middle of each is within the height of the other.
func sameLine(a, b image.Rectangle) bool {
	middle := func(r image.Rectangle) int { return r.Min.Y + r.Dy()/2 }
	within := func(y int, r image.Rectangle) bool { return r.Min.Y <= y && y < r.Max.Y }
	return within(middle(a), b) && within(middle(b), a)
}
