package decide

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// absence is what the frames have shown of an element that must not be there.
type absence struct {
	isAbsent   bool           // by the newest tree
	absentFor  int            // trees in a row
	gone       time.Time      // since when, by what is seen
	still      []screen.Match // what is there
	stateless  string         // why it is unknown
	busyWith   string         // the app: it may still come
	went       leaving
	blankSince time.Time // it has been in the trees, in view, and not drawn since then; zero: it is not so
	blankReads int       // trees in a row of which that is so
	wasDrawn   bool      // a tree before was of a screen that showed it
	flickered  bool      // it was not drawn afterwards, though the tree had it
}

// absentView is a view of what must not be there.
type absentView struct{ *view }

// absent waits until no element fits the selector, in any tier, on a fresh and whole tree of a screen that rests. A
// screen that never rests may prove it at the end of the time, but not by one or two slow reads of a page that is at
// work.
func (v absentView) absent() (Decision, error) {
	v.isAbsent = false
	if why := v.f.Tree.Cut(); why != "" {
		return Decision{}, fmt.Errorf("a part of the screen does not show what is not there: %s", why)
	}
	q, err := v.query(v.want.Selector, false)
	if err != nil {
		return Decision{}, err
	}
	if v.still, err = v.search(q); err != nil {
		return Decision{}, err
	}
	lacks := v.want.Check.stateless(v.still)
	if v.still, err = v.meeting(v.still); err != nil {
		return Decision{}, err
	}
	v.noteFrame()
	v.isAbsent, v.stateless, v.busyWith = len(v.still) == 0, "", ""
	if v.isAbsent {
		v.stateless, v.busyWith = cmp.Or(lacks, v.f.Tree.Stateless(q)), v.busy()
		v.isAbsent = v.stateless == ""
	}
	v.absentFor++
	switch {
	case !v.isAbsent:
		v.gone, v.absentFor = time.Time{}, 0
	case v.gone.IsZero():
		v.gone = v.f.Now
	}
	few := v.absentFor < v.want.Timing.Sightings
	proven := v.isAbsent && v.busyWith == "" && !v.f.Tree.Loading && v.rested() && v.away() && !(few && v.drawsLate()) &&
		(!v.pixelsTell() || v.since(v.gone) >= v.want.Timing.QuietToAssert)
	if !proven && !v.over() {
		return v.attentive(), nil
	}
	if !proven && v.isAbsent && few && (v.f.Tree.Rest == screen.Busy || v.drawsLate()) {
		return v.waitFor(0, "reads were so slow that too few of them were made"), nil
	}
	if v.isAbsent {
		if err := v.nothingOver(); err != nil {
			return Decision{}, err
		}
		if v.pixelsTell() {
			v.warn("%s was not seen in the pixels, and what vision cannot make out is not seen either",
				screen.Describe(v.want.Selector))
		}
	}
	if proven {
		return Decision{Kind: Gone}, nil
	}
	return v.unproven(), nil
}

// drawsLate reports whether the page has drawn nothing since the tree before: what a touch has led to may be under way.
func (v absentView) drawsLate() bool {
	for n := range v.f.Tree.All {
		return n.Undrawn
	}
	return false
}

// meeting keeps the matches of which the check is true: all of them where nothing is checked.
func (v absentView) meeting(matches []screen.Match) ([]screen.Match, error) {
	c := v.want.Check
	hits, _, err := checkView(v).hits(c, matches)
	if err != nil {
		return nil, err
	}
	fit := c.meeting(matches, hits)
	if c.Count != nil && len(fit) != *c.Count {
		return nil, nil
	}
	return fit, nil
}

// pixelsTell reports whether pixels decide whether it is there.
func (v absentView) pixelsTell() bool {
	return NeedsVision(v.want.Selector) || v.want.Selector.Fallback != ""
}

// attentive waits at a pace that slows down, but for moments in which it must not miss anything: while the element is
// absent, and while it is not drawn.
func (v absentView) attentive() Decision {
	t := &v.want.Timing
	pause := v.pause()
	switch {
	case v.blankReads > 0:
		v.blinks++
		pause = t.BlinkPauses[v.blinks%len(t.BlinkPauses)]
	case v.isAbsent:
		pause = min(pause, t.AbsentPause)
	}
	return v.waitFor(pause, "it is not proven absent")
}

