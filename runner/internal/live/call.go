package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// Request is one action on one device.
type Request struct {
	Device string
	Who    string       // the client, for leases and messages
	Def    *dsl.Def     // of the action
	Args   source.Value // a Map, may contain the step option timeout; ${NAME} is one of Options.Exposed
	Dir    string       // folder of relative paths of files; default: Access.Root's
	// Confirm may reject the matched element before it is touched: see action.Session.
	Confirm func(*screen.Tree, screen.Match) error
	// After is called when the action passed, before another client can use the device; may be nil.
	After func(context.Context, *action.Performer)
}

// Answer is the result of a Request. Result is pass or fail; all other results are errors of Call.
type Answer struct {
	Result  event.Result
	Detail  *event.Detail  // the element that was matched, the point that was touched
	Problem *event.Problem // of a fail: the expected and the actual state
	Value   any            // what the action returns (extract, webEval, http, …), else nil
	Files   []File         // files of the action, such as a download; deleted when the device is closed
	Took    time.Duration
}

// File is a file that an action created for its caller.
type File struct {
	Name string // without folders
	Path string
}

// InvalidError is a request that cannot succeed in any state of the device.
type InvalidError struct{ Err error }

func (e *InvalidError) Error() string { return e.Err.Error() }
func (e *InvalidError) Unwrap() error { return e.Err }

// Call performs one action. The error is an *InvalidError, a *HeldError, a *pool.BusyError, a *pool.UnknownDeviceError,
// the context's cause, or an error of the device, which is then closed and opened again by the next call.
func (d *Devices) Call(ctx context.Context, r Request) (Answer, error) {
	args, opts, err := d.Decode(r.Def, r.Args)
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	err = d.Use(ctx, r.Device, r.Who, func(ctx context.Context, s *action.Performer) error {
		if !r.Def.On(s.Platform) {
			return &InvalidError{fmt.Errorf("%q does not work on %s, which is %s", r.Def.Name, r.Device, s.Platform)}
		}
		s.Timeout, s.Dir, s.Detail, s.Confirm = opts.Limit(args, d.o.Timeout), r.Dir, &event.Detail{}, r.Confirm
		began := time.Now()
		err := action.Perform(ctx, s, args)
		a = Answer{Result: action.ResultOf(err), Detail: s.Detail, Value: s.Value, Took: time.Since(began)}
		var mistake *action.Mistake
		if errors.As(err, &mistake) {
			return &InvalidError{err}
		}
		if a.Result != event.Fail {
			if err == nil && r.After != nil {
				r.After(ctx, s)
			}
			return err
		}
		problem := action.ProblemOf(err)
		a.Problem = &problem
		if problem.Kind == event.NoPage {
			return errPageless
		}
		return nil
	}, &a.Files)
	if err != nil && !(errors.Is(err, errPageless) && ctx.Err() == nil) {
		return Answer{}, d.texts.maskError(err)
	}
	return d.texts.masked(a)
}

// Decode checks the arguments of an action without a device and substitutes the variables. The error is an
// *InvalidError.
func (d *Devices) Decode(def *dsl.Def, v source.Value) (any, dsl.StepOptions, error) {
	args, opts, err := d.texts.decode(def, v)
	if err != nil {
		return nil, opts, &InvalidError{err}
	}
	return args, opts, nil
}

// Use lets a client use an open device for something that is not an action: a tree, a screenshot, a recording. When use
// fails with an error of the device, the device is closed. Errors are those of Call. With files, *files receives what
// session.Keep got.
func (d *Devices) Use(ctx context.Context, id, who string, use func(context.Context, *action.Performer) error,
	files ...*[]File) error {
	return d.withDevice(ctx, id, who, func(ctx context.Context, e *entry) error {
		return d.use(drivers.WithPromptAnswers(ctx), e, who, use, files)
	})
}

// Look is Use for reading the screen. It also works on a device that another client has leased.
func (d *Devices) Look(ctx context.Context, id string, use func(context.Context, *action.Performer) error) error {
	return d.Use(ctx, id, viewer, use)
}

func (d *Devices) use(ctx context.Context, e *entry, who string, use func(context.Context, *action.Performer) error,
	files []*[]File) error {
	wasOpen := e.session != nil
	if err := d.open(ctx, e, who); err != nil {
		return endCause(ctx, err)
	}
	e.files = nil
	d.trackApps(e)
	err := action.Guard(func() error { return use(ctx, e.session) })
	for _, to := range files {
		*to = e.files
	}
	if isDeviceError(err) && ctx.Err() == nil {
		d.o.Pool.Forget(e.session.Platform)
		err = errors.Join(err, d.shut(e))
	}
	if errors.Is(err, drivers.ErrNoPage) {
		err = d.closePageless(e, wasOpen, err)
	}
	return endCause(ctx, err)
}

