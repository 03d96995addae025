package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/testrun"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// Runner runs cases into one run directory. Safe for concurrent use.
type Runner struct {
	Config  Config
	Pool    *pool.Pool
	Dir     *pack.RunDir
	Observe func(event.Case, event.Event) // sequential for one case, concurrent for several; may be nil
	// Warn takes a warning about a device after its case, when the report is complete; may be nil, safe for concurrent
	// use.
	Warn func(text string)
	// Waits takes why a case waits for its several devices; may be nil, safe for concurrent use.
	Waits func(c plan.Case, reason string)
	// Remote runs the cases on other machines' devices; nil: they run on this one's.
	Remote RemoteRunner
	// Lent are devices that other machines lend for the case of OnHost, by their ids; the caller has leased them there.
	Lent map[string]drivers.Driver
	// Build groups the sessions of OnHost at a cloud.
	Build string
	// Until is the time after which no case starts; zero: there is none. Start and Resume set it.
	Until time.Time
	// Reporting is the reporters of the run.
	Reporting Reporting
	// Last means that nothing runs after All, so that browsers can end while the last reports are made.
	Last bool

	servers start.Running  // of StartServers; nil: none
	noting  sync.WaitGroup // for NoteEnvironment
	seeing  sync.Once
	sees    drivers.Vision
}

// Outcome is the result of one case.
type Outcome struct {
	Case       plan.Case
	CaseResult *event.CaseResult // nil when the run ended before the case had a device
	Dir        string            // of the pack
	Failed     int               // how many attempts failed before this one, the last
	Lost       string            // the device that an earlier attempt lost; empty: none
	Err        error             // the report could not be written

	noOther bool           // the case did not run: the only device is the one that was lost
	again   *try           // the case is to be run again, at the end of the run; nil: it is not
	values  *engine.Values // of a needed case
}

// lostDevice reports whether the case ended because its device was lost.
func (o Outcome) lostDevice() bool {
	return o.CaseResult != nil && o.CaseResult.LostDevice() && o.CaseResult.Case.Device != ""
}

// Result returns the result of the outcome. A case without a complete report never passes.
func (o Outcome) Result() event.Result {
	switch {
	case o.CaseResult == nil && o.Err != nil:
		return event.Error
	case o.CaseResult == nil:
		return event.Interrupted
	case o.Err != nil && o.CaseResult.Result.Good():
		return event.Error
	}
	return o.CaseResult.Result
}

// maxOpens is how many attempts a case makes to open one phone that is listed as ready.
const maxOpens = 2

// Flaky reports whether the case passed only on a later attempt.
func (o Outcome) Flaky() bool { return o.Failed > 0 && o.Result() == event.Pass }

// Run waits for a device, which counts in no timeout, runs the case on it and writes its pack. If a phone is lost
// before the case has started, the case uses another one if there is one. A case that fails is run again as often as
// its test says. A case that loses its device is run once more, on another one, if its test has retries and there is
// such a device. Each attempt writes a pack, and the last one is the outcome.
func (r *Runner) Run(ctx context.Context, c plan.Case) Outcome {
	return r.run(ctx, c, callbacks{rest: pool.Sleep, freed: func() {}})
}

// callbacks are callbacks of a running case.
type callbacks struct {
	rest  pool.SleepFunc // waits while there is no free device
	freed func()         // called when the case no longer needs its device; at most once, and not when it had none
	later bool           // the case returns after an attempt that another one is to follow
	again *Outcome       // of such an attempt, which the next one follows; nil: it is the first
}

// run is Run with callbacks.
func (r *Runner) run(ctx context.Context, c plan.Case, beside callbacks) (out Outcome) {
	defer func() { // the engine does not guard opening and closing a device, nor the report
		if p := recover(); p != nil {
			broke := action.NewPanic(p)
			out = Outcome{Case: c, Err: fmt.Errorf("%w\n%s", broke, broke.Stack)}
		}
	}()
	if c.Needed {
		defer func(pack string) { // also after a panic: those that need it wait
			if err := r.keep(pack, out); err != nil && out.Err == nil {
				out.Err = err
			}
		}(c.Pack)
	}
	if c.Test.Skip != "" {
		return r.without(ctx, c, notRun{result: event.Skipped, why: c.Test.Skip})
	}
	if why := plan.NotOnRemote(c, r.Config.Remote); why != "" {
		return r.without(ctx, c, notRun{result: event.Skipped, why: why})
	}
	if late(r) && beside.again == nil {
		return r.without(ctx, c, r.Config.outOfTime())
	}
	c, why, err := r.withNeeds(c)
	if err != nil {
		return r.without(ctx, c, notRun{result: event.Error, why: err.Error()})
	}
	if why != "" {
		return r.without(ctx, c, notRun{result: event.Skipped, why: why, kind: event.NeedsNotMet})
	}
	return r.attempts(ctx, c, beside)
}

