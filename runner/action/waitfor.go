package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

func waitFor(ctx context.Context, s *Session, a dsl.WaitFor) error {
	switch {
	case a.Visible != nil && byMaestro(*a.Visible):
		return s.finding(ctx, a.Visible, nil, s.Timeout)
	case a.Gone != nil:
		return gone(ctx, s, *a.Gone)
	case a.Enabled != nil:
		yes := true
		sel := *a.Enabled
		sel.Enabled = &yes
		_, err := locateVisible(ctx, s, sel)
		return asAssertion(err)
	case a.Text != "":
		return assert(ctx, s, dsl.Assert{Selector: dsl.Selector{Label: a.Text}})
	case a.URL != "":
		d, err := capability[drivers.WebPages](s)
		if err != nil {
			return err
		}
		return asAssertion(d.WaitPage(ctx, drivers.WebEvent{URL: a.URL}, s.Timeout))
	}
	return assert(ctx, s, dsl.Assert{Selector: *a.Visible})
}

func assertNot(ctx context.Context, s *Session, a dsl.AssertNot) error {
	return gone(ctx, s, a.Selector)
}

// absence is the search for proof that an element is not there.
type absence struct {
	*screenReader
	sel        dsl.Selector
	absent     bool           // by the newest tree
	since      time.Time      // by what is seen
	pixelsTell bool           // whether it is there
	still      []screen.Match // what is there
	stateless  string         // why it is unknown
	busyWith   string         // the app: it may still come
	went       leaving
	blankSince time.Time // it has been in the trees, in view, and not drawn since then; zero: it is not so
	blankLooks int       // trees in a row of which that is so
	wasDrawn   bool      // a tree before was of a screen that showed it
	flickered  bool      // it was not drawn afterwards, though the tree had it
}

// gone waits until no element fits the selector, in any tier, on a fresh and whole tree of a screen that rests. A
// screen that never rests may prove it at the end of the time.
func gone(ctx context.Context, s *Session, sel dsl.Selector) error {
	if byMaestro(sel) {
		return s.finding(ctx, nil, &sel, s.Timeout)
	}
	w := &absence{screenReader: newScreenReader(s), sel: sel, pixelsTell: needsVision(sel) || sel.Fallback != ""}
	w.onlySeen, w.eager = needsVision(sel) && visionSuffices(sel), true
	w.readsParts(sel)
	pace := &attentiveBackOff{BackOff: slowing(), now: func() bool { return w.absent },
		uneven: func() bool { return w.blankLooks > 0 }}
	err := pollWith(ctx, s.Timeout, pace, func() error { return w.look(ctx) })
	if w.absent && w.pixelsTell && (err == nil || errors.Is(err, errWait)) {
		s.warn("%s was not seen in the pixels, and what vision cannot make out is not seen either", screen.Describe(sel))
	}
	if err == nil || errors.Is(err, errWait) && w.absent {
		if over := s.nothingOver(ctx, w.tree, w.rest.Last()); over != nil {
			return over
		}
	}
	if errors.Is(err, errWait) {
		return w.unproven()
	}
	return asAssertion(err)
}

// look reads the screen once. errWait: what is not there is not proven gone yet.
func (w *absence) look(ctx context.Context) error {
	w.absent = false
	if err := w.read(ctx, true); err != nil {
		return err
	}
	if why := w.tree.Cut(); why != "" {
		return fmt.Errorf("a part of the screen does not show what is not there: %s", why)
	}
	q, err := w.query(ctx, w.sel, toSee)
	if err != nil {
		return err
	}
	if w.still, err = w.search(ctx, q); err != nil {
		return err
	}
	w.noteLook()
	w.absent, w.stateless, w.busyWith = len(w.still) == 0, "", ""
	if w.absent {
		w.stateless, w.busyWith = w.tree.Stateless(q), w.busy()
		w.absent = w.stateless == ""
	}
	switch {
	case !w.absent:
		w.since = time.Time{}
	case w.since.IsZero():
		w.since = time.Now()
	}
	if !w.absent || w.busyWith != "" || w.tree.Loading || !w.rested() || !w.away() || w.pixelsTell &&
		time.Since(w.since) < quietToAssert {
		return errWait
	}
	return nil
}

