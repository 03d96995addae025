package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// blocks runs lists of steps, and steps with nested steps.
type blocks struct {
	*report
	vars  *variables
	steps *stepper
	// foreign runs a command of a flow of Maestro.
	foreign func(context.Context, *dsl.Step, *maestro.Command) outcome
	lanes   lanes  // of the case; only the blocks of the first one run steps with on
	goCall  GoCall // may be nil
	run     *run
}

// list runs steps one after the other until one does not pass.
func (b *blocks) list(ctx context.Context, steps dsl.Steps) outcome {
	for _, step := range steps {
		if o := b.one(ctx, step); !o.ok() {
			return o
		}
		if b.sinkErr != nil {
			return outcome{result: event.Error}
		}
	}
	return passed
}

// one runs a step with its options; a failure of a soft or an optional step does not stop the list.
func (b *blocks) one(ctx context.Context, step *dsl.Step) outcome {
	if ctx.Err() != nil {
		return outcome{event.Interrupted, interrupted(ctx)}
	}
	outer := b.vars.source
	b.vars.source = step.Source()
	defer func() { b.vars.source = outer }()
	if c, is := step.Foreign().(*maestro.Command); is {
		return b.foreign(ctx, step, c)
	}
	if step.Options.When != nil {
		on, err := b.vars.truth(ctx, *step.Options.When)
		if err != nil {
			return b.steps.leaf(ctx, step, func(context.Context) error { return err })
		}
		if !on {
			if !step.Def.Control() { // its steps are reported as skipped at the end
				b.steps.skip(step, "the condition "+step.Options.When.Text+" does not hold")
			}
			return passed
		}
	}
	o := b.steps.attempt(step.Options.Optional, func() outcome { return b.do(ctx, step) })
	if o.result != event.Fail {
		return o
	}
	switch {
	case step.Options.Optional:
		return passed
	case step.Options.Soft, b.steps.repaired:
		b.steps.repaired = false
		b.steps.later(o)
		return passed
	}
	return o
}

// do runs a step without the options that decide what its failure means.
func (b *blocks) do(ctx context.Context, step *dsl.Step) outcome {
	if step.Def.Control() {
		return b.controlled(ctx, step)
	}
	return b.steps.leaf(ctx, step, func(ctx context.Context) error { return b.steps.perform(ctx, step) })
}

// controlled runs a step with nested steps, with its options.
func (b *blocks) controlled(ctx context.Context, step *dsl.Step) outcome {
	args, opts, err := dsl.Bind(step, b.vars.scope)
	if err != nil {
		return b.steps.leaf(ctx, step, func(context.Context) error { return asTestError(err) })
	}
	began := time.Now()
	o := passed
	for try := 0; ; try++ {
		again := try < opts.Retries
		o = b.steps.attempt(again, func() outcome { return b.control(ctx, step, args, opts.TimeoutMs) })
		if o.result != event.Fail || !again {
			break
		}
	}
	if took := time.Since(began); o.ok() && opts.BudgetMs != nil && took > milliseconds(*opts.BudgetMs) {
		return b.steps.leaf(ctx, step, func(context.Context) error { return overBudget(took, *opts.BudgetMs) })
	}
	return o
}

