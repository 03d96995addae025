// Package pool leases devices to cases. A device has at most one lease at a time, across all processes of the user.
package pool

import (
	"context"
	"errors"
	"hash/crc32"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/filetree"
)

// Pool leases devices to one case at a time each, across processes. Safe for concurrent use.
type Pool struct {
	*shared
	drivers []drivers.Driver
	closers map[int]func() error // end the drivers, each once; the pool of WithDriver has only its own driver
	beside  bool
}

// shared is the state that pools with the same devices share. A driver is known by its place in the list.
type shared struct {
	leases   leases
	reserved leases                    // the reservations of devices, each in a file next to its lock
	only     func(dsl.Platform) string // the one device of a platform that may be used, or ""
	listing  []chan struct{}           // holds a token while the driver lists its devices

	log *slog.Logger

	mu            sync.Mutex
	doubles       map[string]bool // the ids of devices of remotes that were left out
	local         map[string]bool // devices in use by this process, by platform and id
	listed        map[int]listing
	had           map[dsl.Platform]map[string]bool // usable devices that were seen
	noDeviceSince map[dsl.Platform]time.Time       // since when there is no device
	wake          chan struct{}                    // closed and replaced when a device becomes free, or is attached

	watching map[int]bool    // a goroutine watches its devices
	life     context.Context // ends with Close
	end      context.CancelFunc
	watchers sync.WaitGroup
}

// listing is the last list of devices of a driver.
type listing struct {
	infos []drivers.Info
	err   error
	at    time.Time
}

// NoDeviceError says why no device can run a case.
type NoDeviceError struct {
	Platform dsl.Platform
	Reason   string
	Lost     bool  // there was one before
	Err      error // of a driver that cannot work on this machine; else nil
}

func (e *NoDeviceError) Error() string { return e.Reason }
func (e *NoDeviceError) Unwrap() error { return e.Err }

// Options restrict the devices of a pool. The zero value allows all of them.
type Options struct {
	Device        string              // only this device
	AndroidSerial string              // of the Android devices only this one; Device overrides it
	Getenv        func(string) string // for the folder of leases; default: the process's own
	Now           func() time.Time    // the clock for reservations; default: time.Now
	Log           *slog.Logger        // default: none
}

// only returns the one device of a platform that may be used, or "".
func (o Options) only(p dsl.Platform) string {
	if o.Device == "" && p == dsl.Android {
		return o.AndroidSerial
	}
	return o.Device
}

// New makes a pool over the drivers; Close closes them. Of several drivers with one platform, the devices of all can be
// leased; of two devices with one id, the one of the first driver counts.
func New(list []drivers.Driver, o Options) *Pool {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	dir := LeaseDir(o.Getenv)
	reserved := filetree.StateDir(o.Getenv, dir, "reserved")
	p := &Pool{drivers: list, closers: map[int]func() error{},
		shared: &shared{leases: leases{dir, o.Now}, reserved: leases{reserved, o.Now},
			only: o.only, log: o.Log, doubles: map[string]bool{},
			local: map[string]bool{}, listed: map[int]listing{},
			had:           map[dsl.Platform]map[string]bool{},
			noDeviceSince: map[dsl.Platform]time.Time{}, wake: make(chan struct{}), watching: map[int]bool{}}}
	p.life, p.end = context.WithCancel(context.Background())
	for i, d := range list {
		p.listing = append(p.listing, make(chan struct{}, 1))
		p.closers[i] = sync.OnceValue(d.Close)
	}
	return p
}

// WithDriver returns a pool of the same devices that uses another driver instead of the first one of its platform; it
// must list the same devices. The two pools share their leases. Close of the new pool ends that driver alone, and must
// be called before Close of p.
func (p *Pool) WithDriver(other drivers.Driver) *Pool {
	out := &Pool{shared: p.shared, drivers: slices.Clone(p.drivers), closers: map[int]func() error{}, beside: true}
	if of := placesOf(p.drivers, other.Platform()); len(of) > 0 {
		out.drivers[of[0]], out.closers[of[0]] = other, sync.OnceValue(other.Close)
	}
	return out
}

