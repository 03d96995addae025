package engine

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/maestro"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// whole runs a command with nested commands. It counts as one command itself: it changes the screen, at its end, if one
// of the nested commands did.
func (r *run) whole(do func() outcome) outcome {
	before := r.flow.mutated
	o := do()
	changed := o.ok() && r.flow.mutated > before
	r.flow.mutated = before
	if changed {
		r.mutates()
	}
	return o
}

// holds evaluates a condition with its texts filled in.
func (r *run) holds(ctx context.Context, c *maestro.Condition) (bool, error) {
	if c == nil {
		return true, nil
	}
	if c.Platform != "" && c.Platform != string(r.c.Platform) || c.True != nil && !maestro.Truth(*c.True) {
		return false, nil
	}
	for _, side := range []struct {
		element *maestro.Selector
		look    func(context.Context, *action.Session, dsl.Selector, time.Duration) (bool, error)
	}{{c.Visible, action.Sees}, {c.NotVisible, action.Misses}} {
		if side.element == nil {
			continue
		}
		sel, err := side.element.Lower()
		if err != nil {
			r.flow.fatal = true
			return false, &action.Failure{Problem: event.Problem{Message: err.Error()}}
		}
		on := false
		err = action.Guard(func() (err error) {
			on, err = side.look(ctx, r.session, sel, r.shortened(flowOptional))
			return err
		})
		if err != nil || !on {
			return false, err
		}
	}
	return true, nil
}

// when runs a command if its condition holds.
func (r *run) when(ctx context.Context, step *dsl.Step, c *maestro.Condition, do func() outcome) outcome {
	on, err := r.holds(ctx, c)
	switch {
	case err != nil:
		return r.leaf(ctx, step, func(context.Context) error { return err })
	case !on:
		r.skipped(step, "its condition does not hold")
		return passed
	}
	return do()
}

// skipped reports a command that is skipped.
func (r *run) skipped(step *dsl.Step, why string) {
	r.n++
	r.started(step)
	r.emit(event.Event{Kind: event.StepEnded, Step: r.n, Result: event.Skipped, Problem: &event.Problem{Message: why}})
}

func callName(a maestro.RunFlow) string {
	if a.Flow == nil {
		return "runFlow"
	}
	return "runFlow " + a.Flow.File
}

// subflow runs nested commands in a scope of their own. All of them count as one change of the screen, or as none.
func (r *run) subflow(ctx context.Context, step *dsl.Step, a maestro.RunFlow, what string) outcome {
	r.flow.js.Enter()
	defer r.flow.js.Leave()
	before := r.flow.mutated
	o := r.nested(ctx, step, a, what)
	changed := o.ok() && r.flow.mutated > before
	r.flow.mutated = before
	if changed {
		r.flow.mutated++
	}
	return o
}

// nested runs the commands of runFlow and retry: those in the command itself, or those of a file.
func (r *run) nested(ctx context.Context, step *dsl.Step, a maestro.RunFlow, what string) outcome {
	for range a.Again {
		if o := r.define(ctx, step, a.Env); !o.ok() {
			return o
		}
	}
	if a.Flow == nil {
		return r.inside(ctx, what, a.Steps)
	}
	outer := r.source
	r.source = a.Flow.Source
	defer func() { r.source = outer }()
	if o := r.define(ctx, step, a.Flow.Env); !o.ok() {
		return o
	}
	before := r.flow.mutated
	o := r.body(ctx, a.Flow, what)
	body := r.flow.mutated
	o = r.complete(ctx, a.Flow.Complete, o)
	if len(a.Flow.Complete) > 0 && r.flow.mutated == body {
		r.flow.mutated = before // Maestro checks both
	}
	return o
}

// body runs onFlowStart and the commands of a called flow.
func (r *run) body(ctx context.Context, f *maestro.Flow, what string) outcome {
	before := r.flow.mutated
	if len(f.Start) > 0 {
		o := r.inside(ctx, what+" › onFlowStart", f.Start)
		if o.ok() && r.flow.mutated == before {
			r.log(r.n, "the commands of %s are skipped: its onFlowStart changed nothing on the screen, and Maestro treats "+
				"that as a failure", f.File)
			return o
		}
		r.flow.mutated = before
		if !o.ok() {
			return o
		}
	}
	return r.inside(ctx, what, f.Steps)
}

// again performs retry.
func (r *run) again(ctx context.Context, step *dsl.Step, a maestro.Retry) outcome {
	most, err := strconv.Atoi(a.Max)
	if err != nil {
		most = 1
	}
	most = min(most, maxFlowRetry)
	o := passed
	for try := 0; try <= most; try++ {
		last := try == most
		o = r.attempt(!last, func() outcome {
			return r.subflow(ctx, step, a.RunFlow, fmt.Sprintf("retry %d/%d", try+1, most+1))
		})
		if o.result != event.Fail || r.flow.fatal || last {
			return o
		}
	}
	return o
}

// rounds performs repeat.
func (r *run) rounds(ctx context.Context, step *dsl.Step, a maestro.Repeat) outcome {
	most := math.MaxInt
	if a.Times != nil {
		if n, err := strconv.ParseFloat(strings.TrimSpace(*a.Times), 64); err == nil {
			most = int(max(min(n, math.MaxInt32), math.MinInt32))
		}
	}
	for round := 0; ; round++ {
		if ctx.Err() != nil {
			return outcome{event.Interrupted, interrupted(ctx)}
		}
		on, err := r.whileTrue(ctx, a.While)
		switch {
		case err != nil:
			return r.leaf(ctx, step, func(context.Context) error { return scriptFailure(err) })
		case on && round < most:
		case round == 0:
			r.skipped(step, "it has no rounds")
			return passed
		default:
			return passed
		}
		r.flow.js.Enter()
		o := r.inside(ctx, fmt.Sprintf("repeat %d", round+1), a.Steps)
		r.flow.js.Leave()
		if !o.ok() {
			return o
		}
	}
}

func (r *run) whileTrue(ctx context.Context, c *maestro.Condition) (bool, error) {
	if c == nil {
		return true, nil
	}
	filled, err := maestro.Expand(*c, r.fill(ctx))
	if err != nil {
		r.flow.fatal = true
		return false, err
	}
	return r.holds(ctx, &filled)
}
