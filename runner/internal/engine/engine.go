// Package engine runs one case on its devices, in most cases one: it takes a planned case and open devices, and sends
// events and screenshots to a sink as they happen. It does not depend on Ginkgo, on other cases, or on the format of
// reports.
package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/decide"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// Options configure the run of a case.
type Options struct {
	// Timeout of a step that names none; zero: action.DefaultTimeout.
	Timeout time.Duration
	// NoVideo disables the recording.
	NoVideo bool
	// NoTrace disables Playwright's trace of a browser.
	NoTrace bool
	// FailedTrace drops the trace of a case that passes.
	FailedTrace bool
	// NoScreenshots disables the screenshots of steps.
	NoScreenshots bool
	// NoDOM disables the snapshots of a page's elements.
	NoDOM bool
	// Repair returns the argument of an action with the selector of the element that it used before, when its element was
	// not found, and what is different; ok is false where nothing is clearly that element. The action is then performed
	// with it, to see whether the rest of the case passes, and the result is fail all the same. May be nil.
	Repair func(step event.Step, args any, searches []decide.Recording) (repaired any, text string, ok bool)
	// KeepFrames says whether the frames that decisions rested on are kept.
	KeepFrames KeepFrames
	// UnmaskedEvidence allows recordings and traces of tests with secrets, which may show them.
	UnmaskedEvidence bool
	// AllowShell lets tests run commands on the device.
	AllowShell bool
	// Exec says where programs on this machine leave their records; nil: exec steps are not allowed.
	Exec *start.Options
	// UpdateBaselines makes assertScreenshot accept the screen as the new baseline.
	UpdateBaselines bool
	// Headed opens pages in a browser window, overriding their steps.
	Headed bool
	// Warnings are warnings about the device from before the start of the case.
	Warnings []string
	// Saved are variables that earlier steps have saved; for RunInteractive only.
	Saved map[string]any
	// Values receives what the case has saved; nil: it is not needed.
	Values *Values
	// States is the folder of the run's browser states, which steps name without an extension; empty: there is none.
	States string
	// OnStep is called with each step before it runs; for RunInteractive only. May be nil.
	OnStep func(*dsl.Step)
	// Access is what steps may access on this machine.
	Access action.Access
	// Uses records the apps that the case starts and installs; may be nil.
	Uses *action.UsedApps
	// Mails are what earlier steps of the session know of mailboxes; nil: the case starts with none.
	Mails *action.Mails
	// GoCall runs own actions that are functions in Go; may be nil.
	GoCall GoCall
	// Vision reads images and judges them; nil: steps that need it are errors.
	Vision drivers.Vision
}

// Values are what a case has saved, for the cases that need it.
type Values struct {
	Saved  map[string]any
	Hidden []string // the secret values
}

// Run runs the case on the device and sends all events to the sink. A cancelled context ends the case as interrupted.
// The result is also in the CaseEnded event; the error is not nil when the sink could not write the report.
func Run(ctx context.Context, c plan.Case, dev drivers.Device, sink Sink, opts Options) (event.Result, error) {
	return newRun(c, dev, sink, opts).all(ctx)
}

// Device is one of several devices of a case.
type Device struct {
	Name     string // in the test
	Device   drivers.Device
	Warnings []string         // about the device from before the start of the case
	Uses     *action.UsedApps // records the apps that the case starts and installs there; may be nil
}

// RunOn is Run for a case with several devices, in the order of the test.
func RunOn(ctx context.Context, c plan.Case, devices []Device, sink Sink, opts Options) (event.Result, error) {
	return newRunOn(c, devices, sink, opts).all(ctx)
}

// Sink takes a case's events and files: a report pack.
type Sink interface {
	event.Sink
	// AddClip takes a part of the native recording; NoRecording says why there is none.
	AddClip(path string, start time.Time)
	NoRecording(reason string)
}

// run is one running case: a lane for each of its devices. The first lane runs the steps outside of on.
type run struct {
	*lane
	lanes lanes
}

func newRun(c plan.Case, dev drivers.Device, sink Sink, opts Options) *run {
	one := Device{Name: c.Test.MainDevice(), Device: dev, Warnings: opts.Warnings, Uses: opts.Uses}
	return newRunOn(c, []Device{one}, sink, opts)
}

