package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/pool"
)

// Request is one operation on one device.
type Request struct {
	Device string
	Who    string       // the client, for holds and messages
	Def    *dsl.Def     // of the vocabulary
	Args   source.Value // a Map, may hold the step option timeoutMs; ${NAME} is one of Options.Exposed
	Dir    string       // from which files are named; default: Access.Root's
	// Confirm may refuse the element that was found before it is touched: see action.Session.
	Confirm func(*screen.Tree, screen.Match) error
	// After is called when the operation went well, before anybody else has the device; may be nil.
	After func(context.Context, *action.Session)
}

// Answer is what came of a Request. Verdict is pass or fail; everything else is an error of Call.
type Answer struct {
	Verdict event.Verdict
	Detail  *event.Detail  // the proof: what was matched, where it was touched
	Problem *event.Problem // of a fail: what was expected, what was there
	Value   any            // what the operation gives (extract, webEval, http, …), else nil
	Files   []File         // that it left, such as a download; they are gone when the device goes back
	Took    time.Duration
}

// File is a file that an operation left for its caller.
type File struct {
	Name string // without folders
	Path string
}

// InvalidError is a request that can never work, whatever the device does.
type InvalidError struct{ Err error }

func (e *InvalidError) Error() string { return e.Err.Error() }
func (e *InvalidError) Unwrap() error { return e.Err }

