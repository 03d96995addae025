package source

import (
	"image"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// WebDriverAgent returns 512 bytes of a value at most, and only whole characters.
const (
	MostOfValue  = 512
	leastOfValue = MostOfValue - utf8.UTFMax + 1
)

// MaybeCut reports whether a value may be longer than what WebDriverAgent returned of it.
func MaybeCut(value string) bool { return len(value) >= leastOfValue && len(value) <= MostOfValue }

// sourceElement is what the source says of one element.
type sourceElement struct {
	kind                            string // the type without its prefix
	name, label, value, placeholder string
	traits                          string
	told                            bool // traits were given: WebDriverAgent 9.10 and newer
	disabled, hidden, accessible    bool
}

// node puts WebDriverAgent's words into ours. Its name is the accessibility identifier, or else the label once more.
func (e sourceElement) node() *screen.Node {
	n := &screen.Node{Type: Prefix + e.kind, ID: e.name, Hidden: e.hidden, Disabled: e.disabled,
		Selected: e.has("Selected"), Clickable: e.reacts()}
	switch e.kind {
	case "Application", "Window": // their names are nowhere on the screen
	case "TextField", "SecureTextField", "SearchField", "TextView":
		e.field(n)
	case "Switch", "Toggle", "CheckBox", "RadioButton":
		n.Checkable = true
		n.Desc, n.Checked = e.label, e.value == "1" || strings.EqualFold(e.value, "true")
	case "StaticText":
		n.Text = e.value
		if n.Text == "" {
			n.Text = e.label
		} else if e.label != e.value {
			n.Desc = e.label
		}
	case "Button", "Link", "Key", "Tab", "MenuItem", "Icon":
		n.Text = e.label
		n.Selected = n.Selected || e.value == "1" && !e.told
	case "Slider", "PickerWheel", "ProgressIndicator", "Stepper", "PageIndicator", "LevelIndicator", "RatingIndicator",
		"ValueIndicator":
		n.Text, n.Desc = e.value, e.label
	default:
		n.Desc = e.label
		n.Unselectable = e.kind == "Other" && !e.told // an old WebDriverAgent does not say whether a tab of an app is
		n.Selected = n.Selected || e.kind == "Cell" && e.value == "1" && !e.told
	}
	n.DrawOrder = 1 // as listed: what has no order would keep its place among siblings, also before a bar
	switch e.kind {
	case "NavigationBar", "TabBar", "Toolbar", "StatusBar":
		// they cover what scrolls under them, wherever they are in the source
		n.Blocks, n.DrawOrder = true, 2
	case "Keyboard":
		n.Blocks, n.DrawOrder = true, 3 // also between its keys
	}
	switch e.kind {
	case "ScrollView", "Table", "CollectionView", "WebView", "TextView":
		n.Scrollable = true
	}
	return n
}

// field: XCTest returns the placeholder of an empty field as its value; one that holds the same text looks alike.
func (e sourceElement) field(n *screen.Node) {
	n.Editable, n.Password = true, e.kind == "SecureTextField"
	n.Text, n.Desc, n.Hint = e.value, e.label, e.placeholder
	if n.Text == n.Hint {
		n.HintUnsure = n.Hint != ""
		n.Text = ""
	}
}

func (e sourceElement) has(trait string) bool {
	for t := range strings.SplitSeq(e.traits, ",") {
		if strings.TrimSpace(t) == trait {
			return true
		}
	}
	return false
}

// reacts reports whether a touch does something there, as far as the type or the traits say. An old WebDriverAgent
// returns no traits: then whatever can be named to a blind person counts, for that is how many frameworks make their
// buttons.
func (e sourceElement) reacts() bool {
	switch e.kind {
	case "Button", "Link", "Cell", "Switch", "Toggle", "CheckBox", "RadioButton", "Slider", "Tab", "MenuItem", "Key",
		"Icon",
		"PickerWheel", "Stepper", "TextField", "SecureTextField", "SearchField", "TextView", "ComboBox", "PopUpButton",
		"MenuButton",
		"SegmentedControl", "DatePicker":
		return true
	}
	if e.has("Button") || e.has("Link") {
		return true
	}
	return e.kind == "Other" && !e.told && e.accessible && e.label != ""
}

// seenByContent makes an element seen in which another one is: UIKit hides what is in a hidden view. WebDriverAgent
// calls boxes and cells invisible of which the middle belongs to their content.
func seenByContent(n *screen.Node) {
	for _, c := range n.Children {
		seenByContent(c)
		if !c.Hidden && !c.Bounds.Empty() && c.Bounds.Overlaps(n.Bounds) {
			n.Hidden = false
		}
	}
}

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
	dom.Each(n, func(text *screen.Node) {
		if text.Type == Prefix+"StaticText" {
			text.Control = inner
		}
	})
	n.Type, n.ID, n.Desc = Prefix+"Other", "", ""
	n.Checkable, n.Checked, n.Selected, n.Clickable = false, false, false, false
}

