package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/pool"
)

// Options are how devices are kept. Pool is needed; the zero value of the rest means its default.
type Options struct {
	Pool       *pool.Pool
	What       string        // how lease files and messages call this process: "taproot serve"
	Timeout    time.Duration // of an action that names none; default: action.DefaultTimeout
	Idle       time.Duration // a phone that nobody holds goes back so long after its last call; default: 2 s
	PageIdle   time.Duration // the same of a browser page, which is lost then; default: 10 min
	Access     action.Access // what callers may touch of this machine
	AllowShell bool
	Exposed    map[string]string // what ${NAME} means in a caller's texts; every value is taken for a secret
	Mask       *event.Mask       // takes the exposed values out of every Answer; default: one of its own
	// Vision read pictures and ask models (run.Config.Vision); nil: what needs them is an error.
	Vision drivers.Vision
	// AfterUse is what is done, when a client's hold ends, with the apps that it started or installed meanwhile; default:
	// nothing.
	AfterUse action.AfterUse
	// Prepare sets up the session of a device that was just opened; may be nil.
	Prepare func(*action.Session)
}

// Devices are the devices that this process keeps open for its callers. Safe for concurrent use.
type Devices struct {
	o      Options
	scope  *dsl.Scope
	work   string // for files of calls
	base   context.Context
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	byID   map[string]*entry
	closed bool
	calls  sync.WaitGroup
}

// ErrClosed says that the process is ending.
var ErrClosed = errors.New("the server is shutting down")

// New makes an empty set; nothing is opened yet. Close ends it.
func New(o Options) (*Devices, error) {
	if o.Timeout == 0 {
		o.Timeout = action.DefaultTimeout
	}
	if o.Idle == 0 {
		o.Idle = 2 * time.Second
	}
	if o.PageIdle == 0 {
		o.PageIdle = 10 * time.Minute
	}
	if o.What == "" {
		o.What = "taproot"
	}
	if o.Mask == nil {
		o.Mask = &event.Mask{}
	}
	for _, secret := range o.Exposed {
		o.Mask.Hide(secret)
	}
	scope, err := dsl.NewScope(&dsl.Test{}, o.Exposed, nil)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "taproot-live-")
	if err != nil {
		return nil, fmt.Errorf("folder for files of calls: %w", err)
	}
	base, cancel := context.WithCancelCause(context.Background())
	return &Devices{o: o, scope: scope, work: work, base: base, cancel: cancel, byID: map[string]*entry{}}, nil
}

// Close cancels every call, waits for their ends, and gives all devices back. The pool stays open.
func (d *Devices) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	entries := make([]*entry, 0, len(d.byID))
	for _, e := range d.byID {
		entries = append(entries, e)
	}
	d.mu.Unlock()
	d.cancel(ErrClosed)
	d.calls.Wait()
	var errs []error
	for _, e := range entries {
		e.turn <- struct{}{}
		errs = append(errs, d.shut(e))
		<-e.turn
	}
	return errors.Join(append(errs, os.RemoveAll(d.work))...)
}

// List gives the devices of all platforms, usable or not.
func (d *Devices) List(ctx context.Context) ([]drivers.Info, error) { return d.o.Pool.List(ctx) }

// Info gives the record of one device; a *pool.UnknownDeviceError when there is none.
func (d *Devices) Info(ctx context.Context, id string) (drivers.Info, error) {
	infos, err := d.o.Pool.List(ctx)
	unknown := &pool.UnknownDeviceError{ID: id}
	for _, info := range infos {
		if info.ID == id {
			return info, nil
		}
		unknown.Others = append(unknown.Others, info.ID)
	}
	if err != nil {
		return drivers.Info{}, err
	}
	return drivers.Info{}, unknown
}

// Status is a device that is open, or held.
type Status struct {
	Info   drivers.Info
	Opened time.Time
	Used   time.Time // the end of the last call
	Hold   *Hold     // nil when nobody holds it
}

// Open lists the devices that are open or held now, in no order.
func (d *Devices) Open() []Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []Status
	for _, e := range d.byID {
		if e.opened.IsZero() {
			continue
		}
		s := Status{Info: e.info, Opened: e.opened, Used: e.used}
		if h, held := e.held(time.Now()); held {
			s.Hold = &h
		}
		all = append(all, s)
	}
	return all
}

// enter lets a call in; leave must be called when ok. The context ends with the set.
func (d *Devices) enter(ctx context.Context) (inner context.Context, leave func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, nil, ErrClosed
	}
	d.calls.Add(1)
	inner, free := drivers.Bound(ctx, d.base)
	return inner, func() { free(); d.calls.Done() }, nil
}