func newRunOn(c plan.Case, devices []Device, sink Sink, opts Options) *run {
	sink.Mask().Hide(c.Hidden...)
	// with secrets, screenshots are masked, and nothing is recorded
	if len(c.Hidden) > 0 || computesCodes(c.Test.Lists()...) {
		own := *c.Test
		own.Secrets = append(slices.Clone(own.Secrets), "HIDDEN")
		c.Test = &own
	}
	if opts.Timeout == 0 {
		opts.Timeout = action.DefaultTimeout
	}
	if t := c.Test.TimeoutMs; t != nil {
		opts.Timeout = milliseconds(*t)
	}
	if opts.Mails == nil {
		opts.Mails = action.NewMails(time.Now())
	}
	r := &run{}
	for i, d := range devices {
		r.lanes = append(r.lanes, newLane(c, i, d, sink, opts))
	}
	r.lane = r.lanes[0]
	for _, l := range r.lanes {
		l.report.count, l.steps.moments = r.report.count, r.lanes.moments
	}
	r.blocks.lanes = r.lanes
	for _, l := range r.lanes {
		own := *r
		own.lane = l
		l.blocks.goCall, l.blocks.run = opts.GoCall, &own
	}
	return r
}

// computesCodes reports whether steps compute one-time codes, which are secret, also in the files that they run.
func computesCodes(lists ...dsl.Steps) bool {
	for _, steps := range lists {
		for s := range steps.All {
			if slices.ContainsFunc(s.Exprs(), dsl.Expr.ComputesCode) || s.Block != nil && computesCodes(s.Block.Steps) {
				return true
			}
		}
	}
	return false
}

func (r *run) all(ctx context.Context) (event.Result, error) {
	began := time.Now()
	r.startCase(ctx)
	if r.result == event.Pass {
		if err := action.Guard(func() error { r.test(ctx); return nil }); err != nil {
			r.end(event.Error, &event.Problem{Message: err.Error(), Stack: action.StackOf(err)})
		}
	}
	r.values(r.opts.Values)
	return r.conclude(ctx, time.Since(began))
}

// values stores what the case has saved, and which of its values are secret.
func (r *run) values(to *Values) {
	if to == nil || r.vars.scope == nil {
		return
	}
	to.Saved, to.Hidden = r.vars.scope.Saved(), slices.Clone(r.c.Hidden)
	for _, name := range r.c.Test.Secrets {
		if value, known := r.vars.scope.Value(name); known {
			to.Hidden = append(to.Hidden, dsl.Show(value))
		}
	}
}

// startCase sends the case and starts the recordings.
func (r *run) startCase(ctx context.Context) {
	described, err := r.describe()
	for _, l := range r.lanes {
		l.troubles.startedAt, l.result = time.Now(), event.Pass
	}
	r.emit(event.Event{Kind: event.CaseStarted, Case: &described})
	if mark := r.c.Outdated; mark != nil {
		r.log(0, "%s was a known failure until %s: failures count again", mark.Because, mark.Until)
	}
	for _, l := range r.lanes {
		for _, text := range slices.Concat(l.warnings, drivers.TakeWarnings(l.dev)) { // from preparing the device
			l.emit(event.Event{Kind: event.Logged, Message: text, Warning: true})
		}
	}
	if err != nil { // plan.Build finds most of this before
		r.end(event.Error, &event.Problem{Message: err.Error(), Stack: action.StackOf(err)})
	}
	if r.result == event.Pass {
		r.noteMail(ctx)
		r.lanes.each(func(l *lane) { l.evidence.start(ctx) })
		r.takeOver()
	}
	if r.result == event.Pass {
		r.lanes.each(func(l *lane) { l.usage.meter = startMeter(ctx, l.dev) })
	}
}

// noteMail notes which mail is there before the first step, in the mailboxes that steps wait for mail in.
func (r *run) noteMail(ctx context.Context) {
	if servers := dsl.MailServers(r.vars.scope, r.c.Test.Lists()...); len(servers) > 0 {
		r.opts.Mails.Note(ctx, r.session, servers)
	}
}

// conclude ends the recordings and sends the result.
func (r *run) conclude(ctx context.Context, took time.Duration) (event.Result, error) {
	for _, l := range r.lanes[1:] {
		if l.await(); l.result == event.Pass {
			l.result, l.problem = r.result, r.problem
		}
	}
	r.lanes.each(func(l *lane) { l.conclude(ctx) })
	r.takeOver()
	step := r.stepOf[r.problem]
	if r.sinkErr == nil {
		r.result, r.problem = r.c.Test.Fails.Judge(r.result, r.problem)
	}
	for _, l := range r.lanes {
		l.result, l.problem = r.result, r.problem
		l.evidence.addTraces()
		l.evidence.frames.end(l.report, l.result)
	}
	for _, l := range r.lanes {
		l.reportResult(ctx)
	}
	r.takeOver()
	if r.sinkErr != nil {
		r.result = event.Error
		r.problem = &event.Problem{Message: "the report could not be written: " + r.sinkErr.Error()}
	}
	ended := event.Event{Kind: event.CaseEnded, Result: r.result, DurationMS: took.Milliseconds(), Problem: r.problem}
	if len(r.lanes) > 1 {
		ended.Step = step
	}
	r.emit(ended)
	return r.result, r.sinkErr
}