// attempts runs a case, with the values that it needs, until it is not to be run again. A test that is known to fail
// runs once.
func (r *Runner) attempts(ctx context.Context, c plan.Case, beside callbacks) (out Outcome) {
	var t try
	if c.Test.Retries != nil && c.Test.Fails == nil {
		t.left = *c.Test.Retries
	}
	if beside.again != nil {
		out, t = *beside.again, *beside.again.again
	}
	for ; ; t.left-- {
		next := r.once(ctx, c, beside, t)
		if next.noOther {
			return out
		}
		out = next
		out.Failed, out.Lost = t.failed, t.lost
		switch {
		case t.left == 0 || ctx.Err() != nil:
			return out
		case out.Result() == event.Fail:
			t.failed++
			t.avoid = ""
		case t.lost == "" && out.lostDevice():
			var platform dsl.Platform
			if t.lost, platform = out.lost(); platform != dsl.Web && r.Config.Remote == nil { // its devices are opened again
				t.avoid = t.lost
			}
		default:
			return out
		}
		if beside.later {
			t.left--
			out.again = &t
			return out
		}
	}
}

// try is the state of a case before an attempt.
type try struct {
	left   int    // how often it can be run after this
	failed int    // attempts before this one
	lost   string // the device that an earlier attempt lost; at most one does
	avoid  string // the device to exclude
}

// first reports whether the case has not run yet.
func (t try) first() bool { return t.failed == 0 && t.lost == "" }

// once runs the case on the first device that can be opened.
func (r *Runner) once(ctx context.Context, c plan.Case, beside callbacks, t try) Outcome {
	if len(c.Devices) > 0 {
		return onSeveral(ctx, r, c, beside, t)
	}
	if r.Remote != nil {
		return r.runRemotely(ctx, c, t)
	}
	lease, dev, none := r.open(ctx, c, beside.rest, t.avoid)
	if none != nil {
		return *none
	}
	defer lease.Release()
	if t.first() && late(r) { // it waited for the device
		return r.without(ctx, c, r.Config.outOfTime())
	}
	return r.on(ctx, c, lease, dev, func(v event.Result) {
		if t.left == 0 || v != event.Fail && v != event.Error {
			beside.freed()
		}
	})
}

// Open waits for a device that suits the case and opens it. none is the outcome of a case without such a device.
func (r *Runner) Open(ctx context.Context, c plan.Case, rest pool.SleepFunc) (lease *pool.Lease, dev drivers.Device,
	none *Outcome) {
	return r.open(ctx, c, rest, "")
}

// open is Open without the device that an earlier attempt has lost, if avoid names one.
func (r *Runner) open(ctx context.Context, c plan.Case, rest pool.SleepFunc, avoid string) (lease *pool.Lease,
	dev drivers.Device, none *Outcome) {
	tried := openAttempts{need: c.Test.Device, avoid: avoid, tries: map[string]int{}}
	ctx = testrun.With(ctx, testrun.Test{ID: c.Test.ID, Build: buildName(r.Config.getenv(), r.Dir)})
	for {
		lease, err := r.Pool.LeaseFor(ctx, pool.Request{Platform: c.Platform, What: c.Pack, Skip: tried.passes, Sleep: rest})
		if err != nil && avoid != "" && tried.err == nil {
			return nil, nil, &Outcome{Case: c, noOther: true}
		}
		if err != nil {
			none := r.unleased(ctx, c, &tried, err)
			return nil, nil, &none
		}
		dev, err := lease.OpenGuarded(ctx)
		if err == nil {
			return lease, dev, nil
		}
		lease.Release()
		r.Pool.Forget(c.Platform)
		tried.tries[lease.Info.ID]++
		tried.info, tried.err = lease.Info, err
		if ctx.Err() == nil && errors.Is(err, drivers.ErrDeviceLost) && !lease.Own {
			continue // the case can still use another device
		}
		ended := r.unopened(ctx, c, &tried)
		return nil, nil, &ended
	}
}

