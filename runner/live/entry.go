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
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/pool"
)

// entry is one device, open or not. Who has the turn may use and change session, lease and files; the rest is under
// Devices.mu.
type entry struct {
	id   string
	turn chan struct{} // holds a token while a call is under way

	lease   *pool.Lease
	session *action.Session // nil: not open
	work    string
	files   []File // that the call under way left

	info     drivers.Info
	opened   time.Time // zero: not open
	used     time.Time
	hold     *Hold
	timer    *time.Timer // looks whether the device can go back
	clearing *time.Timer // looks whether somebody has it reserved now
	queued   int         // calls that wait or run

	uses *action.UsedApps // of the hold under way; nil: nothing is to be cleaned
	user string           // whose hold that is

	attached map[*attachment]bool
	stream   *sharedStream // what the viewers of its screen share; nil: nobody watches
}

// Hold is one client's right to a device beyond a single call.
type Hold struct {
	Who   string
	Since time.Time
	Until time.Time
}

// HeldError says which client of this process holds a device, and until when.
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

// entry gives the entry of an id; it is made when there is none.
func (d *Devices) entry(id string) *entry {
	e, ok := d.byID[id]
	if !ok {
		e = &entry{id: id, turn: make(chan struct{}, 1)}
		d.byID[id] = e
	}
	return e
}

// onlooker has the turn whoever holds the device: it only looks at the screen.
const onlooker = "\x00onlooker"

// take waits for the device's turn. A client that does not hold it gets a *HeldError when another one does, also when
// that one came while it waited.
func (d *Devices) take(ctx context.Context, id, who string) (*entry, error) {
	d.mu.Lock()
	e := d.entry(id)
	if h, held := e.held(time.Now()); held && h.Who != who && who != onlooker {
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
		d.tidy(e)
		d.mu.Unlock()
		return nil, context.Cause(ctx)
	}
	d.mu.Lock()
	h, held := e.held(time.Now())
	if r, now := d.o.Pool.Reserved(id, "", 0); now && !held && r.Who == who {
		e.hold = &Hold{Who: who, Since: d.o.Pool.Here(r.From), Until: d.o.Pool.Here(r.Until)} // it has begun
	}
	d.mu.Unlock()
	if held && h.Who != who && who != onlooker {
		d.give(e)
		return nil, &HeldError{id, h}
	}
	return e, nil
}

// turn waits for the device's turn and does something with it.
func (d *Devices) turn(ctx context.Context, id, who string, do func(context.Context, *entry) error) error {
	ctx, leave, err := d.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	e, err := d.take(ctx, id, who)
	if err != nil {
		return err
	}
	defer d.give(e)
	return do(ctx, e)
}

// give ends a turn.
func (d *Devices) give(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e.queued--
	e.used = time.Now()
	<-e.turn
	d.watch(e)
	d.tidy(e)
}

// tidy forgets an entry that stands for nothing, so that made-up ids cost no memory.
func (d *Devices) tidy(e *entry) {
	if e.queued == 0 && e.opened.IsZero() && e.hold == nil && d.byID[e.id] == e {
		delete(d.byID, e.id)
	}
}

// idle is how long the device stays open after its last call.
func (d *Devices) idle(e *entry) time.Duration {
	if e.info.Platform == dsl.Web {
		return d.o.PageIdle
	}
	return d.o.Idle
}

// watch sets the clock after which the device goes back.
func (d *Devices) watch(e *entry) {
	if e.timer != nil {
		e.timer.Stop()
	}
	if d.closed || e.queued > 0 || len(e.attached) > 0 || e.opened.IsZero() && e.hold == nil {
		return
	}
	e.timer = time.AfterFunc(time.Until(d.due(e)), func() { d.expire(e) })
}

// due is when the device can go back if nothing happens.
func (d *Devices) due(e *entry) time.Time {
	due := e.used.Add(d.idle(e))
	if e.hold != nil && e.hold.Until.After(due) {
		return e.hold.Until
	}
	return due
}

// expire gives an idle device back.
func (d *Devices) expire(e *entry) {
	d.mu.Lock()
	if d.closed || e.queued > 0 || len(e.attached) > 0 {
		d.mu.Unlock()
		return
	}
	if time.Now().Before(d.due(e)) {
		d.watch(e)
		d.mu.Unlock()
		return
	}
	e.queued++ // nobody else can have the turn now
	e.turn <- struct{}{}
	d.calls.Add(1)
	d.mu.Unlock()
	defer d.calls.Done()
	_ = d.shut(e)
	d.give(e)
}

// open leases and opens the device unless it is open. The caller, who has the turn, is told when somebody else has
// reserved it.
func (d *Devices) open(ctx context.Context, e *entry, who string) error {
	if e.session != nil {
		if r, now := d.o.Pool.Reserved(e.id, who, 0); now && who != onlooker {
			return &pool.ReservedError{ID: e.id, Reservation: r}
		}
		return nil
	}
	lease := e.lease // of a held device that had to be closed
	if lease == nil {
		var err error
		if lease, err = d.o.Pool.TakeFor(ctx, e.id, d.o.What, who); err != nil {
			return err
		}
	}
	return d.openLease(ctx, e, lease)
}

// clearEvery is how often an open device is looked at for reservations.
const clearEvery = 5 * time.Second

// clear gives an open device back when a reservation of somebody else begins: what is idle, or watched, must not keep
// it. A call under way ends first. The caller has the lock.
func (d *Devices) clear(e *entry) {
	e.clearing = time.AfterFunc(clearEvery, func() {
		d.mu.Lock()
		h, held := e.held(time.Now())
		_, now := d.o.Pool.Reserved(e.id, h.Who, 0)
		if d.closed || e.opened.IsZero() {
			d.mu.Unlock()
			return
		}
		if !now || held {
			d.clear(e)
			d.mu.Unlock()
			return
		}
		d.calls.Add(1)
		d.mu.Unlock()
		defer d.calls.Done()
		_ = d.Shut(d.base, e.id, onlooker)
	})
}

func (d *Devices) openLease(ctx context.Context, e *entry, lease *pool.Lease) error {
	dev, err := lease.Open(ctx)
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
	e.session = &action.Session{Device: dev, Platform: lease.Info.Platform, Host: host{entry: e, devices: d},
		Settings: action.Settings{Work: work, Access: d.o.Access, AllowShell: d.o.AllowShell, Vision: d.o.Vision}}
	if d.o.Prepare != nil {
		d.o.Prepare(e.session)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	e.info, e.opened = lease.Info, time.Now()
	d.clear(e)
	return nil
}

// host is what performers get of a single call.
type host struct {
	action.NoHost
	entry   *entry
	devices *Devices
}

func (h host) Mask(text string) string { return h.devices.o.Mask.Text(text) }

func (h host) Keep(name, from string) (string, error) { return h.entry.keep(name, from), nil }

func (h host) Eval(e dsl.Expr) (any, error) {
	value, err := h.devices.scope.EvalExpr(e, nil, nil)
	if err != nil {
		return nil, action.WrongExpression(err)
	}
	return value, nil
}

// keep notes a file that a step left for its caller; it lives as long as the device is open.
func (e *entry) keep(name, from string) string {
	e.files = append(e.files, File{Name: filepath.Base(filepath.FromSlash(name)), Path: from})
	return name
}

// shut closes the device and gives it back, unless it is held. The caller has the turn.
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
	if e.clearing != nil { // which sets itself anew, under the lock
		e.clearing.Stop()
	}
	e.opened = time.Time{}
	return err
}

// free gives a lease back, unless the device is held: then it stays this process's.
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
