package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// entry is one device, open or not. The goroutine that has the turn may use and change session, lease, work and files;
// the other fields are protected by Devices.mu.
type entry struct {
	id   string
	turn chan struct{} // contains a token during a call

	lease   *pool.Lease
	session *action.Performer // nil: not open
	work    string
	files   []File // files of the current call

	info          drivers.Info
	opened        time.Time // zero: not open
	used          time.Time
	hold          *Hold
	timer         *time.Timer // releases the device when it is idle
	reservedTimer *time.Timer // checks whether another client has it reserved now
	queued        int         // calls that wait or run

	uses *action.UsedApps // of the current lease; nil: nothing to clean up
	user string           // the holder of that lease

	attached map[*attachment]bool
	stream   *sharedStream // shared by the viewers of its screen; nil: no viewers
}

// Hold is one client's lease of a device.
type Hold struct {
	Who   string
	Since time.Time
	Until time.Time
}

// HeldError reports which client of this process has leased a device, and until when.
type HeldError struct {
	ID string
	Hold
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("device %s is held by %s until %s", e.ID, e.Who, e.Until.UTC().Format(time.RFC3339))
}

func (e *entry) held(now time.Time) (Hold, bool) {
	if e.hold == nil || !now.Before(e.hold.Until) {
		return Hold{}, false
	}
	return *e.hold, true
}

// entry returns the entry of an ID, and creates it if needed.
func (d *Devices) entry(id string) *entry {
	e, ok := d.byID[id]
	if !ok {
		e = &entry{id: id, turn: make(chan struct{}, 1)}
		d.byID[id] = e
	}
	return e
}

// viewer is a client that gets the turn also when another client has leased the device: it only reads the screen.
const viewer = "\x00onlooker"

// waitTurn waits for the device's turn. A client without a lease gets a *HeldError when another one has one, also if it
// was leased while the client waited.
func (d *Devices) waitTurn(ctx context.Context, id, who string) (*entry, error) {
	d.mu.Lock()
	e := d.entry(id)
	if h, held := e.held(time.Now()); held && h.Who != who && who != viewer {
		d.mu.Unlock()
		return nil, &HeldError{id, h}
	}
	e.queued++
	d.mu.Unlock()
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		d.mu.Lock()
		e.queued--
		d.removeUnused(e)
		d.mu.Unlock()
		return nil, context.Cause(ctx)
	}
	d.mu.Lock()
	h, held := e.held(time.Now())
	if r, now := d.o.Pool.Reserved(id, "", 0); now && !held && r.Who == who {
		e.hold = &Hold{Who: who, Since: d.o.Pool.Here(r.From), Until: d.o.Pool.Here(r.Until)} // its reservation has started
	}
	d.mu.Unlock()
	if held && h.Who != who && who != viewer {
		d.endTurn(e)
		return nil, &HeldError{id, h}
	}
	return e, nil
}

// withDevice waits for the device's turn and calls do with its entry.
func (d *Devices) withDevice(ctx context.Context, id, who string, do func(context.Context, *entry) error) error {
	ctx, leave, err := d.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	e, err := d.waitTurn(ctx, id, who)
	if err != nil {
		return err
	}
	defer d.endTurn(e)
	return do(ctx, e)
}

// endTurn ends a turn.
func (d *Devices) endTurn(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e.queued--
	e.used = time.Now()
	<-e.turn
	d.watch(e)
	d.removeUnused(e)
}

// removeUnused removes an entry that has no state, so that requests with invented IDs use no memory.
func (d *Devices) removeUnused(e *entry) {
	if e.queued == 0 && e.opened.IsZero() && e.hold == nil && d.byID[e.id] == e {
		delete(d.byID, e.id)
	}
}

// idle is how long the device stays open after its last call.
func (e *entry) idle(o *Options) time.Duration {
	if e.info.Platform == dsl.Web {
		return o.PageIdle
	}
	return o.Idle
}

// watch sets the timer after which the device is released.
func (d *Devices) watch(e *entry) {
	if e.timer != nil {
		e.timer.Stop()
	}
	if d.closed || e.queued > 0 || len(e.attached) > 0 || e.opened.IsZero() && e.hold == nil {
		return
	}
	e.timer = time.AfterFunc(time.Until(e.due(&d.o)), func() { d.expire(e) })
}

// due returns when the device is released if it is not used.
func (e *entry) due(o *Options) time.Time {
	due := e.used.Add(e.idle(o))
	if e.hold != nil && e.hold.Until.After(due) {
		return e.hold.Until
	}
	return due
}

// expire releases an idle device.
func (d *Devices) expire(e *entry) {
	d.mu.Lock()
	if d.closed || e.queued > 0 || len(e.attached) > 0 {
		d.mu.Unlock()
		return
	}
	if time.Now().Before(e.due(&d.o)) {
		d.watch(e)
		d.mu.Unlock()
		return
	}
	e.queued++ // takes the turn, which is free
	e.turn <- struct{}{}
	d.calls.Add(1)
	d.mu.Unlock()
	defer d.calls.Done()
	_ = d.shut(e)
	d.endTurn(e)
}

