package decide

import (
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// An element tree does not say what is opaque, nor what is drawn at all. The pixels of the screen decide it, in
// sightOf: that one result serves presence, absence, counts and conditions, so that of an assertion and its negation
// exactly one holds.

// candidate is an element that fits a selector, the part of it inside the screen and every clip around it, and what is
// drawn later over some of that part. Of mayBeOver, it is not known when they are drawn.
type candidate struct {
	n               *screen.Node
	seen            image.Rectangle
	over, mayBeOver []*screen.Node
}

// sight is whether a person can see an element: an error next to it says that it cannot be known.
type sight struct {
	hidden string       // why not; "" when a person can see it
	cover  *screen.Node // that is drawn over all of it; nil when nothing is
}

// toastType is the element of a toast, of which the place is an estimate.
const toastType = "android.widget.Toast"

const (
	boxEdge = 4 // how far around a box its edge is looked for
	// besideIt is how far around an element pixels are compared: what moves there may be on its way to it.
	besideIt = 12
)

// sightView is a view of single elements, and of the pixels in their places.
type sightView struct{ *view }

// sightOf is the result on one element of the frame's tree: it is visible when it is inside the viewport and every clip
// around it, drawn, and not fully covered by something opaque. The tree has decided the first, pixels decide the
// others. coversOnly leaves out what matters to assertions alone: the keyboard, which actions hide, and whether the
// text is drawn at all, unless mayBeUnder says that it matters.
func (v sightView) sightOf(c candidate, coversOnly bool) (sight, error) {
	// A layer behind its siblings, such as what closes a dialog, draws nothing that pixels could show.
	if c.n.Type == SeenType || c.n.Type == toastType || c.n.Earlier || c.seen.Empty() || c.n.DrawOrder < 0 {
		return sight{}, nil
	}
	if c.n.Traced != nil && !c.n.Offscreen && !v.want.UnseenToo && !v.want.Anywhere {
		if got, err := v.tracedSight(c.n); got.hidden != "" || err != nil {
			return got, err
		}
	}
	if v.f.Tree.HitTested {
		return sight{}, nil
	}
	if got, err := v.byPlace(c); got.hidden != "" || err != nil {
		return got, err
	}
	if !coversOnly {
		if under, err := v.behindKeyboard(c); under || err != nil {
			return sight{hidden: "under the keyboard"}, err
		}
	}
	top := c.wholeCover()
	text := v.drawsText(c.n) || v.want.Device.Phone && c.partOfHint(v.f.Tree.Size)
	if top == nil && (coversOnly && !v.mayBeUnder(c.n) || !text) {
		return sight{}, nil
	}
	shot, err := v.shotAfter()
	if err != nil {
		return sight{}, err
	}
	if v.f.hides(c.seen) {
		if top == nil {
			return sight{}, nil
		}
		return sight{}, v.unprovenBehind(c)
	}
	if !shot.Taken() {
		return sight{}, nil
	}
	return v.sightInPixels(c, shot, top, text)
}

// mayBeUnder reports whether something that is in no tree may be over a text that is to be touched: Compose describes
// no panel that only draws, and what is under one as if it were free.
func (v sightView) mayBeUnder(n *screen.Node) bool {
	if v.want.Purpose != Act || v.want.UnseenToo || v.want.Anywhere {
		return false
	}
	for a := n.Parent; a != nil; a = a.Parent {
		if strings.HasSuffix(a.Type, "ComposeView") {
			return true
		}
	}
	return false
}

// sightInPixels decides by a screenshot whether an element can be seen under top, and its text be read.
func (v sightView) sightInPixels(c candidate, shot Shot, top *screen.Node, text bool) (sight, error) {
	part := c.seen.Intersect(shot.Size)
	dark, err := v.ask(Question{Ask: AskDark, A: shot.ID})
	if err != nil {
		return sight{}, err
	}
	if dark.Yes { // a black screen says nothing of an element, unless it is off
		return sight{}, v.nothingOver()
	}
	if part.Empty() {
		return sight{}, nil
	}
	if len(c.over) == 0 && !c.mayBeCut(v.f.Tree.Size) {
		blank, err := v.ask(Question{Ask: AskBlank, A: shot.ID, Area: part})
		if err == nil && blank.Yes {
			return sight{hidden: "nothing is drawn in its place"}, nil
		}
		return sight{}, err
	}
	ink, err := v.inkOf(c, shot, text)
	switch {
	case err != nil || ink:
		return sight{}, err
	case top != nil:
		return hiddenUnder(top), nil
	case len(c.over) > 0:
		return sight{hidden: fmt.Sprintf("nothing of its text is drawn in the part that %s leaves free",
			c.over[len(c.over)-1])}, nil
	}
	return sight{hidden: "nothing of its text is drawn in the part that is in view"}, nil
}

// shotAfter returns a screenshot that was taken after the frame's tree, or none where none can be had.
func (v sightView) shotAfter() (Shot, error) {
	if v.f.After.Taken() || v.f.ShotFailed {
		return v.f.After, nil
	}
	return Shot{}, &needs{Question{Ask: AskShot}}
}

// drawsText reports whether the text of an element is drawn inside its bounds, so that pixels without ink there mean
// that it cannot be seen. A name may be there for assistive technology alone, the hint of a field may float above it,
// and the text of an iPhone's button may be its name.
func (v sightView) drawsText(n *screen.Node) bool {
	switch {
	case !v.want.Device.Phone, n.Text == "", n.Desc != "", n.InPage, n.Editable && (n.HintUnsure || n.Text == n.Hint ||
		n.Password):
		return false
	case v.want.Device.IOS:
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
func (v sightView) inkOf(c candidate, shot Shot, text bool) (bool, error) {
	part := c.seen
	if !text && c.n.Text == "" { // a box that shows nothing itself is seen by its edge
		part = part.Inset(-boxEdge)
	}
	part = part.Intersect(shot.Size)
	q := v.inkQuestion(c, part, text, nil)
	q.A = shot.ID
	ink, err := v.ask(q)
	if err != nil || ink.Yes {
		return ink.Yes, err
	}
	if behind, err := v.inkBehind(c, q); err != nil || behind {
		return behind, err
	}
	if c.n.Text == "" || !c.contentOver() {
		return false, nil
	}
	blank, err := v.ask(Question{Ask: AskBlank, A: shot.ID, Area: part})
	if err != nil || blank.Yes {
		return false, err
	}
	if !v.want.Device.Vision {
		return false, nil
	}
	// The element may be below clear panels.
	if through, err := v.showsThrough(c, shot); err != nil || through && text {
		if err != nil {
			return false, err
		}
		return v.mixedInk(c, q)
	}
	if c.saidAbove() {
		return false, nil
	}
	read, err := v.ask(Question{Ask: AskReadable, A: shot.ID, Text: c.n.Text,
		Area: c.seen.Inset(-besideIt).Intersect(shot.Size)})
	return read.Yes && !read.Unknown, err
}

// inkQuestion is whether an element draws something in a part of the screen. read has the places of texts over it, as
// far as they are known better than by the bounds of their elements.
func (v sightView) inkQuestion(c candidate, part image.Rectangle, text bool,
	read map[*screen.Node]image.Rectangle) Question {
	q := Question{Ask: AskInk, Area: part}
	for _, o := range c.over {
		if v.isKey(o) {
			q.Without = append(q.Without, Exclusion{Box: middleOf(o.Bounds), Part: AllOf})
			continue
		}
		q.Without = append(q.Without, Exclusion{Box: o.Bounds, Part: EdgesOf})
		if showsSomething(o) {
			box, known := read[o]
			if !known {
				box = o.Bounds
			}
			q.Without = append(q.Without, Exclusion{Box: box, Part: AllOf})
		}
	}
	if text {
		q.Text = Characters
		q.Without = append(q.Without, Exclusion{Box: c.n.Bounds, Part: CornersOf})
	}
	return q
}

// Characters is the Text of an AskInk for more than the straight lines of borders.
const Characters = "characters"

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
func (v sightView) unprovenBehind(c candidate) error {
	for _, o := range c.over {
		if showsSomething(o) {
			return &UnprovenError{What: fmt.Sprintf("whether %s can be seen under %s is unknown", c.n, o)}
		}
	}
	v.warn("whether %s can be seen under %s is unknown: the app forbids screenshots of its window", c.n, c.wholeCover())
	return nil
}

// UnprovenError says that only pixels could show something, and the app forbids screenshots of them.
type UnprovenError struct{ What string }

func (e *UnprovenError) Error() string { return e.What + ": the app forbids screenshots of its window" }

// tracedSight is the result for an element that draws nothing and is over a canvas: a person sees what it says where
// the canvas shows ink in its place. What the page itself draws over the canvas does not count.
func (v sightView) tracedSight(n *screen.Node) (sight, error) {
	shot, err := v.shotAfter()
	if err != nil {
		return sight{}, err
	}
	area := n.Traced.Area
	if !shot.Taken() || area.Empty() || v.f.hides(area) {
		return sight{}, fmt.Errorf("whether %s, which a canvas may draw, is drawn is unknown: read it with "+
			"fallback: ocr", n)
	}
	if v.want.Device.Phone {
		dark, err := v.ask(Question{Ask: AskDark, A: shot.ID})
		if err != nil {
			return sight{}, err
		}
		if dark.Yes {
			return sight{}, v.nothingOver()
		}
	}
	q := Question{Ask: AskInk, A: shot.ID, Area: area.Inset(1).Intersect(shot.Size)}
	if n.Text != "" {
		q.Text = Characters
	}
	for _, over := range n.Traced.Over {
		if over.Whole {
			q.Without = append(q.Without, Exclusion{Box: over.Bounds.Inset(-1), Part: AllOf})
		} else {
			q.Without = append(q.Without, Exclusion{Box: over.Bounds, Part: EdgesOf})
		}
	}
	ink, err := v.ask(q)
	if err != nil || ink.Yes {
		return sight{}, err
	}
	return sight{hidden: "the canvas draws nothing in its place"}, nil
}

// behindKeyboard reports whether the keyboard covers all that could be seen of an element: it covers the page and is in
// no tree. The device is queried only while a field has the focus, about what is below the beginning of that field.
func (v sightView) behindKeyboard(c candidate) (bool, error) {
	field := v.f.Tree.Focused()
	if !v.want.Device.Keyboard || field == nil || !field.Editable || c.n == field ||
		c.seen.Min.Y <= field.Bounds.Min.Y {
		return false, nil
	}
	a, err := v.ask(Question{Ask: AskKeyboard})
	return err == nil && !a.Unknown && c.seen.In(a.Box), err
}