// Call performs one operation. The error is an *InvalidError, a *HeldError, a *pool.BusyError, a
// *pool.UnknownDeviceError, the context's cause, or what is wrong with the device, which then is closed and opened
// afresh by the next call.
func (d *Devices) Call(ctx context.Context, r Request) (Answer, error) {
	args, opts, err := d.Decode(r.Def, r.Args)
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	err = d.Use(ctx, r.Device, r.Who, func(ctx context.Context, s *action.Session) error {
		if !r.Def.On(s.Platform) {
			return &InvalidError{fmt.Errorf("%q does not work on %s, which is %s", r.Def.Name, r.Device, s.Platform)}
		}
		s.Timeout, s.Dir, s.Detail, s.Confirm = opts.Limit(args, d.o.Timeout), r.Dir, &event.Detail{}, r.Confirm
		began := time.Now()
		err := action.Perform(ctx, s, args)
		a = Answer{Verdict: action.VerdictOf(err), Detail: s.Detail, Value: s.Value, Took: time.Since(began)}
		var mistake *action.Mistake
		if errors.As(err, &mistake) {
			return &InvalidError{err}
		}
		if a.Verdict != event.Fail {
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
		return Answer{}, d.hide(err)
	}
	return d.masked(a)
}

// Decode checks the arguments of an operation without a device and fills in the variables. The error is an
// *InvalidError.
func (d *Devices) Decode(def *dsl.Def, v source.Value) (any, dsl.StepOptions, error) {
	v, err := dsl.Fill(v, d.scope)
	if err == nil {
		d.o.Mask.Hide(dsl.SecretsIn(v)...)
		var args any
		var opts dsl.StepOptions
		if args, opts, err = dsl.DecodeStep(def, v); err == nil {
			return args, opts, nil
		}
	}
	return nil, dsl.StepOptions{}, &InvalidError{d.hide(err)}
}

// Use gives a client the turn on an open device for something that is no operation of the vocabulary: a tree, a
// picture, a film. When use fails with an error for which the device is to blame, the device is closed. Errors are
// those of Call. With files, those that session.Keep got are put there.
func (d *Devices) Use(ctx context.Context, id, who string, use func(context.Context, *action.Session) error,
	files ...*[]File) error {
	return d.turn(ctx, id, who, func(ctx context.Context, e *entry) error {
		return d.use(drivers.WithPromptAnswers(ctx), e, who, use, files)
	})
}

// Look is Use for who only looks, also at a device that somebody else holds.
func (d *Devices) Look(ctx context.Context, id string, use func(context.Context, *action.Session) error) error {
	return d.Use(ctx, id, onlooker, use)
}

func (d *Devices) use(ctx context.Context, e *entry, who string, use func(context.Context, *action.Session) error,
	files []*[]File) error {
	wasOpen := e.session != nil
	if err := d.open(ctx, e, who); err != nil {
		return d.ended(ctx, err)
	}
	e.files = nil
	d.note(e)
	err := action.Guard(func() error { return use(ctx, e.session) })
	for _, to := range files {
		*to = e.files
	}
	if broke(err) && ctx.Err() == nil {
		d.o.Pool.Forget(e.session.Platform)
		err = errors.Join(err, d.shut(e))
	}
	if errors.Is(err, drivers.ErrNoPage) {
		err = d.closePageless(e, wasOpen, err)
	}
	return d.ended(ctx, err)
}

// errPageless ends the use of a device for a call that needs a page while none is open. The call has an answer that says
// so, and does not return this error.
var errPageless = fmt.Errorf("the call needs a page: %w", drivers.ErrNoPage)

// closePageless closes a browser device that was opened for a call which found no page on it: it must not be listed as
// a page.
func (d *Devices) closePageless(e *entry, wasOpen bool, err error) error {
	if _, held := e.held(time.Now()); !wasOpen && !held {
		err = errors.Join(err, d.shut(e))
	}
	return err
}

// broke tells whether the device is to blame. It is not for what the app or the caller did wrong, nor where nobody
// could read its pictures; one that says what it cannot do, or that its screen cannot be read just now, is in order,
// too: its page and its app stay as they are.
func broke(err error) bool {
	var invalid *InvalidError
	var noVision *action.VisionError
	var mistake *action.Mistake
	return action.VerdictOf(err) == event.Error && !errors.As(err, &invalid) && !errors.As(err, &noVision) &&
		!errors.As(err, &mistake) && !errors.Is(err, drivers.ErrUnsupported) && !errors.Is(err, drivers.ErrNotReady)
}

// ended makes the reason for which a context ended the error.
func (d *Devices) ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Launch opens a device of a platform that nobody uses and gives its record: for pages of a browser.
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
	e, err := d.take(ctx, lease.Info.ID, who)
	if err != nil {
		lease.Release()
		return Status{}, err
	}
	defer d.give(e)
	if e.session != nil { // cannot be: its lease was free
		lease.Release()
		return Status{}, &pool.BusyError{ID: e.id}
	}
	if err := d.openLease(ctx, e, lease); err != nil {
		return Status{}, d.ended(ctx, err)
	}
	return Status{Info: e.info, Opened: e.opened, Used: e.opened}, nil
}

// Shut closes a device now; one that is not open is fine. What is held by somebody else is not closed.
func (d *Devices) Shut(ctx context.Context, id, who string) error {
	return d.turn(ctx, id, who, func(_ context.Context, e *entry) error { return d.shut(e) })
}

// Hold gives one client a device until a time, or holds it longer; nobody else, in this process or another, can use it
// until then. A *pool.ReservedError says that another one has reserved it for a time before that.
func (d *Devices) Hold(ctx context.Context, id, who string, ttl time.Duration) (Hold, error) {
	var h Hold
	if r, soon := d.o.Pool.Reserved(id, who, ttl); soon {
		return h, &pool.ReservedError{ID: id, Reservation: r}
	}
	err := d.Use(ctx, id, who, func(context.Context, *action.Session) error {
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

// Release ends a client's hold and gives the device back at once; held is false when the client held nothing. A call
// that is under way is waited for.
func (d *Devices) Release(ctx context.Context, id, who string) (held bool, err error) {
	err = d.turn(ctx, id, who, func(_ context.Context, e *entry) error {
		d.mu.Lock()
		_, held = e.held(time.Now()) // by who: nobody else would have the turn
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

// Extend holds a device longer for who holds it already, without waiting for its turn; false when who does not.
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

// Drop ends a client's hold and leaves the device open for a while, as after any call; false when who holds nothing.
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
	d.tidy(e)
	return true
}

// Held tells who holds a device.
func (d *Devices) Held(id string) (Hold, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.byID[id]; ok {
		return e.held(time.Now())
	}
	return Hold{}, false
}

// masked takes secrets out of an answer.
func (d *Devices) masked(a Answer) (Answer, error) {
	if d.o.Mask.Empty() {
		return a, nil
	}
	for _, part := range []any{&a.Detail, &a.Problem, &a.Value} {
		data, err := json.Marshal(part)
		if err == nil {
			err = json.Unmarshal([]byte(d.o.Mask.Text(string(data))), part)
		}
		if err != nil {
			return Answer{}, fmt.Errorf("mask the answer: %w", err)
		}
	}
	return a, nil
}

// hide takes secrets out of an error's text; what the error is stays.
func (d *Devices) hide(err error) error {
	if text := d.o.Mask.Text(err.Error()); text != err.Error() {
		return &hiddenError{text, err}
	}
	return err
}

type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }
func (e *hiddenError) Unwrap() error { return e.err }
