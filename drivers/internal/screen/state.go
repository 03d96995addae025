package screen

import (
	"fmt"

	"github.com/taproot-dev/taproot/dsl"
)

// A label, the control that it names, and the row or button in which they lie are one thing to a person: what is asked
// of the label is answered by the control.

// stateAsked is one state that a selector requires, and how it is read of an element.
type stateAsked struct {
	word string
	want *bool
	// have returns the state, and the element that has it; nil when nothing here can have such a state.
	have func(n *Node) (bool, *Node)
}

// statesAsked lists the states of s. A selector that names its element requires them
// of the thing that it names; one that does not requires them of the element.
func statesAsked(s dsl.Selector) []stateAsked {
	if s.Enabled == nil && s.Checked == nil && s.Selected == nil && s.Focused == nil {
		return nil
	}
	asked := []stateAsked{
		{"enabled", s.Enabled, (*Node).EnabledState}, {"checked", s.Checked, (*Node).CheckedState},
		{"selected", s.Selected, (*Node).SelectedState}, {"focused", s.Focused, (*Node).FocusedState},
	}
	if !s.Names() {
		asked = []stateAsked{
			{"enabled", s.Enabled, func(n *Node) (bool, *Node) { return !n.Disabled, n }},
			{"checked", s.Checked, func(n *Node) (bool, *Node) { return n.Checked, ifHas(n, n.hasCheck()) }},
			{"selected", s.Selected, func(n *Node) (bool, *Node) { return n.Selected, ifHas(n, !n.Unselectable || n.Selected) }},
			{"focused", s.Focused, func(n *Node) (bool, *Node) { return n.Focused, n }},
		}
	}
	var list []stateAsked
	for _, a := range asked {
		if a.want != nil {
			list = append(list, a)
		}
	}
	return list
}

func ifHas(n *Node, has bool) *Node {
	if !has {
		return nil
	}
	return n
}

// statesMet reports whether the element is in all states that s requires. One that cannot have a state is not in it,
// nor out of it.
func statesMet(s dsl.Selector, n *Node) bool {
	for _, a := range statesAsked(s) {
		if have, holder := a.have(n); holder == nil || have != *a.want {
			return false
		}
	}
	return true
}

// unmetState says in words which state of s the element is not in, "" when it is in all.
func unmetState(s dsl.Selector, n *Node) string {
	for _, a := range statesAsked(s) {
		have, holder := a.have(n)
		switch {
		case holder == nil:
			return n.Stateless(a.word)
		case have != *a.want:
			return fmt.Sprintf("%s is %s", holder, map[bool]string{true: a.word, false: "not " + a.word}[have])
		}
	}
	return ""
}

// Stateless says that the element cannot have a state, and which control near it can.
func (n *Node) Stateless(state string) string {
	text := fmt.Sprintf("%s has no %s state", n, state)
	can := (*Node).hasCheck
	switch state {
	case "enabled":
		can = func(c *Node) bool { return c.Clickable || c.Editable }
	case "selected":
		can = func(c *Node) bool { return !c.Unselectable }
	}
	var nearest *Node
	best := 0
	for c := range n.tree.all() {
		if c == n || c.Hidden || c.Bounds.Empty() || !can(c) || c.container() {
			continue
		}
		if d := distance(c.place(), n.place()); nearest == nil || d < best {
			nearest, best = c, d
		}
	}
	if nearest != nil {
		text += "; nearest control: " + nearest.String()
	}
	return text
}

// all goes through the elements of a tree that may be nil.
func (t *Tree) all() func(func(*Node) bool) {
	if t == nil {
		return func(func(*Node) bool) {}
	}
	return t.All
}

func (n *Node) hasCheck() bool { return n.Checkable || n.Checked }

// container reports whether the element is as large as a quarter of the screen, so that two places in it are two
// things.
func (n *Node) container() bool {
	return n.tree != nil && n.Bounds.Dx()*n.Bounds.Dy() > n.tree.Size.X*n.tree.Size.Y/4
}

// around goes from n outwards through all that is one thing with it: to the nearest element that reacts to a touch,
// that included, but never into a container.
func (n *Node) around(yield func(*Node) bool) {
	for a := n; a != nil && (a == n || !a.container()); a = a.Parent {
		if !yield(a) || a.Clickable || a.Editable {
			return
		}
	}
}

// unit is the nearest element around n, n included, that reacts to a touch and is no container; nil when there is none.
func (n *Node) unit() *Node {
	for a := range n.around {
		if a.Clickable || a.Editable {
			return a
		}
	}
	return nil
}

// CheckedState reports whether the thing is checked, and which control has that state; nil: it has no checked state.
func (n *Node) CheckedState() (bool, *Node) {
	c := checkControlOf(n)
	if c == nil {
		return false, nil
	}
	return c.Checked, c
}

// EnabledState reports whether the thing is enabled. On a page, what neither reacts nor names a control cannot be.
func (n *Node) EnabledState() (bool, *Node) {
	var holder *Node
	for a := range n.around {
		switch {
		case a.Disabled:
			return false, a
		case a.Control != nil: // whatever is around its label
			return !a.Control.Disabled, a.Control
		case a.Clickable || a.Editable:
			holder = a
		}
	}
	if c := checkControlOf(n); c != nil {
		return !c.Disabled, c
	}
	if holder == nil && !n.hitTested() {
		holder = n // every view of a phone has this state
	}
	return true, holder
}

func isEnabled(n *Node) bool {
	enabled, holder := n.EnabledState()
	return enabled || holder == nil
}

// SelectedState reports whether the thing is selected: by the nearest element around it that can be. What is checked
// itself is selected, too, and so is the row of a radio button: a row that is ticked off need not be the chosen one.
func (n *Node) SelectedState() (bool, *Node) {
	if n.hitTested() {
		for a := n; a != nil; a = a.Parent {
			if !a.Unselectable || a.Selected {
				return a.Selected, a
			}
			if c := a.Control; c != nil && !c.Unselectable {
				return c.Selected, c
			}
		}
		return false, nil
	}
	for a := range n.around {
		if a.Selected || a.Checked { // a radio button of a phone is checked, and never selected
			return true, a
		}
	}
	if c := checkControlOf(n); c != nil && isKind(c, "RadioButton", "CheckedTextView", "AppCompatRadioButton",
		"AppCompatCheckedTextView", "MaterialRadioButton", "MaterialCheckedTextView") {
		return c.Checked, c
	}
	if u := n.unit(); n.Unselectable || u != nil && u.Unselectable {
		return false, nil
	}
	return false, n
}

// FocusedState reports whether the thing, or the field in it or named by it, has the focus.
func (n *Node) FocusedState() (bool, *Node) {
	for a := range n.around {
		if a.Focused {
			return true, a
		}
		if a.Control != nil {
			return a.Control.Focused, a.Control
		}
	}
	if unit := n.unit(); unit != nil {
		if f := focusedInside(unit); f != nil {
			return true, f
		}
	}
	return false, n
}

func focusedInside(n *Node) *Node {
	for _, c := range n.Children {
		if c.Focused {
			return c
		}
		if f := focusedInside(c); f != nil {
			return f
		}
	}
	return nil
}