// control runs the steps of a control action once. Its time limit does not include what try does after a failure.
func (b *blocks) control(ctx context.Context, step *dsl.Step, args any, timeoutMs *int) outcome {
	if a, ok := args.(dsl.Try); ok {
		return b.try(ctx, a, func() outcome {
			return b.within(ctx, step, timeoutMs, func(ctx context.Context) outcome { return b.inside(ctx, "try", a.Steps) })
		})
	}
	wait := elementTime
	if timeoutMs != nil {
		wait = milliseconds(*timeoutMs)
	}
	switch a := args.(type) { // their timeout belongs to the condition
	case dsl.If:
		if a.Cond == nil {
			return b.branch(ctx, step, a, wait)
		}
	case dsl.Repeat:
		if a.Visible != nil || a.NotVisible != nil {
			return b.repeat(ctx, step, a, wait)
		}
	}
	return b.within(ctx, step, timeoutMs, func(ctx context.Context) outcome {
		if own := step.Def.Own; own.HasSteps() {
			return b.ownAction(ctx, step, paramsOf(args))
		} else if own != nil {
			return b.runGo(ctx, step, args)
		}
		switch a := args.(type) {
		case dsl.If:
			return b.branch(ctx, step, a, wait)
		case dsl.Repeat:
			return b.repeat(ctx, step, a, wait)
		case dsl.Retry:
			return b.retry(ctx, a)
		case dsl.ForEach:
			return b.forEach(ctx, step, a)
		case dsl.Group:
			return b.inside(ctx, name("group", a.Name), a.Steps)
		case dsl.Run:
			return b.block(ctx, step, a)
		case dsl.On:
			return b.on(ctx, step, a)
		}
		return outcome{event.Error, &event.Problem{Message: fmt.Sprintf("no way to run %T", args)}}
	})
}

// inside runs steps that reports show as parts of a block.
func (b *blocks) inside(ctx context.Context, what string, steps dsl.Steps) outcome {
	b.steps.in = append(b.steps.in, what)
	defer func() { b.steps.in = b.steps.in[:len(b.steps.in)-1] }()
	return b.list(ctx, steps)
}

func (b *blocks) branch(ctx context.Context, step *dsl.Step, a dsl.If, wait time.Duration) outcome {
	on, err := b.vars.conditionHolds(ctx, a.Cond, a.Visible, a.NotVisible, wait)
	switch {
	case err != nil:
		return b.steps.leaf(ctx, step, func(context.Context) error { return err })
	case on:
		return b.inside(ctx, "then", a.Then)
	}
	return b.inside(ctx, "else", a.Else)
}

func (b *blocks) repeat(ctx context.Context, step *dsl.Step, a dsl.Repeat, wait time.Duration) outcome {
	times := a.Rounds()
	for i := range times {
		if a.While != nil || a.Visible != nil || a.NotVisible != nil {
			on, err := b.vars.conditionHolds(ctx, a.While, a.Visible, a.NotVisible, wait)
			if err != nil {
				return b.steps.leaf(ctx, step, func(context.Context) error { return err })
			}
			if !on {
				return passed
			}
		}
		what := fmt.Sprintf("repeat %d", i+1)
		if a.Times != nil {
			what = fmt.Sprintf("repeat %d/%d", i+1, times)
		}
		if o := b.inside(ctx, what, a.Steps); !o.ok() {
			return o
		}
	}
	if a.Times == nil {
		return b.steps.leaf(ctx, step, func(context.Context) error {
			what := "the condition"
			if a.While != nil {
				what = a.While.Text
			}
			return asTestError(fmt.Errorf("%s still holds after %d rounds; times: says how many there may be", what, times))
		})
	}
	return passed
}

func (b *blocks) retry(ctx context.Context, a dsl.Retry) outcome {
	times := max(a.Times, 1)
	for i := range times {
		again := i+1 < times
		what := fmt.Sprintf("attempt %d/%d", i+1, times)
		o := b.steps.attempt(again, func() outcome { return b.inside(ctx, what, a.Steps) })
		if o.result != event.Fail || !again {
			return o
		}
	}
	return passed
}

func (b *blocks) forEach(ctx context.Context, step *dsl.Step, a dsl.ForEach) outcome {
	items := a.In.List
	if a.In.Expr != nil {
		value, err := b.vars.eval(*a.In.Expr)
		if err == nil {
			items, err = listOf(value)
		}
		if err != nil {
			return b.steps.leaf(ctx, step, func(context.Context) error { return err })
		}
	}
	before, had := b.vars.scope.Value(a.Var)
	defer func() {
		b.vars.scope.Unset(a.Var)
		if had {
			b.vars.scope.Set(a.Var, before)
		}
	}()
	for i, item := range items {
		b.vars.scope.Set(a.Var, item)
		if o := b.inside(ctx, b.roundOf(i, len(items), item), a.Steps); !o.ok() {
			return o
		}
	}
	return passed
}

