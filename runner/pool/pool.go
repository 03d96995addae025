package pool

import (
	"context"
	"errors"
	"hash/crc32"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// Pool hands out devices, one case at a time each, across processes. Safe for concurrent use.
type Pool struct {
	*handed
	drivers []drivers.Driver
	closers map[dsl.Platform]func() error // end the drivers, each once; of a pool beside another one: its own driver alone
	beside  bool
}

// handed is what pools know that have the same devices.
type handed struct {
	leases   leases
	reserved leases                         // the reservations of devices, each in a file beside its lock
	only     func(dsl.Platform) string      // the one device of a platform that may be used, or ""
	asking   map[dsl.Platform]chan struct{} // holds a token while the driver is asked for its devices

	mu     sync.Mutex
	local  map[string]bool // devices in use by this process, by platform and id
	listed map[dsl.Platform]listing
	had    map[dsl.Platform]map[string]bool // usable devices that were seen
	gone   map[dsl.Platform]time.Time       // since when there is none any more
	wake   chan struct{}                    // closed and renewed when a device becomes free, or comes

	watching map[dsl.Platform]bool // somebody listens for its devices
	life     context.Context       // ends with Close
	end      context.CancelFunc
	watchers sync.WaitGroup
}

// listing is what a driver said when it was asked last.
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
	Err      error // of the driver that cannot work on this machine; else nil
}

func (e *NoDeviceError) Error() string { return e.Reason }
func (e *NoDeviceError) Unwrap() error { return e.Err }

// Options say which devices a pool hands out. The zero value is all of them.
type Options struct {
	Device        string              // only this device
	AndroidSerial string              // of the Android devices only this one; Device goes before
	Getenv        func(string) string // where leases lie; default: the process's own
	Now           func() time.Time    // the clock by which reservations count; default: time.Now
}

// only names the one device of a platform that may be used, or "".
func (o Options) only(p dsl.Platform) string {
	if o.Device == "" && p == dsl.Android {
		return o.AndroidSerial
	}
	return o.Device
}

// New makes a pool over the drivers; Close closes them.
func New(list []drivers.Driver, o Options) *Pool {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Pool{drivers: list, closers: map[dsl.Platform]func() error{},
		handed: &handed{leases: leases{LeaseDir(o.Getenv), o.Now}, reserved: leases{reservedDir(o.Getenv), o.Now},
			only:   o.only,
			asking: map[dsl.Platform]chan struct{}{}, local: map[string]bool{}, listed: map[dsl.Platform]listing{},
			had:  map[dsl.Platform]map[string]bool{},
			gone: map[dsl.Platform]time.Time{}, wake: make(chan struct{}), watching: map[dsl.Platform]bool{}}}
	p.life, p.end = context.WithCancel(context.Background())
	for _, d := range list {
		p.asking[d.Platform()] = make(chan struct{}, 1)
		p.closers[d.Platform()] = sync.OnceValue(d.Close)
	}
	return p
}

// Beside gives a pool of the same devices in which those of a platform are opened by another driver, which must list
// the same ones. What one of the two pools has handed out, the other one does not. Close of it ends that driver alone,
// and comes before Close of p.
func (p *Pool) Beside(other drivers.Driver) *Pool {
	out := &Pool{handed: p.handed, drivers: slices.Clone(p.drivers), closers: map[dsl.Platform]func() error{
		other.Platform(): sync.OnceValue(other.Close)}, beside: true}
	for i, d := range out.drivers {
		if d.Platform() == other.Platform() {
			out.drivers[i] = other
		}
	}
	return out
}

// Close ends the drivers. No lease may be out.
func (p *Pool) Close() error {
	if !p.beside {
		p.end()
		p.watchers.Wait()
	}
	var errs []error
	for _, d := range p.drivers {
		if end := p.closers[d.Platform()]; end != nil {
			errs = append(errs, end())
		}
	}
	return errors.Join(errs...)
}

// Driver is that of a platform; nil: there is none.
func (p *Pool) Driver(platform dsl.Platform) drivers.Driver {
	for _, d := range p.drivers {
		if d.Platform() == platform {
			return d
		}
	}
	return nil
}

// Retire begins to end the driver of a platform that nobody needs any more; Close waits for it, and tells what went
// wrong.
func (p *Pool) Retire(platform dsl.Platform) {
	p.mu.Lock()
	watching := p.watching[platform]
	p.mu.Unlock()
	if end := p.closers[platform]; end != nil && !watching {
		go func() { _ = end() }() // Close gives its error
	}
}

