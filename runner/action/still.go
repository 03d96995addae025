package action

import (
	"context"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/drivers/vision/pixels"
)

// This file decides whether an element is stationary, so that a touch reaches it. Two kinds of evidence exist, and each
// can be wrong in its own way. The tree may report the final position of an animation while the pixels still move
// (UIKit, CSS transitions), and two equal trees may come from a page that has drawn nothing between them. Pixels change
// around an element that does not move: a spinner, a caret, a video. So where screenshots are cheap, the screenshots
// before and after the tree must show the element at the same place; where they never agree, because something plays
// there, the trees decide after restlessFor, once the changing area has stopped growing (spreadFor), and after fadesFor
// for an element that only fades. Where screenshots are expensive, two trees that were read after a drawn frame must
// agree. The limits below are upper bounds of waits: an element that is plainly at rest is touched after one pair of
// reads.

const (
	// undrawnFor is how long an element must keep its place on a page that draws nothing: the page may only be slow to
	// draw what moves.
	undrawnFor = 2 * time.Second

	// An element around which the pixels never rest, on a video for example, is decided by its trees: so many of them,
	// over so long.
	restlessLooks = 3
	restlessFor   = 2 * time.Second

	// spreadFor is how long nothing more of the screen must have started to change for what changes to be taken for a
	// video.
	spreadFor = time.Second

	// fadesFor is how long an element is waited for that changes faintly.
	fadesFor = 5 * time.Second
	// fadeGap is how far apart two screenshots must be for what fades in over seconds to differ.
	fadeGap = 60 * time.Millisecond

	// standMargin is how far around an element the pixels must be the same for it to be stationary.
	standMargin = 12
)

// stayed reports whether the element is stationary. Where screenshots are cheap the pixels decide: the newest
// screenshot, which is taken behind the tree and right before the touch, must show it where the one before the tree
// does. Equal trees prove nothing against pixels that move.
func (h *targetSearch) stayed(ctx context.Context, m screen.Match, previous *screen.Match) (bool, error) {
	same := previous != nil && previous.Node.Bounds == m.Node.Bounds && previous.Point == m.Point
	if !same {
		h.arrived, h.looks = h.tree.Taken, 0
	}
	h.looks++
	if m.Node.Undrawn {
		return h.tree.Taken.Sub(h.arrived) >= undrawnFor, nil
	}
	if d, ok := h.s.Device.(drivers.ExactAimer); ok && (same || previous == nil) && d.AimsExactly(m.Node) {
		return true, nil
	}
	if !h.pixels || h.before == nil {
		return same, nil
	}
	if err := h.tryPixels(ctx); err != nil || !h.pixels {
		return same, err
	}
	if h.expected && !(h.arrivedAt(m) && h.drawn(m) && !h.fades(m)) {
		return false, nil
	}
	return h.stillAt(touchArea(m), same), nil
}

// arrivedAt reports whether the element is where the trees have it already: nothing as wide or as high as it has
// changed on the screen around the tree. As long as something moves, it may be on its way, and its place shows
// something else that is stationary; of a sheet that has just started to come in, only an edge is seen to move.
func (h *targetSearch) arrivedAt(m screen.Match) bool {
	now := h.rest.Last()
	region := now.Bounds()
	region.Min.Y = pixels.StatusBar(region.Size()).Max.Y
	changed := pixels.Changed(h.before, now, region)
	if !changed.In(h.restless) {
		h.restless, h.spread = h.restless.Union(changed), h.tree.Taken
	}
	moved, own := changed.Size(), m.Node.Bounds.Size()
	return moved.X < own.X && moved.Y < own.Y || h.lasting()
}

// touched is a screen that was touched: as it was before.
type touched struct {
	tree    *screen.Tree
	picture image.Image
}

// lastTouch is the screen that the step which has ended has touched, nil when it touched nothing.
func (s *Session) lastTouch() *touched {
	if s.aimed == nil || s.aimed.picture == nil || s.Tree == nil {
		return nil
	}
	return &touched{s.Tree, s.aimed.picture}
}

