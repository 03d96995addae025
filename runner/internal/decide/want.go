package decide

import (
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// Purpose is what a step wants of an element.
type Purpose string

// The purposes.
const (
	See    Purpose = "see"    // it is on the screen
	Absent Purpose = "absent" // nothing on the screen fits the selector, and has what Check says
	Act    Purpose = "act"    // exactly one element can be touched, and is stationary
	State  Purpose = "state"  // as many elements as Check says fit the selector, and have what it says
	Rest   Purpose = "rest"   // the screen rests; of Maestro's rules alone
	Reach  Purpose = "reach"  // it can be scrolled to, in one frame
)

// Policy is the set of rules that decides.
type Policy string

// The policies.
const (
	ByTaproot Policy = ""        // the native rules
	ByMaestro Policy = "maestro" // those of Maestro's flows
)

// PolicyOf returns the rules that decide on a selector.
func PolicyOf(sel dsl.Selector) Policy {
	if sel.Match == dsl.MatchMaestro {
		return ByMaestro
	}
	return ByTaproot
}

// Want is what a step waits for.
type Want struct {
	Policy   Policy
	Purpose  Purpose
	Selector dsl.Selector
	// Digest is that of the screen before a Rest, "" when that is not known; Endless is a Rest that ends by its number
	// of reads, not by its time.
	Digest  string
	Endless bool
	// Check holds for State and Absent: what all of it is true of must be there, or must not be.
	Check Check
	// Timeout is the time of the search, from its start on. StepTimeout is that of the step, of which messages speak;
	// Deadline is the end of the step, if that is earlier.
	Timeout, StepTimeout time.Duration
	Began, Deadline      time.Time
	Timing               Timing
	// Typing: the element is to take a text, so that a field is preferred to what else has its name.
	Typing bool
	// Drop: the element is a place to drop something on, which need not receive touches itself.
	Drop bool
	// Anywhere: what can be scrolled to is enough, as to read a text.
	Anywhere bool
	// UnseenToo: what is not drawn, or is under the keyboard, is enough, as for a state.
	UnseenToo bool
	Device    Facts
	// Earlier is what the steps before have left.
	Earlier History
}

// Check is what an assertion requires of the elements that fit the selector; nil: not required.
type Check struct {
	Count *int          `json:"count,omitempty"` // of those that have the rest of it
	Text  *string       `json:"text,omitempty"`
	Match dsl.MatchMode `json:"match,omitempty"` // of the text
	Value *string       `json:"value,omitempty"`
	Is    *dsl.State    `json:"is,omitempty"`
}

// None reports whether nothing is required beside the selector.
func (c Check) None() bool { return c.Count == nil && c.Text == nil && c.Value == nil && c.Is == nil }

// Facts are what is known of a device and of the run before anything is read.
type Facts struct {
	Phone      bool // an app on a phone, not a page
	IOS        bool
	Pixels     bool // screenshots are cheaper than trees
	Reveals    bool // it can bring elements into view
	KnowsParts bool // its trees have the places of parts of texts
	CSS        bool // it can be asked for css and XPath
	Ahead      bool // its trees may report the place that an element has after an animation
	Quick      bool // it has quick trees
	Keyboard   bool // it reports where the on-screen keyboard is
	Hides      bool // it can hide the keyboard
	Exact      bool // it can check where a touch arrives
	Obstacles  bool // it reports what is over the app
	Vision     bool // there is OCR
	NoPictures bool // screenshots would show secrets
}

// History is what earlier steps of the test have left.
type History struct {
	// Acted is when the last action that does something on the device ended.
	Acted time.Time
	// Tree is the newest that was read before it; nil: none.
	Tree *screen.Tree
	// Touched is the screen before the touch of the step before; nil: that touched nothing.
	Touched *Touched
}

// Touched is a screen that was touched, as it was before.
type Touched struct {
	Tree *screen.Tree
	Shot Shot
}