// noteLook keeps what the newest read has shown. What the tree has and the screenshot after it does not may blink: it
// counts as seen until it has not been drawn for long enough.
func (w *absence) noteLook() {
	blank := len(w.still) == 0 && w.undrawn
	switch {
	case !blank:
		w.blankSince, w.blankLooks = time.Time{}, 0
	case w.blankSince.IsZero():
		w.blankSince = w.tree.Taken
	}
	switch {
	case blank:
		w.blankLooks++
		w.flickered = w.flickered || w.wasDrawn
		w.went.seen(w.hiddenUnder, w.tree.Taken)
	case len(w.still) > 0:
		w.wasDrawn = true
		w.went.seen(w.still[0].Node.String(), w.tree.Taken)
	default:
		w.went.looks++
	}
}

// away reports whether it has been gone, or not drawn, for long enough not to come back.
func (w *absence) away() bool {
	if !w.blankSince.IsZero() {
		return w.blankLooks > goneLooks && w.tree.Taken.Sub(w.blankSince) >= quietToAct
	}
	return w.went.away(w.screenReader)
}

// unproven is the result at the end of the time.
func (w *absence) unproven() error {
	s, what := w.s, screen.Describe(w.sel)
	switch {
	case w.absent && w.tree.Loading:
		return &Failure{stillComing(w.sel)}
	case w.absent && !w.away() && (w.went.gap > 0 || w.flickered || w.went.justNow(w.tree.Taken)):
		return &Failure{event.Problem{Assertion: true, Expected: "no " + what + " on the screen", Actual: w.went.last,
			Message: fmt.Sprintf("%s comes and goes: %s was there %s before the end of %s", what, w.went.last,
				w.tree.Taken.Sub(w.went.at).Round(10*time.Millisecond), s.Timeout)}}
	case w.absent:
		s.warn("%s; the element was not there at the end of the time", cmp.Or(w.busyWith, "the screen never came to rest"))
		return nil
	case w.stateless != "":
		return &Failure{event.Problem{Assertion: true, Message: fmt.Sprintf("whether there is %s is unknown: %s", what,
			w.stateless),
			Expected: "no " + what + " on the screen", Actual: w.stateless}}
	}
	return &Failure{event.Problem{Assertion: true, Message: fmt.Sprintf("%s is still there after %s: %s", what, s.Timeout,
		w.still[0].Node),
		Expected: "no " + what + " on the screen", Actual: w.still[0].Node.String()}}
}

// leaving keeps how an element went that a step has seen.
type leaving struct {
	at    time.Time     // it was seen last
	last  string        // what it was
	looks int           // without it since then
	gap   time.Duration // the longest time without it after which it was there again
}

// seen keeps that it was there.
func (l *leaving) seen(what string, taken time.Time) {
	if !l.at.IsZero() && l.looks > 0 {
		l.gap = max(l.gap, taken.Sub(l.at))
	}
	l.at, l.last, l.looks = taken, what, 0
}

// justNow reports whether the newest tree alone does not have it: what blinks may be back at once.
func (l *leaving) justNow(taken time.Time) bool {
	return l.looks == 1 && !l.at.IsZero() && taken.Sub(l.at) < quietToAct
}

// away reports whether it has been gone for long enough not to come back: what blinks must be gone for much longer than
// it was between two times.
func (l *leaving) away(w *screenReader) bool {
	if l.at.IsZero() {
		return true
	}
	// slow trees wait for a quiet second themselves
	return (l.looks >= goneLooks || w.pixels) && w.tree.Taken.Sub(l.at) >= 3*l.gap
}

// stillComing is the failure of a page that did not come whole in time.
func stillComing(sel dsl.Selector) event.Problem {
	return event.Problem{Assertion: true, Expected: "no " + screen.Describe(sel) + " on the whole page",
		Actual: "the page is still being loaded",
		Message: screen.Describe(sel) +
			" is not on the page as far as it has come, and it is still being loaded: what is not there yet may come"}
}

// sleep sleeps; `taproot validate` warns about it.
func sleep(ctx context.Context, _ *Session, a dsl.Sleep) error {
	return drivers.Pause(ctx, time.Duration(a.Ms)*time.Millisecond)
}

// asAssertion marks what blames the app as an assertion that did not hold.
func asAssertion(err error) error {
	var f *Failure
	if err == nil || !errors.As(err, &f) && !drivers.AppIsWrong(err) {
		return err
	}
	p := ProblemOf(err)
	p.Assertion = true
	return &Failure{p}
}
