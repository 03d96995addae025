package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// opened are the devices of a case with several, in the order of its test.
type opened struct {
	leases  []*pool.Lease
	devices []drivers.Device
}

// release closes what is open and releases all.
func (o *opened) release() {
	for _, dev := range o.devices {
		if dev != nil {
			_ = dev.Close() // a case that was not started has changed nothing
		}
	}
	for _, lease := range o.leases {
		if lease != nil {
			lease.Release()
		}
	}
}

// onSeveral runs a case once on the devices that its test names: it has all of them, or none.
func onSeveral(ctx context.Context, r *Runner, c plan.Case, beside callbacks, t try) Outcome {
	if r.Remote != nil {
		return r.runRemotely(ctx, c, t)
	}
	got, none := openAll(ctx, r, c, openOptions{beside.rest, t.avoid})
	if none != nil {
		return *none
	}
	if t.first() && late(r) { // it waited for the devices
		got.release()
		return r.without(ctx, c, r.Config.outOfTime())
	}
	return got.run(ctx, r, c, func(v event.Result) {
		if t.left == 0 || v != event.Fail && v != event.Error {
			beside.freed()
		}
	})
}

// OpenAll waits for the devices of a case with several and opens them, in the order of the case. none is the outcome of
// a case without its devices.
func OpenAll(ctx context.Context, r *Runner, c plan.Case) (leases []*pool.Lease, devices []drivers.Device,
	none *Outcome) {
	got, none := openAll(ctx, r, c, openOptions{rest: pool.Sleep})
	if none != nil {
		return nil, nil, none
	}
	return got.leases, got.devices, nil
}

// openOptions are how the devices of a case are leased.
type openOptions struct {
	rest  pool.SleepFunc
	avoid string // the id of a device to exclude
}

// openAll leases and opens all devices of a case. A phone that is lost meanwhile is replaced by another one, if there
// is one. none is the outcome of a case without its devices.
func openAll(ctx context.Context, r *Runner, c plan.Case, o openOptions) (*opened, *Outcome) {
	rest, avoid := o.rest, o.avoid
	tried := openAttempts{avoid: avoid, tries: map[string]int{}}
	lost := "" // the device of the entry that could not be opened
	for {
		leases, err := r.Pool.LeaseAll(ctx, pool.SeveralRequest{Wants: tried.wants(c.Devices), What: c.Pack, Sleep: rest,
			Waits: func(reason string) {
				if r.Waits != nil {
					r.Waits(c, reason)
				}
			}})
		if err != nil && avoid != "" && tried.err == nil {
			return nil, &Outcome{Case: c, noOther: true}
		}
		if err != nil && tried.err != nil && ctx.Err() == nil {
			none := unopenedOf(ctx, r, c, fmt.Sprintf("%s (%s) cannot be opened: %v", lost, tried.info.ID, tried.err))
			return nil, &none
		}
		if err != nil {
			none := r.unleased(ctx, c, &tried, err)
			return nil, &none
		}
		got := &opened{leases: leases, devices: make([]drivers.Device, len(leases))}
		failed, err := got.open(ctx)
		if err == nil {
			return got, nil
		}
		got.release()
		lease := leases[failed]
		r.Pool.Forget(lease.Info.Platform)
		tried.tries[lease.Info.ID]++
		tried.info, tried.err, lost = lease.Info, err, c.Devices[failed].Name
		if ctx.Err() == nil && errors.Is(err, drivers.ErrDeviceLost) && !lease.Own {
			continue
		}
		none := unopenedOf(ctx, r, c, fmt.Sprintf("%s (%s) cannot be opened: %v", lost, tried.info.ID, tried.err))
		return nil, &none
	}
}

// open opens all devices at once. failed is the first one that could not be opened.
func (o *opened) open(ctx context.Context) (failed int, err error) {
	errs := make([]error, len(o.leases))
	var work sync.WaitGroup
	for i, lease := range o.leases {
		work.Go(func() {
			errs[i] = action.Guard(func() (err error) {
				o.devices[i], err = lease.Open(ctx)
				return err
			})
		})
	}
	work.Wait()
	for i, err := range errs {
		if err != nil {
			o.devices[i] = nil
			return i, err
		}
	}
	return 0, nil
}

