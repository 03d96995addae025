package dump

import (
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// virtualClass is the class of what an app describes itself to services, as Compose and Flutter do: no view of
// Android's own of this class has children. Android reports no order of drawing of such elements, and their order in a
// dump is another one for two kinds of them.
const virtualClass = "android.view.View"

// belowAll is the DrawOrder of what is drawn before its siblings: Android counts from 1.
const belowAll = -1

// drawnFirst finds the children of an element that are drawn below the others, although the dump lists them later.
func (p *dumpParser) drawnFirst(n *screen.Node) {
	if n.Type != virtualClass || len(n.Children) < 2 {
		return
	}
	if last := n.Children[len(n.Children)-1]; namesKind(last, n) {
		last.DrawOrder = belowAll
	}
	for _, c := range n.Children {
		if isBarrier(c, n) && p.flutter() {
			c.DrawOrder = belowAll
		}
	}
}

// listedByPlace marks a view of which the dump does not say when its children are drawn, as it does from Android 14
// on: Android lists views by their places. What an app describes itself has the order of the app.
func listedByPlace(n *screen.Node) {
	known := func(c *screen.Node) bool { return c.DrawOrder != 0 }
	n.ByPlace = len(n.Children) > 1 && n.Type != virtualClass && !strings.HasSuffix(n.Type, "WebView") &&
		!strings.HasSuffix(n.Type, "ComposeView") && !slices.ContainsFunc(n.Children, known)
}

// namesKind reports whether an element only says of what kind the one around it is. Compose ends the parts of a button
// with one: it has the place of the button, draws nothing, and takes no touches. A radio button that is chosen, and a
// button that is disabled, take none either.
func namesKind(n, parent *screen.Node) bool {
	switch n.Type {
	case virtualClass:
		if !parent.Clickable && !parent.Selected {
			return false
		}
	case "android.widget.Button", "android.widget.CheckBox", "android.widget.RadioButton", "android.widget.Spinner":
	default:
		return false
	}
	return empty(n) && n.Desc == "" && !n.Clickable &&
		!slices.ContainsFunc(parent.Children, func(o *screen.Node) bool { return !o.Bounds.In(n.Bounds) })
}

// isBarrier reports whether an element of Flutter is what a dialog puts over the page: it closes the dialog, has a name
// and the size of the whole. Flutter leaves out of the tree what is behind it, so that all else is in front of it. It
// lists siblings by their places: the barrier may be behind the dialog in the list.
func isBarrier(n, parent *screen.Node) bool {
	return n.Type == virtualClass && empty(n) && n.Desc != "" && n.Clickable && n.Bounds == parent.Bounds &&
		!slices.ContainsFunc(parent.Children, func(o *screen.Node) bool { return o != n && len(o.Children) == 0 })
}

// empty reports whether an element has neither a text nor an id nor children, and no value.
func empty(n *screen.Node) bool {
	return len(n.Children) == 0 && n.Text == "" && n.Hint == "" && n.ID == "" && !n.Editable && !n.Checkable &&
		!n.Scrollable
}

// flutter reports whether the innermost open element is one that Flutter describes: its view is a frame, which holds
// nothing but such elements, where that of Compose and that of a page have classes of their own.
func (p *dumpParser) flutter() bool {
	for _, o := range slices.Backward(p.open) {
		if o.node == nil || o.node.Type != virtualClass {
			return o.node != nil && o.node.Type == "android.widget.FrameLayout"
		}
	}
	return false
}
