package decide

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// Before Android 14, a phone's own tool lists the views next to each other by their places, and does not say which of
// them is drawn over the others. A screenshot can: what is not drawn in its place is under the other.

// byPlace is the result for a text that may be under something: it is hidden if its place has nothing at all, or the
// texts of the other are read there and its own is not. Else it counts as drawn over that, as most texts over images
// are. A field that is to be touched may show its hint elsewhere.
func (v sightView) byPlace(c candidate) (sight, error) {
	at := slices.IndexFunc(c.mayBeOver, func(o *screen.Node) bool { return c.seen.In(o.Bounds) })
	if at < 0 || c.n.Text == "" || c.n.InPage || len(c.over) > 0 || v.want.Purpose == Act && c.n.Editable {
		return sight{}, nil
	}
	shot, err := v.readable()
	switch {
	case err != nil:
		return sight{}, err
	case v.f.hides(c.seen):
		return sight{}, v.unprovenBelow(c)
	case !shot.Taken():
		return sight{}, nil
	}
	hidden, err := v.nothingIn(c, shot)
	if err == nil && !hidden {
		hidden, err = v.readOver(c, shot)
	}
	if err != nil || !hidden {
		return sight{}, err
	}
	return hiddenUnder(c.mayBeOver[at]), nil
}

// nothingIn reports whether nothing at all is drawn in the place of a text; for a word where nothing else shows
// something, whether there are no characters.
func (v sightView) nothingIn(c candidate, shot Shot) (bool, error) {
	place := c.seen.Intersect(shot.Size)
	word := strings.ContainsFunc(c.n.Text, unicode.IsLetter)
	if word && v.drawsText(c.n) && !slices.ContainsFunc(c.mayBeOver, showsSomething) {
		ink, err := v.ask(Question{Ask: AskInk, A: shot.ID, Area: place, Text: Characters})
		return !ink.Yes, err
	}
	blank, err := v.ask(Question{Ask: AskBlank, A: shot.ID, Area: place})
	return blank.Yes, err
}

// unprovenBelow is the error of an element that may be under another text, where no pixels say whether it is.
func (v sightView) unprovenBelow(c candidate) error {
	for _, o := range c.mayBeOver {
		if o.Text != "" && c.seen.In(o.Bounds) {
			c.over = []*screen.Node{o}
			return v.unprovenBehind(c)
		}
	}
	return nil
}

func hiddenUnder(cover *screen.Node) sight {
	return sight{hidden: fmt.Sprintf("hidden under %s", cover), cover: cover}
}

// readOver reports whether the texts that may be over an element are read in its place, and its own is not.
func (v sightView) readOver(c candidate, shot Shot) (bool, error) {
	if !v.want.Device.Vision || c.mayBeCut(v.f.Tree.Size) { // cut characters cannot be read
		return false, nil
	}
	var texts []*screen.Node
	for _, o := range c.mayBeOver {
		switch {
		case !showsSomething(o), o.Text == "" && !c.seen.In(o.Bounds):
		case o.Text == "" || screen.Normalise(o.Text) == screen.Normalise(c.n.Text):
			return false, nil
		default:
			texts = append(texts, o)
		}
	}
	if len(texts) == 0 {
		return false, nil
	}
	for i, n := range append([]*screen.Node{c.n}, texts...) {
		got, err := v.ask(Question{Ask: AskReadable, A: shot.ID, Text: n.Text,
			Area: n.Bounds.Inset(-besideIt).Intersect(shot.Size)})
		if err != nil || got.Unknown || got.Yes != (i > 0) {
			return false, err
		}
	}
	return true, nil
}

// readable is a screenshot after the frame's tree that shows something, or none.
func (v sightView) readable() (Shot, error) {
	shot, err := v.shotAfter()
	if err != nil || !shot.Taken() {
		return Shot{}, err
	}
	dark, err := v.ask(Question{Ask: AskDark, A: shot.ID})
	if err != nil || dark.Yes {
		return Shot{}, err
	}
	return shot, nil
}

// undrawn reports whether something that is listed by its place, and may be over what is beside it, is under that: it
// has texts in places where nothing in the other shows anything, and none of them is drawn.
func (v sightView) undrawn(over, beside *screen.Node) (bool, error) {
	var texts []image.Rectangle
	for t := range v.f.Tree.All {
		box := t.Bounds.Intersect(image.Rectangle{Max: v.f.Tree.Size})
		if t.Within(over) && !t.Hidden && v.drawsText(t) && !box.Empty() && !v.shows(beside, box) {
			texts = append(texts, box)
		}
	}
	if len(texts) == 0 {
		return false, nil
	}
	shot, err := v.readable()
	if err != nil || !shot.Taken() {
		return false, err
	}
	for _, box := range texts {
		if v.f.hides(box) {
			return false, nil
		}
		ink, err := v.ask(Question{Ask: AskInk, A: shot.ID, Area: box.Intersect(shot.Size), Text: Characters})
		if err != nil || ink.Yes {
			return false, err
		}
	}
	return true, nil
}

// shows reports whether an element, or one in it, shows something in an area.
func (v sightView) shows(around *screen.Node, area image.Rectangle) bool {
	for n := range v.f.Tree.All {
		if n.Within(around) && !n.Hidden && showsSomething(n) && n.Bounds.Overlaps(area) {
			return true
		}
	}
	return false
}
