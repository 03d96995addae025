package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/maestro"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// outcome is the result of a step, or of several.
type outcome struct {
	result  event.Result
	problem *event.Problem
}

var passed = outcome{result: event.Pass}

// ok reports whether the following steps run.
func (o outcome) ok() bool { return o.result == event.Pass }

// list runs steps one after the other until one does not pass.
func (r *run) list(ctx context.Context, steps dsl.Steps) outcome {
	for _, step := range steps {
		if o := r.one(ctx, step); !o.ok() {
			return o
		}
		if r.sinkErr != nil {
			return outcome{result: event.Error}
		}
	}
	return passed
}

// one runs a step with its options; a failure of a soft or an optional step does not stop the list.
func (r *run) one(ctx context.Context, step *dsl.Step) outcome {
	if ctx.Err() != nil {
		return outcome{event.Interrupted, interrupted(ctx)}
	}
	outer := r.source
	r.source = step.Source()
	defer func() { r.source = outer }()
	if c, is := step.Foreign().(*maestro.Command); is {
		return r.foreign(ctx, step, c)
	}
	if step.Options.When != nil {
		on, err := r.truth(ctx, *step.Options.When)
		if err != nil {
			return r.leaf(ctx, step, func(context.Context) error { return err })
		}
		if !on {
			r.skip(step)
			return passed
		}
	}
	o := r.attempt(step.Options.Optional, func() outcome { return r.do(ctx, step) })
	if o.result != event.Fail {
		return o
	}
	switch {
	case step.Options.Optional:
		return passed
	case step.Options.Soft:
		r.later(o)
		return passed
	}
	return o
}

// later stores the failure of a soft step until the step that handles it, or the test, has run its other steps.
func (r *run) later(o outcome) {
	switch {
	case r.lenient == 0:
		r.applyOutcome(o)
	case r.soft == nil:
		r.soft = &o
	}
}

// do runs a step without the options that decide what its failure means.
func (r *run) do(ctx context.Context, step *dsl.Step) outcome {
	if step.Def.Control() {
		return r.controlled(ctx, step)
	}
	return r.leaf(ctx, step, func(ctx context.Context) error { return r.perform(ctx, step) })
}

// skip reports a step that is skipped because of its condition.
func (r *run) skip(step *dsl.Step) {
	if step.Def.Control() {
		return // its steps are reported as skipped at the end
	}
	r.n++
	r.started(step)
	r.emit(event.Event{Kind: event.StepEnded, Step: r.n, Result: event.Skipped,
		Problem: &event.Problem{Message: "the condition " + step.Options.When.Text + " does not hold"}})
}

// started reports the start of leaf step r.n.
func (r *run) started(step *dsl.Step) {
	r.sink.Mask().Hide(dsl.Secrets(step, r.scope)...)
	e := event.Event{Kind: event.StepStarted, Step: r.n}
	if r.dynamic {
		info := infoOf(step, r.scope)
		info.N, info.In = r.n, strings.Join(r.in, " › ")
		e.Info = &info
	}
	r.emit(e)
}

// leaf runs a step that acts, reports it and takes its screenshot.
func (r *run) leaf(ctx context.Context, step *dsl.Step, do func(context.Context) error) outcome {
	r.n++
	n := r.n
	r.started(step)
	if r.sinkErr != nil {
		return outcome{result: event.Error}
	}
	r.session.Detail, r.session.Reading, r.session.Searches = &event.Detail{}, nil, nil
	began := time.Now()
	err := r.attempts(ctx, step, do)
	r.cause = err
	took := time.Since(began)
	if r.acts {
		r.acts, r.acted = false, time.Now()
	}
	if budget := step.Options.BudgetMs; err == nil && budget != nil && took > milliseconds(*budget) {
		err = overBudget(took, *budget)
	}
	for _, text := range r.session.Warnings {
		r.emit(event.Event{Kind: event.Logged, Step: n, Message: text, Warning: true})
	}
	r.keepTree(n)
	r.evidence.frames.add(n, r.session.Searches)
	r.keepReading(n)
	if use := r.session.Detail.Model; use != nil {
		r.modelUse.AddModelUse(*use)
	}
	r.session.Detail.Troubles = r.evidence.troubles()
	ended := event.Event{Kind: event.StepEnded, Step: n, DurationMS: took.Milliseconds(), Detail: r.session.Detail}
	ended.Result, ended.Problem = judge(ctx, err)
	r.nameTroubles(ended, began)
	o := outcome{ended.Result, ended.Problem}
	if err := r.takeScreenshots(ctx, step, ended); err != nil && o.ok() {
		ended.Result, ended.Problem = judge(ctx, err)
		o = outcome{ended.Result, ended.Problem}
	}
	if r.lenient > 0 && o.result == event.Fail && (r.flow == nil || !r.flow.fatal) {
		ended.Result = event.Warned
	}
	r.emit(ended)
	return o
}