// noteFrame keeps what the frame has shown. What the tree has and the screenshot after it does not may blink: it counts
// as seen until it has not been drawn for long enough.
func (v absentView) noteFrame() {
	taken := v.f.Tree.Taken
	blank := len(v.still) == 0 && v.undrawn
	switch {
	case !blank:
		v.blankSince, v.blankReads = time.Time{}, 0
	case v.blankSince.IsZero():
		v.blankSince = taken
	}
	switch {
	case blank:
		v.blankReads++
		v.flickered = v.flickered || v.wasDrawn
		v.went.seen(v.hiddenUnder, taken)
	case len(v.still) > 0:
		v.wasDrawn = true
		v.went.seen(v.still[0].Node.String(), taken)
	default:
		v.went.reads++
	}
}

// away reports whether it has been gone, or not drawn, for long enough not to come back: what blinks must be gone for
// much longer than it was between two times.
func (v absentView) away() bool {
	t := &v.want.Timing
	taken := v.f.Tree.Taken
	if !v.blankSince.IsZero() {
		return v.blankReads > t.GoneReads && taken.Sub(v.blankSince) >= t.BlankFor
	}
	if v.went.at.IsZero() {
		return true
	}
	// slow trees wait for a quiet second themselves
	return (v.went.reads >= t.GoneReads || v.pixels) && taken.Sub(v.went.at) >= 3*v.went.gap
}

// unproven is the result at the end of the time.
func (v absentView) unproven() Decision {
	what := v.want.Check.with(v.want.Selector)
	p := Problem{Assertion: true, Expected: "no " + what + " on the screen"}
	taken := v.f.Tree.Taken
	switch {
	case v.isAbsent && v.f.Tree.Loading:
		p.Expected, p.Actual = "no "+what+" on the whole page", "the page is still being loaded"
		p.Message = what +
			" is not on the page as far as it has come, and it is still being loaded: what is not there yet may come"
	case v.isAbsent && !v.away() && (v.went.gap > 0 || v.flickered || v.went.justNow(taken, v.want.Timing.BlankFor)):
		p.Actual = v.went.last
		p.Message = fmt.Sprintf("%s comes and goes: %s was there %s before the end of %s", what, v.went.last,
			taken.Sub(v.went.at).Round(10*time.Millisecond), v.want.StepTimeout)
	case v.isAbsent:
		v.warn("%s; the element was not there at the end of the time", cmp.Or(v.busyWith,
			"the screen never came to rest"))
		return Decision{Kind: Gone}
	case v.stateless != "":
		p.Actual = v.stateless
		p.Message = fmt.Sprintf("whether there is %s is unknown: %s", what, v.stateless)
	default:
		p.Actual = v.still[0].Node.String()
		p.Message = fmt.Sprintf("%s is still there after %s: %s", what, v.want.StepTimeout, v.still[0].Node)
	}
	return Decision{Kind: Fail, Problem: &p}
}

// leaving is how an element went that a step has seen.
type leaving struct {
	at    time.Time     // it was seen last
	last  string        // what it was
	reads int           // without it since then
	gap   time.Duration // the longest time without it after which it was there again
}

// seen keeps that it was there.
func (l *leaving) seen(what string, taken time.Time) {
	if !l.at.IsZero() && l.reads > 0 {
		l.gap = max(l.gap, taken.Sub(l.at))
	}
	l.at, l.last, l.reads = taken, what, 0
}

// justNow reports whether the newest tree alone does not have it: what blinks may be back at once.
func (l *leaving) justNow(taken time.Time, blink time.Duration) bool {
	return l.reads == 1 && !l.at.IsZero() && taken.Sub(l.at) < blink
}

// isSpinner reports whether an element is a spinner that turns while an app is at work, rather than a bar that shows
// how far it is.
func isSpinner(n *screen.Node) bool {
	switch n.Type[strings.LastIndexByte(n.Type, '.')+1:] {
	case "ProgressBar", "XCUIElementTypeActivityIndicator":
		return n.Holds == nil || strings.HasPrefix(n.Holds.Value, "0.0")
	}
	return false
}