// open leases and opens the device unless it is open. The caller has the turn. It gets a *pool.ReservedError when
// another client has reserved the device.
func (d *Devices) open(ctx context.Context, e *entry, who string) error {
	if e.session != nil {
		if r, now := d.o.Pool.Reserved(e.id, who, 0); now && who != viewer {
			return &pool.ReservedError{ID: e.id, Reservation: r}
		}
		return nil
	}
	lease := e.lease // of a leased device that had to be closed
	if lease == nil {
		var err error
		if lease, err = d.o.Pool.TakeFor(ctx, e.id, d.o.What, who); err != nil {
			return err
		}
	}
	return d.openLease(ctx, e, lease)
}

// reservationInterval is how often an open device is checked for reservations.
const reservationInterval = 5 * time.Second

// closeWhenReserved closes an open device when another client's reservation starts: a device that is idle or watched
// must be released. A current call ends first. The caller has the lock.
func (d *Devices) closeWhenReserved(e *entry) {
	e.reservedTimer = time.AfterFunc(reservationInterval, func() {
		d.mu.Lock()
		h, held := e.held(time.Now())
		_, now := d.o.Pool.Reserved(e.id, h.Who, 0)
		if d.closed || e.opened.IsZero() {
			d.mu.Unlock()
			return
		}
		if !now || held {
			d.closeWhenReserved(e)
			d.mu.Unlock()
			return
		}
		d.calls.Add(1)
		d.mu.Unlock()
		defer d.calls.Done()
		_ = d.Shut(d.base, e.id, viewer)
	})
}

// openForCalls opens a device. The browsers of remotes are for tests alone: a page that stays open between calls would
// occupy a session.
func openForCalls(ctx context.Context, lease *pool.Lease) (drivers.Device, error) {
	if info := lease.Info; info.Remote != "" && info.Platform == dsl.Web {
		return nil, &InvalidError{fmt.Errorf("it is a browser of the remote %s, which only tests use: taproot run --hub",
			info.Remote)}
	}
	return lease.Open(ctx)
}

func (d *Devices) openLease(ctx context.Context, e *entry, lease *pool.Lease) error {
	dev, err := openForCalls(ctx, lease)
	if err != nil {
		d.o.Pool.Forget(lease.Info.Platform)
		d.free(e, lease)
		return fmt.Errorf("open device %s: %w", e.id, err)
	}
	work, err := os.MkdirTemp(d.work, "device-")
	if err != nil {
		err = errors.Join(err, dev.Close())
		d.free(e, lease)
		return err
	}
	e.lease, e.work = lease, work
	e.session = &action.Performer{Device: dev, Platform: lease.Info.Platform,
		Support: action.Support{Files: callFiles{e}, Vars: callVars{d}},
		Settings: action.Settings{Mask: d.o.Mask, Work: work, Access: d.o.Access, AllowShell: d.o.AllowShell, Exec: d.o.Exec,
			Vision: d.o.Vision, Mails: action.NewMails(time.Now())}}
	if d.o.Prepare != nil {
		d.o.Prepare(e.session)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	e.info, e.opened = lease.Info, time.Now()
	d.closeWhenReserved(e)
	return nil
}

// callFiles keeps the files of single calls.
type callFiles struct{ entry *entry }

func (f callFiles) Keep(name, from string) (string, error) { return f.entry.keep(name, from), nil }

// callVars evaluates the expressions of single calls.
type callVars struct{ devices *Devices }

func (v callVars) Eval(e dsl.Expr) (any, error) {
	value, err := v.devices.texts.scope.EvalExpr(e, nil, nil)
	if err != nil {
		return nil, action.WrongExpression(err)
	}
	return value, nil
}

// keep adds a file that a step created for its caller; it exists as long as the device is open.
func (e *entry) keep(name, from string) string {
	e.files = append(e.files, File{Name: filepath.Base(filepath.FromSlash(name)), Path: from})
	return name
}

// shut closes the device and releases it, unless it is leased. The caller has the turn.
func (d *Devices) shut(e *entry) error {
	err := errors.Join(d.detachAll(e)...)
	d.mu.Lock()
	_, held := e.held(time.Now())
	goes := !held || d.closed
	d.mu.Unlock()
	if goes {
		d.clean(e)
	}
	if e.session != nil {
		err = errors.Join(err, action.Guard(e.session.Device.Close), os.RemoveAll(e.work))
	}
	e.session, e.files = nil, nil
	if e.lease != nil {
		d.free(e, e.lease)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.reservedTimer != nil { // it sets itself again under the lock
		e.reservedTimer.Stop()
	}
	e.opened = time.Time{}
	return err
}

// free releases a lease of the pool. While a client has leased the device, it stays with this process.
func (d *Devices) free(e *entry, lease *pool.Lease) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, held := e.held(time.Now()); held && !d.closed {
		e.lease = lease
		return
	}
	e.hold, e.lease = nil, nil
	lease.Release()
}