// attempts runs the step once, and again as often as its option retries says as long as the app is wrong.
func (r *run) attempts(ctx context.Context, step *dsl.Step, do func(context.Context) error) error {
	for try := 0; ; try++ {
		err := do(ctx)
		if err == nil || try >= step.Options.Retries || ctx.Err() != nil || action.ResultOf(err) != event.Fail {
			return err
		}
		r.session.Detail.Notes = append(r.session.Detail.Notes, fmt.Sprintf("attempt %d failed: %v", try+1, err))
	}
}

func overBudget(took time.Duration, budget int) error {
	return &action.Failure{Problem: event.Problem{Assertion: true,
		Message:  fmt.Sprintf("the step took %d ms, and its budget is %d ms", took.Milliseconds(), budget),
		Expected: fmt.Sprintf("at most %d ms", budget), Actual: fmt.Sprintf("%d ms", took.Milliseconds())}}
}

// perform fills in the variables, performs the action and saves its value.
func (r *run) perform(ctx context.Context, step *dsl.Step) error {
	return action.Guard(func() error {
		args, opts, err := dsl.Bind(step, r.scope)
		if err != nil {
			return asTestError(err)
		}
		if set, ok := args.(dsl.Set); ok {
			return r.set(set)
		}
		if a, ok := args.(dsl.Launch); ok {
			r.launches(a.Package)
		}
		if err := r.takePendingBefore(ctx, args); err != nil {
			return err
		}
		r.session.Timeout = opts.Limit(args, r.opts.Timeout)
		if err := action.Perform(ctx, r.session, args); err != nil {
			return err
		}
		if opts.As != "" {
			r.save(opts.As, r.session.Value)
		}
		return nil
	})
}

// set sets variables. All values are computed before the first one is set.
func (r *run) set(a dsl.Set) error {
	computed := dsl.Names{}
	for _, name := range slices.Sorted(maps.Keys(a.Expr)) { // of several wrong ones, always the same is reported
		value, err := r.eval(a.Expr[name])
		if err != nil {
			return err
		}
		computed[name] = value
	}
	for _, values := range []dsl.Names{a.Vars, computed} {
		for name, value := range values {
			r.save(name, value)
		}
	}
	return nil
}

// save saves a value under a name; a secret value is masked from now on.
func (r *run) save(name string, value any) {
	r.scope.Set(name, value)
	if slices.Contains(r.c.Test.Secrets, name) {
		r.hide(name)
	}
}

// asTestError turns an error that is found only when a step's variables are known into a failure of the test, not of
// the device.
func asTestError(err error) error {
	var place *source.Error
	if errors.As(err, &place) {
		return &action.Failure{Problem: event.Problem{Message: place.Msg + hint(place)}}
	}
	return &action.Failure{Problem: event.Problem{Message: err.Error()}}
}

func hint(e *source.Error) string {
	if e.Hint == "" {
		return ""
	}
	return "; " + e.Hint
}

// launches records an app by its package, which an activity may follow: com.example.app/.Settings. A page's URL is kept
// whole.
func (r *run) launches(app string) {
	if !strings.Contains(app, ":") {
		app, _, _ = strings.Cut(app, "/")
	}
	if !slices.Contains(r.apps, app) {
		r.apps = append(r.apps, app)
	}
}
