package dump

import (
	"cmp"
	"encoding/xml"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/treexml"
)

// windowFacts is what `--windows` says of a window.
type windowFacts struct {
	Layer   int
	Kind    string // TYPE_APPLICATION, …; "" in a dump of the active window alone
	Title   string
	Active  bool // the user works in it
	Focused bool // it gets the keys
	Bounds  image.Rectangle
	ID      string // its own, "" when it is not reported
	elem    int    // which of the dump's window elements this is
}

// newWindow reads a window's element. One without a layer of its own is on the one that it is written in, or below
// those before it.
func (p *dumpParser) newWindow(e xml.StartElement, parent windowFacts) windowFacts {
	p.elems++
	w := windowFacts{
		Layer: -p.elems, Kind: treexml.Attr(e, "type"), Title: treexml.Attr(e, "title"),
		Bounds: parseBounds(treexml.Attr(e, "bounds")),
		Active: treexml.Attr(e, "active") == "true", Focused: treexml.Attr(e, "focused") == "true", elem: p.elems,
	}
	if parent.elem != 0 {
		w.Layer = parent.Layer
	}
	if layer, err := strconv.Atoi(treexml.Attr(e, "layer")); err == nil {
		w.Layer = layer
	}
	if id := treexml.Attr(e, "id"); id != "" && id != "-1" {
		w.ID = p.display + ":" + id
	}
	return w
}

// sort brings the windows into the order in which they lie on each other, the topmost last. A dump lists the topmost
// first, and a window's children before its own elements, so that of two in one layer the later one is lower.
func (p *dumpParser) sort() {
	p.Each(func(all []Window) []Window {
		slices.Reverse(all)
		slices.SortStableFunc(all, func(a, b Window) int { return cmp.Compare(a.Facts.Layer, b.Facts.Layer) })
		return all
	})
}

type Window struct {
	Node  *screen.Node
	Facts windowFacts
}

// Each lets f choose and order the windows.
func (d *Dump) Each(f func([]Window) []Window) {
	all := make([]Window, len(d.Windows))
	for i, n := range d.Windows {
		all[i] = Window{n, d.Facts[i]}
	}
	d.Windows, d.Facts = nil, nil
	for _, w := range f(all) {
		d.Windows, d.Facts = append(d.Windows, w.Node), append(d.Facts, w.Facts)
	}
}

// Reachable leaves the windows that a touch can reach and a test addresses: the one in which the user works, what is on
// it (a list that has dropped down, a popup, a notification, another app's bubble), and what is next to it (a split
// screen). What is under it may not be touched, because it may ask a question first; bars and keyboards of the system
// are not the app's.
func (d *Dump) Reachable() {
	d.Each(func(all []Window) []Window {
		at := inFront(all)
		screen := image.Rectangle{}
		for _, w := range all {
			screen = screen.Union(w.Facts.Bounds).Union(w.Node.Bounds.Canon())
		}
		var left []Window
		for i, w := range all {
			app := w.Facts.Kind == "" || strings.HasSuffix(w.Facts.Kind, "APPLICATION")
			switch {
			case i == at:
			case app && (at < 0 || i > at || !w.Facts.Bounds.Overlaps(all[at].Facts.Bounds)):
			case i > at && strings.HasSuffix(w.Facts.Kind, "SYSTEM") && !w.bar(screen):
				w.shrink()
			default:
				strip, ok := w.strip()
				switch {
				case i > at && ok:
					d.Bars = append(d.Bars, strip)
				case i > at && gestureTitle.MatchString(w.Facts.Title) && w.Facts.Bounds.Max.Y >= screen.Max.Y:
					d.Edges = append(d.Edges, w.Facts.Bounds)
				}
				continue
			}
			left = append(left, w)
		}
		if !slices.ContainsFunc(left, Window.apps) && at < 0 {
			return nil // only what the system lays over an app that is not there yet
		}
		return left
	})
}

// apps reports whether a window is an app's.
func (w Window) apps() bool { return !strings.HasSuffix(w.Facts.Kind, "SYSTEM") }

// Active is the index of the window in which the user works, -1 when the dump does not say.
func (d *Dump) Active() int {
	all := make([]Window, len(d.Windows))
	for i, n := range d.Windows {
		all[i] = Window{n, d.Facts[i]}
	}
	return inFront(all)
}

// inFront is the window that gets the keys, or else the one in which the user works; -1: none.
func inFront(all []Window) int {
	at := -1
	for i, w := range all {
		if w.Facts.Focused || w.Facts.Active && (at < 0 || !all[at].Facts.Focused) {
			at = i
		}
	}
	return at
}

var barTitle = lazyregexp.New(
	`(?i)^(status ?bar|navigation ?bar\d*|task ?bar|screendecor\w*|secondary ?home ?handle\w*)$`)

// bar reports whether a window is one of the strips along the edges of the screen that are always there.
func (w Window) bar(screen image.Rectangle) bool {
	b := w.Facts.Bounds
	if b.Empty() {
		b = w.Node.Bounds
	}
	wide := b.Dx()*10 >= screen.Dx()*9 && (b.Min.Y <= screen.Min.Y && b.Dy()*100 <= screen.Dy()*7 ||
		b.Max.Y >= screen.Max.Y && b.Dy()*10 <= screen.Dy())
	high := b.Dy()*10 >= screen.Dy()*8 && b.Dx()*10 <= screen.Dx() && (b.Min.X <= screen.Min.X || b.Max.X >= screen.Max.X)
	return b.Empty() || wide || high || barTitle.MatchString(w.Facts.Title)
}

// strip is a bar of the system as a thing that takes touches: the status bar, and a navigation bar or task bar that has
// buttons. A navigation bar of gestures lets taps through to the app below. What the bar shows are its children.
func (w Window) strip() (*screen.Node, bool) {
	b := w.Facts.Bounds
	if b.Empty() {
		b = w.Node.Bounds
	}
	bar := &screen.Node{Type: "StatusBar", Desc: "the status bar", Package: w.Node.Package, Bounds: b, Blocks: true}
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
	walk(w.Node)
	switch {
	case b.Empty() || w.Facts.Kind != "" && !strings.HasSuffix(w.Facts.Kind, "SYSTEM"):
		return nil, false
	case statusTitle.MatchString(w.Facts.Title):
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
func (w Window) shrink() {
	var cut func(n *screen.Node) image.Rectangle
	cut = func(n *screen.Node) image.Rectangle {
		var inner image.Rectangle
		for _, c := range n.Children {
			inner = inner.Union(cut(c))
		}
		if n.Clickable || len(n.Children) == 0 || n.Text != "" || n.Desc != "" {
			inner = n.Bounds
		}
		if !w.Facts.Bounds.Empty() {
			inner = inner.Intersect(w.Facts.Bounds)
		}
		n.Bounds = inner
		return inner
	}
	cut(w.Node)
}