// errPageless ends the use of a device for a call that needs a page while none is open. The call has an answer that
// says so, and does not return this error.
var errPageless = fmt.Errorf("the call needs a page: %w", drivers.ErrNoPage)

// closePageless closes a browser device that was opened for a call without a page: it must not be listed as a page.
func (d *Devices) closePageless(e *entry, wasOpen bool, err error) error {
	if _, held := e.held(time.Now()); !wasOpen && !held {
		err = errors.Join(err, d.shut(e))
	}
	return err
}

// isDeviceError reports whether the error is the device's, so that the device must be closed. It is not for errors of
// the app or the caller, and when no text recognition was available. A device that does not support an action, or has a
// screen that cannot be read now, works: it keeps its page and its app.
func isDeviceError(err error) bool {
	var invalid *InvalidError
	var noVision *action.VisionError
	var mistake *action.Mistake
	return action.ResultOf(err) == event.Error && !errors.As(err, &invalid) && !errors.As(err, &noVision) &&
		!errors.As(err, &mistake) && !errors.Is(err, drivers.ErrUnsupported) && !errors.Is(err, drivers.ErrNotReady)
}

// endCause returns the cause of the context's end instead of the error that followed from it.
func endCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Launch opens a free device of a platform and returns its record: for pages of a browser.
func (d *Devices) Launch(ctx context.Context, platform dsl.Platform, who string) (Status, error) {
	ctx, leave, err := d.enter(ctx)
	if err != nil {
		return Status{}, err
	}
	defer leave()
	lease, err := d.o.Pool.TakeAny(ctx, platform, d.o.What)
	if err != nil {
		return Status{}, err
	}
	e, err := d.waitTurn(ctx, lease.Info.ID, who)
	if err != nil {
		lease.Release()
		return Status{}, err
	}
	defer d.endTurn(e)
	if e.session != nil { // impossible: its lease was free
		lease.Release()
		return Status{}, &pool.BusyError{ID: e.id}
	}
	if err := d.openLease(ctx, e, lease); err != nil {
		return Status{}, endCause(ctx, err)
	}
	return Status{Info: e.info, Opened: e.opened, Used: e.opened}, nil
}

// Shut closes a device now. It does nothing when the device is not open. A device that another client has leased is not
// closed.
func (d *Devices) Shut(ctx context.Context, id, who string) error {
	return d.withDevice(ctx, id, who, func(_ context.Context, e *entry) error { return d.shut(e) })
}

// Hold leases a device to one client until a time, or extends the lease; no other client, in this process or another,
// can use it until then. A *pool.ReservedError means that another client has reserved it for a time before that.
func (d *Devices) Hold(ctx context.Context, id, who string, ttl time.Duration) (Hold, error) {
	var h Hold
	if r, soon := d.o.Pool.Reserved(id, who, ttl); soon {
		return h, &pool.ReservedError{ID: id, Reservation: r}
	}
	err := d.Use(ctx, id, who, func(context.Context, *action.Performer) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		now := time.Now()
		h = Hold{Who: who, Since: now, Until: now.Add(ttl)}
		e := d.byID[id]
		if before, held := e.held(now); held {
			h.Since = before.Since
		}
		if err := e.lease.Hold(who, h.Until); err != nil {
			return err
		}
		e.hold = &h
		return nil
	})
	return h, err
}

// Release ends a client's lease and releases the device at once; held is false when the client had none. It waits for
// the current call.
func (d *Devices) Release(ctx context.Context, id, who string) (held bool, err error) {
	err = d.withDevice(ctx, id, who, func(_ context.Context, e *entry) error {
		d.mu.Lock()
		_, held = e.held(time.Now()) // by who: another client would not get the turn
		if held {
			e.hold = nil
		}
		d.mu.Unlock()
		if !held {
			return nil
		}
		return d.shut(e)
	})
	return held, err
}

// Extend extends a client's lease without waiting for the device's turn; false without a lease.
func (d *Devices) Extend(id, who string, ttl time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.byID[id]
	if !ok {
		return false
	}
	h, held := e.held(time.Now())
	if !held || h.Who != who {
		return false
	}
	if _, soon := d.o.Pool.Reserved(id, who, ttl); soon {
		return false
	}
	h.Until = time.Now().Add(ttl)
	e.hold = &h
	return true
}

// Drop ends a client's lease and keeps the device open for a while, as after any call; false without a lease.
func (d *Devices) Drop(id, who string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.byID[id]
	if !ok || e.hold == nil || e.hold.Who != who {
		return false
	}
	e.hold = nil
	e.used = time.Now()
	d.watch(e)
	d.removeUnused(e)
	return true
}

// Held returns the current lease of a device.
func (d *Devices) Held(id string) (Hold, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.byID[id]; ok {
		return e.held(time.Now())
	}
	return Hold{}, false
}