// Lease is the right to use one device.
type Lease struct {
	Info    drivers.Info
	driver  drivers.Driver
	Own     bool // the device belongs to this process alone
	release func()
	hold    func(who string, until time.Time) error
}

// Hold says, for other processes, that a client of this one has the device until a time; zero: it does no more.
func (l *Lease) Hold(who string, until time.Time) error {
	if l.hold == nil {
		return nil
	}
	return l.hold(who, until)
}

// Open opens the leased device.
func (l *Lease) Open(ctx context.Context) (drivers.Device, error) {
	return l.driver.Open(ctx, l.Info.ID)
}

// OpenGuarded is Open; should it panic, the device is given back.
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

// Release gives the device back; more than once is fine.
func (l *Lease) Release() {
	if l.release != nil {
		l.release()
		l.release = nil
	}
}

const (
	// rest between two rounds over busy devices; another process's release is noticed no later.
	rest = 60 * time.Millisecond
	// fresh is how long a listing of devices is good while cases wait for one.
	fresh = time.Second
	// trusted is how long it is good for a first try: asking again takes seconds when one of the phones hangs, and to take
	// one that is gone is noticed when it is opened.
	trusted = 10 * time.Second
	// returns is how long a run waits when its last device went away: adb takes up to 10 s to find a phone again.
	returns = 12 * time.Second
)

// ErrSpent says that there are devices, and that the caller wants none of them.
var ErrSpent = errors.New("no other device is there")

// Lease waits until a device of the platform is free and takes it. A *NoDeviceError means that there is none to wait
// for.
func (p *Pool) Lease(ctx context.Context, platform dsl.Platform, what string) (*Lease, error) {
	return p.LeaseFor(ctx, Request{platform, what, func(drivers.Info) bool { return false }, Sleep})
}

// SleepFunc waits between two looks for a free device, until one becomes free or d is over.
type SleepFunc func(ctx context.Context, d time.Duration, wake <-chan struct{}) error

// Request is a device that somebody waits for.
type Request struct {
	Platform dsl.Platform
	What     string // it is wanted for
	Skip     func(drivers.Info) bool
	Sleep    SleepFunc
}

// LeaseFor is Lease without the devices that skip names.
func (p *Pool) LeaseFor(ctx context.Context, w Request) (*Lease, error) {
	for age := trusted; ; age = fresh {
		wake := p.waker()
		driver, usable, err := p.usable(ctx, w.Platform, age)
		switch {
		case err != nil && (ctx.Err() != nil || !p.mayReturn(w.Platform)):
			return nil, err
		case err == nil:
			lease, err := p.takeOne(driver, usable, w)
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

// takeOne takes the first device that is free; nil when all are busy.
func (p *Pool) takeOne(driver drivers.Driver, usable []drivers.Info, w Request) (*Lease, error) {
	err := ErrSpent
	for _, info := range usable {
		if w.Skip(info) {
			continue
		}
		err = nil
		if _, soon := p.Reserved(info.ID, "", Notice); soon {
			continue // as if it was in use
		}
		release, ok, err := p.take(driver, info.ID, w.What)
		if err != nil {
			return nil, err
		}
		if ok {
			return p.newLease(driver, info, release), nil
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

// mayReturn tells whether there was a device a moment ago.
func (p *Pool) mayReturn(platform dsl.Platform) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.had[platform]) == 0 {
		return false
	}
	if p.gone[platform].IsZero() {
		p.gone[platform] = time.Now()
	}
	return time.Since(p.gone[platform]) < returns
}

// Forget makes the next lease ask the driver again which devices there are.
func (p *Pool) Forget(platform dsl.Platform) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.listed, platform)
}

func (p *Pool) waker() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wake
}

// take tries to take one device: by a lock among processes, or in this process alone for pages of a browser.
func (p *Pool) take(driver drivers.Driver, id, what string) (func(), bool, error) {
	free := func() {}
	if _, own := driver.(drivers.SlotDriver); !own {
		release, ok, err := p.leases.try(id, what)
		if err != nil || !ok {
			return nil, false, err
		}
		free = release
	}
	key := string(driver.Platform()) + "/" + id
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.local[key] {
		free()
		return nil, false, nil
	}
	p.local[key] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.local, key)
		free()
		close(p.wake)
		p.wake = make(chan struct{})
	}, true, nil
}

func checksum(s string) uint32 { return crc32.ChecksumIEEE([]byte(s)) }