// unleased ends a case without a device.
func (r *Runner) unleased(ctx context.Context, c plan.Case, tried *openAttempts, err error) Outcome {
	var none *pool.NoDeviceError
	switch {
	case ctx.Err() != nil:
		return Outcome{Case: c}
	case errors.Is(err, pool.ErrSpent) && tried.err != nil:
		return r.unopened(ctx, c, tried)
	case errors.Is(err, pool.ErrSpent):
		return r.without(ctx, c, notRun{result: r.resultWithoutDevice(), why: "no device is what the test needs: " +
			strings.Join(tried.unsuitable, "; ")})
	case errors.As(err, &none):
		result := r.resultWithoutDevice()
		if none.Lost {
			result = event.Error
		}
		why := none.Reason
		if r.Remote != nil { // a Remote runs the YAML cases
			why += "; the hub has devices for the tests in YAML: a spec in Go uses those of this machine"
		}
		return r.without(ctx, c, notRun{result: result, why: why})
	}
	return r.without(ctx, c, notRun{result: event.Error, why: err.Error()})
}

// resultWithoutDevice is the result of a case without a device.
func (r *Runner) resultWithoutDevice() event.Result {
	if r.Config.RequireDevices {
		return event.Error
	}
	return event.Skipped
}

// on runs the case on an open device. The device is released, and freed called, before the recording is converted.
func (r *Runner) on(ctx context.Context, c plan.Case, lease *pool.Lease, dev drivers.Device,
	freed func(event.Result)) Outcome {
	defer dev.Close()
	if err := browse(ctx, dev, c.Browser); err != nil {
		return r.unbrowsed(ctx, c, dev, err)
	}
	if err := lacks(ctx, dev, c); err != nil {
		return lacking(ctx, r, c, dev, err)
	}
	pack, err := r.Pack(&c, dev.Info())
	if err != nil {
		return Outcome{Case: c, Err: err}
	}
	opts := caseOptions(r, c)
	opts.Warnings = r.PrepareDevice(ctx, dev)
	if r.Config.AfterUse.Cleans() {
		opts.Uses = &action.UsedApps{}
	}
	result, runErr := engine.Run(ctx, c, dev, pack, opts)
	r.clean(ctx, dev, opts.Uses)
	r.GiveBack(lease, dev, result)
	freed(result)
	out := r.Finish(ctx, c, pack, runErr)
	out.values = opts.Values
	return out
}

// unbrowsed ends a case with a browser that is not available here.
func (r *Runner) unbrowsed(ctx context.Context, c plan.Case, dev drivers.Device, err error) Outcome {
	n := notRun{result: event.Error, why: fmt.Sprintf("%s does not start: %v", dsl.BrowserTitle(c.Browser), err),
		device: dev.Info()}
	n.device.Model = dsl.BrowserTitle(c.Browser)
	var missing *drivers.Unavailable
	switch {
	case ctx.Err() != nil:
		n.result, n.why = event.Interrupted, "the run was interrupted"
	case errors.As(err, &missing):
		n.result, n.why = r.resultWithoutDevice(), missing.Error()
	}
	return r.without(ctx, c, n)
}

// PrepareDevice switches the device's animations off for the case, where it can, and keeps its display on. If that
// fails, it returns warnings for the report.
func (r *Runner) PrepareDevice(ctx context.Context, dev drivers.Device) []string {
	calm, ok := dev.(drivers.AnimationControl)
	if !ok {
		return nil
	}
	if err := calm.StopAnimations(ctx); err != nil && ctx.Err() == nil {
		r.Config.logger().Warn("animations stay on", "device", dev.Info().ID, "error", err)
		return []string{fmt.Sprintf("animations stay on: %v", err)}
	}
	return nil
}

// Engine returns the engine's options from the configuration.
func (r *Runner) Engine() engine.Options {
	c := r.Config
	return engine.Options{Exec: c.Programs.Options(c.getenv()),
		Timeout: c.Timeout, NoVideo: c.NoVideo, NoTrace: c.NoTrace, NoDOM: c.NoDOM,
		KeepFrames: c.KeepFrames, AllowShell: c.AllowShell,
		UnmaskedEvidence: c.Unmasked, UpdateBaselines: c.Baselines, Headed: c.Headed,
		Access: c.access(), Vision: r.vision(), GoCall: c.GoCall}
}

// cleanLimit limits the clean-up of apps after a case.
const cleanLimit = 30 * time.Second