// wants are the devices to lease, without those that cannot be used.
func (o *openAttempts) wants(entries []dsl.Entry) []pool.Want {
	wants := make([]pool.Want, len(entries))
	for i, e := range entries {
		wants[i] = pool.WantOf(e)
		unmet := wants[i].Unmet
		wants[i].Unmet = func(info drivers.Info) string {
			switch {
			case info.ID == o.avoid:
				return "it was lost"
			case o.tries[info.ID] >= maxOpens:
				return "it cannot be opened"
			}
			return unmet(info)
		}
	}
	return wants
}

// unopenedOf ends a case with a device that cannot be opened.
func unopenedOf(ctx context.Context, r *Runner, c plan.Case, why string) Outcome {
	if ctx.Err() != nil {
		return r.without(ctx, c, notRun{result: event.Interrupted, why: "the run was interrupted"})
	}
	return r.without(ctx, c, notRun{result: event.Error, why: why})
}

// run runs the case on its open devices. They are released, and freed called, before the recordings are converted.
func (o *opened) run(ctx context.Context, r *Runner, c plan.Case, freed func(event.Result)) Outcome {
	got := o
	defer got.release()
	for i, dev := range got.devices {
		if err := browse(ctx, dev, c.Devices[i].Browser); err != nil {
			one := c
			one.Browser = c.Devices[i].Browser
			return r.unbrowsed(ctx, one, dev, fmt.Errorf("%s: %w", c.Devices[i].Name, err))
		}
	}
	pack, err := r.Pack(&c, got.leases[0].Info)
	if err != nil {
		return Outcome{Case: c, Err: err}
	}
	opts := caseOptions(r, c)
	devices := make([]engine.Device, len(got.devices))
	each(devices, func(i int) {
		devices[i] = engine.Device{Name: c.Devices[i].Name, Device: got.devices[i],
			Warnings: r.PrepareDevice(ctx, got.devices[i])}
		if r.Config.AfterUse.Cleans() {
			devices[i].Uses = &action.UsedApps{}
		}
	})
	result, runErr := engine.RunOn(ctx, c, devices, pack, opts)
	each(devices, func(i int) {
		r.clean(ctx, got.devices[i], devices[i].Uses)
		r.GiveBack(got.leases[i], got.devices[i], result)
	})
	freed(result)
	out := r.Finish(ctx, c, pack, runErr)
	out.values = opts.Values
	return out
}

// each calls do for each index at once.
func each[T any](list []T, do func(i int)) {
	var work sync.WaitGroup
	for i := range list {
		work.Go(func() { do(i) })
	}
	work.Wait()
}

// lost is the device, and its platform, because of which a case ended: of several, that of the step that failed.
func (o Outcome) lost() (id string, platform dsl.Platform) {
	if !o.lostDevice() {
		return "", ""
	}
	res := o.CaseResult
	if s := res.Step(res.ProblemStep); s != nil {
		if d := res.Case.NamedDevice(s.Device); d != nil {
			return d.ID, d.Platform
		}
	}
	return res.Case.Device, o.Case.Platform
}

// platformsOf are the platforms of the devices that a case needs, each once.
func platformsOf(c plan.Case) []dsl.Platform {
	if len(c.Devices) == 0 {
		return []dsl.Platform{c.Platform}
	}
	var all []dsl.Platform
	for _, e := range c.Devices {
		if !slices.Contains(all, e.Platform) {
			all = append(all, e.Platform)
		}
	}
	return all
}

// oneDevice refuses a configuration of one device for tests that name several.
func oneDevice(c Config, cases []plan.Case) error {
	if c.Device == "" {
		return nil
	}
	for _, one := range cases {
		if len(one.Devices) > 0 {
			return &plan.Usage{Msg: fmt.Sprintf("--device %s: the test %s names its devices itself (%s); run it without "+
				"--device", c.Device, one.Test.ID, strings.Join(plan.Names(one.Devices), ", "))}
		}
	}
	return nil
}

// caseOptions are the engine's options for a case.
func caseOptions(r *Runner, c plan.Case) engine.Options {
	opts := r.Engine()
	if r.Config.RepairSuggest {
		opts.Repair = r.Config.Replays().Repairer(r.Dir.Path(), c.Pack)
	}
	kept := r.Config.evidenceOf(c)
	opts.NoVideo, opts.NoTrace, opts.NoScreenshots = kept.Video == evidenceOff, kept.Trace == evidenceOff,
		kept.Screenshots == evidenceOff
	opts.FailedTrace = kept.Trace == evidenceFailed
	opts.States = r.needsDir()
	if c.Needed {
		opts.Values = &engine.Values{}
	}
	return opts
}
