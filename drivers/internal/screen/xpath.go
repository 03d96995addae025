package screen

import (
	"cmp"
	"fmt"
	"image"
	"strconv"
	"strings"

	"github.com/antchfx/xpath"
)

// XPath returns the elements that an XPath expression picks in the tree, as Appium shows it: an element is called by
// its class (android.widget.Button, XCUIElementTypeCell), windows lie in <hierarchy>. Attributes are those of Android
// (text, content-desc, resource-id, class, package, hint, bounds, checkable, checked, clickable, enabled, focused,
// password, scrollable, selected, index) and of iOS (type, name, label, value, placeholderValue, enabled, visible,
// selected, focused, x, y, width, height).
func (t *Tree) XPath(expr string) (picked map[*Node]bool, err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics at some expressions that are not valid
			picked, err = nil, fmt.Errorf("%w: %s is not an XPath: %v", ErrNotFound, Quote(expr), r)
		}
	}()
	compiled, err := xpath.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is not an XPath: %w", ErrNotFound, Quote(expr), err)
	}
	picked = map[*Node]bool{}
	found, ok := compiled.Evaluate(newNavigator(t)).(*xpath.NodeIterator)
	if !ok {
		return nil, fmt.Errorf("%w: the XPath %s picks no elements", ErrNotFound, Quote(expr))
	}
	for found.MoveNext() {
		if at, ok := found.Current().(*navigator); ok && at.attr < 0 && at.node != nil {
			picked[at.node] = true
		}
	}
	return picked, nil
}

// navigator is a place in a tree: the document, an element, or an attribute of one.
type navigator struct {
	family   map[*Node][]*Node // the siblings of each element, itself included
	windows  []*Node
	node     *Node // nil: the document or its one element, <hierarchy>
	document bool
	attr     int // index into attributes, -1 for the element itself
}

func newNavigator(t *Tree) *navigator {
	at := &navigator{family: map[*Node][]*Node{}, windows: t.Windows, document: true, attr: -1}
	for _, w := range t.Windows {
		at.family[w] = t.Windows
	}
	for n := range t.All {
		for _, c := range n.Children {
			at.family[c] = n.Children
		}
	}
	return at
}

var _ xpath.NodeNavigator = (*navigator)(nil)

func (a *navigator) NodeType() xpath.NodeType {
	switch {
	case a.document:
		return xpath.RootNode
	case a.attr >= 0:
		return xpath.AttributeNode
	}
	return xpath.ElementNode
}

func (a *navigator) LocalName() string {
	switch {
	case a.document:
		return ""
	case a.node == nil:
		return "hierarchy"
	case a.attr >= 0:
		return attributesOf(a.node, a.place())[a.attr].name
	}
	return strings.ReplaceAll(cmp.Or(a.node.Type, "node"), "$", ".")
}

func (a *navigator) Prefix() string { return "" }

// Value is that of the attribute; elements hold no text of their own.
func (a *navigator) Value() string {
	if a.attr >= 0 && a.node != nil {
		return attributesOf(a.node, a.place())[a.attr].value
	}
	return ""
}

func (a *navigator) Copy() xpath.NodeNavigator {
	other := *a
	return &other
}

func (a *navigator) MoveToRoot() { a.node, a.document, a.attr = nil, true, -1 }

func (a *navigator) MoveToParent() bool {
	switch {
	case a.attr >= 0:
		a.attr = -1
	case a.document:
		return false
	case a.node == nil:
		a.document = true
	default:
		a.node = a.node.Parent // nil: <hierarchy>
	}
	return true
}

func (a *navigator) MoveToNextAttribute() bool {
	if a.node == nil || a.attr+1 >= len(attributesOf(a.node, 0)) {
		return false
	}
	a.attr++
	return true
}

func (a *navigator) MoveToChild() bool {
	switch {
	case a.attr >= 0:
		return false
	case a.document:
		a.document = false
		return true
	}
	children := a.windows
	if a.node != nil {
		children = a.node.Children
	}
	if len(children) == 0 {
		return false
	}
	a.node = children[0]
	return true
}

func (a *navigator) MoveToFirst() bool { return a.sibling(func(int) int { return 0 }) }

func (a *navigator) MoveToNext() bool { return a.sibling(func(i int) int { return i + 1 }) }

func (a *navigator) MoveToPrevious() bool { return a.sibling(func(i int) int { return i - 1 }) }

func (a *navigator) MoveTo(to xpath.NodeNavigator) bool {
	other, ok := to.(*navigator)
	if ok {
		*a = *other
	}
	return ok
}

func (a *navigator) sibling(next func(int) int) bool {
	if a.attr >= 0 || a.node == nil {
		return false
	}
	list, i := a.family[a.node], next(a.place())
	if i < 0 || i >= len(list) || list[i] == a.node {
		return false
	}
	a.node = list[i]
	return true
}

// place is the element's place among its siblings.
func (a *navigator) place() int {
	for i, n := range a.family[a.node] {
		if n == a.node {
			return i
		}
	}
	return 0
}

type attribute struct{ name, value string }

// attributesOf lists what XPath can ask of an element.
func attributesOf(n *Node, index int) []attribute {
	b, yes := n.Bounds, strconv.FormatBool
	list := []attribute{
		{"enabled", yes(!n.Disabled)}, {"selected", yes(n.Selected)}, {"focused", yes(n.Focused)},
		{"index", strconv.Itoa(index)},
	}
	if strings.HasPrefix(n.Type, "XCUIElementType") {
		return append(list, attribute{"type", n.Type}, attribute{"name", cmp.Or(n.ID, n.Desc, n.Text)},
			attribute{"label", cmp.Or(n.Desc, n.Text)},
			attribute{"value", n.Text}, attribute{"placeholderValue", n.Hint},
			attribute{"visible", yes(!n.Hidden && !n.Offscreen)},
			attribute{"x", strconv.Itoa(b.Min.X)}, attribute{"y", strconv.Itoa(b.Min.Y)},
			attribute{"width", strconv.Itoa(b.Dx())},
			attribute{"height", strconv.Itoa(b.Dy())})
	}
	return append(list, attribute{"text", n.Text}, attribute{"content-desc", n.Desc}, attribute{"resource-id", n.ID},
		attribute{"class", n.Type},
		attribute{"package", n.Package}, attribute{"hint", n.Hint}, attribute{"bounds", boundsText(b)},
		attribute{"checkable", yes(n.hasCheck())},
		attribute{"checked", yes(n.Checked)}, attribute{"clickable", yes(n.Clickable)},
		attribute{"password", yes(n.Password)},
		attribute{"scrollable", yes(n.Scrollable)}, attribute{"displayed", yes(!n.Hidden && !n.Offscreen)})
}

func boundsText(b image.Rectangle) string {
	return fmt.Sprintf("[%d,%d][%d,%d]", b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
}
