package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// report sends the events and files of a case to its sink, and has the result of the case so far.
type report struct {
	sink    Sink
	sinkErr error // the first one
	result  event.Result
	problem *event.Problem

	count  *atomic.Int64 // steps that were started, on all devices
	device string        // of several: the one that it reports on, by its name in the test
	first  bool          // it is the first one
	stepOf map[*event.Problem]int
}

// next returns the number of the next step.
func (r *report) next() int { return int(r.count.Add(1)) }

// belongs records the step of a problem.
func (r *report) belongs(p *event.Problem, step int) {
	if p == nil || r.device == "" {
		return
	}
	if r.stepOf == nil {
		r.stepOf = map[*event.Problem]int{}
	}
	r.stepOf[p] = step
}

// emit sends an event to the sink; the first event that cannot be written ends the case.
func (r *report) emit(e event.Event) {
	if r.device != "" && e.Step == 0 {
		if !r.first {
			e.Device = r.device
		}
		if e.Kind == event.Logged {
			e.Message = r.device + ": " + e.Message
		}
	}
	r.keep(r.sink.Emit(e))
}

// keep keeps the first error of the sink.
func (r *report) keep(err error) {
	if err != nil && r.sinkErr == nil {
		r.sinkErr = err
		r.result = event.Error
	}
}

// log sends a warning that does not affect the result.
func (r *report) log(step int, format string, args ...any) {
	r.emit(event.Event{Kind: event.Logged, Step: step, Message: fmt.Sprintf(format, args...)})
}

// end sets the result of the case; a report that cannot be written takes precedence.
func (r *report) end(v event.Result, p *event.Problem) {
	if r.sinkErr == nil {
		r.result, r.problem = v, p
	}
}

// applyOutcome takes over an outcome if no worse one is known.
func (r *report) applyOutcome(o outcome) {
	if !o.ok() && r.result == event.Pass {
		r.end(o.result, o.problem)
	}
}

// outcome is the result of a step, or of several.
type outcome struct {
	result  event.Result
	problem *event.Problem
}

var passed = outcome{result: event.Pass}

// ok reports whether the following steps run.
func (o outcome) ok() bool { return o.result == event.Pass }

// judge turns the outcome of a step into a result and its reason.
func judge(ctx context.Context, err error) (event.Result, *event.Problem) {
	result := action.ResultOf(err)
	if result == event.Pass {
		return result, nil
	}
	stack := action.StackOf(err)
	lost := stoppedBy(ctx) != nil && action.ProblemOf(err).Kind == event.DeviceLost && !errors.Is(err, context.Canceled)
	if ctx.Err() != nil && stack == "" && !lost && (result == event.Error || errors.Is(err, context.Canceled)) {
		return event.Interrupted, interrupted(ctx)
	}
	problem := action.ProblemOf(err)
	if stack != "" {
		problem.Stack = stack
	}
	return result, &problem
}

func interrupted(ctx context.Context) *event.Problem {
	if s := stoppedBy(ctx); s != nil {
		return &event.Problem{Message: s.Error()}
	}
	why := context.Cause(ctx)
	if errors.Is(why, context.Canceled) {
		return &event.Problem{Message: "the run was interrupted"}
	}
	return &event.Problem{Message: "the run was interrupted: " + why.Error()}
}
