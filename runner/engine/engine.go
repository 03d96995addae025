package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/plan"
)

// Options configure the run of a case.
type Options struct {
	// Timeout of a step that names none; zero: action.DefaultTimeout.
	Timeout time.Duration
	// NoVideo disables the recording.
	NoVideo bool
	// NoTrace disables Playwright's trace of a browser.
	NoTrace bool
	// NoDOM disables the snapshots of a page's elements.
	NoDOM bool
	// UnmaskedEvidence allows recordings and traces of tests with secrets, which may show them.
	UnmaskedEvidence bool
	// AllowShell lets tests run commands on the device.
	AllowShell bool
	// UpdateBaselines makes assertScreenshot accept the screen as the new baseline.
	UpdateBaselines bool
	// Headed opens pages in a browser window, overriding their steps.
	Headed bool
	// Warnings are warnings about the device from before the start of the case.
	Warnings []string
	// Saved are variables that earlier steps have saved; for Openly only.
	Saved map[string]any
	// OnStep is called with each step before it runs; for Openly only. May be nil.
	OnStep func(*dsl.Step)
	// Access is what steps may access on this machine.
	Access action.Access
	// Uses records the apps that the case starts and installs; may be nil.
	Uses *action.UsedApps
	// Vision reads images and judges them; nil: steps that need it are errors.
	Vision drivers.Vision
}

// Run runs the case on the device and sends all events to the sink. A cancelled context ends the case as interrupted.
// The result is also in the CaseEnded event; the error is not nil when the sink could not write the report.
func Run(ctx context.Context, c plan.Case, dev drivers.Device, sink Sink, opts Options) (event.Result, error) {
	return newRun(c, dev, sink, opts).all(ctx)
}

func newRun(c plan.Case, dev drivers.Device, sink Sink, opts Options) *run {
	r := &run{c: c, dev: dev, sink: sink, opts: opts}
	if r.opts.Timeout == 0 {
		r.opts.Timeout = action.DefaultTimeout
	}
	if t := c.Test.TimeoutMs; t != nil {
		r.opts.Timeout = milliseconds(*t)
	}
	r.session = r.newSession()
	return r
}

func (r *run) newSession() *action.Session {
	work := filepath.Join(r.sink.Dir(), ".work")
	return &action.Session{Device: r.dev, Platform: r.c.Platform, Host: host{r}, Settings: action.Settings{
		Dir: r.c.Dir, Work: work,
		Access: r.opts.Access, Vision: r.opts.Vision, AllowShell: r.opts.AllowShell, Uses: r.opts.Uses,
		UpdateBaselines: r.opts.UpdateBaselines,
		Headed:          r.opts.Headed, StepPictures: true, NoPictures: len(r.c.Test.Secrets) > 0}}
}

// Sink takes a case's events and files: a report pack.
type Sink interface {
	event.Sink
	// AddClip takes a part of the native recording; NoRecording says why there is none.
	AddClip(path string, start time.Time)
	NoRecording(reason string)
}

// run is one running case.
type run struct {
	c        plan.Case
	dev      drivers.Device
	sink     Sink
	opts     Options
	scope    *dsl.Scope
	source   *source.Source // the file of the current step
	session  *action.Session
	sinkErr  error // the first one
	result   event.Result
	problem  *event.Problem
	evidence evidence
	cost     *meter        // nil: the device cannot be measured
	modelUse event.Metrics // of models
	bare     bool          // no evidence is kept: see Openly
	cause    error         // the error of the last leaf step

	pending []pendingScreenshot // screenshots of steps, to be taken before the device is changed again
	early   earlyScreenshot     // the screenshot that a step took itself
	// screenshotTook is how long the newest screenshot took; 0: there is none yet.
	screenshotTook time.Duration
	unsure         []pendingScreenshot // steps with a tap that had changed nothing when their screenshot was taken
	acts           bool                // the current step acts on the device
	acted          time.Time           // when such a step ended last
	n              int                 // leaf steps that were started
	dynamic        bool                // the steps are not known before they run
	in             []string            // the blocks around the current step
	clip           clip                // started by startRecording
	lenient        int                 // how many enclosing steps handle its failure
	startedAt      time.Time           // of the case
	page           pageKept
	missed         []failedStep // steps that did not pass
	apps           []string     // that were launched
	flow           *flowState   // the running flow of Maestro
	soft           *outcome     // the first failure of a soft step within the innermost of these
}

