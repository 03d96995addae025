package screen

import (
	"cmp"
	"image"
	"slices"
	"time"
)

// Node is one element of a screen. Text is what it shows, Desc what it reports to assistive technology, Hint what an
// empty field suggests; each is raw, as the device returned it.
type Node struct {
	Ref     string          `json:"ref,omitempty"` // the driver's handle, good for this tree only
	Type    string          `json:"type,omitempty"`
	Role    string          `json:"role,omitempty"` // ARIA role on a page
	ID      string          `json:"id,omitempty"`
	TestID  string          `json:"test_id,omitempty"`
	Text    string          `json:"text,omitempty"`
	Desc    string          `json:"desc,omitempty"`
	Hint    string          `json:"hint,omitempty"`
	Package string          `json:"package,omitempty"`
	Bounds  image.Rectangle `json:"bounds"`

	// TextBounds is where the element's own text is drawn, for an element that is larger than its text (a list item with a
	// button in it). Relations start from it, and a touch of the text goes there. Nil: the text fills Bounds.
	TextBounds *image.Rectangle `json:"text_bounds,omitempty"`
	// Seen is the part of Bounds inside every clip around the element, when that is less than Bounds. Nil: all of it.
	Seen *image.Rectangle `json:"seen,omitempty"`
	// DrawOrder is when the element is drawn among its siblings, as the platform numbers it from 1 on; 0: not known, so
	// that it keeps its place in document order. A negative one is drawn before all.
	DrawOrder int `json:"draw_order,omitempty"`
	// ByPlace: the platform lists the children by their places, and when each of them is drawn is not known.
	ByPlace  bool `json:"by_place,omitempty"`
	Hidden   bool `json:"hidden,omitempty"` // in the tree, not to be seen (transparent, covered by its own page's style)
	Disabled bool `json:"disabled,omitempty"`
	Checked  bool `json:"checked,omitempty"`
	Selected bool `json:"selected,omitempty"`
	Focused  bool `json:"focused,omitempty"`
	Password bool `json:"password,omitempty"`
	Editable bool `json:"editable,omitempty"`

	// Checkable: the element has a checked state. One that is Checked is checkable, too.
	Checkable bool `json:"checkable,omitempty"`
	// Unselectable: the element can be neither selected nor unselected. A device that does not know leaves it false.
	Unselectable bool `json:"unselectable,omitempty"`
	// ControlRef is the Ref of the control that this element names (a label and its field), when the device knows. NewTree
	// links Control by it.
	ControlRef string `json:"control,omitempty"`
	Control    *Node  `json:"-"`

	// HintUnsure: the device returns a field's hint and its text alike, and does not know which of the two this field
	// shows: Hint is what is shown. Where the device knows the hint, Text is empty; where it does not, Text is what is
	// shown, too.
	HintUnsure bool `json:"hint_unsure,omitempty"`

	// Holds is what a control that is no field of text holds; nil where there is nothing, or the device does not know it.
	Holds *ControlValue `json:"holds,omitempty"`

	Clickable bool `json:"clickable,omitempty"`
	LongOnly  bool `json:"-"` // what makes it clickable is a long press alone
	// its text may hold links that are not elements, so that a touch is not the same everywhere on it
	HoldsLinks bool `json:"-"`
	Scrollable bool `json:"scrollable,omitempty"`

	// Offscreen: scrolled out of a box or frame within the screen, so that it is not to be seen now, wherever its bounds
	// lie, and a Revealer can bring it into view. Such a node is not Hidden. What is outside the screen itself need not
	// be marked.
	Offscreen bool `json:"offscreen,omitempty"`

	// Covered names what is over the element's centre, when the device itself knows (a browser does). Otherwise "", and
	// the order of the tree decides.
	Covered string `json:"covered,omitempty"`
	// Obscured names the opaque thing that hides all of the element from a person, when the device itself knows. "": some
	// of it can be seen, or pixels and the order of drawing decide.
	Obscured string `json:"obscured,omitempty"`
	// Filled: all of its place belongs to parts of which each takes touches for itself (the options of a list), as the
	// device knows; Covered names one.
	Filled bool `json:"filled,omitempty"`
	// Buried: what Obscured names moves with the element, so that no scrolling uncovers it.
	Buried bool `json:"buried,omitempty"`
	// Leaving: an animation that ends soon moves the element, turns it or fades it out, when the device itself knows:
	// it may not be seen any more in a moment.
	Leaving bool `json:"-"`
	// Earlier: it was there before the screen was touched last and goes away by itself, as a toast does, so that it says
	// nothing of what the touch did. An assertion that something is there waits for another.
	Earlier bool `json:"-"`
	// Press is where a touch reaches the element and nothing else in it or over it, when the device itself knows.
	Press *image.Point `json:"press,omitempty"`

	// Parts are the places in the element's text of the parts of texts that the tree was read for (Tree.Parts), those in
	// view first.
	Parts []PartPlace `json:"-"`

	// InPage: it is an element of a web page in a view of a phone, and the page itself has reported what covers it, hides
	// it and where it is pressed. What is over the view, the order of drawing shows.
	InPage bool `json:"in_page,omitempty"`

	// Blocks: it takes every touch at its place, though nothing need come of it, as the bars of iOS do.
	Blocks bool `json:"-"`
	// Key: it is part of the system's keyboard. What it shows is not a text of the app, and it is acted on where nothing
	// else fits.
	Key bool `json:"-"`

	// Undrawn: the device has drawn nothing new since the tree before this one was read, so that an element in
	// the same place may be moving all the same; or it is an element of a page's own kind that the page may not have made
	// yet. A device that does not know leaves it false.
	Undrawn bool `json:"-"`

	// Traced: the page draws nothing of the element itself, which is over a canvas that may: the pixels decide whether a
	// person sees it. Nil: the element draws itself.
	Traced *Tracing `json:"-"`

	Children []*Node `json:"children,omitempty"`
	Parent   *Node   `json:"-"`
	Window   int     `json:"window,omitempty"` // index into Tree.Windows
	order    int     // later is drawn over earlier
	added    bool    // by Tree.With: the tree does not know it
	tree     *Tree
}

