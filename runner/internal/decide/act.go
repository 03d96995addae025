package decide

import (
	"errors"
	"fmt"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// MovesOn is why an element that keeps moving is not touched.
const MovesOn = "keeps moving"

// letsThrough is what script/reader.js of package dom reports of an element that lets touches through to nothing that
// reacts.
const letsThrough = "its own pointer-events: none"

// actView is a view of what is to be touched.
type actView struct{ *view }

// act waits until the selector picks one element that is stationary, enabled, and can be reached.
func (v actView) act() (Decision, error) {
	previous := v.last
	v.last, v.several, v.why = nil, nil, ""
	matches, err := v.find(v.want.Selector, true)
	if unplaced := new(screen.UnplacedError); errors.Is(err, screen.ErrAmbiguous) || errors.As(err, &unplaced) {
		return v.undecided(err)
	}
	if err != nil {
		return Decision{}, err
	}
	if len(matches) == 0 {
		v.missed()
		return v.revealAnchor()
	}
	v.last = &matches[0]
	return v.ready(matches[0], previous)
}

// undecided waits while several elements match, until the screen rests or the time ends.
func (v actView) undecided(several error) (Decision, error) {
	if v.pixels && !v.f.PixelsOnly && !v.late() {
		if _, err := v.ask(Question{Ask: AskPixels}); err != nil {
			return Decision{}, err
		}
	}
	t := &v.want.Timing
	if v.settled(t.QuietToAct) && v.since(v.want.Began) >= min(t.AmbiguousFor, v.want.StepTimeout) {
		return Decision{}, several
	}
	v.several = several
	return v.again("several elements match")
}

// again waits for the next read, or says at the end of the time why nothing could be touched.
func (v actView) again(why string) (Decision, error) {
	if !v.over() {
		return v.wait(why), nil
	}
	if v.last != nil && v.why == MovesOn && v.sightings < v.want.Timing.Sightings {
		return v.waitFor(0, "reads were so slow that too few of them were made"), nil
	}
	switch {
	case v.several != nil:
		return Decision{}, v.several
	case v.last == nil:
		return Decision{Kind: Fail, Problem: v.missing(v.want.Selector, false)}, nil
	}
	p := Problem{
		Message:  fmt.Sprintf("%s %s and could not be tapped within %s", v.last.Node, v.why, v.want.StepTimeout),
		Expected: screen.Describe(v.want.Selector) + " to be reachable",
		Actual:   fmt.Sprintf("%s %s", v.last.Node, v.why),
		Kind:     NotActionable,
	}
	d := Decision{Kind: Fail, Problem: &p, Miss: &Miss{Match: *v.last}}
	switch {
	case v.last.CoverText != "" || v.aboveIt(*v.last) != nil:
		d.Miss.Reason = Covered
	case v.why == MovesOn:
		d.Miss.Reason = Moving
	}
	return d, nil
}

// ready decides whether the element can be touched now.
func (v actView) ready(m screen.Match, previous *screen.Match) (Decision, error) {
	above := v.aboveIt(m)
	if v.want.Drop && m.CoverText == letsThrough {
		m.CoverText = ""
	}
	covered := m.CoverText != "" || above != nil
	away := m.Away(v.f.Tree)
	under := false
	if !away && !m.Disabled() {
		var err error
		if under, err = v.underKeyboard(m); err != nil {
			return Decision{}, err
		}
	}
	switch {
	case away:
		v.why = "is outside the screen"
		return v.reveal(m)
	case m.Disabled():
		v.why = "is disabled"
	case covered && under:
		return v.uncover()
	case m.CoverText != "":
		v.why = "is covered by " + m.CoverText
		if v.f.Tree.HitTested && v.reveals == 0 {
			return v.reveal(m) // under a bar at the edge: its middle may be free
		}
	case above != nil:
		v.why = "is covered by " + above.String() + " of another window"
	case under:
		return v.uncover()
	case m.Unplaced != "":
		v.why = m.Unplaced
	case m.Node.Leaving && v.since(v.want.Began) < min(v.want.Timing.LeavesFor, v.want.StepTimeout):
		v.why = "is about to disappear" // a person touches what takes its place
	default:
		v.sightings++
		still, err := v.isStationary(m, previous)
		if err != nil {
			return Decision{}, err
		}
		if still {
			return Decision{Kind: Found, Matches: []screen.Match{m}}, nil
		}
		v.why = MovesOn
	}
	return v.again(v.why)
}

// aboveIt returns what an upper window shows where the element would be touched: a notification, a call, the bubble of
// a chat.
func (v actView) aboveIt(m screen.Match) *screen.Node {
	top := v.f.Tree.Topmost(m.Point)
	if v.f.Tree.HitTested || m.Node.Type == SeenType || top == nil || top.Window <= m.Node.Window {
		return nil
	}
	return top
}

// underKeyboard reports whether a touch would hit the on-screen keyboard instead of the element: the keyboard is in no
// tree. A device is asked only while a field has the focus, because there is none otherwise.
func (v actView) underKeyboard(m screen.Match) (bool, error) {
	field := v.f.Tree.Focused()
	if !v.want.Device.Keyboard || field == nil || !field.Editable || m.Target == field ||
		m.Point.Y <= field.Bounds.Min.Y {
		return false, nil // a keyboard never covers the field that it types into, nor above it
	}
	a, err := v.ask(Question{Ask: AskKeyboard})
	return err == nil && !a.Unknown && m.Point.In(a.Box), err
}

// uncover hides the keyboard, once; the next read must find the element free.
func (v actView) uncover() (Decision, error) {
	v.why = "is covered by the keyboard"
	if !v.want.Device.Hides || v.hid || v.over() {
		return v.again(v.why)
	}
	v.hid = true
	v.note("the keyboard lay over it and was hidden")
	d := v.wait(v.why)
	d.Kind = Uncover
	return d, nil
}

// reveal brings the element into view; the next read must find it there.
func (v actView) reveal(m screen.Match) (Decision, error) {
	if !v.want.Device.Reveals || v.over() {
		return v.again(v.why)
	}
	v.reveals++
	d := v.wait(v.why)
	d.Kind, d.Matches = Reveal, []screen.Match{m}
	return d, nil
}

// revealAnchor brings what the element is related to into view, once: the element may be next to it.
func (v actView) revealAnchor() (Decision, error) {
	if !v.want.Device.Reveals || v.anchored || len(v.want.Selector.Relations()) == 0 {
		return v.again("nothing matches")
	}
	anchor := v.f.Tree.FarAnchor(screen.Query{Selector: v.want.Selector, Matched: v.matched, Action: true, Reveal: true})
	if anchor == nil {
		return v.again("nothing matches")
	}
	v.anchored = true
	return v.reveal(*anchor)
}
