package screen

import (
	"image"
	"slices"
)

// Trace is what an element of one tree is found again by in a later one, when what names it may be gone.
type Trace struct {
	window int
	way    []step // from the window to the element
	bounds image.Rectangle
	texts  map[string]bool
}

// step is one element on the way to another one.
type step struct {
	kind, id string
	at       int // among its siblings
}

func (s step) fits(n *Node) bool { return n.Type+" "+n.Role == s.kind && n.ID == s.id }

// TraceOf returns the trace of an element.
func TraceOf(n *Node) Trace {
	return Trace{window: n.Window, way: wayTo(n), bounds: n.Bounds, texts: textsWithin(n)}
}

func wayTo(n *Node) (way []step) {
	for p := n; p.Parent != nil; p = p.Parent {
		way = append(way, step{p.Type + " " + p.Role, p.ID, slices.Index(p.Parent.Children, p)})
	}
	slices.Reverse(way)
	return way
}

// textsWithin are the texts in an element.
func textsWithin(n *Node) map[string]bool {
	texts := map[string]bool{}
	n.all(func(c *Node) bool {
		if c.Text != "" {
			texts[c.Text] = true
		}
		return true
	})
	return texts
}

// Again returns the element of a tree that has a trace, nil when there is none. It is at the same place of the tree.
// Where another one may have come to that place, as in a list that draws its cards again, it is also at the same place
// of the screen, or holds a text that the traced one held and no other element has.
func (t *Tree) Again(tr Trace) *Node {
	if tr.window >= len(t.Windows) {
		return nil
	}
	n, alone := t.Windows[tr.window], true
	for _, s := range tr.way {
		if s.at < 0 || s.at >= len(n.Children) || !s.fits(n.Children[s.at]) {
			return nil
		}
		for i, c := range n.Children {
			alone = alone && (i == s.at || !s.fits(c))
		}
		n = n.Children[s.at]
	}
	if alone || n.Bounds == tr.bounds {
		return n
	}
	shared := textsWithin(n)
	for o := range t.All {
		if !o.Within(n) {
			delete(shared, o.Text)
		}
	}
	for text := range shared {
		if tr.texts[text] {
			return n
		}
	}
	return nil
}