// ControlValue is what a list, slider, or date field holds in addition to the text that it shows.
type ControlValue struct {
	Value string `json:"value,omitempty"` // of a slider; "" where the text is the value
	Form  string `json:"form,omitempty"`  // what it takes: "0–10", "yyyy-mm-dd", the options of a list
}

// Value is what a control holds: its text, or its value.
func (n *Node) Value() string {
	if n.Text == "" && n.Holds != nil {
		return n.Holds.Value
	}
	return n.Text
}

// Tracing is where a canvas may draw what an element says, and what the page draws over the canvas there. An empty area
// is not known.
type Tracing struct {
	Area image.Rectangle
	Over []Drawn
}

// Drawn is a box that a page draws: all of it, or its edge alone.
type Drawn struct {
	Bounds image.Rectangle
	Whole  bool
}

// Tree is the elements of a screen at one moment.
type Tree struct {
	Windows []*Node     `json:"windows"` // roots, the topmost last
	Size    image.Point `json:"size"`    // of the screen, pixels of the screenshot
	Taken   time.Time   `json:"taken"`   // when the reading started
	// Active is the index of the window in which the user works, -1 when the device does not report it.
	Active int `json:"-"`
	// Bars are strips of the system's own along the edges of the screen, which take the touches of what an app draws
	// beneath them. They are in no window, and nothing in them is looked for.
	Bars []*Node `json:"-"`
	// SwipeEdges are strips along the edges of the screen from which the system takes swipes, while taps there go to the
	// app: the area of an iPhone's home indicator. They are avoided where there is a choice.
	SwipeEdges []image.Rectangle `json:"-"`
	// Parts are the parts of texts of which the elements of pages have the places, in Node.Parts. What else a text holds
	// has no known place.
	Parts   []TextPart `json:"-"`
	byPlace bool       // some element is ByPlace
	// HitTested says that Node.Covered was filled in by the device.
	HitTested bool `json:"hit_tested,omitempty"`
	// Loading says that the page, or one in a frame of it, has not come whole yet, or that another one was asked for in
	// its place: what is not in the tree may still come.
	Loading bool `json:"-"`
	// Rest says whether something is on its way that the app has set going, when the device knows.
	Rest Activity `json:"-"`
}

// Activity is what is known of a screen that may be about to change by itself.
type Activity string

// What is known of it.
const (
	Unknown Activity = ""
	Busy    Activity = "busy"  // timers that end soon, or requests
	Quiet   Activity = "quiet" // nothing
)

// With is what is known of two parts of a screen together.
func (r Activity) With(other Activity) Activity {
	switch {
	case r == Busy || other == Busy:
		return Busy
	case r == Quiet && other == Quiet:
		return Quiet
	}
	return Unknown
}