// placesOf returns the places of the drivers of a platform.
func placesOf(drivers []drivers.Driver, platform dsl.Platform) (list []int) {
	for i, d := range drivers {
		if d.Platform() == platform {
			list = append(list, i)
		}
	}
	return list
}

// Close ends the drivers. All leases must be released before.
func (p *Pool) Close() error {
	if !p.beside {
		p.end()
		p.watchers.Wait()
	}
	var errs []error
	for i := range p.drivers {
		if end := p.closers[i]; end != nil {
			errs = append(errs, end())
		}
	}
	return errors.Join(errs...)
}

// Driver returns the first driver of a platform; nil: there is none.
func (p *Pool) Driver(platform dsl.Platform) drivers.Driver {
	if of := placesOf(p.drivers, platform); len(of) > 0 {
		return p.drivers[of[0]]
	}
	return nil
}

// Retire starts to end the drivers of a platform that is no longer needed; Close waits for them, and returns their
// errors.
func (p *Pool) Retire(platform dsl.Platform) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range placesOf(p.drivers, platform) {
		if end := p.closers[i]; end != nil && !p.watching[i] {
			go func() { _ = end() }() // Close returns its error
		}
	}
}

// Lease is the exclusive use of one device.
type Lease struct {
	Info    drivers.Info
	driver  drivers.Driver
	Own     bool // the device is not shared with other processes
	release func()
	hold    func(who string, until time.Time) error
}

// Hold records, for other processes, that a client of this one holds the lease until a time; zero: it no longer does.
func (l *Lease) Hold(who string, until time.Time) error {
	if l.hold == nil {
		return nil
	}
	return l.hold(who, until)
}

// Lent is the lease of a device that another machine lends: that machine leases and releases it.
func Lent(driver drivers.Driver, id string) *Lease {
	return &Lease{Info: drivers.Info{ID: id, Platform: driver.Platform()}, driver: driver}
}

// Open opens the leased device.
func (l *Lease) Open(ctx context.Context) (drivers.Device, error) {
	return l.driver.Open(ctx, l.Info.ID)
}

// OpenGuarded is Open; after a panic in it, the device is released.
func (l *Lease) OpenGuarded(ctx context.Context) (drivers.Device, error) {
	returned := false
	defer func() {
		if !returned {
			l.Release()
		}
	}()
	dev, err := l.Open(ctx)
	returned = true
	return dev, err
}

// Release releases the device. It can be called more than once.
func (l *Lease) Release() {
	if l.release != nil {
		l.release()
		l.release = nil
	}
}

const (
	// rest is the pause between two attempts when all devices are leased. The release of a device by another process is
	// noticed at most this late.
	rest = 60 * time.Millisecond
	// fresh is how long a listing of devices is used while cases wait for one.
	fresh = time.Second
	// trusted is how long a listing is used for a first attempt. A new one takes seconds when one of the phones does
	// not respond, and a phone that was detached is noticed when it is opened.
	trusted = 10 * time.Second
	// returns is how long a run waits when its last device was detached: adb takes up to 10 s to find a phone again.
	returns = 12 * time.Second
)

// ErrSpent says that devices are attached, but that the caller excluded them all.
var ErrSpent = errors.New("no other device is there")

// Lease waits until a device of the platform is free and leases it. A *NoDeviceError means that there is none to wait
// for.
func (p *Pool) Lease(ctx context.Context, platform dsl.Platform, what string) (*Lease, error) {
	return p.LeaseFor(ctx, Request{platform, what, func(drivers.Info) bool { return false }, Sleep})
}

// SleepFunc waits between two attempts to lease, until a device becomes free or d has passed.
type SleepFunc func(ctx context.Context, d time.Duration, wake <-chan struct{}) error

// Request describes a device to lease.
type Request struct {
	Platform dsl.Platform
	What     string // what it is needed for
	Skip     func(drivers.Info) bool
	Sleep    SleepFunc
}