// drawn reports whether an element that the step before has brought shows on the screen: as long as its place looks as
// it did before that touch, it is still on its way there.
func (h *targetSearch) drawn(m screen.Match) bool {
	was, now := h.s.touchedOn, h.rest.Last()
	if was == nil || was.picture.Bounds() != now.Bounds() || h.lasting() {
		return true
	}
	for n := range was.tree.All {
		if n.Type == m.Node.Type && n.Bounds == m.Node.Bounds && n.Label() == m.Node.Label() {
			return true
		}
	}
	return !pixels.Changed(was.picture, now, touchArea(m)).Empty()
}

// fades reports whether an element is being faded in or out, during which UIKit drops its touches: what changes in its
// place changes faintly, or changes all of it. Something that never ceases to do that is touched in the end.
func (h *targetSearch) fades(m screen.Match) bool {
	now, place := h.rest.Last(), touchArea(m)
	if h.faded == nil {
		h.faded, h.fadedAt = h.before, h.beforeAt
	}
	if pixels.Same(h.faded, now, place) {
		return h.shotAt.Sub(h.fadedAt) < fadeGap
	}
	h.faded, h.fadedAt = now, h.shotAt
	changed := pixels.Changed(h.before, now, place)
	if changed.Empty() {
		return h.tree.Taken.Sub(h.arrived) < fadesFor
	}
	return changed.Dx()*5 >= place.Dx()*4 && changed.Dy()*5 >= place.Dy()*4 && !h.lasting()
}

// lasting reports whether the trees have had it in one place for so long that pixels which never rest do not count any
// more. As long as ever more of the screen changes, it is not a video that plays: something is on its way.
func (h *targetSearch) lasting() bool {
	return h.looks >= restlessLooks && h.tree.Taken.Sub(h.arrived) >= restlessFor &&
		(!h.expected || h.tree.Taken.Sub(h.spread) >= spreadFor)
}

// stillAt reports by the screenshots around the tree whether what is at a place is stationary; same: the tree before
// this one had it there, too.
func (h *targetSearch) stillAt(place image.Rectangle, same bool) bool {
	before, now := h.before, h.rest.Last()
	if !same {
		h.left = nil
	}
	changed := pixels.Changed(before, now, place.Inset(-standMargin))
	lasting := h.lasting()
	if changed.Empty() && h.passedBy(now) && !lasting {
		return false
	}
	// what the older screenshot showed may have been the way here: trees and pixels that agree for long enough decide
	if changed.Empty() {
		return h.left == nil || lasting || pixels.MotionOf(h.left, now, place) <= pixels.Within
	}
	motion := pixels.MotionOf(before, now, place)
	if motion == pixels.Elsewhere && h.left == nil {
		h.left = before
	}
	switch {
	case !same || motion == pixels.Elsewhere:
		return false
	case motion == pixels.Within && changed.In(place) && h.left == nil: // it has a spinner or a caret in it
		return true
	case h.left != nil || !lasting:
		return false
	}
	h.s.noteOnce("the pixels of it never rested; its place is that of %d trees in a row", h.looks)
	return true
}

// passedBy reports whether what the tree has is on neither screenshot around it, which show its place flat: it was
// there in between, on its way. A black screenshot shows nothing.
func (h *targetSearch) passedBy(now image.Image) bool {
	n := h.last.Node
	part := n.Bounds.Intersect(now.Bounds())
	return h.s.onPhone() && draws(n) && !n.Editable && !part.Empty() && smooth(now, part) && !dark(now)
}

// draws reports whether there is a text or an icon in an element. What has a name alone may be there for assistive
// technology.
func draws(n *screen.Node) bool {
	return n.Text != "" || strings.Contains(n.Type, "Image") || strings.Contains(n.Type, "Button") ||
		slices.ContainsFunc(n.Children, draws)
}

// touchArea is where the element shows, and where it would be touched.
func touchArea(m screen.Match) image.Rectangle {
	area := m.Node.Bounds
	if m.Node.Seen != nil {
		area = *m.Node.Seen
	}
	return area.Union(image.Rectangle{Min: m.Point, Max: m.Point.Add(image.Pt(1, 1))})
}