// conclude ends the recording of a lane, and what else was kept of its device.
func (l *lane) conclude(ctx context.Context) {
	l.await()
	l.shots.takePendingAtEnd(ctx)
	l.usage.keepMetrics(ctx)
	l.awaitCrash(ctx)
	l.clips.end()
	l.identify(ctx)
	l.evidence.stop(ctx, l.troubles)
	l.troubles.noteIncidents(nil) // where there is no log
	if d, ok := l.dev.(drivers.TreeSource); ok {
		if said := d.TreeReadBy(); said != "" {
			l.emit(event.Event{Kind: event.Identified, ScreenRead: said})
		}
	}
	l.findCrash(ctx)
}

// test runs the hooks and the steps. The first problem decides the result; a problem of a hook counts only if the
// steps passed.
func (r *run) test(ctx context.Context) {
	t := r.c.Test
	o := r.blocks.list(ctx, t.Before)
	if o.ok() {
		o = r.blocks.list(ctx, t.Steps)
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
	r.applyOutcome(r.blocks.inside(ctx, name, steps))
}

// describe sums up the case and the device, and makes the variables. With an error it returns what is known.
func (r *run) describe() (described event.Case, err error) {
	if r.vars.scope, err = r.c.Scope(); err != nil {
		return Describe(r.c), err
	}
	r.vars.scope.HideCodes(r.sink.Mask().Hide)
	if r.session.BaseURL, err = r.vars.scope.BaseURL(); err != nil {
		return Describe(r.c), err
	}
	r.vars.hide(r.c.Test.Secrets...)
	r.sink.Mask().Hide(secretsOf(r.c.Test, r.vars.scope)...)
	described = describe(r.c, r.vars.scope)
	for _, l := range r.lanes {
		l.vars.scope, l.session.BaseURL, l.steps.dynamic = r.vars.scope, r.session.BaseURL, isDynamic(r.c.Test)
	}
	err = action.Guard(func() error {
		d := r.facts()
		described.Device, described.Model, described.OS = d.ID, d.Model, d.OS
		described.Session = r.sessionURL()
		for i := range described.Devices {
			described.Devices[i] = r.lanes[i].facts()
		}
		return nil
	})
	return described, err
}

const (
	// crashGrace is how long the engine waits for a crash after the last step that acted on the device.
	crashGrace = time.Second
	// crashLimit limits the final search for a crash: the device may be lost.
	crashLimit = 10 * time.Second
)

// awaitCrash waits for a crash of an app that the last step may have harmed, if nothing else went wrong.
func (l *lane) awaitCrash(ctx context.Context) {
	if _, watches := l.dev.(drivers.CrashWatcher); !watches || l.result != event.Pass || l.steps.acted.IsZero() {
		return
	}
	if rest := crashGrace - time.Since(l.steps.acted); rest > 0 {
		_ = drivers.Pause(ctx, rest) // an interrupted run is reported elsewhere
	}
}

// findCrash checks, once the log has ended, whether the app crashed during the case. A case with a crashed app never
// passes, whatever its last step returned. If this cannot be found out, the report says so.
func (l *lane) findCrash(ctx context.Context) {
	if ctx.Err() != nil || l.sinkErr != nil || l.problem != nil && l.problem.Kind == event.AppCrashed {
		return
	}
	if v := l.result; v != event.Pass && v != event.Fail && v != event.Error {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, crashLimit)
	defer cancel()
	var otherwise error
	if l.problem != nil {
		otherwise = &action.Failure{Problem: *l.problem}
	}
	var died *action.Failure
	err := action.Guard(func() (err error) {
		died, err = l.session.Died(ctx, otherwise)
		return err
	})
	switch {
	case err != nil && !errors.Is(err, drivers.ErrUnsupported):
		l.log(0, "whether the app has crashed could not be checked: %v", err)
	case died != nil:
		l.end(event.Fail, &died.Problem)
	}
}

// identifyLimit limits the query for the tested version.
const identifyLimit = 2 * time.Second

// identify reports which version of which app was tested, if the device works and knows it.
func (l *lane) identify(ctx context.Context) {
	d, ok := l.dev.(drivers.Identifier)
	if !ok || ctx.Err() != nil || l.sinkErr != nil || l.result == event.Error {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, identifyLimit)
	defer cancel()
	_ = action.Guard(func() error { // a device without that information is not an error of the test
		id, err := d.Identify(ctx)
		if err == nil && id != nil && *id != (drivers.Identity{}) {
			l.emit(event.Event{Kind: event.Identified, App: &event.App{ID: id.ID, Title: id.Title, Version: id.Version}})
		}
		return err
	})
}
