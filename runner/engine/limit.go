package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// limit ends a context because a step with nested steps exceeded its timeoutMs, and not because the run ended.
type limit struct {
	step  *dsl.Step
	after time.Duration
	outer context.Context // without the limit
}

func (l *limit) Error() string {
	return fmt.Sprintf("the %s took longer than %s", l.step.Def.Name, l.after)
}

// expired returns the limit that ended the context, nil if the context has not ended or if the run ended it.
func expired(ctx context.Context) *limit {
	var l *limit
	if ctx.Err() != nil && errors.As(context.Cause(ctx), &l) {
		return l
	}
	return nil
}

// beyond returns a context that ends only with the run: for work that is necessary although an enclosing step timed
// out.
func beyond(ctx context.Context) context.Context {
	for l := expired(ctx); l != nil; l = expired(ctx) {
		ctx = l.outer
	}
	return ctx
}

// within runs nested steps within the step's time limit, if it has one. The nested step that was running at the end of
// the limit is reported as interrupted, and the limited step as failed.
func (r *run) within(ctx context.Context, step *dsl.Step, timeoutMs *int, do func(context.Context) outcome) outcome {
	if timeoutMs == nil {
		return do(ctx)
	}
	l := &limit{step, milliseconds(*timeoutMs), ctx}
	limited, cancel := context.WithTimeoutCause(ctx, l.after, l)
	defer cancel()
	o := do(limited)
	if expired(limited) == l && ctx.Err() == nil && (o.ok() || o.result == event.Interrupted) {
		return r.leaf(ctx, step, func(context.Context) error {
			return &action.Failure{Problem: event.Problem{Message: l.Error()}}
		})
	}
	return o
}