// roundName is the length of the item in the name of a round, in characters.
const roundName = 40

// roundOf names a round of a loop by its number and, if it is short, by its item: "forEach 2/3: Bread".
func (b *blocks) roundOf(i, n int, item any) string {
	round := fmt.Sprintf("forEach %d/%d", i+1, n)
	switch item.(type) {
	case string, int, float64, source.Numeral, bool:
		text := phrase.OneLine(b.sink.Mask().Text(dsl.Show(item))) // masked first: a part of a secret is not recognized
		if text = strings.ReplaceAll(text, " › ", " > "); text != "" {
			return round + ": " + phrase.LimitRunes(text, roundName)
		}
	}
	return round
}

func listOf(value any) ([]any, error) {
	switch list := value.(type) {
	case []any:
		return list, nil
	case []string:
		items := make([]any, len(list))
		for i, s := range list {
			items[i] = s
		}
		return items, nil
	case []int:
		items := make([]any, len(list))
		for i, n := range list {
			items[i] = n
		}
		return items, nil
	}
	return nil, asTestError(fmt.Errorf("forEach needs a list, not %s", dsl.Show(value)))
}

// try lets the test continue after a failure if it says how to handle it.
func (b *blocks) try(ctx context.Context, a dsl.Try, steps func() outcome) outcome {
	o := b.steps.attempt(len(a.OnFailure) > 0, steps)
	if o.result == event.Fail && len(a.OnFailure) > 0 {
		o = b.inside(ctx, "onFailure", a.OnFailure)
	}
	if ctx := beyond(ctx); len(a.Always) > 0 && ctx.Err() == nil && b.sinkErr == nil {
		if last := b.inside(ctx, "always", a.Always); o.ok() {
			o = last
		}
	}
	return o
}

// block runs the steps of another file with its own variables.
func (b *blocks) block(ctx context.Context, step *dsl.Step, a dsl.Run) outcome {
	inner, err := b.vars.scope.Block(step.Block, a.With)
	if err != nil {
		return b.steps.leaf(ctx, step, func(context.Context) error { return asTestError(err) })
	}
	outer, source := b.vars.scope, b.vars.source
	b.vars.scope, b.vars.source = inner, step.Block.Source
	defer func() { b.vars.scope, b.vars.source = outer, source }()
	o := b.inside(ctx, "run "+a.What(), step.Block.Steps)
	if step.Options.As != "" && o.ok() {
		outer.Set(step.Options.As, inner.Saved())
	}
	return o
}

func name(kind, name string) string {
	if name == "" {
		return kind
	}
	return kind + " " + name
}

// limit ends a context because a step with nested steps exceeded its time limit, and not because the run ended.
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
// out, or another device of the case failed.
func beyond(ctx context.Context) context.Context {
	for {
		if l := expired(ctx); l != nil {
			ctx = l.outer
		} else if s := stoppedBy(ctx); s != nil {
			ctx = s.outer
		} else {
			return ctx
		}
	}
}

// within runs nested steps within the step's time limit, if it has one. The nested step that was running at the end of
// the limit is reported as interrupted, and the limited step as failed.
func (b *blocks) within(ctx context.Context, step *dsl.Step, timeoutMs *int, do func(context.Context) outcome) outcome {
	if timeoutMs == nil {
		return do(ctx)
	}
	l := &limit{step, milliseconds(*timeoutMs), ctx}
	limited, cancel := context.WithTimeoutCause(ctx, l.after, l)
	defer cancel()
	o := do(limited)
	if expired(limited) == l && ctx.Err() == nil && (o.ok() || o.result == event.Interrupted) {
		return b.steps.leaf(ctx, step, func(context.Context) error {
			return &action.Failure{Problem: event.Problem{Message: l.Error()}}
		})
	}
	return o
}
