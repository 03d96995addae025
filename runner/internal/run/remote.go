package run

import (
	"context"
	"errors"
	"fmt"
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
)

// RemoteRunner runs cases on the devices of other machines. The Runner still decides what runs, in which order and how
// often, and keeps the results. Safe for concurrent use.
type RemoteRunner interface {
	// Usable is how many cases of a platform can run at once, as of now.
	Usable(ctx context.Context, platform dsl.Platform) (int, error)
	// Try waits for a device that suits the case, runs the case on it once, and returns the folder of the finished
	// pack, which the caller takes over. A *pool.NoDeviceError means that there is no such device to wait for. When ctx
	// ends, the running case ends as interrupted, and its pack is still returned if it arrives soon; otherwise the
	// error is ctx's. ErrTooLate means that the case still waited for a device at its limit.
	Try(ctx context.Context, t Attempt) (dir string, err error)
}

// Attempt is one attempt of one case.
type Attempt struct {
	Case  plan.Case  // its pack must have the name Case.Pack
	Avoid string     // the id of a device to exclude; empty: none
	Until time.Time  // the case does not start after it; zero: there is no limit
	Spool string     // the folder for the pack
	Needs Needs      // what the case needs
	Keep  func(Kept) // receives what a needed case leaves; nil: it is not needed
	// Received takes the nth event of the case, from 0, while it runs, one call at a time. Events may be repeated or
	// missing, since the pack contains them; the first one of a later attempt starts again.
	Received func(n int, e event.Event)
}

// ErrTooLate is the error of a case that had no device before the time after which it must not start.
var ErrTooLate = errors.New("the case was still waiting for a device at the time limit of the run")

// Once runs the case once, ignoring the retries of its test: for a Runner elsewhere. The pack has the name c.Pack
// unless that is taken.
func (r *Runner) Once(ctx context.Context, c plan.Case) Outcome {
	return r.once(ctx, c, callbacks{rest: pool.Sleep, freed: func() {}}, try{})
}

// leaseWait is how long OnDevice waits for a device that is leased.
const leaseWait = 10 * time.Second

var errLeased = errors.New("the device is leased")

// OnDevice is Once on one device. The error says why the case did not start: the device does not exist, is leased, or
// cannot be opened; then it leaves no files.
func (r *Runner) OnDevice(ctx context.Context, c plan.Case, id string) (Outcome, error) {
	lease, err := leaseID(ctx, r, pool.Request{Platform: c.Platform, What: c.Pack}, id)
	if err != nil {
		return Outcome{Case: c}, fmt.Errorf("device %s: %w", id, err)
	}
	if offered := r.Config.Sessions().Offered(lease.Info.Remote); offered != nil {
		if why := plan.NotOnRemote(c, offered); why != "" { // the hub would not have sent it
			lease.Release()
			return Outcome{Case: c}, fmt.Errorf("device %s: %s", id, why)
		}
		ctx = testrun.With(ctx, testrun.Test{ID: c.Test.ID, Build: r.Build})
	}
	dev, err := lease.OpenGuarded(ctx)
	if err != nil {
		lease.Release()
		r.Pool.Forget(c.Platform)
		return Outcome{Case: c}, fmt.Errorf("device %s cannot be opened: %w", id, err)
	}
	defer lease.Release()
	return r.on(ctx, c, lease, dev, func(event.Result) {}), nil
}

// onHost is OnDevice for a case with several devices, in its order.
func onHost(ctx context.Context, r *Runner, c plan.Case, ids []string) (Outcome, error) {
	if len(ids) != len(c.Devices) {
		return Outcome{Case: c}, fmt.Errorf("the test has %d devices, and %d were assigned", len(c.Devices), len(ids))
	}
	got := &opened{leases: make([]*pool.Lease, len(ids)), devices: make([]drivers.Device, len(ids))}
	for i, id := range ids {
		if driver := r.Lent[id]; driver != nil {
			got.leases[i] = pool.Lent(driver, id)
			continue
		}
		lease, err := leaseID(ctx, r, pool.Request{Platform: c.Devices[i].Platform, What: c.Pack}, id)
		if err != nil {
			got.release()
			return Outcome{Case: c}, fmt.Errorf("%s: device %s: %w", c.Devices[i].Name, id, err)
		}
		got.leases[i] = lease
	}
	if failed, err := got.open(ctx); err != nil {
		got.release()
		r.Pool.Forget(c.Devices[failed].Platform)
		return Outcome{Case: c}, fmt.Errorf("%s (%s) cannot be opened: %w", c.Devices[failed].Name, ids[failed], err)
	}
	for i, id := range ids {
		if r.Lent[id] != nil {
			got.leases[i].Info = got.devices[i].Info()
		}
	}
	return got.run(ctx, r, c, func(event.Result) {}), nil
}

