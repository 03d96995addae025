package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// stepper runs leaf steps one at a time, and reports each with all that belongs to it.
type stepper struct {
	*report
	vars      *variables
	session   *action.Performer
	shots     *screenshots
	evidence  *evidence
	artifacts *artifacts
	troubles  *troubles
	usage     *usage
	timeout   time.Duration // of a step that names none

	n       int        // the number of the current step
	dynamic bool       // the steps are not known before they run
	in      []string   // the blocks around the current step
	acts    bool       // the current step acts on the device
	acted   time.Time  // when such a step ended last
	lenient int        // how many enclosing steps handle its failure
	soft    *outcome   // the first failure of a soft step within the innermost of these
	cause   error      // the error of the last leaf step
	flow    *flowState // the running flow of Maestro

	failedAt int                 // the last step that failed while several devices ran at once; 0: none
	whose    string              // of several devices, name and id of the lane's
	begun    map[source.Pos]bool // the steps that were started since the start of on; nil: it does not matter
	parallel bool                // other devices run steps at the same time
	// moments keeps what the other devices of the case show
	moments func(ctx context.Context, device string, step int)

	repair   func(event.Step, any, []decide.Recording) (any, string, bool) // see Options.Repair; may be nil
	repaired bool                                                          // the step that failed was done with a repair
}

// skip reports a step that is skipped, and why.
func (s *stepper) skip(step *dsl.Step, why string) {
	s.n = s.next()
	s.started(step)
	s.emit(event.Event{Kind: event.StepEnded, Step: s.n, Result: event.Skipped, Problem: &event.Problem{Message: why}})
}

// started reports the start of leaf step s.n.
func (s *stepper) started(step *dsl.Step) {
	s.sink.Mask().Hide(dsl.Secrets(step, s.vars.scope)...)
	if s.begun != nil {
		s.begun[step.Pos] = true
	}
	e := event.Event{Kind: event.StepStarted, Step: s.n}
	if s.dynamic {
		info := infoOf(step, s.vars.scope)
		info.N, info.In, info.Device = s.n, strings.Join(s.in, " › "), s.device
		e.Info = &info
	}
	s.emit(e)
}

// leaf runs a step that acts, reports it and takes its screenshot.
func (s *stepper) leaf(ctx context.Context, step *dsl.Step, do func(context.Context) error) outcome {
	s.n = s.next()
	n := s.n
	s.started(step)
	if s.sinkErr != nil {
		return outcome{result: event.Error}
	}
	s.session.Outcome = action.Outcome{Detail: &event.Detail{}, Tree: s.session.Tree, Value: s.session.Value}
	began := time.Now()
	err := s.attempts(ctx, step, do)
	s.cause = err
	took := time.Since(began)
	if s.acts {
		s.acts, s.acted = false, time.Now()
	}
	if budget := step.Options.BudgetMs; err == nil && budget != nil && took > milliseconds(*budget) {
		err = overBudget(took, *budget)
	}
	for _, text := range s.session.Warnings {
		s.emit(event.Event{Kind: event.Logged, Step: n, Message: text, Warning: true})
	}
	s.artifacts.keepTree(n)
	s.evidence.frames.add(n, s.session.Searches)
	s.artifacts.keepReading(n)
	s.artifacts.keepPrinted(n)
	if use := s.session.Detail.Model; use != nil {
		s.usage.models.AddModelUse(*use)
	}
	s.session.Detail.Troubles = s.evidence.troubles()
	ended := event.Event{Kind: event.StepEnded, Step: n, DurationMS: took.Milliseconds(), Detail: s.session.Detail}
	ended.Result, ended.Problem = judge(ctx, err)
	if s.whose != "" && ended.Result == event.Error {
		ended.Problem.Message = s.whose + ": " + ended.Problem.Message
	}
	s.troubles.nameTroubles(ended, began)
	o := outcome{ended.Result, ended.Problem}
	if err := s.shots.takeScreenshots(ctx, step, ended); err != nil && o.ok() {
		ended.Result, ended.Problem = judge(ctx, err)
		o = outcome{ended.Result, ended.Problem}
	}
	if s.lenient > 0 && o.result == event.Fail && (s.flow == nil || !s.flow.fatal) {
		ended.Result = event.Warned
	}
	s.emit(ended)
	s.belongs(o.problem, n)
	if (ended.Result == event.Fail || ended.Result == event.Error) && !step.Options.Optional {
		if s.parallel { // the other devices are in use
			s.failedAt = n
		} else {
			s.moments(ctx, s.device, n)
		}
	}
	return o
}

