package action

import (
	"context"
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// candidate is an element that fits a selector, the part of it inside the screen and every clip around it, and what is
// drawn later over some of that part.
type candidate struct {
	n    *screen.Node
	seen image.Rectangle
	over []*screen.Node
}

// sight is whether a person can see an element: an error next to it says that it cannot be known.
type sight struct {
	hidden string       // why not; "" when a person can see it
	cover  *screen.Node // that is drawn over all of it; nil when nothing is
}

// sightOf is the result on one element of the newest tree: it is visible when it is inside the viewport and every clip
// around it, drawn, and not fully covered by something opaque. The tree has decided the first, pixels decide the
// others. coversOnly leaves out what matters to assertions alone: whether the text is drawn at all, and the keyboard,
// which actions hide.
func (w *screenReader) sightOf(ctx context.Context, c candidate, coversOnly bool) (sight, error) {
	if c.n.Type == seenType || c.n.Type == toastType || c.n.Earlier || c.seen.Empty() {
		return sight{}, nil
	}
	if c.n.Traced != nil && !c.n.Offscreen && !w.unseenToo {
		if got, err := w.tracedSight(ctx, c.n); got.hidden != "" || err != nil {
			return got, err
		}
	}
	if w.tree.HitTested {
		return sight{}, nil
	}
	if !coversOnly {
		if under, err := w.behindKeyboard(ctx, c); under || err != nil {
			return sight{hidden: "under the keyboard"}, err
		}
	}
	top := c.wholeCover()
	text := w.drawsText(c.n) || w.s.onPhone() && c.partOfHint(w.tree.Size)
	if top == nil && (coversOnly || !text) {
		return sight{}, nil
	}
	shot, err := w.newerPicture(ctx)
	if w.protected != nil && w.protected.At(c.seen) {
		if top == nil {
			return sight{}, nil
		}
		return sight{}, w.unprovenBehind(c)
	}
	if err != nil || shot == nil {
		return sight{}, err
	}
	part := c.seen.Intersect(shot.Bounds())
	if dark(shot) { // a black screen says nothing of an element, unless it is off
		return sight{}, w.s.nothingOver(ctx, w.tree, shot)
	}
	if part.Empty() {
		return sight{}, nil
	}
	if len(c.over) == 0 && !c.mayBeCut(w.tree.Size) {
		if blank(shot, part) {
			return sight{hidden: "nothing is drawn in its place"}, nil
		}
		return sight{}, nil
	}
	if w.inkOf(ctx, c, shot, text) {
		return sight{}, nil
	}
	switch {
	case top != nil:
		return sight{hidden: fmt.Sprintf("hidden under %s", top), cover: top}, nil
	case len(c.over) > 0:
		return sight{hidden: fmt.Sprintf("nothing of its text is drawn in the part that %s leaves free",
			c.over[len(c.over)-1])}, nil
	}
	return sight{hidden: "nothing of its text is drawn in the part that is in view"}, nil
}

// drawsText reports whether the text of an element is drawn inside its bounds, so that pixels without ink there mean
// that it cannot be seen. A name may be there for assistive technology alone, the hint of a field may float above it,
// and the text of an iPhone's button may be its name.
func (w *screenReader) drawsText(n *screen.Node) bool {
	switch {
	case !w.s.onPhone(), n.Text == "", n.Desc != "", n.InPage, n.Editable && (n.HintUnsure || n.Text == n.Hint ||
		n.Password):
		return false
	case w.s.Platform == dsl.IOS:
		return strings.HasSuffix(n.Type, "StaticText")
	}
	return true
}

// partOfHint reports whether an empty field shows a hint, of which a part is covered or out of view.
func (c candidate) partOfHint(screen image.Point) bool {
	return c.n.Editable && c.n.Text == "" && c.n.Hint != "" && (len(c.over) > 0 || c.mayBeCut(screen))
}

// inkOf reports whether something of the element itself is drawn in the part of it that can be seen. What other
// elements show over it is not its ink; where no other is left, its text must be readable.
func (w *screenReader) inkOf(ctx context.Context, c candidate, shot image.Image, text bool) bool {
	part := c.seen
	if !text && c.n.Text == "" { // a box that shows nothing itself is seen by its edge
		part = part.Inset(-boxEdge)
	}
	part = part.Intersect(shot.Bounds())
	own := newInk(shot, part)
	for _, o := range c.over {
		own.leaveOutEdges(o.Bounds)
		if showsSomething(o) {
			own.leaveOut(o.Bounds)
		}
	}
	if text {
		own.leaveOutCorners(c.n.Bounds)
		if own.hasCharacters() {
			return true
		}
	} else if own.any() {
		return true
	}
	if c.n.Text == "" || !c.contentOver() || blank(shot, part) || c.saidAbove() {
		return false
	}
	readable, known := w.readable(ctx, shot, c)
	return known && readable
}

// wholeCover is the topmost element that is drawn over all of the part that could be seen, nil when there is none.
func (c candidate) wholeCover() *screen.Node {
	var top *screen.Node
	for _, o := range c.over {
		if c.seen.In(o.Bounds) {
			top = o
		}
	}
	return top
}

// mayBeCut reports whether a part of the element may be out of view: phones give bounds that are cut at the edges of
// the screen, and agents give bounds that are cut at those of lists.
func (c candidate) mayBeCut(screen image.Point) bool {
	around := image.Rectangle{Max: screen}
	for a := c.n.Parent; a != nil; a = a.Parent {
		if a.Scrollable {
			around = around.Intersect(a.Bounds)
		}
	}
	return c.seen != c.n.Bounds || !c.seen.In(around.Inset(1))
}

// contentOver reports whether what is drawn over the element shows something of its own there.
func (c candidate) contentOver() bool {
	for _, o := range c.over {
		if showsSomething(o) {
			return true
		}
	}
	return false
}

// saidAbove reports whether what is drawn over the element says the same, so that reading it proves nothing.
func (c candidate) saidAbove() bool {
	want := screen.Normalise(c.n.Text)
	for _, o := range c.over {
		if strings.Contains(screen.Normalise(o.Text), want) {
			return true
		}
	}
	return false
}

// showsSomething reports whether an element draws something of its own: a text, an icon, an image, a video.
func showsSomething(n *screen.Node) bool {
	if n.Text != "" {
		return true
	}
	if len(n.Children) > 0 {
		return false
	}
	for _, kind := range []string{"Image", "Video", "Surface", "WebView", "Button", "Switch", "CheckBox", "Progress",
		"Edit"} {
		if strings.Contains(n.Type, kind) {
			return true
		}
	}
	return n.Desc != "" || n.Hint != ""
}

// unprovenBehind is the error of an element that something is drawn over which shows something, where no pixels say
// whether one sees it all the same. What shows nothing is taken for clear, as most such layers are, with a warning.
func (w *screenReader) unprovenBehind(c candidate) error {
	for _, o := range c.over {
		if showsSomething(o) {
			return fmt.Errorf("whether %s can be seen under %s is unknown: %w", c.n, o, w.protected)
		}
	}
	w.s.doubtOnce("whether %s can be seen under %s is unknown: the app forbids screenshots of its window", c.n,
		c.wholeCover())
	return nil
}