// jointTexts puts texts into the element that SwiftUI makes of them for VoiceOver ("Version, 1.0"), which comes after
// them and covers them. XCTest calls them hidden, because its hit test finds the joint one, but they are drawn.
func jointTexts(n *screen.Node) {
	kept := n.Children[:0]
	for i, c := range n.Children {
		jointTexts(c)
		if joint := jointOf(c, n.Children[i+1:]); joint != nil {
			c.Hidden = false
			joint.Children = append(joint.Children, c)
			continue
		}
		kept = append(kept, c)
	}
	n.Children = kept
}

// jointOf is the visible text after a hidden one, and over it, of which that is a part between commas; nil: there is
// none.
func jointOf(n *screen.Node, later []*screen.Node) *screen.Node {
	if !n.Hidden || n.Type != Prefix+"StaticText" || n.Text == "" || len(n.Children) > 0 || n.Bounds.Empty() {
		return nil
	}
	for _, c := range later {
		if c.Hidden || c.Type != Prefix+"StaticText" || !n.Bounds.In(c.Bounds) {
			continue
		}
		if parts := strings.Split(c.Text, ", "); len(parts) > 1 && slices.Contains(parts, n.Text) {
			return c
		}
	}
	return nil
}

// fieldNames links each text to the field or slider with the same name next to it, right of it or below it: a person
// sees one thing. A text with several such fields, or a field with several such texts, stays alone.
func fieldNames(root *screen.Node) {
	var texts, fields []*screen.Node
	dom.Each(root, func(n *screen.Node) {
		switch {
		case n.Hidden || n.Bounds.Empty():
		case n.Desc != "" && (n.Editable || n.Type == Prefix+"Slider" || n.Type == Prefix+"Stepper"):
			fields = append(fields, n)
		case n.Type == Prefix+"StaticText" && n.Control == nil:
			texts = append(texts, n)
		}
	})
	named, names := map[*screen.Node]*screen.Node{}, map[*screen.Node]int{}
	for _, f := range fields {
		for _, t := range texts {
			if screen.SameText(t.Text, f.Desc) && isNameOf(t.Bounds, f.Bounds) {
				named[t] = f
				names[t], names[f] = names[t]+1, names[f]+1
			}
		}
	}
	for t, f := range named {
		if names[t] == 1 && names[f] == 1 {
			t.Control = f
		}
	}
}

// isNameOf reports whether a text is in the place of the name of a field: in it, left of it, or in the line above.
func isNameOf(text, field image.Rectangle) bool {
	middle := (text.Min.Y + text.Max.Y) / 2
	switch {
	case text.Min.X >= field.Max.X || text.Min.Y >= field.Max.Y:
		return false
	case middle >= field.Min.Y:
		return text.In(field) || text.Max.X <= field.Min.X
	}
	return text.Max.X > field.Min.X && field.Min.Y-text.Max.Y <= 2*text.Dy()
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

// busyLayers marks the layers, as large as the screen, that show nothing but a spinner: while it does, they
// take the touches of all that is under them.
func busyLayers(n *screen.Node, whole image.Rectangle) {
	for _, c := range n.Children {
		busyLayers(c, whole)
	}
	if n.Type == Prefix+"Other" && !n.Hidden && whole.In(n.Bounds) && onlyBusy(n) {
		n.Blocks = true
	}
}

// onlyBusy reports whether there is a spinner in n, with a text next to it at most.
func onlyBusy(n *screen.Node) bool {
	wheel := false
	for _, c := range n.Children {
		switch {
		case c.Hidden, c.Type == Prefix+"StaticText":
		case c.Type == Prefix+"ActivityIndicator":
			wheel = true
		case len(c.Children) > 0 && onlyBusy(c):
			wheel = true
		case c.Clickable || c.Editable || len(c.Children) > 0:
			return false
		}
	}
	return wheel
}
