package engine

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// whole runs a command with nested commands. It counts as one command itself: it changes the screen, at its end, if one
// of the nested commands did.
func (fs *flows) whole(do func() outcome) outcome {
	before := fs.steps.flow.mutated
	o := do()
	changed := o.ok() && fs.steps.flow.mutated > before
	fs.steps.flow.mutated = before
	if changed {
		fs.steps.flow.mutates()
	}
	return o
}

// holds evaluates a condition with its texts filled in.
func (fs *flows) holds(ctx context.Context, c *maestro.Condition) (bool, error) {
	if c == nil {
		return true, nil
	}
	if c.Platform != "" && c.Platform != string(fs.c.Platform) || c.True != nil && !maestro.Truth(*c.True) {
		return false, nil
	}
	for _, side := range []struct {
		element *maestro.Selector
		look    func(context.Context, *action.Performer, dsl.Selector, time.Duration) (bool, error)
	}{{c.Visible, action.Sees}, {c.NotVisible, action.Misses}} {
		if side.element == nil {
			continue
		}
		sel, err := side.element.Lower()
		if err != nil {
			fs.steps.flow.fatal = true
			return false, &action.Failure{Problem: event.Problem{Message: err.Error()}}
		}
		on := false
		err = action.Guard(func() (err error) {
			on, err = side.look(ctx, fs.session, sel, fs.steps.flow.shortened(flowOptional))
			return err
		})
		if err != nil || !on {
			return false, err
		}
	}
	return true, nil
}

// when runs a command if its condition holds.
func (fs *flows) when(ctx context.Context, step *dsl.Step, c *maestro.Condition, do func() outcome) outcome {
	on, err := fs.holds(ctx, c)
	switch {
	case err != nil:
		return fs.steps.leaf(ctx, step, func(context.Context) error { return err })
	case !on:
		fs.steps.skip(step, "its condition does not hold")
		return passed
	}
	return do()
}

func callName(a maestro.RunFlow) string {
	if a.Flow == nil {
		return "runFlow"
	}
	return "runFlow " + a.Flow.File
}

// subflow runs nested commands in a scope of their own. All of them count as one change of the screen, or as none.
func (fs *flows) subflow(ctx context.Context, step *dsl.Step, a maestro.RunFlow, what string) outcome {
	fs.steps.flow.js.Enter()
	defer fs.steps.flow.js.Leave()
	before := fs.steps.flow.mutated
	o := fs.nested(ctx, step, a, what)
	changed := o.ok() && fs.steps.flow.mutated > before
	fs.steps.flow.mutated = before
	if changed {
		fs.steps.flow.mutated++
	}
	return o
}

// nested runs the commands of runFlow and retry: those in the command itself, or those of a file.
func (fs *flows) nested(ctx context.Context, step *dsl.Step, a maestro.RunFlow, what string) outcome {
	for range a.Again {
		if o := fs.define(ctx, step, a.Env); !o.ok() {
			return o
		}
	}
	if a.Flow == nil {
		return fs.blocks.inside(ctx, what, a.Steps)
	}
	outer := fs.vars.source
	fs.vars.source = a.Flow.Source
	defer func() { fs.vars.source = outer }()
	if o := fs.define(ctx, step, a.Flow.Env); !o.ok() {
		return o
	}
	before := fs.steps.flow.mutated
	o := fs.body(ctx, a.Flow, what)
	body := fs.steps.flow.mutated
	o = fs.complete(ctx, a.Flow.Complete, o)
	if len(a.Flow.Complete) > 0 && fs.steps.flow.mutated == body {
		fs.steps.flow.mutated = before // Maestro checks both
	}
	return o
}

// body runs onFlowStart and the commands of a called flow.
func (fs *flows) body(ctx context.Context, f *maestro.Flow, what string) outcome {
	before := fs.steps.flow.mutated
	if len(f.Start) > 0 {
		o := fs.blocks.inside(ctx, what+" › onFlowStart", f.Start)
		if o.ok() && fs.steps.flow.mutated == before {
			fs.log(fs.steps.n, "the commands of %s are skipped: its onFlowStart changed nothing on the screen, and Maestro "+
				"treats that as a failure", f.File)
			return o
		}
		fs.steps.flow.mutated = before
		if !o.ok() {
			return o
		}
	}
	return fs.blocks.inside(ctx, what, f.Steps)
}

// again performs retry.
func (fs *flows) again(ctx context.Context, step *dsl.Step, a maestro.Retry) outcome {
	most, err := strconv.Atoi(a.Max)
	if err != nil {
		most = 1
	}
	most = min(most, maxFlowRetry)
	o := passed
	for try := 0; try <= most; try++ {
		last := try == most
		o = fs.steps.attempt(!last, func() outcome {
			return fs.subflow(ctx, step, a.RunFlow, fmt.Sprintf("retry %d/%d", try+1, most+1))
		})
		if o.result != event.Fail || fs.steps.flow.fatal || last {
			return o
		}
	}
	return o
}

// rounds performs repeat.
func (fs *flows) rounds(ctx context.Context, step *dsl.Step, a maestro.Repeat) outcome {
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
		on, err := fs.whileTrue(ctx, a.While)
		switch {
		case err != nil:
			return fs.steps.leaf(ctx, step, func(context.Context) error { return scriptFailure(err) })
		case on && round < most:
		case round == 0:
			fs.steps.skip(step, "it has no rounds")
			return passed
		default:
			return passed
		}
		fs.steps.flow.js.Enter()
		o := fs.blocks.inside(ctx, fmt.Sprintf("repeat %d", round+1), a.Steps)
		fs.steps.flow.js.Leave()
		if !o.ok() {
			return o
		}
	}
}

func (fs *flows) whileTrue(ctx context.Context, c *maestro.Condition) (bool, error) {
	if c == nil {
		return true, nil
	}
	filled, err := maestro.Expand(*c, fs.steps.flow.fill(ctx))
	if err != nil {
		fs.steps.flow.fatal = true
		return false, err
	}
	return fs.holds(ctx, &filled)
}
