package event

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/source"
)

// Fold turns the events of one case into its result. It has no side effects. Events without a CaseEnded make an
// interrupted result that names the step in which they stop.
func Fold(events []Event) *CaseResult {
	f := folder{res: &CaseResult{Recording: Recording{Kind: NoRecording}}, files: map[string]bool{}}
	for _, e := range events {
		f.add(e)
	}
	f.finish()
	return f.res
}

type folder struct {
	res   *CaseResult
	files map[string]bool // paths of attachments
	last  time.Time
	ended bool
	// the step of the problem, as the end of the case says it; 0: the first with the result of the case
	problem int
	unkept  *Problem
}

func (f *folder) add(e Event) {
	if e.Time.After(f.last) {
		f.last = e.Time
	}
	if f.res.Started.IsZero() {
		f.res.Started = e.Time
	}
	switch e.Kind {
	case CaseStarted:
		f.caseStarted(e)
	case StepStarted:
		if s := f.step(e.Step); s != nil && !f.ended {
			if e.Info != nil {
				s.Step = *e.Info
				s.N = e.Step
			}
			s.Result, s.Started = Interrupted, e.Time
		}
	case Attached:
		f.attached(e)
	case Logged:
		if e.Warning && !slices.Contains(f.res.Warnings, e.Message) {
			f.res.Warnings = append(f.res.Warnings, e.Message)
		}
		if e.Warning && e.Step > 0 {
			break // it is among the step's own
		}
		if s := f.res.Step(e.Step); s != nil {
			s.logged(e)
			break
		}
		f.res.Notes = append(f.res.Notes, e.Message)
	case StepEnded:
		f.stepEnded(e)
	case Identified:
		if e.Device != "" { // the app of a test is that of its first device
			break
		}
		if e.App != nil {
			f.res.App = e.App
		}
		f.res.ScreenRead = cmp.Or(e.ScreenRead, f.res.ScreenRead)
	case Surrounded:
		if s := f.res.Step(e.Step); s != nil {
			s.Around = e.Around
		}
	case CaseEnded:
		f.caseEnded(e)
	case Recorded:
		switch {
		case e.Recording == nil:
		case e.Device != "":
			if f.res.Recordings == nil {
				f.res.Recordings = map[string]Recording{}
			}
			f.res.Recordings[e.Device] = *e.Recording
		default:
			f.res.Recording = *e.Recording
		}
		f.attached(e)
	case Unkept:
		if f.unkept == nil && e.Problem != nil {
			f.unkept = e.Problem
		}
	}
}

// logged takes over a remark on a step. The result of its tap is known only after the screen was read again.
func (s *StepResult) logged(e Event) {
	if e.Detail == nil || s.Detail == nil {
		s.Notes = append(s.Notes, e.Message)
		return
	}
	known := *s.Detail // do not change the Detail of the event
	known.Notes = append(slices.Clip(known.Notes), e.Message)
	if e.Detail.Proof != "" {
		known.Proof = e.Detail.Proof
	}
	s.Detail = &known
}

func (f *folder) caseStarted(e Event) {
	if e.Case == nil || f.res.Case.ID != "" {
		return
	}
	f.res.Case = *e.Case
	f.res.Started = e.Time
	for _, s := range e.Case.Steps {
		if s.N > 0 && f.res.Step(s.N) == nil {
			f.res.Steps = append(f.res.Steps, StepResult{Step: s, Result: Unreached})
		}
	}
}

// step returns step n, adding it when the case did not announce it.
func (f *folder) step(n int) *StepResult {
	if n < 1 {
		return nil
	}
	if s := f.res.Step(n); s != nil {
		return s
	}
	f.res.Steps = append(f.res.Steps, StepResult{Step: Step{N: n}, Result: Unreached})
	return &f.res.Steps[len(f.res.Steps)-1]
}