// clean applies the configured policy to the apps that a case used. It is not a part of the case.
func (r *Runner) clean(ctx context.Context, dev drivers.Device, used *action.UsedApps) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanLimit)
	defer cancel()
	if err := action.Guard(func() error { return used.Clean(ctx, dev, r.Config.AfterUse) }); err != nil {
		r.Config.logger().Warn("clean device", "device", dev.Info().ID, "error", err)
		r.warn("after the test: %v", err)
	}
}

// GiveBack closes the device of a case that has ended, and releases it.
func (r *Runner) GiveBack(lease *pool.Lease, dev drivers.Device, result event.Result) {
	if err := dev.Close(); err != nil {
		r.Config.logger().Warn("close device", "device", lease.Info.ID, "error", err)
		r.warn("the device was not restored: %v", err)
	}
	if result == event.Error { // the device may be lost: the next case must list the devices again
		r.Pool.Forget(lease.Info.Platform)
	}
	lease.Release()
}

// warn prints a warning that is too late for a report.
func (r *Runner) warn(format string, args ...any) {
	if r.Warn != nil {
		r.Warn(fmt.Sprintf(format, args...))
	}
}

// notRun is why a case did not run.
type notRun struct {
	result event.Result
	why    string
	device drivers.Info // that it would have run on, if any
	kind   string       // of the problem
}

// unopened ends a case with a device that cannot be opened.
func (r *Runner) unopened(ctx context.Context, c plan.Case, o *openAttempts) Outcome {
	n := notRun{result: event.Error, why: fmt.Sprintf("device %s cannot be opened: %v", o.info.ID, o.err), device: o.info}
	if ctx.Err() != nil {
		n.result, n.why = event.Interrupted, "the run was interrupted"
	}
	return r.without(ctx, c, n)
}

// without writes the pack of a case that did not run.
func (r *Runner) without(ctx context.Context, c plan.Case, n notRun) Outcome {
	pack, err := r.Pack(&c, n.device)
	if err != nil {
		return Outcome{Case: c, Err: err}
	}
	described := engine.Describe(c)
	described.Device, described.Model = n.device.ID, modelOf(n.device)
	err = pack.Emit(event.Event{Kind: event.CaseStarted, Case: &described})
	if err == nil {
		pack.NoRecording("nothing was run")
		err = pack.Emit(event.Event{Kind: event.CaseEnded, Result: n.result, Problem: &event.Problem{Message: n.why,
			Kind: n.kind}})
	}
	return r.Finish(ctx, c, pack, err)
}

// maxAttempts limits how often one case may run in one run directory (ginkgo --flake-attempts).
const maxAttempts = 100

// Pack makes the case's folder. A case that is run again gets a new folder, and its name changes to that of the folder.
func (r *Runner) Pack(c *plan.Case, device drivers.Info) (p *pack.Pack, err error) {
	kept := r.Config.evidenceOf(*c)
	err = named(c, func() error {
		p, err = r.Dir.NewPack(packed(*c, device), pack.PackOptions{FFmpeg: r.Config.FFmpeg,
			NoVideo: kept.Video == evidenceOff, FailedVideo: kept.Video == evidenceFailed,
			FailedScreenshots: kept.Screenshots == evidenceFailed, Observe: r.Reporting.observer(r.Observe)})
		return err
	})
	return p, err
}

// packed describes the case of a pack before the first event.
func packed(c plan.Case, device drivers.Info) event.Case {
	packed := event.Case{ID: c.Test.ID, Pack: c.Pack, Name: c.Test.Name, Platform: c.Platform, Browser: c.Browser,
		Solver: "dsl", Place: c.Test.Pos,
		Device: device.ID, Model: modelOf(device)}
	for _, e := range c.Devices {
		packed.Devices = append(packed.Devices, event.CaseDevice{Name: e.Name, Platform: e.Platform, Browser: e.Browser})
	}
	return packed
}

// named makes a folder with the name of the case's pack, or with the next free name.
func named(c *plan.Case, mk func() error) (err error) {
	first := c.Pack
	for try := range maxAttempts {
		if try > 0 {
			c.Pack = fmt.Sprintf("%s--%s-%d", first, cmp.Or(c.Twin, "attempt"), try+1)
		}
		if err = mk(); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return err
}

func modelOf(d drivers.Info) string { return strings.TrimSpace(d.Manufacturer + " " + d.Model) }

func (r *Runner) Finish(ctx context.Context, c plan.Case, pack *pack.Pack, runErr error) Outcome {
	result, err := pack.Finish(ctx)
	if err == nil { // otherwise err contains runErr
		err = runErr
	}
	return Outcome{Case: c, CaseResult: result, Dir: pack.Dir(), Err: err}
}