// attempts runs the step once, and again as often as its option retries says as long as the app is wrong.
func (s *stepper) attempts(ctx context.Context, step *dsl.Step, do func(context.Context) error) error {
	for try := 0; ; try++ {
		err := do(ctx)
		if err == nil || try >= step.Options.Retries || ctx.Err() != nil || action.ResultOf(err) != event.Fail {
			return err
		}
		s.session.Detail.Notes = append(s.session.Detail.Notes, fmt.Sprintf("attempt %d failed: %v", try+1, err))
	}
}

func overBudget(took time.Duration, budget int) error {
	limit := phrase.Duration(milliseconds(budget))
	return &action.Failure{Problem: event.Problem{Assertion: true,
		Message:  fmt.Sprintf("the step took %d ms, and its budget is %s", took.Milliseconds(), limit),
		Expected: "at most " + limit, Actual: fmt.Sprintf("%d ms", took.Milliseconds())}}
}

// perform fills in the variables, performs the action and saves its value.
func (s *stepper) perform(ctx context.Context, step *dsl.Step) error {
	return action.Guard(func() error {
		args, opts, err := dsl.Bind(step, s.vars.scope)
		if err != nil {
			return asTestError(err)
		}
		if step.Def.Own != nil {
			if err := s.runScript(ctx, step, paramsOf(args), opts.TimeoutMs); err != nil {
				return err
			}
			if opts.As != "" {
				s.vars.save(opts.As, s.session.Value)
			}
			return nil
		}
		if set, ok := args.(dsl.Set); ok {
			return s.vars.set(set)
		}
		if a, ok := args.(dsl.Launch); ok {
			s.troubles.launches(a.Package)
		}
		if err := s.before(ctx, args); err != nil {
			return err
		}
		s.session.Timeout = opts.Limit(args, s.timeout)
		if err := s.act(ctx, args); err != nil {
			s.suggest(ctx, step, args, err)
			return err
		}
		if opts.As != "" {
			s.vars.save(opts.As, s.session.Value)
		}
		return nil
	})
}

// suggest performs an action that did not find its element with the element that it used before. Its failure stays.
func (s *stepper) suggest(ctx context.Context, step *dsl.Step, args any, failed error) {
	if s.repair == nil || action.ProblemOf(failed).Kind != event.NotFound || ctx.Err() != nil {
		return
	}
	searches := s.session.Searches
	info := infoOf(step, s.vars.scope)
	info.N = s.n
	other, text, ok := s.repair(info, args, searches)
	if !ok {
		return
	}
	if err := s.act(ctx, other); err == nil {
		s.repaired = true
		s.session.Detail.Notes = append(s.session.Detail.Notes, "continued with a repair: "+text)
	}
	s.session.Searches = append(s.session.Searches, searches...) // the last one decided the step
}

// act performs an action, and takes over what it saw.
func (s *stepper) act(ctx context.Context, args any) error {
	if err := s.before(ctx, args); err != nil {
		return err
	}
	s.session.Wanted = s.shots.wanted()
	err := action.Guard(func() error { return action.Perform(ctx, s.session, args) })
	s.session.Wanted = action.Wanted{}
	for _, call := range s.session.ModelCalls {
		s.artifacts.keepModelCall(s.n, call)
	}
	if kept := s.shots.accept(ctx, s.n, s.session.Outcome); err == nil {
		err = kept
	}
	return err
}

// before takes the screenshots that the report lacks, unless the action reads the screen first.
func (s *stepper) before(ctx context.Context, args any) error {
	s.acts = action.Acts(args)
	return s.shots.takePendingBefore(ctx, args)
}

// attempt runs steps that may fail if an enclosing step handles it: lenient. Their failures are then warnings, also
// those of soft steps, which end the attempt after its last step.
func (s *stepper) attempt(lenient bool, do func() outcome) outcome {
	if !lenient {
		return do()
	}
	outer := s.soft
	s.soft, s.lenient = nil, s.lenient+1
	defer func() { s.soft, s.lenient = outer, s.lenient-1 }()
	o := do()
	if o.ok() && s.soft != nil {
		return *s.soft
	}
	return o
}

// later stores the failure of a soft step until the step that handles it, or the test, has run its other steps.
func (s *stepper) later(o outcome) {
	switch {
	case s.lenient == 0:
		s.applyOutcome(o)
	case s.soft == nil:
		s.soft = &o
	}
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }
