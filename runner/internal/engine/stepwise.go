package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Stepwise is a case with steps that come one by one, from a test in Go. It writes the same events, screenshots, logs
// and recording as a test in YAML. Safe for concurrent use: one step at a time.
type Stepwise struct {
	mu      sync.Mutex
	r       *run
	began   time.Time
	problem *event.Problem // of the first step that neither passed nor is a warning
	result  event.Result
	noted   string
	ended   bool
}

// Start starts a case; End must be called. hide are values that must not appear in its report.
func Start(ctx context.Context, c plan.Case, dev drivers.Device, sink Sink, opts Options, hide ...string) *Stepwise {
	for _, secret := range hide {
		sink.Mask().Hide(secret)
	}
	if len(hide) > 0 { // with secrets, screenshots are masked, and nothing is recorded
		own := *c.Test
		own.Secrets = append(own.Secrets, "HIDDEN")
		c.Test = &own
	}
	s := &Stepwise{r: newRun(c, dev, sink, opts), began: time.Now(), result: event.Pass}
	s.r.startCase(ctx)
	s.r.steps.dynamic = true // its steps are reported as they come
	return s
}

// Call is one step.
type Call struct {
	Step    *dsl.Step
	Args    any           // of the step, with defaults filled in
	Timeout time.Duration // 0: the timeout of the case
	Lenient bool          // a failure is a warning
}

// Ended is the result of a step.
type Ended struct {
	Result  event.Result
	Problem *event.Problem // nil of a pass
	Value   any            // the value that the step option as: would save
}

// Do performs a step. A failure of a lenient one is returned as a failure, and is a warning in the report.
func (s *Stepwise) Do(ctx context.Context, c Call) Ended {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaf(ctx, c, func(ctx context.Context) error {
		return action.Guard(func() error {
			s.r.session.Timeout = dsl.StepOptions{}.Limit(c.Args, s.r.opts.Timeout)
			if c.Timeout > 0 {
				s.r.session.Timeout = c.Timeout
			}
			return s.r.steps.act(ctx, c.Args)
		})
	})
}

// Fail reports a problem outside of the steps, as a step of its own with a screenshot. An err for which the device is
// to blame makes it an error.
func (s *Stepwise) Fail(ctx context.Context, step *dsl.Step, err error) Ended {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaf(ctx, Call{Step: step}, func(context.Context) error { return err })
}

// leaf needs s.mu.
func (s *Stepwise) leaf(ctx context.Context, c Call, do func(context.Context) error) Ended {
	if s.ended {
		return Ended{Result: event.Fail, Problem: &event.Problem{
			Message: "the device was released: use it within its own spec only"}}
	}
	if err := s.r.sinkErr; err != nil {
		return Ended{Result: event.Error, Problem: &event.Problem{Message: "the report could not be written: " +
			err.Error()}}
	}
	if c.Lenient {
		s.r.steps.lenient++
		defer func() { s.r.steps.lenient-- }()
	}
	s.r.session.Value, s.r.vars.source = nil, c.Step.Source()
	o := s.r.steps.leaf(ctx, c.Step, do)
	e := Ended{o.result, o.problem, s.r.session.Value}
	if e.Problem == nil && !o.ok() {
		e.Problem = &event.Problem{Message: fmt.Sprintf("the report could not be written: %v", s.r.sinkErr)}
	}
	if !o.ok() && (!c.Lenient || o.result != event.Fail) && s.result == event.Pass {
		s.result, s.problem = o.result, e.Problem
	}
	return e
}

// Look reads the screen once and returns the matches of a selector. matched is empty when there are none.
func (s *Stepwise) Look(ctx context.Context, sel dsl.Selector) (matched []screen.Match, tree *screen.Tree, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, nil, fmt.Errorf("the device was released: use it within its own spec only")
	}
	err = action.Guard(func() (err error) {
		matched, tree, err = action.Look(ctx, s.r.session, sel)
		return err
	})
	return matched, tree, err
}

// Note adds a remark to the report; a repetition of the last remark is dropped.
func (s *Stepwise) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended && text != s.noted {
		s.noted = text
		s.r.log(0, "%s", text)
	}
}

// Result is the result of the steps so far, and the reason.
func (s *Stepwise) Result() (event.Result, *event.Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.result, s.problem
}

// End ends the case with a result. If a step has a worse one, that one counts: a device that failed makes any result
// an error.
func (s *Stepwise) End(ctx context.Context, v event.Result, p *event.Problem) (event.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.result == event.Error || s.result == event.Fail && v == event.Pass {
		v, p = s.result, s.problem
	}
	if v != event.Pass || s.r.result == event.Pass {
		s.r.end(v, p)
	}
	return s.r.conclude(ctx, time.Since(s.began))
}

// StepEnd is the result of one of the steps at the top level of a test.
type StepEnd struct {
	Step    *dsl.Step
	Result  event.Result
	Problem *event.Problem // nil of a pass
	Detail  *event.Detail  // of its last leaf step
	Value   any            // of the step, such as that of webEval
	Took    time.Duration
	Tree    *screen.Tree   // that was read last, nil if none was
	Saved   map[string]any // the variables that steps have saved so far
	Failed  string         // of several devices, the one on which it did not pass
}

// RunInteractive performs the steps of a case on devices that stay open, one after the other until one does not pass:
// without recording, log, screenshots or measurements. A case with one device has one without a name, a case with
// several has all of them, in its order. ended is called with each step at the top level; the error is the performer's
// error of the last step.
func RunInteractive(ctx context.Context, c plan.Case, devices []Device, sink Sink, opts Options,
	ended func(StepEnd)) error {
	var r *run
	if len(c.Devices) == 0 {
		r = newRun(c, devices[0].Device, sink, opts)
	} else {
		r = newRunOn(c, devices, sink, opts)
	}
	for _, l := range r.lanes {
		l.result, l.steps.dynamic, l.troubles.startedAt = event.Pass, true, time.Now()
		l.shots.off, l.artifacts.off = true, true
		l.session.StepPictures = false
	}
	err := action.Guard(func() error {
		if _, err := r.describe(); err != nil {
			return err
		}
		for name, value := range opts.Saved {
			r.vars.scope.Set(name, value)
		}
		for _, step := range c.Test.Steps {
			if opts.OnStep != nil {
				opts.OnStep(step)
			}
			began := time.Now()
			r.session.Detail, r.session.Value = &event.Detail{}, nil
			o := r.blocks.one(ctx, step)
			ended(StepEnd{Step: step, Result: o.result, Problem: o.problem, Detail: r.session.Detail, Value: r.session.Value,
				Took: time.Since(began), Tree: r.session.Tree, Saved: r.vars.scope.Saved(), Failed: r.lanes.failed(o.problem)})
			if !o.ok() {
				r.applyOutcome(o)
				return nil
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case r.result == event.Pass:
		return nil
	case r.steps.cause != nil:
		return r.steps.cause
	case r.problem != nil:
		return &action.Failure{Problem: *r.problem}
	}
	return r.sinkErr
}

// Case is the case of the steps.
func (s *Stepwise) Case() plan.Case { return s.r.c }

// Device is the device of the steps.
func (s *Stepwise) Device() drivers.Device { return s.r.dev }

// Dir is the folder of the report pack.
func (s *Stepwise) Dir() string { return s.r.sink.Dir() }