// LeaseFor is Lease without the devices that the request excludes.
//
// The first round uses a listing of up to ten seconds ago (trusted), because a new one can take seconds and a device
// that was detached since is noticed when it is opened. Later rounds use a listing of at most a second (fresh), so
// that devices that are attached meanwhile are found. Between two rounds LeaseFor waits until this process releases a
// device (wake) or for a moment (rest), because the release by another process cannot be observed. It stops when
// the platform has had no device for a while (mayReturn).
func (p *Pool) LeaseFor(ctx context.Context, w Request) (*Lease, error) {
	for age := trusted; ; age = fresh {
		wake := p.waker()
		usable, err := p.usable(ctx, w.Platform, age)
		switch {
		case err != nil && (ctx.Err() != nil || !p.mayReturn(w.Platform)):
			return nil, err
		case err == nil:
			lease, err := p.takeOne(usable, w)
			if lease != nil || err != nil {
				return lease, err
			}
		}
		p.watch(w.Platform)
		if err := w.Sleep(ctx, rest, wake); err != nil {
			return nil, err
		}
	}
}

// takeOne leases the first device that is free; nil when all are leased.
func (p *Pool) takeOne(usable []candidate, w Request) (*Lease, error) {
	err := ErrSpent
	for _, c := range usable {
		info := c.info
		if w.Skip(info) {
			continue
		}
		err = nil
		if _, soon := p.Reserved(info.ID, "", Notice); soon {
			continue // as if it was leased
		}
		release, ok, err := p.take(c.driver, info.ID, w.What)
		if err != nil {
			return nil, err
		}
		if ok {
			return p.newLease(c.driver, info, release), nil
		}
	}
	return nil, err
}

func (p *Pool) newLease(d drivers.Driver, info drivers.Info, release func()) *Lease {
	l := &Lease{Info: info, driver: d, release: release}
	if _, l.Own = d.(drivers.SlotDriver); !l.Own {
		l.hold = func(who string, until time.Time) error {
			h, ok := p.leases.holder(info.ID)
			if !ok {
				return nil
			}
			h.Who, h.Until = who, until
			return p.leases.note(info.ID, h)
		}
	}
	return l
}

// mayReturn reports whether there was a device a moment ago.
func (p *Pool) mayReturn(platform dsl.Platform) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.had[platform]) == 0 {
		return false
	}
	if p.noDeviceSince[platform].IsZero() {
		p.noDeviceSince[platform] = time.Now()
	}
	return time.Since(p.noDeviceSince[platform]) < returns
}

// Forget makes the next lease query the drivers of a platform for their devices again.
func (p *Pool) Forget(platform dsl.Platform) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range placesOf(p.drivers, platform) {
		delete(p.listed, i)
	}
}

func (p *Pool) waker() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wake
}

// take attempts to lease one device: with a lock among processes, or in this process alone for pages of a browser.
func (p *Pool) take(driver drivers.Driver, id, what string) (func(), bool, error) {
	t, ok, err := grab(p, driver, id, what)
	return t.release, ok, err
}

// taking is a device that was taken.
type taking struct {
	release func() // wakes those that wait for a device
	undo    func() // does not: nothing has changed for them
}

// grab is take, which can also be undone.
func grab(p *Pool, driver drivers.Driver, id, what string) (taking, bool, error) {
	free := func() {}
	if _, own := driver.(drivers.SlotDriver); !own {
		release, ok, err := p.leases.try(id, what)
		if err != nil || !ok {
			return taking{}, false, err
		}
		free = release
	}
	key := string(driver.Platform()) + "/" + id
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.local[key] {
		free()
		return taking{}, false, nil
	}
	p.local[key] = true
	back := func(wakes bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.local, key)
		free()
		if wakes {
			close(p.wake)
			p.wake = make(chan struct{})
		}
	}
	return taking{release: func() { back(true) }, undo: func() { back(false) }}, true, nil
}

func checksum(s string) uint32 { return crc32.ChecksumIEEE([]byte(s)) }
