package ios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

const (
	listLimit = 20 * time.Second // of one program that lists devices
	listGood  = 10 * time.Second // how long a list is trusted
)

// kind is how the programs of this machine reach a device.
type kind int

// The kinds.
const (
	bare      kind = iota // by its WebDriverAgent alone
	simulator             // simctl
	phone                 // devicectl
	mux                   // go-ios
)

// found is a device of the list.
type found struct {
	info   drivers.Info
	kind   kind
	tunnel string // address of the phone in CoreDevice's tunnel
	noUDID bool   // it goes by CoreDevice's name: a phone that trusts no machine reports no other
	url    string // of its WebDriverAgent, where the environment has it
	listed time.Time
}

// Devices lists the simulators that run and the iPhones that this machine knows, in whatever state, with what to do
// about those that are not ready.
func (d *Driver) Devices(ctx context.Context) ([]drivers.Info, error) {
	if d.tools.xcrun == "" && d.tools.goios == "" && len(d.urls.by) == 0 && d.urls.err == nil {
		return nil, unavailable()
	}
	if err := errors.Join(d.urls.err, d.streams.err); err != nil {
		return nil, fmt.Errorf("list iOS devices: TAPROOT_WDA_URL or TAPROOT_WDA_MJPEG_URL: %w", err)
	}
	if err := d.bootOnce(ctx); err != nil {
		return nil, fmt.Errorf("list iOS devices: %w", err)
	}
	list, err := d.list(ctx)
	if err != nil {
		return nil, fmt.Errorf("list iOS devices: %w", err)
	}
	list = d.addressed(list)
	var checks sync.WaitGroup
	for i := range list {
		checks.Go(func() { d.check(ctx, &list[i]) })
	}
	checks.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("list iOS devices: %w", context.Cause(ctx))
	}
	slices.SortFunc(list, func(a, b found) int { return strings.Compare(a.info.ID, b.info.ID) })
	infos := make([]drivers.Info, len(list))
	byID := map[string]found{}
	for i, f := range list {
		f.listed = time.Now()
		infos[i], byID[f.info.ID] = f.info, f
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found = byID
	return infos, nil
}

// list queries all programs at once. One that fails costs the devices that it alone knows; when none knows any, its
// failure is reported.
func (d *Driver) list(ctx context.Context) ([]found, error) {
	var lists [3][]found
	var errs [3]error
	var asking sync.WaitGroup
	for i, ask := range []func(context.Context) ([]found, error){d.tools.simulators, d.tools.phones, d.tools.muxed} {
		asking.Go(func() { lists[i], errs[i] = ask(ctx) })
	}
	asking.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var all []found
	seen := map[string]bool{}
	for _, list := range lists {
		for _, f := range list {
			if !seen[f.info.ID] {
				seen[f.info.ID] = true
				all = append(all, f)
			}
		}
	}
	if slices.ContainsFunc(all, func(f found) bool { return f.info.State == untrusted && !f.noUDID }) {
		all = slices.DeleteFunc(all, func(f found) bool { return f.noUDID }) // go-ios knows its UDID
	}
	err := errors.Join(errs[:]...)
	if err != nil {
		d.log.Warn("a list of iOS devices is not whole", "error", err)
	}
	if len(all) == 0 && len(d.urls.by) == 0 {
		return nil, err
	}
	return all, nil
}

// addressed adds what TAPROOT_WDA_URL says: a device that no program knows is one all the same. An address without a
// device belongs to the one that TAPROOT_DEVICE names, or to the only one.
func (d *Driver) addressed(list []found) []found {
	for _, udid := range d.urls.list {
		url := d.urls.by[udid]
		chosen := d.getenv("TAPROOT_DEVICE")
		if udid == "" && slices.ContainsFunc(list, func(f found) bool { return f.info.ID == chosen }) {
			udid = chosen
		}
		if udid == "" && len(list) == 1 {
			udid = list[0].info.ID
		}
		if udid == "" {
			udid = hostOf(url)
		}
		i := slices.IndexFunc(list, func(f found) bool { return f.info.ID == udid })
		if i < 0 {
			list = append(list, found{info: drivers.Info{ID: udid, Platform: dsl.IOS, State: drivers.Ready}})
			i = len(list) - 1
		}
		list[i].url = url
	}
	return list
}

// hostOf names a device of which nothing but the address is known.
func hostOf(url string) string {
	_, host, _ := strings.Cut(url, "://")
	host, _, _ = strings.Cut(host, "/")
	return "wda-" + strings.NewReplacer(":", "-", "[", "", "]", "").Replace(host)
}

// check finds out whether a device that is ready has a WebDriverAgent, or can get one.
func (d *Driver) check(ctx context.Context, f *found) {
	if f.info.State != drivers.Ready {
		return
	}
	if f.url == "" {
		if problem := d.canStart(ctx, *f); problem != "" {
			f.info.State, f.info.Problem = noAgent, problem
		}
		return
	}
	s, err := (&wda{id: f.info.ID, base: f.url, http: d.http}).status(ctx)
	if err != nil {
		f.info.State, f.info.Problem = deadAgent,
			fmt.Sprintf("start WebDriverAgent on it, or correct TAPROOT_WDA_URL (%v)", err)
		return
	}
	if f.kind == bare {
		f.info.OSVersion, f.info.Model, f.info.Manufacturer = s.OS.Version, s.Device, "Apple"
		f.info.Emulator = s.IOS.Simulator != ""
	}
}

// Our own words for devices that cannot be used.
const (
	noAgent   drivers.State = "without-wda"
	deadAgent drivers.State = "wda-silent"
	untrusted drivers.State = "untrusted"
	noDevMode drivers.State = "developer-mode-off"
	noTunnel  drivers.State = "no-tunnel"
	away      drivers.State = "unavailable"
	starting  drivers.State = "booting"
	stopping  drivers.State = "shutting-down"
)

// remedy returns what to do about a device in such a state.
func remedy(state drivers.State) string {
	switch state {
	case untrusted:
		return "unlock it and answer the question \"Trust This Computer?\"; if it does not ask, plug it in again"
	case noDevMode:
		return "switch Developer Mode on in its Settings, Privacy & Security, and let it restart"
	case noTunnel:
		return "iOS 17 and newer need a tunnel: run `ios tunnel start --userspace` and leave it running"
	case away:
		return "connect it by cable, or bring it into the same network, and unlock it"
	case starting:
		return "wait until it has started"
	case stopping:
		return "wait until it is shut down, and boot it again: taproot devices --boot NAME"
	}
	return ""
}
