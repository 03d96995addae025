package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/plan"
)

// Options are how a case is run.
type Options struct {
	// Timeout of a step that names none; zero: action.DefaultTimeout.
	Timeout time.Duration
	// NoVideo leaves the recording out.
	NoVideo bool
}

// Run runs the case on the device and tells the sink everything that happens. A cancelled context ends the case as interrupted.
// The verdict is also in the CaseEnded event; the error is not nil when the sink could not keep the report.
func Run(ctx context.Context, c plan.Case, dev drivers.Device, sink Sink, opts Options) (reporters.Verdict, error) {
	r := &run{c: c, dev: dev, sink: sink, opts: opts}
	r.session = &action.Session{Device: dev, Dir: c.Dir}
	if r.opts.Timeout == 0 {
		r.opts.Timeout = action.DefaultTimeout
	}
	return r.all(ctx)
}

// Sink is where a case's events and files go: a report pack.
type Sink interface {
	reporters.Sink
	// AddClip takes a part of the native film; NoRecording says why there is none.
	AddClip(path string, start time.Time)
	NoRecording(reason string)
}

// run is one case under way.
type run struct {
	c        plan.Case
	dev      drivers.Device
	sink     Sink
	opts     Options
	scope    *dsl.Scope
	session  *action.Session
	sinkErr  error // the first one
	verdict  reporters.Verdict
	problem  *reporters.Problem
	evidence evidence
}

func (r *run) all(ctx context.Context) (reporters.Verdict, error) {
	began := time.Now()
	described, err := r.describe()
	r.verdict = reporters.Pass
	r.emit(reporters.Event{Kind: reporters.CaseStarted, Case: &described})
	if err != nil { // plan.Build finds most of this before
		r.end(reporters.Error, &reporters.Problem{Message: err.Error(), Stack: stackOf(err)})
	}
	if r.verdict == reporters.Pass {
		r.evidence.start(ctx, r)
	}
	for i, step := range r.c.Test.Steps {
		if r.verdict != reporters.Pass {
			break
		}
		r.step(ctx, i+1, step)
	}
	took := time.Since(began)
	r.evidence.stop(ctx, r)
	if r.sinkErr != nil {
		r.verdict = reporters.Error
		r.problem = &reporters.Problem{Message: "the report could not be written: " + r.sinkErr.Error()}
	}
	r.emit(reporters.Event{Kind: reporters.CaseEnded, Verdict: r.verdict, DurationMS: took.Milliseconds(), Problem: r.problem})
	return r.verdict, r.sinkErr
}

// describe sums up the case and the device, and makes the variables. Also with an error there is something to show.
func (r *run) describe() (described reporters.Case, err error) {
	if r.scope, err = r.c.Scope(); err != nil {
		return Describe(r.c), err
	}
	described = describe(r.c, r.scope)
	err = guard(func() error {
		info := r.dev.Info()
		described.Device, described.Model = info.ID, strings.TrimSpace(info.Manufacturer+" "+info.Model)
		return nil
	})
	return described, err
}

// emit tells the sink; the first time that it cannot keep something ends the case.
func (r *run) emit(e reporters.Event) { r.keep(r.sink.Emit(e)) }

func (r *run) keep(err error) {
	if err != nil && r.sinkErr == nil {
		r.sinkErr = err
		r.verdict = reporters.Error
	}
}

// log tells a reader of the report something that no verdict tells.
func (r *run) log(step int, format string, args ...any) {
	r.emit(reporters.Event{Kind: reporters.Logged, Step: step, Message: fmt.Sprintf(format, args...)})
}

// step runs one step and takes its picture.
func (r *run) step(ctx context.Context, n int, step *dsl.Step) {
	if ctx.Err() != nil {
		r.end(reporters.Interrupted, interrupted(ctx))
		return
	}
	r.emit(reporters.Event{Kind: reporters.StepStarted, Step: n})
	if r.sinkErr != nil {
		return
	}
	r.session.Detail = &reporters.Detail{}
	began := time.Now()
	err := r.perform(ctx, step)
	took := time.Since(began)

	ended := reporters.Event{Kind: reporters.StepEnded, Step: n, DurationMS: took.Milliseconds(), Detail: r.session.Detail}
	ended.Verdict, ended.Problem = judge(ctx, err)
	if err := r.pictures(ctx, n, step, ended); err != nil && ended.Verdict == reporters.Pass {
		ended.Verdict, ended.Problem = judge(ctx, err)
	}
	r.emit(ended)
	if ended.Verdict != reporters.Pass {
		r.end(ended.Verdict, ended.Problem)
	}
}