// leaseID leases one device, which may be leased for a moment. The error says why it cannot be used.
func leaseID(ctx context.Context, r *Runner, w pool.Request, id string) (*pool.Lease, error) {
	lease, err := leaseOnly(ctx, r, w, id)
	if errors.Is(err, pool.ErrSpent) {
		return r.Pool.Take(ctx, id, w.What)
	}
	return lease, err
}

// leaseOnly leases a device, and no other one.
func leaseOnly(ctx context.Context, r *Runner, w pool.Request, id string) (*pool.Lease, error) {
	began := time.Now()
	w.Skip = func(i drivers.Info) bool { return i.ID != id }
	w.Sleep = func(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
		if time.Since(began) > leaseWait {
			return errLeased
		}
		return pool.Sleep(ctx, d, wake)
	}
	return r.Pool.LeaseFor(ctx, w)
}

// runRemotely runs one attempt of the case on another machine, but not on the device that it avoids, if any.
func (r *Runner) runRemotely(ctx context.Context, c plan.Case, t try) Outcome {
	avoid := t.avoid
	var in *pack.Incoming
	err := named(&c, func() (err error) {
		in, err = r.Dir.NewIncoming(packed(c, drivers.Info{}), r.Reporting.observer(r.Observe))
		return err
	})
	if err != nil {
		return Outcome{Case: c, Err: err}
	}
	var result *event.CaseResult
	attempt := Attempt{Case: c, Avoid: avoid, Spool: in.Spool(), Received: in.Event}
	if t.first() {
		attempt.Until = r.Until
	}
	if attempt.Needs, err = needsFor(c, r.needsDir()); err != nil {
		return r.without(ctx, c, notRun{result: event.Error, why: errors.Join(err, in.Discard()).Error()})
	}
	var values *engine.Values
	if c.Needed {
		attempt.Keep = func(k Kept) {
			values = &engine.Values{Saved: k.Saved, Hidden: k.Hidden}
			if dir, err := r.makeNeedsDir(); err == nil {
				for name, state := range k.States {
					if err := action.WriteState(dir, name, state); err != nil { // the cases that need it say so, too
						r.warn("browser state %s: %v", name, err)
					}
				}
			}
		}
	}
	dir, err := r.Remote.Try(ctx, attempt)
	var none *pool.NoDeviceError
	switch {
	case err == nil:
		if result, err = in.Adopt(dir); result == nil {
			result, err = in.End(ctx, event.Error, event.Problem{Message: err.Error()})
		}
	case !in.Started():
		if err := in.Discard(); err != nil {
			return Outcome{Case: c, Err: err}
		}
		switch {
		case errors.Is(err, ErrTooLate):
			return r.without(ctx, c, r.Config.outOfTime())
		case ctx.Err() != nil && avoid == "":
			return Outcome{Case: c}
		case avoid != "":
			return Outcome{Case: c, noOther: true}
		case errors.As(err, &none) && !none.Lost:
			return r.without(ctx, c, notRun{result: r.resultWithoutDevice(), why: none.Reason})
		}
		return r.without(ctx, c, notRun{result: event.Error, why: err.Error()})
	case ctx.Err() != nil:
		result, err = in.End(ctx, event.Interrupted, event.Problem{Message: "the run was interrupted"})
	default:
		result, err = in.End(ctx, event.Error, event.Problem{Message: err.Error()})
	}
	return Outcome{Case: c, CaseResult: result, Dir: in.Dir(), Err: err, values: values}
}

// askAgain is how often a run checks whether more cases can run at once.
const askAgain = 2 * time.Second

// grow adds workers as devices become available elsewhere, up to limit, until no case waits for one.
func (a *batch) grow(ctx context.Context, platform dsl.Platform, limit int) {
	for workers := 1; workers < limit && a.turns.queued(platform) > 0; {
		// The cases themselves report an error.
		if n, err := a.r.Remote.Usable(ctx, platform); err == nil && n > workers {
			more := min(limit, n) - workers
			workers += more
			if !a.addWorkers(ctx, platform, more) {
				return
			}
		}
		if pool.Sleep(ctx, askAgain, a.idle[platform]) != nil {
			return
		}
	}
}