func (r *run) all(ctx context.Context) (event.Result, error) {
	began := time.Now()
	r.startCase(ctx)
	if r.result == event.Pass {
		if err := action.Guard(func() error { r.test(ctx); return nil }); err != nil {
			r.end(event.Error, &event.Problem{Message: err.Error(), Stack: action.StackOf(err)})
		}
	}
	return r.conclude(ctx, time.Since(began))
}

// startCase sends the case and starts the recording.
func (r *run) startCase(ctx context.Context) {
	described, err := r.describe()
	r.startedAt = time.Now()
	r.result = event.Pass
	r.emit(event.Event{Kind: event.CaseStarted, Case: &described})
	for _, text := range slices.Concat(r.opts.Warnings, drivers.TakeWarnings(r.dev)) { // from preparing the device
		r.emit(event.Event{Kind: event.Logged, Message: text, Warning: true})
	}
	if err != nil { // plan.Build finds most of this before
		r.end(event.Error, &event.Problem{Message: err.Error(), Stack: action.StackOf(err)})
	}
	if r.result == event.Pass {
		r.evidence.start(ctx, r)
	}
	if r.result == event.Pass {
		r.cost = startMeter(ctx, r.dev)
	}
}

// conclude ends the recording and sends the result.
func (r *run) conclude(ctx context.Context, took time.Duration) (event.Result, error) {
	r.takePendingAtEnd(ctx)
	r.keepMetrics(ctx)
	r.awaitCrash(ctx)
	r.endClip()
	r.identify(ctx)
	r.evidence.stop(ctx, r)
	r.noteIncidents(nil) // where there is no log
	if d, ok := r.dev.(drivers.TreeSource); ok {
		if said := d.TreeReadBy(); said != "" {
			r.emit(event.Event{Kind: event.Identified, ScreenRead: said})
		}
	}
	r.findCrash(ctx)
	if r.sinkErr != nil {
		r.result = event.Error
		r.problem = &event.Problem{Message: "the report could not be written: " + r.sinkErr.Error()}
	}
	r.emit(event.Event{Kind: event.CaseEnded, Result: r.result, DurationMS: took.Milliseconds(), Problem: r.problem})
	return r.result, r.sinkErr
}

// test runs the hooks and the steps. The first problem decides the result; a problem of a hook counts only if the
// steps passed.
func (r *run) test(ctx context.Context) {
	t := r.c.Test
	o := r.list(ctx, t.Before)
	if o.ok() {
		o = r.list(ctx, t.Steps)
	}
	r.applyOutcome(o)
	if r.result == event.Fail {
		r.hook(ctx, "onFailure", t.OnFailure)
	}
	r.hook(ctx, "after", t.After)
}

// hook runs steps that follow the test's own, unless the run is interrupted or the report can no longer be written.
func (r *run) hook(ctx context.Context, name string, steps dsl.Steps) {
	if len(steps) == 0 || ctx.Err() != nil || r.sinkErr != nil {
		return
	}
	r.in = append(r.in, name)
	defer func() { r.in = r.in[:len(r.in)-1] }()
	r.applyOutcome(r.list(ctx, steps))
}

// applyOutcome takes over an outcome if no worse one is known.
func (r *run) applyOutcome(o outcome) {
	if !o.ok() && r.result == event.Pass {
		r.end(o.result, o.problem)
	}
}

// describe sums up the case and the device, and makes the variables. With an error it returns what is known.
func (r *run) describe() (described event.Case, err error) {
	if r.scope, err = r.c.Scope(); err != nil {
		return Describe(r.c), err
	}
	r.hide(r.c.Test.Secrets...)
	for _, steps := range []dsl.Steps{r.c.Test.Before, r.c.Test.Steps, r.c.Test.OnFailure, r.c.Test.After} {
		for step := range steps.All {
			r.sink.Mask().Hide(dsl.Secrets(step, r.scope)...)
		}
	}
	described = describe(r.c, r.scope)
	r.dynamic = isDynamic(r.c.Test)
	err = action.Guard(func() error {
		info := r.dev.Info()
		described.Device, described.Model = info.ID, strings.TrimSpace(info.Manufacturer+" "+info.Model)
		if r.c.Platform != dsl.Web && info.OSVersion != "" {
			described.OS = string(r.c.Platform) + " " + info.OSVersion
		}
		return nil
	})
	return described, err
}