// NewTree links parents and numbers the elements; every driver makes its trees with it.
func NewTree(windows []*Node, size image.Point, taken time.Time) *Tree {
	t := &Tree{Windows: windows, Size: size, Taken: taken, Active: -1}
	order := 0
	var bare, named []*Node
	byRef := map[string]*Node{}
	var link func(n, parent *Node, window int)
	link = func(n, parent *Node, window int) {
		n.Parent, n.Window, n.order, n.tree = parent, window, order, t
		t.byPlace = t.byPlace || n.ByPlace
		order++
		if _, known := byRef[n.Ref]; n.Ref != "" && !known { // what a style sheet writes into an element comes after it
			byRef[n.Ref] = n
		}
		if n.ControlRef != "" {
			named = append(named, n)
		}
		if n.Type == BareText && parent != nil {
			bare = append(bare, n)
		}
		for _, c := range drawn(n.Children) {
			link(c, n, window)
		}
	}
	for i, w := range windows {
		link(w, nil, i)
	}
	for _, n := range named {
		n.Control = byRef[n.ControlRef]
	}
	for _, n := range bare {
		n.Control = n.Parent.Control
	}
	return t
}

// drawn returns siblings in the order in which they are drawn. Those of which the order is not known keep their places.
func drawn(siblings []*Node) []*Node {
	byOrder := func(a, b *Node) int { return cmp.Compare(a.DrawOrder, b.DrawOrder) }
	if slices.IsSortedFunc(siblings, byOrder) {
		return siblings
	}
	var first, rest, known []*Node
	for _, n := range siblings {
		if n.DrawOrder < 0 {
			first = append(first, n)
			continue
		}
		if rest = append(rest, n); n.DrawOrder > 0 {
			known = append(known, n)
		}
	}
	slices.SortStableFunc(known, byOrder)
	for i, n := range rest {
		if n.DrawOrder > 0 {
			rest[i], known = known[0], known[1:]
		}
	}
	return append(first, rest...)
}

// With returns the tree with more elements on top of it, such as those that only pixels show. They have no parents, and
// what is in the tree where they are draws them: it takes their touches. Those of the tree itself stay as they are.
func (t *Tree) With(more []*Node) *Tree {
	whole := *t
	whole.Windows = append(append([]*Node(nil), t.Windows...), more...)
	order := 0
	for n := range t.All {
		order = max(order, n.order)
	}
	for i, n := range more {
		n.Window, n.order, n.tree, n.added = max(len(t.Windows)-1, 0), order+1+i, &whole, true
	}
	return &whole
}

// All goes through the elements, parents before their children, lower windows before upper ones.
func (t *Tree) All(yield func(*Node) bool) {
	for _, w := range t.Windows {
		if !w.all(yield) {
			return
		}
	}
}

// all goes through an element and those in it, parents before their children, and reports whether it got to the end.
func (n *Node) all(yield func(*Node) bool) bool {
	if !yield(n) {
		return false
	}
	for _, c := range n.Children {
		if !c.all(yield) {
			return false
		}
	}
	return true
}

// Focused returns the element that has the focus, the topmost if several say so, or nil.
func (t *Tree) Focused() *Node {
	var found *Node
	for n := range t.All {
		if n.Focused {
			found = n
		}
	}
	return found
}

// app is the package of the window in which the user works, "" when that is unknown.
func (t *Tree) app() string {
	if t.Active < 0 || t.Active >= len(t.Windows) {
		return ""
	}
	return t.Windows[t.Active].Package
}

// Within reports whether n is a or is inside it.
func (n *Node) Within(a *Node) bool {
	for ; n != nil; n = n.Parent {
		if n == a {
			return true
		}
	}
	return false
}

// Cut returns why the tree is not whole, "" when it is: what is not in a cut tree may still be on the screen.
func (t *Tree) Cut() string {
	for n := range t.All {
		if n.Type == CutNote {
			return n.Desc
		}
	}
	return ""
}

// CutNote is the type of the hidden element by which a driver says in its description that it could not read all of the
// screen.
const CutNote = "reading-note"

// BareText is the type of a text that is not an element of its own on a page, but one of several in the element around
// it.
const BareText = "::text"

// hitTested reports whether the device itself, or the page that the element is in, has reported what covers it.
func (n *Node) hitTested() bool { return n.InPage || n.tree != nil && n.tree.HitTested }

// aroundPage is the view that shows the page which the element is in.
func (n *Node) aroundPage() *Node {
	a := n
	for a.InPage && a.Parent != nil {
		a = a.Parent
	}
	return a
}
