package action

import "time"

// DefaultTimeout is how long a step waits for what it needs by default.
const DefaultTimeout = 10 * time.Second

// ProofGrace is how long a screen on which a tap has changed nothing is watched before that counts.
const ProofGrace = 400 * time.Millisecond

// The times of performers, in one table. Those of searches, which decide what is on the screen, are decide.Timing.
const (
	// Reads by a performer follow each other after firstPause, each next one after pauseGrowth times as long, up to
	// longestPause: most of what is waited for is there soon.
	firstPause   = 20 * time.Millisecond
	pauseGrowth  = 1.6
	longestPause = 400 * time.Millisecond

	// conditionTime is how long a condition searches for something that is not there; what is there costs one read.
	conditionTime = time.Second
	// firstLook is how long webAssert searches before the report takes the screenshot of the step before.
	firstLook = 50 * time.Millisecond
	// quickScreenshot is the longest time for a screenshot that is taken while a step watches the screen, so that it
	// does not delay the next screen read.
	quickScreenshot = 80 * time.Millisecond

	// quietStable is how long the pixels must not have changed for waitStable. Once they moved while the elements were
	// read, it takes quietClock, which is long enough to know a clock by its ticks. Between two screenshots are
	// stablePace, since only frequent ones distinguish a blink from a turn; stableLooks in a row must show no movement.
	quietStable = 400 * time.Millisecond
	quietClock  = 1300 * time.Millisecond
	stablePace  = 60 * time.Millisecond
	stableLooks = 2

	// scrollStroke is the duration of the swipe of scroll: a list follows it without a fling.
	scrollStroke = 500 * time.Millisecond
	// lateContent is how long a list that ends is watched for rows that it still loads.
	lateContent = 1500 * time.Millisecond
	// listRests is how long a list must show the same after a movement, listMoves after how long a page that never does
	// is read. listLimit is the longest wait for both.
	listRests = 50 * time.Millisecond
	listMoves = 250 * time.Millisecond
	listLimit = 3 * time.Second
	// blindTime is how long a box may be moved on without a read of the screen.
	blindTime = time.Second

	// focusGrace is how long the focus may take to reach the field that was tapped before another field's focus is
	// accepted.
	focusGrace = time.Second
	// cellOpens is how long a cell of a grid may take to open its field, and to show the key that has opened it.
	cellOpens = 500 * time.Millisecond
	// fieldRests is how long a field must keep showing what was typed: a page may take it back after a computation.
	// quietRests takes its place where nothing is pending that the app has started. fieldLimit is the longest wait.
	fieldRests = 120 * time.Millisecond
	quietRests = 40 * time.Millisecond
	fieldLimit = 3 * time.Second
	// typingRests is how long a field that took something else than what was typed is watched before that counts as its
	// content.
	typingRests = 500 * time.Millisecond
	// goneFor is how long a field must be gone: a page that draws itself again removes it for a moment.
	goneFor = 300 * time.Millisecond
	// keyPace is between two keys of a text that is typed once more, for pages that are slow to take them.
	keyPace = 40 * time.Millisecond
	// responseLimit is how long the response to one of these keys is awaited, responsePace between two reads of it.
	responseLimit = time.Second
	responsePace  = 20 * time.Millisecond
	// personPace is between two keys of a person who types slowly.
	personPace = 200 * time.Millisecond

	// progressEvery is how often a long installation reports its progress.
	progressEvery = 5 * time.Second
	// travelPace is how often the location of a travelling device is set, as a GPS receiver reports it.
	travelPace = time.Second
)

// Those of Maestro's flows are Maestro's own.
const (
	doublePause        = 100 * time.Millisecond // between two taps
	longTouch          = 3 * time.Second
	pageLimit          = 10 * time.Second // of a query to a page
	maestroLaunchLimit = 5 * time.Second  // an app may be anywhere afterwards
	maestroOpenLimit   = 30 * time.Second
	maestroScrollLimit = 20 * time.Second
	maestroSettleLimit = 15 * time.Second
	maestroRetryPause  = time.Second // between two reads until nothing covers the element
)
