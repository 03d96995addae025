package android

import (
	"cmp"
	"encoding/xml"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/treexml"
)

// windowFacts is what `--windows` says of a window.
type windowFacts struct {
	layer   int
	kind    string // TYPE_APPLICATION, …; "" in a dump of the active window alone
	title   string
	active  bool // the user works in it
	focused bool // it gets the keys
	bounds  image.Rectangle
	id      string // its own, "" when it is not reported
	elem    int    // which of the dump's window elements this is
}

// newWindow reads a window's element. One without a layer of its own is on the one that it is written in, or below
// those before it.
func (p *dumpParser) newWindow(e xml.StartElement, parent windowFacts) windowFacts {
	p.elems++
	w := windowFacts{
		layer: -p.elems, kind: treexml.Attr(e, "type"), title: treexml.Attr(e, "title"),
		bounds: parseBounds(treexml.Attr(e, "bounds")),
		active: treexml.Attr(e, "active") == "true", focused: treexml.Attr(e, "focused") == "true", elem: p.elems,
	}
	if parent.elem != 0 {
		w.layer = parent.layer
	}
	if layer, err := strconv.Atoi(treexml.Attr(e, "layer")); err == nil {
		w.layer = layer
	}
	if id := treexml.Attr(e, "id"); id != "" && id != "-1" {
		w.id = p.display + ":" + id
	}
	return w
}

// sort brings the windows into the order in which they lie on each other, the topmost last. A dump lists the topmost
// first, and a window's children before its own elements, so that of two in one layer the later one is lower.
func (p *dumpParser) sort() {
	p.each(func(all []dumpedWindow) []dumpedWindow {
		slices.Reverse(all)
		slices.SortStableFunc(all, func(a, b dumpedWindow) int { return cmp.Compare(a.facts.layer, b.facts.layer) })
		return all
	})
}

type dumpedWindow struct {
	node  *screen.Node
	facts windowFacts
}

// each lets f choose and order the windows.
func (d *dump) each(f func([]dumpedWindow) []dumpedWindow) {
	all := make([]dumpedWindow, len(d.windows))
	for i, n := range d.windows {
		all[i] = dumpedWindow{n, d.facts[i]}
	}
	d.windows, d.facts = nil, nil
	for _, w := range f(all) {
		d.windows, d.facts = append(d.windows, w.node), append(d.facts, w.facts)
	}
}

// reachable leaves the windows that a touch can reach and a test addresses: the one in which the user works, what is on
// it (a list that has dropped down, a popup, a notification, another app's bubble), and what is next to it (a split
// screen). What is under it may not be touched, because it may ask a question first; bars and keyboards of the system
// are not the app's.
func (d *dump) reachable() {
	d.each(func(all []dumpedWindow) []dumpedWindow {
		at := inFront(all)
		screen := image.Rectangle{}
		for _, w := range all {
			screen = screen.Union(w.facts.bounds).Union(w.node.Bounds.Canon())
		}
		var left []dumpedWindow
		for i, w := range all {
			app := w.facts.kind == "" || strings.HasSuffix(w.facts.kind, "APPLICATION")
			switch {
			case i == at:
			case app && (at < 0 || i > at || !w.facts.bounds.Overlaps(all[at].facts.bounds)):
			case i > at && strings.HasSuffix(w.facts.kind, "SYSTEM") && !w.bar(screen):
				w.shrink()
			default:
				strip, ok := w.strip()
				switch {
				case i > at && ok:
					d.bars = append(d.bars, strip)
				case i > at && gestureTitle.MatchString(w.facts.title) && w.facts.bounds.Max.Y >= screen.Max.Y:
					d.edges = append(d.edges, w.facts.bounds)
				}
				continue
			}
			left = append(left, w)
		}
		if !slices.ContainsFunc(left, dumpedWindow.apps) && at < 0 {
			return nil // only what the system lays over an app that is not there yet
		}
		return left
	})
}