// hide masks the current values of variables in the report.
func (r *run) hide(names ...string) {
	for _, name := range names {
		if value, ok := r.scope.Value(name); ok {
			r.sink.Mask().Hide(dsl.Show(value))
		}
	}
}

// emit sends an event to the sink; the first event that cannot be written ends the case.
func (r *run) emit(e event.Event) { r.keep(r.sink.Emit(e)) }

func (r *run) keep(err error) {
	if err != nil && r.sinkErr == nil {
		r.sinkErr = err
		r.result = event.Error
	}
}

// log sends a warning that does not affect the result.
func (r *run) log(step int, format string, args ...any) {
	r.emit(event.Event{Kind: event.Logged, Step: step, Message: fmt.Sprintf(format, args...)})
}

// end sets the result of the case; a report that cannot be written takes precedence.
func (r *run) end(v event.Result, p *event.Problem) {
	if r.sinkErr == nil {
		r.result, r.problem = v, p
	}
}

// judge turns the outcome of a step into a result and its reason.
func judge(ctx context.Context, err error) (event.Result, *event.Problem) {
	result := action.ResultOf(err)
	if result == event.Pass {
		return result, nil
	}
	stack := action.StackOf(err)
	if ctx.Err() != nil && stack == "" && (result == event.Error || errors.Is(err, context.Canceled)) {
		return event.Interrupted, interrupted(ctx)
	}
	problem := action.ProblemOf(err)
	if stack != "" {
		problem.Stack = stack
	}
	return result, &problem
}

func interrupted(ctx context.Context) *event.Problem {
	why := context.Cause(ctx)
	if errors.Is(why, context.Canceled) {
		return &event.Problem{Message: "the run was interrupted"}
	}
	return &event.Problem{Message: "the run was interrupted: " + why.Error()}
}

// screenshotLabel names a screenshot after the action of the step, never after typed text.
func screenshotLabel(step *dsl.Step, scope *dsl.Scope) string {
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

// Describe sums a case up for the report of a run in which it had no device. Variables without a value stay as they are
// written.
func Describe(c plan.Case) event.Case {
	scope, err := c.Scope()
	if err != nil {
		scope, _ = dsl.NewScope(&dsl.Test{Source: c.Test.Source}, nil, nil) // without vars it cannot fail
	}
	return describe(c, scope)
}

func describe(c plan.Case, scope *dsl.Scope) event.Case {
	t := c.Test
	d := event.Case{ID: t.ID, Pack: c.Pack, Name: t.Name, Platform: c.Platform, Browser: c.Browser, Solver: "dsl",
		Tags: t.Tags, Place: t.Pos,
		Hash: hashOf(t), Description: t.Description, Owner: t.Owner, Links: t.Links, Properties: t.Properties}
	dynamic := isDynamic(t)
	for _, steps := range []dsl.Steps{t.Before, t.Steps, t.After} {
		for s := range steps.Leaves {
			info := infoOf(s, scope)
			if !dynamic {
				info.N = len(d.Steps) + 1
			}
			d.Steps = append(d.Steps, info)
		}
	}
	return d
}

// hashOf identifies a version of a test.
func hashOf(t *dsl.Test) string {
	if t.Source == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(t.Source.Lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// infoOf shows a step as reports do.
func infoOf(s *dsl.Step, scope *dsl.Scope) event.Step {
	return event.Step{Action: s.Def.Name, Name: s.Options.Name, Args: dsl.Args(s, scope), Place: s.Pos,
		Source: s.Source().Line(s.Pos.Line)}
}

// isDynamic reports whether the order of the steps is decided only while the test runs.
func isDynamic(t *dsl.Test) bool {
	if len(t.Before)+len(t.OnFailure)+len(t.After) > 0 {
		return true
	}
	for s := range t.Steps.All {
		if s.Def.Control() || s.Options.When != nil || s.Foreign() != nil {
			return true
		}
	}
	return false
}
