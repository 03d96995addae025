package decide

import (
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// Timing is the table of all waiting rules of searches, those of Maestro's flows at its end. Every value is an upper
// bound of a wait or the least time that a screen must have shown something; what is plain is decided at once.
//
// What is on the screen is easy to confirm; the time goes into its opposite. That an element is absent, is the only
// match, or has lost a state counts only after a quiet span without a change, because a screen that is being built
// shows every intermediate state. The spans are short where the page itself reports that nothing is pending, and long
// where it reports that something is.
type Timing struct {
	// QuietToAssert is how long a screen must not have changed before what is not on it counts as absent: a list is
	// filled row by row, about ten rows a second on slow phones.
	QuietToAssert time.Duration
	// QuietToAct is the same before an action reports that several elements match: a transition shows both screens.
	QuietToAct time.Duration
	// QuietToMiss takes the place of QuietToAssert where the page reports that nothing is pending.
	QuietToMiss time.Duration

	// StateHolds is how long after an action a state must be there to count, and what was there before the action:
	// pages show a state at once, and take it back when the server refuses.
	StateHolds time.Duration
	// QuietHolds takes its place where the page reports that nothing is pending, BusyHolds where it reports that
	// something is; that is also the longest wait for it.
	QuietHolds, BusyHolds time.Duration

	// GoneReads is in how many trees in a row what was there must be missing: two with a blink between them are alike.
	GoneReads int
	// BlankFor is how long an element that the tree has must not be drawn before it counts as absent: it may blink.
	BlankFor time.Duration
	// LeavesFor is how long an element is waited for that an animation moves away; one that is always on its way is
	// there.
	LeavesFor time.Duration
	// BusyFor is how long after an action an app may still be at work: what is not there in that time may be on its way.
	BusyFor time.Duration

	// AmbiguousFor is how long an action waits while several elements match equally.
	AmbiguousFor time.Duration
	// Sightings is the least number of reads with the element before an action fails with "keeps moving", even if one
	// read takes as long as the step: one to see it, one after it has come to rest, and one that agrees. It is also the
	// least number in a row without the element before it counts as absent from a page that is at work, or draws nothing.
	Sightings int

	// UndrawnFor is how long an element must keep its place on a page that draws nothing: the page may only be slow to
	// draw what moves.
	UndrawnFor time.Duration
	// RestlessReads and RestlessFor are how many trees, over how long, must have an element in one place before pixels
	// around it that never rest do not count any more: it is on a video.
	RestlessReads int
	RestlessFor   time.Duration
	// SpreadFor is how long nothing more of the screen must have started to change for what changes to be a video.
	SpreadFor time.Duration
	// FadesFor is how long an element is waited for that changes faintly: UIKit drops the touches of what fades in.
	FadesFor time.Duration
	// FadeGap is how far apart two screenshots must be for what fades in over seconds to differ.
	FadeGap time.Duration

	// FirstPause is the pause after the first read; each next one is PauseGrowth times as long, up to LongestPause.
	FirstPause, LongestPause time.Duration
	PauseGrowth              float64
	// AbsentPause is the longest pause while an element is absent: what blinks must not be missed.
	AbsentPause time.Duration
	// BlinkPauses are the pauses while an element is not drawn: they differ, so that what blinks is not seen in the same
	// phase each time.
	BlinkPauses [3]time.Duration

	// MaestroPause is between two reads by the rules of Maestro; MaestroLookup is how long one of its searches finds
	// nothing before the element is gone.
	MaestroPause, MaestroLookup time.Duration
	// MaestroSettle is between two trees of which Maestro compares whether the screen rests, MaestroTrees how many
	// follow the first one at most.
	MaestroSettle time.Duration
	MaestroTrees  int
}

// Native returns the timing of steps.
func Native() Timing {
	return Timing{
		QuietToAssert: 300 * time.Millisecond,
		QuietToAct:    800 * time.Millisecond,
		QuietToMiss:   50 * time.Millisecond,
		StateHolds:    200 * time.Millisecond,
		QuietHolds:    70 * time.Millisecond,
		BusyHolds:     1500 * time.Millisecond,
		GoneReads:     3,
		BlankFor:      800 * time.Millisecond,
		LeavesFor:     3 * time.Second,
		BusyFor:       3 * time.Second,
		AmbiguousFor:  2 * time.Second,
		Sightings:     3,
		UndrawnFor:    2 * time.Second,
		RestlessReads: 3,
		RestlessFor:   2 * time.Second,
		SpreadFor:     time.Second,
		FadesFor:      5 * time.Second,
		FadeGap:       60 * time.Millisecond,
		FirstPause:    20 * time.Millisecond,
		LongestPause:  400 * time.Millisecond,
		PauseGrowth:   1.6,
		AbsentPause:   60 * time.Millisecond,
		BlinkPauses:   [3]time.Duration{20 * time.Millisecond, 250 * time.Millisecond, 120 * time.Millisecond},
		MaestroPause:  50 * time.Millisecond,
		MaestroLookup: 500 * time.Millisecond,
		MaestroSettle: 200 * time.Millisecond,
		MaestroTrees:  10,
	}
}

// HoldsFor is how long what is seen right after an action must be there to count, by what is known of the page.
func (t *Timing) HoldsFor(rest screen.Activity) time.Duration {
	switch rest {
	case screen.Busy:
		return t.BusyHolds
	case screen.Quiet:
		return t.QuietHolds
	}
	return t.StateHolds
}
