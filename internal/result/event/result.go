package event

import (
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/source"
)

// CaseResult is what the events of one case add up to. All reports of a case, for people and for programs, are made
// from it.
type CaseResult struct {
	Case        Case
	Result      Result
	Started     time.Time
	Ended       time.Time
	Duration    time.Duration // as the engine measured it; of an interrupted case: up to the last event
	Steps       []StepResult  // in the order of Case.Steps, unreached ones too
	Attachments []Attachment  // of all steps and of the case, in the order of the events
	Problem     *Problem      // why the case did not pass
	ProblemStep int           // the step that the problem is of; 0: none
	Notes       []string
	Warnings    []string // what to fix on the device; the terminal prints it, too
	Recording   Recording
	Recordings  map[string]Recording // of the other devices of the test, by their names
	App         *App                 // that was tested; nil: unknown
	ScreenRead  string               // a sentence: how the screen was read; "": nothing to report
}

// StepResult is the result of one step.
type StepResult struct {
	Step
	Result      Result
	Started     time.Time
	Duration    time.Duration
	Problem     *Problem
	Detail      *Detail
	Attachments []Attachment
	Notes       []string
	Around      []Incident // what else went wrong during a step that did not pass, in order of time
}

// Counts are the numbers of steps per result.
type Counts struct {
	Total, Passed, Warned, Failed, Errored, Skipped, Interrupted, Unreached int
}

// Count counts the steps.
func (r *CaseResult) Count() Counts {
	c := Counts{Total: len(r.Steps)}
	for _, s := range r.Steps {
		switch s.Result {
		case Pass:
			c.Passed++
		case Warned:
			c.Warned++
		case Fail:
			c.Failed++
		case Error:
			c.Errored++
		case Skipped:
			c.Skipped++
		case Interrupted:
			c.Interrupted++
		default:
			c.Unreached++
		}
	}
	return c
}

// Step returns the step with number n, or nil.
func (r *CaseResult) Step(n int) *StepResult {
	if n < 1 {
		return nil
	}
	if n <= len(r.Steps) && r.Steps[n-1].N == n {
		return &r.Steps[n-1]
	}
	for i := range r.Steps {
		if r.Steps[i].N == n {
			return &r.Steps[i]
		}
	}
	return nil
}

// LostDevice reports whether the case ended because its device, or browser, was lost. That is neither the app's fault
// nor the test's.
func (r *CaseResult) LostDevice() bool {
	return r.Result == Error && r.Problem != nil && r.Problem.Kind == DeviceLost
}

// passedUnexpectedly reports whether the case failed because it passed, although it is marked as a known failure.
func (r *CaseResult) passedUnexpectedly() bool {
	return r.Result == Fail && r.Problem != nil && r.Problem.Kind == UnexpectedPass
}

// Screenshots returns the screenshots of the case, in the order in which they were taken.
func (r *CaseResult) Screenshots() []Attachment {
	var shots []Attachment
	for _, a := range r.Attachments {
		if a.Kind == KindScreenshot || a.Kind == KindFailure || a.Kind == KindMoment {
			shots = append(shots, a)
		}
	}
	return shots
}

// DeviceOf is the device, by its name in the test, that a screenshot or another file of a step is of; "": the test has
// one device, or the file is of none.
func (r *CaseResult) DeviceOf(a Attachment, s *StepResult) string {
	if a.Device != "" || s == nil {
		return a.Device
	}
	return s.Device
}

// ProblemScreenshot returns the screenshot that shows the problem best: the failure's own, otherwise the last of its
// step.
func (r *CaseResult) ProblemScreenshot() (Attachment, bool) {
	s := r.Step(r.ProblemStep)
	if s == nil {
		return Attachment{}, false
	}
	return s.screenshot()
}

func (s *StepResult) screenshot() (Attachment, bool) {
	var found Attachment
	for _, a := range s.Attachments {
		if a.Kind == KindFailure {
			return a, true
		}
		if a.Kind == KindScreenshot {
			found = a
		}
	}
	return found, found.Path != ""
}

// Artifacts returns the names of the files in artifacts/, in the order in which they were added.
func (r *CaseResult) Artifacts() []string {
	var names []string
	for _, a := range r.Attachments {
		if name, ok := strings.CutPrefix(a.Path, ArtifactsDir+"/"); ok {
			names = append(names, name)
		}
	}
	return names
}

// ProblemPos is the place that the problem belongs to: the step's, otherwise the test's.
func (r *CaseResult) ProblemPos() source.Pos {
	if s := r.Step(r.ProblemStep); s != nil && s.Place.Line > 0 {
		return s.Place
	}
	return r.Case.Place
}

// ProblemPlace is the place in the YAML file that the problem belongs to: the step's, otherwise the test's.
func (r *CaseResult) ProblemPlace() string {
	if s := r.Step(r.ProblemStep); s != nil && s.Place.Line > 0 {
		return s.Place.String()
	}
	return r.Case.Place.String()
}
