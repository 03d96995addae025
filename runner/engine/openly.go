package engine

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/plan"
)

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
}

// RunInteractive performs the steps of a case on a device that stays open, one after the other until one does not pass:
// without recording, log, screenshots or measurements. ended is called with each step at the top level; the error is
// the performer's error of the last step.
func RunInteractive(ctx context.Context, c plan.Case, dev drivers.Device, sink Sink, opts Options,
	ended func(StepEnd)) error {
	r := newRun(c, dev, sink, opts)
	r.result, r.dynamic, r.bare, r.startedAt = event.Pass, true, true, time.Now()
	r.session.StepPictures = false
	err := action.Guard(func() error {
		if _, err := r.describe(); err != nil {
			return err
		}
		for name, value := range opts.Saved {
			r.scope.Set(name, value)
		}
		for _, step := range c.Test.Steps {
			if opts.OnStep != nil {
				opts.OnStep(step)
			}
			began := time.Now()
			r.session.Detail, r.session.Value = &event.Detail{}, nil
			o := r.one(ctx, step)
			ended(StepEnd{Step: step, Result: o.result, Problem: o.problem, Detail: r.session.Detail, Value: r.session.Value,
				Took: time.Since(began), Tree: r.session.Tree, Saved: r.scope.Saved()})
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
	case r.cause != nil:
		return r.cause
	case r.problem != nil:
		return &action.Failure{Problem: *r.problem}
	}
	return r.sinkErr
}
