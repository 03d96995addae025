package decide

import (
	"image"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// This file decides whether an element is stationary, so that a touch reaches it. Two kinds of evidence exist, and each
// can be wrong in its own way. The tree may report the final position of an animation while the pixels still move
// (UIKit, CSS transitions), and two equal trees may come from a page that has drawn nothing between them. Pixels change
// around an element that does not move: a spinner, a caret, a video. So where screenshots are cheap, the screenshots
// before and after the tree must show the element at the same place; where they never agree, because something plays
// there, the trees decide after Timing.RestlessFor, once the changing area has stopped growing (SpreadFor), and after
// FadesFor for an element that only fades. Where screenshots are expensive, two trees that were read after a drawn
// frame must agree. An element that is plainly at rest is touched after one pair of reads.

// target is what the frames have shown of the element that is to be touched.
type target struct {
	last      *screen.Match // what the last frame had
	arrived   time.Time     // when it was first seen where it is
	inPlace   int           // frames since then
	sightings int           // frames in which it could have been touched, if it did not move
	left      Shot          // shows it there before the pixels showed it leave, although the trees did not
	several   error         // why it could not be decided
	why       string        // why last could not be touched
	reveals   int
	hid       bool // the keyboard was hidden
	anchored  bool // what the element is related to was brought into view

	expected bool            // the trees may already report the position that the element has after the animation
	restless image.Rectangle // where the screen has changed
	spread   time.Time       // when that was less, last
	faded    Shot            // the last screenshot in which the pixels of the element's area changed
}

// isStationary reports whether the element is stationary, in whatever shows it.
func (v actView) isStationary(m screen.Match, previous *screen.Match) (bool, error) {
	if m.Node.Type == SeenType {
		a, err := v.ask(Question{Ask: AskUnchanged, Area: m.Node.Bounds.Inset(-besideIt)})
		return a.Yes, err
	}
	return v.stayed(m, previous)
}

// stayed reports whether an element of the tree is stationary. Where screenshots are cheap the pixels decide: the
// newest screenshot, which is taken after the tree and right before the touch, must show it where the one before the
// tree does. Equal trees prove nothing against pixels that move.
func (v actView) stayed(m screen.Match, previous *screen.Match) (bool, error) {
	taken := v.f.Tree.Taken
	same := previous != nil && previous.Node.Bounds == m.Node.Bounds && previous.Point == m.Point
	if !same {
		v.arrived, v.inPlace = taken, 0
	}
	v.inPlace++
	if m.Node.Undrawn {
		return taken.Sub(v.arrived) >= v.want.Timing.UndrawnFor, nil
	}
	if v.want.Device.Exact && (same || previous == nil) {
		a, err := v.ask(Question{Ask: AskExact, Node: v.numberOf(m.Node)})
		if err != nil || a.Yes {
			return a.Yes, err
		}
	}
	if !v.pixels || !v.f.Before.Taken() {
		return same, nil
	}
	if _, err := v.ask(Question{Ask: AskPixels}); err != nil || !v.pixels {
		return same, err
	}
	if v.expected {
		ready, err := v.isDrawnInPlace(m)
		if err != nil || !ready {
			return false, err
		}
	}
	return v.stillAt(touchArea(m), same)
}

// isDrawnInPlace reports, where trees may be ahead of the screen, whether the element shows where the tree has it.
func (v actView) isDrawnInPlace(m screen.Match) (bool, error) {
	if ok, err := v.arrivedAt(m); err != nil || !ok {
		return false, err
	}
	if ok, err := v.drawn(m); err != nil || !ok {
		return false, err
	}
	fades, err := v.fades(m)
	return !fades, err
}

// changed returns what differs between two screenshots within an area.
func (v actView) changed(a, b Shot, area image.Rectangle) (image.Rectangle, error) {
	answer, err := v.ask(Question{Ask: AskChanged, A: a.ID, B: b.ID, Area: area})
	return answer.Box, err
}

// motion is what became of an area between two screenshots.
func (v actView) motion(a, b Shot, area image.Rectangle) (Motion, error) {
	answer, err := v.ask(Question{Ask: AskMotion, A: a.ID, B: b.ID, Area: area})
	return answer.Motion, err
}

// statusBar is the height of the bar with the clock at the top of a phone.
func statusBar(size image.Point) int {
	if size.X > size.Y {
		return size.Y / 15
	}
	return size.Y / 30
}

// arrivedAt reports whether the element is where the trees have it already: nothing as wide or as high as it has
// changed on the screen around the tree. As long as something moves, it may be on its way, and its place shows
// something else that is stationary; of a sheet that has just started to come in, only an edge is seen to move.
func (v actView) arrivedAt(m screen.Match) (bool, error) {
	region := v.f.Last.Size
	region.Min.Y = statusBar(region.Size())
	changed, err := v.changed(v.f.Before, v.f.Last, region)
	if err != nil {
		return false, err
	}
	if !changed.In(v.restless) {
		v.restless, v.spread = v.restless.Union(changed), v.f.Tree.Taken
	}
	moved, own := changed.Size(), m.Node.Bounds.Size()
	return moved.X < own.X && moved.Y < own.Y || v.lasting(), nil
}

// drawn reports whether an element that the step before has brought shows on the screen: as long as its place looks as
// it did before that touch, it is still on its way there.
func (v actView) drawn(m screen.Match) (bool, error) {
	was, now := v.want.Earlier.Touched, v.f.Last
	if was == nil || !was.Shot.Taken() || was.Shot.Size != now.Size || v.lasting() {
		return true, nil
	}
	for n := range was.Tree.All {
		if n.Type == m.Node.Type && n.Bounds == m.Node.Bounds && n.Label() == m.Node.Label() {
			return true, nil
		}
	}
	changed, err := v.changed(was.Shot, now, touchArea(m))
	return !changed.Empty(), err
}

// fades reports whether an element is being faded in or out, during which UIKit drops its touches: what changes in its
// place changes faintly, or changes all of it. Something that never ceases to do that is touched in the end.
func (v actView) fades(m screen.Match) (bool, error) {
	now, area := v.f.Last, touchArea(m)
	if !v.faded.Taken() {
		v.faded = v.f.Before
	}
	same, err := v.ask(Question{Ask: AskSame, A: v.faded.ID, B: now.ID, Area: area})
	if err != nil {
		return false, err
	}
	if same.Yes {
		return now.At.Sub(v.faded.At) < v.want.Timing.FadeGap, nil
	}
	v.faded = now
	changed, err := v.changed(v.f.Before, now, area)
	if err != nil {
		return false, err
	}
	if changed.Empty() {
		return v.f.Tree.Taken.Sub(v.arrived) < v.want.Timing.FadesFor, nil
	}
	return changed.Dx()*5 >= area.Dx()*4 && changed.Dy()*5 >= area.Dy()*4 && !v.lasting(), nil
}

// lasting reports whether the trees have had it in one place for so long that pixels which never rest do not count any
// more. As long as ever more of the screen changes, it is not a video that plays: something is on its way.
func (v actView) lasting() bool {
	t := &v.want.Timing
	return v.inPlace >= t.RestlessReads && v.f.Tree.Taken.Sub(v.arrived) >= t.RestlessFor &&
		(!v.expected || v.f.Tree.Taken.Sub(v.spread) >= t.SpreadFor)
}

// stillAt reports by the screenshots around the tree whether what is in an area is stationary; same: the tree before
// this one had it there, too.
func (v actView) stillAt(area image.Rectangle, same bool) (bool, error) {
	before, now := v.f.Before, v.f.Last
	if !same {
		v.left = Shot{}
	}
	changed, err := v.changed(before, now, area.Inset(-besideIt))
	if err != nil {
		return false, err
	}
	lasting := v.lasting()
	if changed.Empty() {
		return v.unchangedAt(area, lasting)
	}
	motion, err := v.motion(before, now, area)
	if err != nil {
		return false, err
	}
	if motion == Elsewhere && !v.left.Taken() {
		v.left = before
	}
	switch {
	case !same || motion == Elsewhere:
		return false, nil
	case motion == Within && changed.In(area) && !v.left.Taken(): // it has a spinner or a caret in it
		return true, nil
	case v.left.Taken() || !lasting:
		return false, nil
	}
	v.note("the pixels of it never rested; its place is that of %d trees in a row", v.inPlace)
	return true, nil
}

// unchangedAt is stillAt where both screenshots show the same. What an older screenshot showed may have been the way
// here: trees and pixels that agree for long enough decide.
func (v actView) unchangedAt(area image.Rectangle, lasting bool) (bool, error) {
	if !lasting {
		passed, err := v.passedBy()
		if err != nil || passed {
			return false, err
		}
	}
	if !v.left.Taken() || lasting {
		return true, nil
	}
	motion, err := v.motion(v.left, v.f.Last, area)
	return motion <= Within, err
}

// passedBy reports whether what the tree has is on neither screenshot around it, which show its place flat: it was
// there in between, on its way. A black screenshot shows nothing.
func (v actView) passedBy() (bool, error) {
	n, now := v.last.Node, v.f.Last
	part := n.Bounds.Intersect(now.Size)
	if !v.want.Device.Phone || !draws(n) || n.Editable || part.Empty() {
		return false, nil
	}
	smooth, err := v.ask(Question{Ask: AskSmooth, A: now.ID, Area: part})
	if err != nil || !smooth.Yes {
		return false, err
	}
	dark, err := v.ask(Question{Ask: AskDark, A: now.ID})
	return !dark.Yes, err
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
