package ios

import "github.com/taproot-dev/taproot/drivers/screen"

// innerSwitches makes one switch of each of SwiftUI's toggles: a Switch as wide as its row, which has the label and
// does nothing in its middle, around the Switch that takes the touch.
func innerSwitches(n *screen.Node) {
	for _, c := range n.Children {
		innerSwitches(c)
	}
	if !n.Checkable {
		return
	}
	inner := onlySwitchIn(n)
	if inner == nil {
		return
	}
	if inner.Desc == "" {
		inner.Desc = n.Desc
	}
	if inner.ID == "" || inner.ID == inner.Desc {
		inner.ID = n.ID
	}
	inner.Disabled = inner.Disabled || n.Disabled
	n.Type, n.ID, n.Desc = elementPrefix+"Other", "", ""
	n.Checkable, n.Checked, n.Selected, n.Clickable = false, false, false, false
}

// onlySwitchIn is the switch inside another one; nil when there is none, or several.
func onlySwitchIn(n *screen.Node) *screen.Node {
	var found *screen.Node
	for _, c := range n.Children {
		in := c
		if !c.Checkable {
			in = onlySwitchIn(c)
		}
		switch {
		case in == nil:
		case found != nil:
			return nil
		default:
			found = in
		}
	}
	return found
}
