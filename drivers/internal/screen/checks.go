package screen

import (
	"slices"
	"strings"
)

// checkControlOf is the check box, radio button or switch that n is, names, or shares its row with; nil when there is
// none.
func checkControlOf(n *Node) *Node {
	for a := range n.around {
		if a.hasCheck() {
			return a
		}
		if a.Control != nil && a.Control.hasCheck() {
			return a.Control
		}
	}
	if unit := n.unit(); unit != nil {
		if found := n.checksOf(unit); len(found) == 1 {
			return found[0]
		}
		return controlAround(unit, n.Label())
	}
	if c := checkBeside(n); c != nil {
		return c
	}
	for a := n.Parent; a != nil && !a.container(); a = a.Parent {
		found := n.checksOf(a)
		if len(found) == 1 && sameRow(n.place(), found[0].place()) && isNextTo(n, found[0], a) {
			return found[0]
		} else if len(found) > 0 {
			return nil
		}
	}
	return nil
}

// Which text names a check box, a phone does not say. A control with a name of its own is named by no other text: the
// star beside a person is not the person, and "Forgot password?" is not "Remember me". One without is named by the text
// next to it in its row. Frameworks such as Compose have no boxes around rows, so that the place alone shows the row.

// maxChecks bounds how many check controls are looked at in one box.
const maxChecks = 16

// checksOf are the check controls in a box of which n may be the label. In a row that reacts, a control that does not
// react for itself is the row's, whatever it is called.
func (n *Node) checksOf(box *Node) []*Node {
	if n.hitTested() {
		return checkablesIn(box, 2)
	}
	found := checkablesIn(box, maxChecks)
	if len(found) == 1 && n.ownLabel() == "" {
		return found
	}
	return slices.DeleteFunc(found, func(c *Node) bool {
		return (c.Clickable || !box.Clickable) && c.isNamedOtherwise(n.Label())
	})
}

// isNamedOtherwise reports whether a check control has a name of its own, of which no part is a label: services join
// the names of several things by commas and line ends.
func (n *Node) isNamedOtherwise(label string) bool {
	names := []string{n.Desc}
	if !saysState(n) {
		names = append(names, n.Text)
	}
	for _, c := range n.Children {
		names = append(names, innerLabel(c))
	}
	named := false
	for _, name := range names {
		parts := strings.FieldsFunc(name, func(r rune) bool { return r == ',' || r == '\n' })
		for _, part := range append(parts, name) {
			if SameText(part, label) {
				return false
			}
			named = named || strings.TrimSpace(part) != ""
		}
	}
	return named
}

// saysState reports whether the text of a control is its state, as the "ON" of a switch, next to which there is no room
// for a name.
func saysState(n *Node) bool {
	kind := n.kind()
	return (strings.Contains(kind, "Switch") || strings.Contains(kind, "Toggle")) && 2*n.Bounds.Dx() <= 5*n.Bounds.Dy()
}

// checkBeside is the only check control in the row of a text, in a box of many rows, that may be named by the text.
func checkBeside(n *Node) *Node {
	if n.hitTested() || n.Parent == nil || n.ownLabel() == "" {
		return nil
	}
	var found *Node
	for _, c := range n.Parent.Children {
		if c.Hidden || !c.hasCheck() || !sameRow(n.place(), c.place()) || c.isNamedOtherwise(n.Label()) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	if found == nil || !isNextTo(n, found, n.Parent) {
		return nil
	}
	return found
}

// isNextTo reports whether n is the text next to a check control in its row, on either side of it: no other text of the
// row in a box is between the two, or on the control's other side.
func isNextTo(n, c, box *Node) bool {
	if n.hitTested() {
		return true
	}
	at, control := centre(n.place()).X, centre(c.place()).X
	alone := true
	var walk func(t *Node)
	walk = func(t *Node) {
		if t == c || t.Hidden || t.Clickable || !alone {
			return
		}
		x := centre(t.place()).X
		if t != n && !t.Within(n) && !n.Within(t) && t.ownLabel() != "" && sameRow(t.place(), n.place()) &&
			sameRow(t.place(), c.place()) && (at < control && x > at || at > control && x < at) {
			alone = false
		}
		for _, k := range t.Children {
			walk(k)
		}
	}
	walk(box)
	return alone
}

// controlAround is the control of the same name in which n is: what reacts in it is a part of it. nil when there is
// none.
func controlAround(n *Node, name string) *Node {
	for a := n.Parent; a != nil && !a.container() && name != ""; a = a.Parent {
		if a.hasCheck() {
			return ifHas(a, a.Label() == name)
		}
	}
	return nil
}

// checkablesIn are the elements inside n that have a checked state, at most limit.
func checkablesIn(n *Node, limit int) []*Node {
	var found []*Node
	for _, c := range n.Children {
		if c.hasCheck() && !c.Hidden {
			found = append(found, c)
		}
		if len(found) < limit {
			found = append(found, checkablesIn(c, limit-len(found))...)
		}
		if len(found) >= limit {
			break
		}
	}
	return found
}