// apps reports whether a window is an app's.
func (w dumpedWindow) apps() bool { return !strings.HasSuffix(w.facts.kind, "SYSTEM") }

// active is the index of the window in which the user works, -1 when the dump does not say.
func (d *dump) active() int {
	all := make([]dumpedWindow, len(d.windows))
	for i, n := range d.windows {
		all[i] = dumpedWindow{n, d.facts[i]}
	}
	return inFront(all)
}

// inFront is the window that gets the keys, or else the one in which the user works; -1: none.
func inFront(all []dumpedWindow) int {
	at := -1
	for i, w := range all {
		if w.facts.focused || w.facts.active && (at < 0 || !all[at].facts.focused) {
			at = i
		}
	}
	return at
}

var barTitle = lazyregexp.New(
	`(?i)^(status ?bar|navigation ?bar\d*|task ?bar|screendecor\w*|secondary ?home ?handle\w*)$`)

// bar reports whether a window is one of the strips along the edges of the screen that are always there.
func (w dumpedWindow) bar(screen image.Rectangle) bool {
	b := w.facts.bounds
	if b.Empty() {
		b = w.node.Bounds
	}
	wide := b.Dx()*10 >= screen.Dx()*9 && (b.Min.Y <= screen.Min.Y && b.Dy()*100 <= screen.Dy()*7 ||
		b.Max.Y >= screen.Max.Y && b.Dy()*10 <= screen.Dy())
	high := b.Dy()*10 >= screen.Dy()*8 && b.Dx()*10 <= screen.Dx() && (b.Min.X <= screen.Min.X || b.Max.X >= screen.Max.X)
	return b.Empty() || wide || high || barTitle.MatchString(w.facts.title)
}

// strip is a bar of the system as a thing that takes touches: the status bar, and a navigation bar or task bar that has
// buttons. A navigation bar of gestures lets taps through to the app below. What the bar shows are its children.
func (w dumpedWindow) strip() (*screen.Node, bool) {
	b := w.facts.bounds
	if b.Empty() {
		b = w.node.Bounds
	}
	bar := &screen.Node{Type: "StatusBar", Desc: "the status bar", Package: w.node.Package, Bounds: b, Blocks: true}
	var buttons bool
	var walk func(n *screen.Node)
	walk = func(n *screen.Node) {
		buttons = buttons || n.Clickable && !n.Hidden && !n.Bounds.Empty()
		if !n.Hidden && len(n.Children) == 0 {
			bar.Children = append(bar.Children, n)
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(w.node)
	switch {
	case b.Empty() || w.facts.kind != "" && !strings.HasSuffix(w.facts.kind, "SYSTEM"):
		return nil, false
	case statusTitle.MatchString(w.facts.title):
		return bar, b.Min.Y <= 0
	case buttons:
		bar.Type, bar.Desc = "NavigationBar", "the navigation bar"
		return bar, true
	}
	return nil, false
}

// gestureTitle names what a navigation bar without buttons is: the area from which the system takes swipes.
var gestureTitle = lazyregexp.New(`(?i)^(navigation ?bar\d*|task ?bar|secondary ?home ?handle\w*)$`)

var statusTitle = lazyregexp.New(`(?i)^status ?bar$`)

// shrink cuts the elements of a window over the app to its visible part: its root is often as large
// as the screen, however little of it takes touches.
func (w dumpedWindow) shrink() {
	var cut func(n *screen.Node) image.Rectangle
	cut = func(n *screen.Node) image.Rectangle {
		var inner image.Rectangle
		for _, c := range n.Children {
			inner = inner.Union(cut(c))
		}
		if n.Clickable || len(n.Children) == 0 || n.Text != "" || n.Desc != "" {
			inner = n.Bounds
		}
		if !w.facts.bounds.Empty() {
			inner = inner.Intersect(w.facts.bounds)
		}
		n.Bounds = inner
		return inner
	}
	cut(w.node)
}