// end fixes the verdict of the case; a report that cannot be kept weighs more.
func (r *run) end(v reporters.Verdict, p *reporters.Problem) {
	if r.sinkErr == nil {
		r.verdict, r.problem = v, p
	}
}

// perform fills in the variables and performs the action.
func (r *run) perform(ctx context.Context, step *dsl.Step) error {
	return guard(func() error {
		args, opts, err := dsl.Bind(step, r.scope)
		if err != nil {
			return err
		}
		r.session.Timeout = r.opts.Timeout
		if opts.TimeoutMs != nil {
			r.session.Timeout = time.Duration(*opts.TimeoutMs) * time.Millisecond
		}
		return action.Perform(ctx, r.session, args)
	})
}

// judge turns the outcome of a step into a verdict and its reason.
func judge(ctx context.Context, err error) (reporters.Verdict, *reporters.Problem) {
	verdict := action.VerdictOf(err)
	if verdict == reporters.Pass {
		return verdict, nil
	}
	stack := stackOf(err)
	if ctx.Err() != nil && stack == "" && (verdict == reporters.Error || errors.Is(err, context.Canceled)) {
		return reporters.Interrupted, interrupted(ctx)
	}
	problem := action.ProblemOf(err)
	problem.Stack = stack
	return verdict, &problem
}

func interrupted(ctx context.Context) *reporters.Problem {
	why := context.Cause(ctx)
	if errors.Is(why, context.Canceled) {
		return &reporters.Problem{Message: "the run was interrupted"}
	}
	return &reporters.Problem{Message: "the run was interrupted: " + why.Error()}
}

// pictureLimit bounds the picture of a step in which the device broke: one that hangs must not cost its own limit twice.
const pictureLimit = 5 * time.Second

// pictures takes the step's screenshot, and before it one more when an assertion did not hold. A device that is broken may have
// none; the error is a panic.
func (r *run) pictures(ctx context.Context, n int, step *dsl.Step, ended reporters.Event) error {
	if ended.Verdict == reporters.Interrupted {
		return nil
	}
	if ended.Verdict == reporters.Error {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, pictureLimit)
		defer cancel()
	}
	label := pictureLabel(step, r.scope)
	shots := []reporters.Shot{{Step: n, Label: label}}
	if ended.Problem != nil && ended.Problem.Assertion {
		shots = []reporters.Shot{{Step: n, Label: label, Failure: true}, shots[0]}
	}
	for _, shot := range shots {
		err := guard(func() (err error) {
			shot.Image, err = r.dev.Screenshot(ctx)
			if err == nil && (shot.Image == nil || shot.Image.Bounds().Empty()) {
				err = errors.New("the device gave an empty picture")
			}
			return err
		})
		if err != nil {
			if !errors.Is(err, drivers.ErrPage) { // no page is open: there is nothing to see
				r.log(n, "no screenshot: %v", err)
			}
			if stackOf(err) != "" {
				return err
			}
			return nil
		}
		// That the run was interrupted just now is no reason to lose the picture.
		r.keep(r.sink.Screenshot(context.WithoutCancel(ctx), shot))
	}
	return nil
}

// pictureLabel names a picture after what the step did, never after text that was typed.
func pictureLabel(step *dsl.Step, scope *dsl.Scope) string {
	if step.Options.Name != "" {
		return step.Options.Name
	}
	switch step.Def.Name {
	case "input", "webType":
		return step.Def.Name
	}
	text := step.Args.Text
	for _, key := range []string{"label", "text", "id", "package", "selector", "url", "testId", "css"} {
		if f, ok := step.Args.Get(key); ok && text == "" {
			text = f.Value.Text
		}
	}
	if filled, err := scope.Expand(text, step.Pos); err == nil {
		text = filled
	}
	return step.Def.Name + " " + text
}

// Describe sums a case up for the report of a run in which it got no device. Variables that have no value stay as they are written.
func Describe(c plan.Case) reporters.Case {
	scope, err := c.Scope()
	if err != nil {
		scope, _ = dsl.NewScope(&dsl.Test{Source: c.Test.Source}, nil, nil) // without vars there is nothing to go wrong
	}
	return describe(c, scope)
}

func describe(c plan.Case, scope *dsl.Scope) reporters.Case {
	t := c.Test
	d := reporters.Case{ID: t.ID, Pack: c.Pack, Name: t.Name, Platform: c.Platform, Solver: "dsl", Tags: t.Tags, Place: t.Pos}
	for i, s := range t.Steps {
		d.Steps = append(d.Steps, reporters.Step{N: i + 1, Action: s.Def.Name, Name: s.Options.Name, Args: dsl.Args(s, scope),
			Place: s.Pos, Source: t.Source.Line(s.Pos.Line)})
	}
	return d
}
