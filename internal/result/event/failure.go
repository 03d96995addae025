package event

import (
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/source"
)

// Failure is one thing that went wrong in a case. There may be several: a test continues after a soft step that fails,
// and hooks run after a failure.
type Failure struct {
	Step       *StepResult // nil: not in a step
	Place      source.Pos  // the step's, otherwise the test's
	Problem    *Problem    // never nil
	Screenshot string      // path in the pack; may be empty
}

// Failures returns all that went wrong in a case that did not pass: first the failure that decided its result, then
// the other steps that failed or ended with an error, in order.
func (r *CaseResult) Failures() []Failure {
	if r.Result == Pass {
		return nil
	}
	first := Failure{Step: r.Step(r.ProblemStep), Place: r.ProblemPos(), Problem: r.Problem}
	if first.Problem == nil {
		first.Problem = &Problem{Message: "no reason was given"}
	}
	if a, ok := r.ProblemScreenshot(); ok {
		first.Screenshot = a.Path
	}
	list := []Failure{first}
	if r.passedUnexpectedly() {
		return list
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.N == r.ProblemStep || s.Problem == nil || s.Result != Fail && s.Result != Error {
			continue
		}
		f := Failure{Step: s, Place: r.Case.Place, Problem: s.Problem}
		if s.Place.Line > 0 {
			f.Place = s.Place
		}
		if a, ok := s.screenshot(); ok {
			f.Screenshot = a.Path
		}
		list = append(list, f)
	}
	return list
}

// Located is the message after its place: "suites/login.yaml:7:5: no element …".
func (f Failure) Located() string {
	if place := f.Place.String(); place != "" {
		return place + ": " + f.Problem.Message
	}
	return f.Problem.Message
}

// AndMore is the number of failures that are left out: "and 2 more"; empty for none.
func AndMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("and %d more", n)
}

// Incident is something that went wrong outside of a step's own action, during the step or just before or after it. It
// may be why the step failed.
type Incident struct {
	At    string       `json:"at"` // RFC 3339, UTC, milliseconds, by the clock of this machine
	Kind  IncidentKind `json:"kind"`
	Text  string       `json:"text"` // from the page, the network or the log; a stack has lines of its own
	Cause bool         `json:"cause,omitempty"`
}

// IncidentKind is where an Incident was seen.
type IncidentKind string

// The kinds of incidents.
const (
	IncidentCrash     IncidentKind = "crash"     // the app's end, with its stack
	IncidentException IncidentKind = "exception" // a page's, that was not caught
	IncidentRequest   IncidentKind = "request"   // one that failed, or had a response of 4xx or 5xx
	IncidentConsole   IncidentKind = "console"   // an error on the page's console
	IncidentLog       IncidentKind = "log"       // an error of the tested app in the device's log
)

// LikelyCause returns the first incident around the step that can be why it failed, nil when there is none.
func (s *StepResult) LikelyCause() *Incident {
	for i := range s.Around {
		if s.Around[i].Cause {
			return &s.Around[i]
		}
	}
	return nil
}

// Offset is the time of the incident from the start of its step: "+0.4 s".
func (in Incident) Offset(s *StepResult) string {
	at, err := time.Parse(time.RFC3339, in.At)
	if err != nil || s.Started.IsZero() {
		return in.At
	}
	return strings.Replace(fmt.Sprintf("%+.1f s", at.Sub(s.Started).Round(100*time.Millisecond).Seconds()), "-", "−", 1)
}
