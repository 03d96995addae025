package engine

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/script"
)

// resultName is the variable of an own action that its caller's as saves.
const resultName = "result"

// paramsOf are the values of the parameters of an own action.
func paramsOf(args any) map[string]any {
	if call, is := args.(interface{ Params() map[string]any }); is {
		return call.Params()
	}
	return nil
}

// ownAction runs the steps of an own action with the values of its parameters.
func (b *blocks) ownAction(ctx context.Context, step *dsl.Step, params map[string]any) outcome {
	if step.Block == nil {
		return b.steps.leaf(ctx, step, func(context.Context) error {
			return asTestError(fmt.Errorf("the steps of the action %s were not read", step.Def.Name))
		})
	}
	inner, err := b.vars.scope.Action(step.Block, params)
	if err != nil {
		return b.steps.leaf(ctx, step, func(context.Context) error { return asTestError(err) })
	}
	outer, from := b.vars.scope, b.vars.source
	b.vars.scope, b.vars.source = inner, step.Block.Source
	o := b.inside(ctx, b.callOf(step, params), step.Block.Steps)
	b.vars.scope, b.vars.source = outer, from
	if step.Options.As == "" || !o.ok() {
		return o
	}
	value, saved := inner.Saved()[resultName]
	if !saved {
		return b.steps.leaf(ctx, step, func(context.Context) error {
			return asTestError(fmt.Errorf("no step of %s that was run has saved %q, which as: %s takes", step.Def.Name,
				resultName, step.Options.As))
		})
	}
	b.vars.save(step.Options.As, value)
	return o
}

// callParams is the length of the parameters in the name of a call, in characters.
const callParams = 60

// callOf names a call in reports by what it was given: "signIn user: ada, role: admin".
func (b *blocks) callOf(step *dsl.Step, params map[string]any) string {
	if step.Options.Name != "" {
		return name(step.Def.Name, step.Options.Name)
	}
	var given []string
	for _, p := range step.Def.Own.Params {
		_, is := step.Args.Get(p.Name)
		if short := step.Args.Kind != source.Map && step.Args.Kind != source.Null; !is && !short {
			continue
		}
		text := phrase.OneLine(b.sink.Mask().Text(dsl.Show(params[p.Name]))) // masked before a part of it is cut off
		given = append(given, p.Name+": "+strings.ReplaceAll(text, " › ", " > "))
	}
	return name(step.Def.Name, phrase.LimitRunes(strings.Join(given, ", "), callParams))
}

// runScript runs the script of an own action. A time limit of the step includes what the script waits for.
func (s *stepper) runScript(ctx context.Context, step *dsl.Step, params map[string]any, timeoutMs *int) error {
	if err := s.before(ctx, dsl.Log{}); err != nil {
		return err
	}
	if timeoutMs != nil {
		late := &script.Error{File: step.Def.Own.Script.File,
			Message: "the script took longer than " + phrase.Duration(milliseconds(*timeoutMs))}
		limited, cancel := context.WithTimeoutCause(ctx, milliseconds(*timeoutMs), late)
		defer cancel()
		ctx = limited
	}
	own := step.Def.Own.Script
	js := script.New(script.Options{Platform: string(s.vars.c.Platform), Limit: milliseconds(own.TimeoutMs),
		Memory: uint64(own.MemoryMiB) << 20, Client: s.session.Client(),
		Log: func(text string) { s.log(s.n, "console: %s", text) }})
	for name, value := range params {
		if err := js.Give(name, value); err != nil {
			return asTestError(err)
		}
	}
	where := script.Where{File: own.File, Dir: filepath.FromSlash(path.Dir(own.File))}
	_, err := js.Run(ctx, own.Code, where)
	if err == nil {
		s.session.Value, err = js.Output(ctx, where)
	}
	return scriptFailure(err)
}

// GoCall runs an own action that is a function in Go: with the steps of a device, as part of a running case.
type GoCall func(ctx context.Context, steps *Stepwise, step *dsl.Step, args any) error

// runGo runs an own action in Go. Its steps are reported as parts of it; an error that none of them explains is a step
// of its own.
func (b *blocks) runGo(ctx context.Context, step *dsl.Step, args any) outcome {
	if b.goCall == nil {
		return b.steps.leaf(ctx, step, func(context.Context) error {
			return asTestError(errors.New("the action is a function in Go, which only the suite in Go can run"))
		})
	}
	b.steps.in = append(b.steps.in, b.callOf(step, paramsOf(args)))
	defer func() { b.steps.in = b.steps.in[:len(b.steps.in)-1] }()
	before := b.steps.n
	inner := &Stepwise{r: b.run, began: time.Now(), result: event.Pass}
	err := action.Guard(func() error { return b.goCall(ctx, inner, step, args) })
	result, problem := inner.Result()
	switch {
	case result != event.Pass:
		return outcome{result, problem}
	case err != nil:
		return b.steps.leaf(ctx, step, func(context.Context) error { return asGoError(err) })
	case b.steps.n == before: // it did nothing with the device: the report says that it ran
		return b.steps.leaf(ctx, step, func(context.Context) error { return nil })
	}
	return passed
}

// asGoError is the error of a function in Go: one that says nothing of the device is a failure of the test.
func asGoError(err error) error {
	if action.StackOf(err) != "" || action.ResultOf(err) != event.Error {
		return err
	}
	return &action.Failure{Problem: event.Problem{Message: err.Error()}}
}
