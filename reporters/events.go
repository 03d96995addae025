package reporters

import (
	"io"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// Event is one line of events.ndjson, the record of a case from which all reports are made.
type Event = event.Event

// Kind is the kind of an event. It decides which fields of the event are set.
type Kind = event.Kind

// The kinds that reporters need most.
const (
	CaseStarted = event.CaseStarted // Case is set
	StepStarted = event.StepStarted // Step is set
	StepEnded   = event.StepEnded   // Step, Result, DurationMS; Problem unless it passed
	Attached    = event.Attached    // Attachment is set; Step when it belongs to one
	Logged      = event.Logged      // Message is set
	CaseEnded   = event.CaseEnded   // Result, DurationMS; Problem unless it passed
)

// Result is the result of a case or a step.
type Result = event.Result

// The results of cases. A known failure that failed is "expected".
const (
	Pass        = event.Pass
	Fail        = event.Fail  // the app is wrong
	Error       = event.Error // the device, the browser or the report is
	Skipped     = event.Skipped
	Interrupted = event.Interrupted
)

// CaseResult is what the events of a case add up to.
type CaseResult = event.CaseResult

// Run is a run: its cases, in the order of their places.
type Run = history.Run

// ReadEvents reads an events.ndjson.
func ReadEvents(r io.Reader) ([]Event, error) { return event.ReadEvents(r) }

// Fold adds up the events of a case.
func Fold(events []Event) *CaseResult { return event.Fold(events) }

// ReadRun reads the folder of a run. A case that cannot be read has the result Error, with the reason.
func ReadRun(dir string) (*Run, error) { return history.LoadRun(dir) }
