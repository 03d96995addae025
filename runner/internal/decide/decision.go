package decide

import (
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// Kind is the kind of a Decision.
type Kind string

// The kinds of decisions.
const (
	Answering Kind = "answer"        // Questions must be answered, then the same frame is decided on again
	Wait      Kind = "wait"          // until Until, then read the screen as Next says
	Found     Kind = "found"         // Matches are what was wanted; for Act, Matches[0] is to be touched now
	Gone      Kind = "gone"          // what must be absent is
	Reveal    Kind = "reveal"        // bring Matches[0] into view, then read the screen again
	Uncover   Kind = "hide keyboard" // it is over the element: hide it, then read the screen again
	Fail      Kind = "fail"          // Problem says why
	Unfit     Kind = "error"         // the search cannot be answered: Err says why
)

// Decision is what to do next.
type Decision struct {
	Kind      Kind
	Questions []Question
	Until     time.Time
	Next      Need
	Matches   []screen.Match
	Problem   *Problem
	Err       error
	// Why says in a few words what a Wait is for.
	Why string
	// Notes and Warnings are for the report, each once in a step.
	Notes, Warnings []string
	// Miss says for a Fail of Act which element was found and why it was not touched.
	Miss *Miss
	// Keep are the screenshots that later decisions may compare with: any other may be forgotten.
	Keep []int
}

// Need is what the next frame must hold.
type Need struct {
	Before, After bool // screenshots before and after the tree, where they are cheap
	Quick         bool // a quick tree is enough
	// Parts are the parts of texts of which the tree must have the places.
	Parts []screen.TextPart
	// PixelsOnly: where no tree can be read, pixels are enough; with Label only where the screen never stops moving.
	PixelsOnly, Label bool
}

// Problem is why a want was not met.
type Problem struct {
	Message, Expected, Actual string
	Assertion                 bool
	Kind                      ProblemKind
	Candidates, Rejected      []string
	// Part is how a text must be compared for the check to hold; "": that would not be enough.
	Part dsl.MatchMode
}

// ProblemKind classifies a problem for programs.
type ProblemKind string

// The kinds of problems.
const (
	NotFound      ProblemKind = "not found"
	NotActionable ProblemKind = "not actionable"
)

// problemError is a problem that ends a search within it.
type problemError struct{ Problem }

func (e *problemError) Error() string { return e.Message }

// Miss is an element that an action found and did not touch.
type Miss struct {
	Match  screen.Match
	Reason MissReason
}

// MissReason is why an element was not touched.
type MissReason string

// The reasons.
const (
	Covered MissReason = "covered"
	Moving  MissReason = "moving"
)
