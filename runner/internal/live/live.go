// Package live keeps devices open between the single calls of clients (REST, MCP). It takes an action and a device's
// ID, leases and opens the device, performs one call at a time, and returns what was done or seen.
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
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// Options configure Devices. Pool is required; the zero value of the other fields means the default.
type Options struct {
	Pool       *pool.Pool
	What       string        // the name of this process in lease files and messages: "taproot serve"
	Timeout    time.Duration // of an action without timeout; default: action.DefaultTimeout
	Idle       time.Duration // a phone without a lease is closed this long after its last call; default: 2 s
	PageIdle   time.Duration // the same for a browser page, which is then lost; default: 10 min
	Access     action.Access // what callers may use of this machine
	AllowShell bool
	// Exec says where programs on this machine leave their records; nil: exec steps are not allowed.
	Exec    *start.Options
	Exposed map[string]string // values of ${NAME} in a caller's texts; every value is a secret
	Mask    *event.Mask       // masks the exposed values in every Answer; default: a new one
	// Vision reads text in images and queries models (run.Config.Vision); nil: actions that need it fail.
	Vision drivers.Vision
	// AfterUse says what happens, when a client's lease ends, to the apps that it started or installed; default:
	// nothing.
	AfterUse action.AfterUse
	// Prepare sets up the session of a device that was just opened; may be nil.
	Prepare func(*action.Performer)
}

// Devices are the devices that this process keeps open for its callers. It is safe for concurrent use.
type Devices struct {
	o      Options
	texts  texts
	work   string // for files of calls
	base   context.Context
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	byID   map[string]*entry
	closed bool
	calls  sync.WaitGroup
}

// ErrClosed means that the process is shutting down.
var ErrClosed = errors.New("the server is shutting down")

// New creates an empty set; it opens no device. Close ends it.
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
	scope.HideCodes(o.Mask.Hide)
	work, err := os.MkdirTemp("", "taproot-live-")
	if err != nil {
		return nil, fmt.Errorf("folder for files of calls: %w", err)
	}
	base, cancel := context.WithCancelCause(context.Background())
	return &Devices{o: o, texts: texts{scope: scope, mask: o.Mask},
		work: work, base: base, cancel: cancel, byID: map[string]*entry{}}, nil
}

// Close cancels every call, waits for their ends, and releases all devices. It does not close the pool.
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

// List returns the devices of all platforms, usable or not.
func (d *Devices) List(ctx context.Context) ([]drivers.Info, error) { return d.o.Pool.List(ctx) }

// Info returns the record of one device; a *pool.UnknownDeviceError when it does not exist.
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

// Status is the state of a device that is open or leased.
type Status struct {
	Info   drivers.Info
	Opened time.Time
	Used   time.Time // the end of the last call
	Hold   *Hold     // nil without a lease
}

// Open lists the devices that are open or leased now, in no order.
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

// enter registers a call; leave must be called when ok. The context ends with the set.
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