func (f *folder) attached(e Event) {
	// The path comes from a file: it must not lead out of the pack.
	if e.Attachment == nil {
		return
	}
	a := *e.Attachment
	if a.Path == "." || !fs.ValidPath(a.Path) || strings.Contains(a.Path, `\`) {
		return
	}
	a.At = e.Time
	if !f.files[a.Path] { // several steps may share a file
		f.files[a.Path] = true
		f.res.Attachments = append(f.res.Attachments, a)
	}
	if s := f.res.Step(e.Step); s != nil {
		s.Attachments = append(s.Attachments, a)
	}
}

func (f *folder) stepEnded(e Event) {
	s := f.step(e.Step)
	if s == nil || f.ended {
		return
	}
	if e.Info != nil && s.Action == "" { // it was not started
		s.Step = *e.Info
		s.N = e.Step
	}
	if s.Started.IsZero() && e.Result != Unreached {
		s.Started = e.Time.Add(-Millis(e.DurationMS))
	}
	s.Result, s.Duration, s.Problem, s.Detail = e.Result, Millis(e.DurationMS), e.Problem, e.Detail
	if !Known(e.Result) || e.Result == Expected {
		s.Result = Error
		s.Problem = &Problem{Message: fmt.Sprintf("the step ended with the unknown result %q", e.Result)}
	}
}

// caseEnded uses the first end only: a later one cannot improve the result.
func (f *folder) caseEnded(e Event) {
	if f.ended {
		return
	}
	f.ended, f.problem = true, e.Step
	f.res.Result, f.res.Ended, f.res.Duration, f.res.Problem = e.Result, e.Time, Millis(e.DurationMS), e.Problem
	if !Known(e.Result) || e.Result == Unreached || e.Result == Warned {
		f.res.Result = Error
		f.res.Problem = &Problem{Message: fmt.Sprintf("the test ended with the unknown result %q", e.Result)}
	}
}

func (f *folder) finish() {
	f.conclude()
	r := f.res
	if better := r.Result.Good() || r.Result == Interrupted; better && f.unkept != nil {
		r.Result, r.Problem, r.ProblemStep = Error, f.unkept, 0
	}
}

// conclude sets the result and its reason from the events of the case itself.
func (f *folder) conclude() {
	r := f.res
	if !f.ended {
		r.Result, r.Ended = Interrupted, f.last
		r.Duration = max(0, f.last.Sub(r.Started))
	}
	f.addMissingSteps()
	r.ProblemStep = f.problemStep()
	if r.Result == Pass || r.Problem != nil {
		return
	}
	if s := r.Step(r.ProblemStep); s != nil && s.Problem != nil {
		r.Problem = s.Problem
		return
	}
	if !f.ended {
		r.Problem = &Problem{Message: "the run stopped " + f.place() + "; the test did not get to its end"}
	}
}

// addMissingSteps adds the steps that only the run could decide on and that never ran. In a test that ran to its end
// they are skipped, otherwise unreached.
func (f *folder) addMissingSteps() {
	r := f.res
	ran := map[source.Pos]bool{}
	for _, s := range r.Steps {
		ran[s.Place] = true
	}
	left := StepResult{Result: Unreached}
	if r.Result == Pass || r.passedUnexpectedly() {
		left = StepResult{Result: Skipped, Problem: &Problem{Message: "no branch or round of the test came to it"}}
	}
	for _, s := range r.Case.Steps {
		if s.N == 0 && !ran[s.Place] {
			s.N = len(r.Steps) + 1
			left.Step = s
			r.Steps = append(r.Steps, left)
		}
	}
}

// problemStep is the first step that failed, or of an interrupted case the last one that started and did not end.
func (f *folder) problemStep() int {
	if f.res.Result == Pass || f.res.Result == Skipped || f.res.passedUnexpectedly() {
		return 0
	}
	want := f.res.Result
	if want == Expected {
		want = Fail
	}
	if s := f.res.Step(f.problem); s != nil && s.Result == want {
		return s.N
	}
	for _, s := range f.res.Steps {
		if s.Result == want && s.Result != Interrupted {
			return s.N
		}
	}
	var open *StepResult
	for i := range f.res.Steps {
		s := &f.res.Steps[i]
		if s.Result == Interrupted && (open == nil || !s.Started.Before(open.Started)) {
			open = s
		}
	}
	if open == nil {
		return 0
	}
	return open.N
}

func (f *folder) place() string {
	if s := f.res.Step(f.res.ProblemStep); s != nil {
		if s.Action == "" {
			return fmt.Sprintf("in step %d", s.N)
		}
		return fmt.Sprintf("in step %d (%s)", s.N, s.Action)
	}
	var last *StepResult
	for i := range f.res.Steps {
		if s := &f.res.Steps[i]; s.Result != Unreached && (last == nil || !s.Started.Before(last.Started)) {
			last = s
		}
	}
	if last == nil {
		return "before the first step"
	}
	return fmt.Sprintf("after step %d", last.N)
}

func Known(v Result) bool {
	switch v {
	case Pass, Warned, Fail, Error, Skipped, Expected, Interrupted, Unreached:
		return true
	}
	return false
}

func Millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
