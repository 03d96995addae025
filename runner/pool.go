package runner

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// Pool hands out devices, one case at a time each, across processes. Safe for concurrent use.
type Pool struct {
	drivers []drivers.Driver
	leases  leases
	only    func(dsl.Platform) string // the one device of a platform that may be used, or ""

	mu     sync.Mutex
	local  map[string]bool // devices of Shared drivers in use
	listed map[dsl.Platform]listing
	had    map[dsl.Platform]bool // a usable device was seen
	wake   chan struct{}         // closed and renewed when a device becomes free
}

// listing is what a driver said when it was asked last.
type listing struct {
	infos []drivers.Info
	at    time.Time
}

// NoDeviceError says why no device can run a case.
type NoDeviceError struct {
	Platform dsl.Platform
	Reason   string
	Lost     bool // there was one before
}

func (e *NoDeviceError) Error() string { return e.Reason }

// NewPool makes a pool over the drivers; Close closes them.
func NewPool(list []drivers.Driver, c Config) *Pool {
	only := func(p dsl.Platform) string {
		if c.Device == "" && p == dsl.Android {
			return c.AndroidSerial
		}
		return c.Device
	}
	return &Pool{drivers: list, leases: leases{LeaseDir(c.Getenv)}, only: only, local: map[string]bool{},
		listed: map[dsl.Platform]listing{}, had: map[dsl.Platform]bool{}, wake: make(chan struct{})}
}

// Close ends the drivers. No lease may be out.
func (p *Pool) Close() error {
	var errs []error
	for _, d := range p.drivers {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}

// Lease is the right to use one device.
type Lease struct {
	Info    drivers.Info
	driver  drivers.Driver
	release func()
}

// Open opens the leased device.
func (l *Lease) Open(ctx context.Context) (drivers.Device, error) {
	return l.driver.Open(ctx, l.Info.ID)
}

// Release gives the device back; more than once is fine.
func (l *Lease) Release() {
	if l.release != nil {
		l.release()
		l.release = nil
	}
}

// rest between two rounds over busy devices; another process's release is noticed no later.
const rest = 60 * time.Millisecond

// Lease waits until a device of the platform is free and takes it. A *NoDeviceError means that there is none to wait for.
func (p *Pool) Lease(ctx context.Context, platform dsl.Platform, what string) (*Lease, error) {
	for {
		wake := p.waker()
		driver, usable, err := p.usable(ctx, platform)
		if err != nil {
			return nil, err
		}
		for _, info := range usable {
			release, ok, err := p.take(driver, info.ID, what)
			if err != nil {
				return nil, err
			}
			if ok {
				return &Lease{Info: info, driver: driver, release: release}, nil
			}
		}
		if err := pause(ctx, rest, wake); err != nil {
			return nil, err
		}
	}
}

func (p *Pool) waker() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wake
}

// take tries to take one device: by a lock among processes, or in this process alone for pages of a browser.
func (p *Pool) take(driver drivers.Driver, id, what string) (func(), bool, error) {
	free := func() {}
	if _, own := driver.(drivers.Shared); !own {
		release, ok, err := p.leases.try(id, what)
		if err != nil || !ok {
			return nil, false, err
		}
		free = release
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.local[id] {
		free()
		return nil, false, nil
	}
	p.local[id] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.local, id)
		free()
		close(p.wake)
		p.wake = make(chan struct{})
	}, true, nil
}

// Usable lists the devices of a platform on which cases can run.
func (p *Pool) Usable(ctx context.Context, platform dsl.Platform) ([]drivers.Info, error) {
	_, infos, err := p.usable(ctx, platform)
	return infos, err
}

func (p *Pool) usable(ctx context.Context, platform dsl.Platform) (drivers.Driver, []drivers.Info, error) {
	i := slices.IndexFunc(p.drivers, func(d drivers.Driver) bool { return d.Platform() == platform })
	if i < 0 {
		return nil, nil, &NoDeviceError{Platform: platform, Reason: noDriver(platform)}
	}
	driver := p.drivers[i]
	infos, err := p.list(ctx, driver)
	var missing *drivers.Unavailable
	if errors.As(err, &missing) {
		return nil, nil, &NoDeviceError{Platform: platform, Reason: missing.Error()}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list %s devices: %w", platform, err)
	}
	var ready []drivers.Info
	only := p.only(platform)
	for _, info := range infos {
		if info.State == drivers.Ready && (only == "" || info.ID == only) {
			ready = append(ready, info)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(ready) == 0 {
		return nil, nil, &NoDeviceError{Platform: platform, Reason: p.whyNone(platform, infos), Lost: p.had[platform]}
	}
	p.had[platform] = true
	return driver, ready, nil
}

// fresh is how long a listing of devices is good while cases wait for one.
const fresh = time.Second

// list asks the driver, at most once in a while.
func (p *Pool) list(ctx context.Context, d drivers.Driver) ([]drivers.Info, error) {
	p.mu.Lock()
	last, ok := p.listed[d.Platform()]
	p.mu.Unlock()
	if ok && time.Since(last.at) < fresh {
		return last.infos, nil
	}
	infos, err := d.Devices(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.listed[d.Platform()] = listing{infos, time.Now()}
	p.mu.Unlock()
	return infos, nil
}

// whyNone explains an empty list: which devices there are and why none can be used.
func (p *Pool) whyNone(platform dsl.Platform, infos []drivers.Info) string {
	var why []string
	only := p.only(platform)
	for _, info := range infos {
		if only != "" && info.ID != only {
			continue
		}
		why = append(why, fmt.Sprintf("%s is %s: %s", info.ID, info.State, info.Problem))
	}
	switch {
	case len(why) > 0:
		return strings.Join(why, "; ")
	case only != "":
		return fmt.Sprintf("the %s device %s is not attached", platform, only)
	case platform == dsl.Android:
		return "no Android device is attached: connect a phone with USB debugging on, or start simulated ones with `taproot sim`"
	}
	return fmt.Sprintf("no %s device is attached", platform)
}

func noDriver(platform dsl.Platform) string {
	if platform == dsl.IOS {
		return "no iOS device: this version of Taproot drives Android and browsers"
	}
	return fmt.Sprintf("no driver for platform %q", platform)
}

func checksum(s string) uint32 { return crc32.ChecksumIEEE([]byte(s)) }
