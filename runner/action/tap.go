package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

// ambiguousFor is how long an action waits while several elements match equally: during a transition, the old and the
// new screen are both shown for a while.
const ambiguousFor = 2 * time.Second

func tap(ctx context.Context, s *Session, a dsl.Tap) error {
	if byMaestro(a.Selector) {
		return s.tapAt(ctx, touching{on: &a.Selector, in: pointText(a.At), repeat: a.Count, pause: doublePause})
	}
	how := drivers.WebClick{Button: a.Button, Modifiers: keyNames(a.Modifiers)}
	var click func(context.Context, image.Point, drivers.WebClick) error
	if how.Button != "" && how.Button != "left" || len(how.Modifiers) > 0 {
		d, err := capability[drivers.Clicker](s)
		if err != nil {
			return err
		}
		click = d.Click
	}
	return tapWithRetry(ctx, s, tapTarget{a.Selector, a.At}.aim, func(p image.Point) error {
		if click != nil {
			how.Count = max(a.Count, 1)
			return click(ctx, p, how)
		}
		for range max(a.Count, 1) {
			if err := s.Device.Tap(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// keyNames are keys by the names that drivers know.
func keyNames(keys []string) []string {
	var names []string
	for _, key := range keys {
		names = append(names, dsl.KeyName(key))
	}
	return names
}

// target waits until the selector picks one element that is stationary, enabled, and can be reached.
func target(ctx context.Context, s *Session, sel dsl.Selector) (screen.Match, error) {
	h := targetSearch{screenReader: newScreenReader(s), sel: sel}
	h.prepareFor(sel)
	if d, ok := s.Device.(drivers.AheadOfScreen); ok && d.TreeAheadOfScreen() {
		h.pixels, h.expected = true, true
	}
	var found screen.Match
	err := poll(ctx, s.Timeout, func() (err error) {
		found, err = h.look(ctx)
		return err
	})
	for errors.Is(err, errWait) && h.last != nil && h.why == movesOn && h.sightings < leastSightings {
		found, err = h.look(ctx) // reads were so slow that too few of them had been made
	}
	if errors.Is(err, errWait) {
		if h.last != nil {
			h.recordMiss(*h.last)
		}
		return found, h.failure()
	}
	if err == nil && s.Confirm != nil {
		err = s.Confirm(h.tree, found)
	}
	if err == nil {
		s.matched(found)
		s.recordHit(h.screenReader, found)
	}
	return found, err
}

// leastSightings is the minimum number of screen reads with the element before the action fails with "keeps moving",
// even if one read takes as long as the timeout of the step: one to see it, one after it has come to rest, and one that
// agrees.
const leastSightings = 3

// targetSearch is the search for the target of one action.
type targetSearch struct {
	*screenReader
	sel     dsl.Selector
	last    *screen.Match // what the last read found
	arrived time.Time     // when it was first seen where it is
	looks   int           // how often since then
	// in how many reads it could have been touched, if it did not move
	sightings int
	left      image.Image // shows it there before the pixels showed it leave, although the trees did not
	several   error       // why it could not decide
	why       string      // why last could not be touched
	reveals   int
	hid       bool // the keyboard was hidden

	anchored bool // what the element is related to was brought into view

	expected bool            // the trees may already report the position that the element has after the animation
	restless image.Rectangle // where the screen has changed
	spread   time.Time       // when that was less, last
	faded    image.Image     // the last screenshot in which the pixels of the element's area changed
	fadedAt  time.Time
}

// look reads the screen once. errWait: look again.
func (h *targetSearch) look(ctx context.Context) (screen.Match, error) {
	if worth, err := h.quickTreeMayMatch(ctx, h.sel, toAct); err != nil || !worth {
		return screen.Match{}, cmp.Or(err, errWait)
	}
	previous := h.last
	h.last, h.several, h.why = nil, nil, ""
	if err := h.readBehind(ctx, h.pixels && (h.tree == nil || !h.late())); err != nil {
		return screen.Match{}, err
	}
	matches, err := h.find(ctx, h.sel, toAct)
	if unplaced := new(screen.UnplacedError); errors.Is(err, screen.ErrAmbiguous) || errors.As(err, &unplaced) {
		return screen.Match{}, h.undecided(ctx, err)
	}
	if err != nil {
		return screen.Match{}, err
	}
	if len(matches) == 0 {
		h.missed()
		return screen.Match{}, h.revealAnchor(ctx)
	}
	h.last = &matches[0]
	return h.ready(ctx, matches[0], previous)
}

// undecided waits while several elements match, until the screen rests or the time ends.
func (h *targetSearch) undecided(ctx context.Context, several error) error {
	if h.pixels && !h.pixelsOnly && !h.late() {
		if err := h.tryPixels(ctx); err != nil {
			return err
		}
	}
	if h.settled(quietToAct) && time.Since(h.began) >= min(ambiguousFor, h.s.Timeout) {
		return several
	}
	h.several = several
	return errWait
}

// ready checks that the element can be touched now.
func (h *targetSearch) ready(ctx context.Context, m screen.Match, previous *screen.Match) (screen.Match, error) {
	switch {
	case m.Away(h.tree):
		h.why = "is outside the screen"
		return m, h.reveal(ctx, m)
	case m.Disabled():
		h.why = "is disabled"
	case (m.CoverText != "" || h.aboveIt(m) != nil) && h.underKeyboard(ctx, m):
		return m, h.uncover(ctx)
	case m.CoverText != "":
		h.why = "is covered by " + m.CoverText
		if h.tree.HitTested && h.reveals == 0 {
			return m, h.reveal(ctx, m) // under a bar at the edge: its middle may be free
		}
	case h.aboveIt(m) != nil:
		h.why = "is covered by " + h.aboveIt(m).String() + " of another window"
	case h.underKeyboard(ctx, m):
		return m, h.uncover(ctx)
	case m.Unplaced != "":
		h.why = m.Unplaced
	default:
		h.sightings++
		stands, err := h.isStationary(ctx, m, previous)
		if err != nil || stands {
			return m, err
		}
		h.why = movesOn
	}
	return m, errWait
}

// isStationary reports whether the element is stationary, in whatever shows it.
func (h *targetSearch) isStationary(ctx context.Context, m screen.Match, previous *screen.Match) (bool, error) {
	if m.Node.Type == seenType {
		return h.pixelsUnchanged(ctx, m.Node.Bounds)
	}
	return h.stayed(ctx, m, previous)
}

// aboveIt returns what an upper window shows where the element would be touched: a notification, a call, the bubble of
// a chat.
func (h *targetSearch) aboveIt(m screen.Match) *screen.Node {
	top := h.tree.Topmost(m.Point)
	if h.tree.HitTested || m.Node.Type == seenType || top == nil || top.Window <= m.Node.Window {
		return nil
	}
	return top
}

// reveal brings the element into view; the next read must find it there.
func (h *targetSearch) reveal(ctx context.Context, m screen.Match) error {
	r, ok := h.s.Device.(drivers.Revealer)
	if !ok {
		return errWait
	}
	h.reveals++
	if err := reveal(ctx, r, m); err != nil {
		return err
	}
	return errWait
}

// revealAnchor brings what the element is related to into view, once: the element may be next to it.
func (h *targetSearch) revealAnchor(ctx context.Context) error {
	if _, ok := h.s.Device.(drivers.Revealer); !ok || h.anchored || len(h.sel.Relations()) == 0 {
		return errWait
	}
	anchor := h.tree.FarAnchor(screen.Query{Selector: h.sel, Matched: h.matched, Action: true, Reveal: true})
	if anchor == nil {
		return errWait
	}
	h.anchored = true
	return h.reveal(ctx, *anchor)
}

// reveal scrolls an element, or the part of its text that is asked for, into view.
func reveal(ctx context.Context, r drivers.Revealer, m screen.Match) error {
	if parts, ok := r.(drivers.PartRevealer); ok && m.Part != nil {
		return parts.RevealPart(ctx, m.Node, m.Part.Part)
	}
	return r.Reveal(ctx, m.Node)
}

// movesOn is why an element that keeps moving is not touched.
const movesOn = "keeps moving"

// failure says why there was nothing to touch.
func (h *targetSearch) failure() error {
	switch {
	case h.several != nil:
		return h.several
	case h.last == nil:
		return h.missing(h.sel, false)
	}
	p := problem("%s %s and could not be tapped within %s", h.last.Node, h.why, h.s.Timeout)
	p.Expected = screen.Describe(h.sel) + " to be reachable"
	p.Actual = fmt.Sprintf("%s %s", h.last.Node, h.why)
	p.Kind = event.NotActionable
	return &Failure{p}
}

func problem(format string, args ...any) event.Problem {
	return event.Problem{Message: fmt.Sprintf(format, args...)}
}

// place turns a point of the test syntax into a pixel of the screen.
func place(ctx context.Context, s *Session, p dsl.Point) (image.Point, error) {
	size, err := s.firstPicture(ctx)
	if err != nil {
		return image.Point{}, err
	}
	if p.Percent {
		p.X, p.Y = p.X*float64(size.X)/100, p.Y*float64(size.Y)/100
	}
	at := image.Pt(int(math.Round(p.X)), int(math.Round(p.Y)))
	if p.Percent { // 100 % is the last pixel
		at.X, at.Y = min(at.X, size.X-1), min(at.Y, size.Y-1)
	}
	if !at.In(image.Rectangle{Max: size}) {
		return at, &Failure{problem("the point %d,%d is outside the screen of %dx%d", at.X, at.Y, size.X, size.Y)}
	}
	return at, nil
}

// firstPicture takes a screenshot before anything is touched, and returns its size. Where none may be taken, the
// elements show how large the screen is.
func (s *Session) firstPicture(ctx context.Context) (image.Point, error) {
	img, err := s.Device.Screenshot(ctx)
	var p *drivers.ProtectedError
	if errors.As(err, &p) {
		tree, err := s.Device.Tree(ctx)
		if err != nil {
			return image.Point{}, err
		}
		return tree.Size, s.looked(ctx)
	}
	if err != nil {
		return image.Point{}, err
	}
	return img.Bounds().Size(), s.lookTaken(ctx, img)
}

// touched keeps where the device was touched.
func (s *Session) touched(p image.Point) { s.Detail.Point = &[2]int{p.X, p.Y} }

// matched keeps what a selector picked.
func (s *Session) matched(m screen.Match) {
	b := m.Node.Bounds
	s.Detail.Matched, s.Detail.Tier = m.Node.String(), m.Tier.String()
	if m.Node.Type == seenType {
		s.Detail.Tier = m.Node.Ref // how it was seen, and the score
	}
	s.Detail.Bounds = &[4]int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y}
}
