package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// controlled runs a step with nested steps, with its options.
func (r *run) controlled(ctx context.Context, step *dsl.Step) outcome {
	args, opts, err := dsl.Bind(step, r.scope)
	if err != nil {
		return r.leaf(ctx, step, func(context.Context) error { return asTestError(err) })
	}
	began := time.Now()
	o := passed
	for try := 0; ; try++ {
		again := try < opts.Retries
		o = r.attempt(again, func() outcome { return r.control(ctx, step, args, opts.TimeoutMs) })
		if o.result != event.Fail || !again {
			break
		}
	}
	if took := time.Since(began); o.ok() && opts.BudgetMs != nil && took > milliseconds(*opts.BudgetMs) {
		return r.leaf(ctx, step, func(context.Context) error { return overBudget(took, *opts.BudgetMs) })
	}
	return o
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// control runs the steps of a control action once. Its time limit does not include what try does after a failure.
func (r *run) control(ctx context.Context, step *dsl.Step, args any, timeoutMs *int) outcome {
	if a, ok := args.(dsl.Try); ok {
		return r.try(ctx, a, func() outcome {
			return r.within(ctx, step, timeoutMs, func(ctx context.Context) outcome { return r.inside(ctx, "try", a.Steps) })
		})
	}
	wait := elementTime
	if timeoutMs != nil {
		wait = milliseconds(*timeoutMs)
	}
	switch a := args.(type) { // their timeoutMs belongs to the condition
	case dsl.If:
		if a.Cond == nil {
			return r.branch(ctx, step, a, wait)
		}
	case dsl.Repeat:
		if a.Visible != nil || a.NotVisible != nil {
			return r.repeat(ctx, step, a, wait)
		}
	}
	return r.within(ctx, step, timeoutMs, func(ctx context.Context) outcome {
		switch a := args.(type) {
		case dsl.If:
			return r.branch(ctx, step, a, wait)
		case dsl.Repeat:
			return r.repeat(ctx, step, a, wait)
		case dsl.Retry:
			return r.retry(ctx, a)
		case dsl.ForEach:
			return r.forEach(ctx, step, a)
		case dsl.Group:
			return r.inside(ctx, name("group", a.Name), a.Steps)
		case dsl.Run:
			return r.block(ctx, step, a)
		}
		return outcome{event.Error, &event.Problem{Message: fmt.Sprintf("no way to run %T", args)}}
	})
}

// inside runs steps that reports show as parts of a block.
func (r *run) inside(ctx context.Context, what string, steps dsl.Steps) outcome {
	r.in = append(r.in, what)
	defer func() { r.in = r.in[:len(r.in)-1] }()
	return r.list(ctx, steps)
}

// elementTime is how long a condition waits for its element by default.
const elementTime = time.Second

// conditionHolds evaluates a condition: an expression, an element that must be on the screen, or one that must not.
func (r *run) conditionHolds(ctx context.Context, cond *dsl.Expr, visible, gone *dsl.Selector, wait time.Duration) (
	on bool,
	err error) {
	if cond != nil {
		return r.truth(ctx, *cond)
	}
	err = action.Guard(func() (err error) {
		on, err = action.Holds(ctx, r.session, visible, gone, wait)
		return err
	})
	return on, err
}

func (r *run) branch(ctx context.Context, step *dsl.Step, a dsl.If, wait time.Duration) outcome {
	on, err := r.conditionHolds(ctx, a.Cond, a.Visible, a.NotVisible, wait)
	switch {
	case err != nil:
		return r.leaf(ctx, step, func(context.Context) error { return err })
	case on:
		return r.inside(ctx, "then", a.Then)
	}
	return r.inside(ctx, "else", a.Else)
}

func (r *run) repeat(ctx context.Context, step *dsl.Step, a dsl.Repeat, wait time.Duration) outcome {
	times := a.Rounds()
	for i := range times {
		if a.While != nil || a.Visible != nil || a.NotVisible != nil {
			on, err := r.conditionHolds(ctx, a.While, a.Visible, a.NotVisible, wait)
			if err != nil {
				return r.leaf(ctx, step, func(context.Context) error { return err })
			}
			if !on {
				return passed
			}
		}
		what := fmt.Sprintf("repeat %d", i+1)
		if a.Times != nil {
			what = fmt.Sprintf("repeat %d/%d", i+1, times)
		}
		if o := r.inside(ctx, what, a.Steps); !o.ok() {
			return o
		}
	}
	if a.Times == nil {
		return r.leaf(ctx, step, func(context.Context) error {
			what := "the condition"
			if a.While != nil {
				what = a.While.Text
			}
			return asTestError(fmt.Errorf("%s still holds after %d rounds; times: says how many there may be", what, times))
		})
	}
	return passed
}

func (r *run) retry(ctx context.Context, a dsl.Retry) outcome {
	times := max(a.Times, 1)
	for i := range times {
		again := i+1 < times
		o := r.attempt(again, func() outcome { return r.inside(ctx, fmt.Sprintf("attempt %d/%d", i+1, times), a.Steps) })
		if o.result != event.Fail || !again {
			return o
		}
	}
	return passed
}

// attempt runs steps that may fail if an enclosing step handles it: lenient. Their failures are then warnings, also
// those of soft steps, which end the attempt after its last step.
func (r *run) attempt(lenient bool, do func() outcome) outcome {
	if !lenient {
		return do()
	}
	outer := r.soft
	r.soft, r.lenient = nil, r.lenient+1
	defer func() { r.soft, r.lenient = outer, r.lenient-1 }()
	o := do()
	if o.ok() && r.soft != nil {
		return *r.soft
	}
	return o
}

func (r *run) forEach(ctx context.Context, step *dsl.Step, a dsl.ForEach) outcome {
	items := a.In.List
	if a.In.Expr != nil {
		value, err := r.eval(*a.In.Expr)
		if err == nil {
			items, err = listOf(value)
		}
		if err != nil {
			return r.leaf(ctx, step, func(context.Context) error { return err })
		}
	}
	before, had := r.scope.Value(a.Var)
	defer func() {
		r.scope.Unset(a.Var)
		if had {
			r.scope.Set(a.Var, before)
		}
	}()
	for i, item := range items {
		r.scope.Set(a.Var, item)
		if o := r.inside(ctx, r.roundOf(i, len(items), item), a.Steps); !o.ok() {
			return o
		}
	}
	return passed
}

// roundName is the length of the item in the name of a round, in characters.
const roundName = 40

// roundOf names a round of a loop by its number and, if it is short, by its item: "forEach 2/3: Bread".
func (r *run) roundOf(i, n int, item any) string {
	round := fmt.Sprintf("forEach %d/%d", i+1, n)
	switch item.(type) {
	case string, int, float64, source.Numeral, bool:
		text := shorten.OneLine(r.sink.Mask().Text(dsl.Show(item))) // masked first: a part of a secret is not recognized
		if text = strings.ReplaceAll(text, " › ", " > "); text != "" {
			return round + ": " + shorten.Runes(text, roundName)
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
func (r *run) try(ctx context.Context, a dsl.Try, steps func() outcome) outcome {
	o := r.attempt(len(a.OnFailure) > 0, steps)
	if o.result == event.Fail && len(a.OnFailure) > 0 {
		o = r.inside(ctx, "onFailure", a.OnFailure)
	}
	if ctx := beyond(ctx); len(a.Always) > 0 && ctx.Err() == nil && r.sinkErr == nil {
		if last := r.inside(ctx, "always", a.Always); o.ok() {
			o = last
		}
	}
	return o
}

// block runs the steps of another file with its own variables.
func (r *run) block(ctx context.Context, step *dsl.Step, a dsl.Run) outcome {
	inner, err := r.scope.Block(step.Block, a.With)
	if err != nil {
		return r.leaf(ctx, step, func(context.Context) error { return asTestError(err) })
	}
	outer, source := r.scope, r.source
	r.scope, r.source = inner, step.Block.Source
	defer func() { r.scope, r.source = outer, source }()
	o := r.inside(ctx, "run "+a.What(), step.Block.Steps)
	if step.Options.As != "" && o.ok() {
		outer.Set(step.Options.As, inner.Saved())
	}
	return o
}

// truth evaluates a condition; a value other than true or false is an error in the test.
func (r *run) truth(ctx context.Context, e dsl.Expr) (bool, error) {
	known := r.expressionNames()
	var broken error // an error of the device, not of the test
	known["visible"] = func(label string) (bool, error) {
		on, err := action.Visible(ctx, r.session, label)
		if err != nil && broken == nil {
			broken = err
		}
		return on, err
	}
	var value any
	err := action.Guard(func() (err error) {
		value, err = r.scope.EvalExpr(e, r.source, known)
		return err
	})
	if broken != nil {
		return false, broken
	}
	if err != nil {
		return false, action.WrongExpression(err)
	}
	on, ok := value.(bool)
	if !ok {
		p := event.Problem{Message: fmt.Sprintf("%s is %s, neither true nor false", e.Text, dsl.Show(value))}
		if value == nil {
			return false, &action.Failure{Problem: p}
		}
		return false, &action.Mistake{Problem: p}
	}
	return on, nil
}

// eval evaluates an expression of a step; its errors are errors in the test.
func (r *run) eval(e dsl.Expr) (any, error) {
	value, err := r.scope.EvalExpr(e, r.source, r.expressionNames())
	if err != nil {
		return nil, action.WrongExpression(err)
	}
	return value, nil
}

// expressionNames are the names in expressions in addition to the variables.
func (r *run) expressionNames() map[string]any {
	info := r.dev.Info()
	return map[string]any{"platform": string(r.c.Platform),
		"device": map[string]any{"id": info.ID, "model": info.Model, "os": info.OSVersion}}
}

func name(kind, name string) string {
	if name == "" {
		return kind
	}
	return kind + " " + name
}
