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
	"github.com/taproot-dev/taproot/drivers/internal/fleet"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/dsl"
)

// listGood is how long a list is trusted.
const listGood = 10 * time.Second

// Devices lists the simulators that run and the iPhones that this machine knows, in whatever state, with what to do
// about those that are not ready.
func (d *Driver) Devices(ctx context.Context) ([]drivers.Info, error) {
	if d.tools.Xcrun == "" && d.tools.GoIOS == "" && len(d.urls.By) == 0 && d.urls.Err == nil {
		return nil, unavailable()
	}
	if err := errors.Join(d.urls.Err, d.streams.Err); err != nil {
		return nil, fmt.Errorf("list iOS devices: TAPROOT_WDA_URL or TAPROOT_WDA_MJPEG_URL: %w", err)
	}
	if err := d.boot.Once(ctx); err != nil {
		return nil, fmt.Errorf("list iOS devices: %w", err)
	}
	list, err := d.listed(ctx)
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
	slices.SortFunc(list, func(a, b host.Found) int { return strings.Compare(a.Info.ID, b.Info.ID) })
	infos := make([]drivers.Info, len(list))
	byID := map[string]host.Found{}
	for i, f := range list {
		f.Listed = time.Now()
		infos[i], byID[f.Info.ID] = f.Info, f
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found = byID
	return infos, nil
}

// listed returns the devices that the programs know. When none knows any, and no address does, their failure is
// reported.
func (d *Driver) listed(ctx context.Context) ([]host.Found, error) {
	all, err := d.tools.List(ctx)
	if ctx.Err() != nil || len(all) == 0 && len(d.urls.By) == 0 {
		return nil, err
	}
	return all, nil
}

// addressed adds what TAPROOT_WDA_URL says: a device that no program knows is one all the same. An address without a
// device belongs to the one that TAPROOT_DEVICE names, or to the only one.
func (d *Driver) addressed(list []host.Found) []host.Found {
	for _, udid := range d.urls.List {
		url := d.urls.By[udid]
		chosen := d.getenv("TAPROOT_DEVICE")
		if udid == "" && slices.ContainsFunc(list, func(f host.Found) bool { return f.Info.ID == chosen }) {
			udid = chosen
		}
		if udid == "" && len(list) == 1 {
			udid = list[0].Info.ID
		}
		if udid == "" {
			udid = hostOf(url)
		}
		i := slices.IndexFunc(list, func(f host.Found) bool { return f.Info.ID == udid })
		if i < 0 {
			list = append(list, host.Found{Info: drivers.Info{ID: udid, Platform: dsl.IOS, State: drivers.Ready}})
			i = len(list) - 1
		}
		list[i].URL = url
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
func (d *Driver) check(ctx context.Context, f *host.Found) {
	if f.Info.State != drivers.Ready {
		return
	}
	if f.URL == "" {
		if problem := d.agents.CanStart(ctx, *f); problem != "" {
			f.Info.State, f.Info.Problem = host.NoAgent, problem
		}
		return
	}
	s, err := (&wda.Client{ID: f.Info.ID, Base: f.URL, HTTP: d.http}).Status(ctx)
	if err != nil {
		f.Info.State, f.Info.Problem = host.DeadAgent,
			fmt.Sprintf("start WebDriverAgent on it, or correct TAPROOT_WDA_URL (%v)", err)
		return
	}
	if f.Kind == host.Bare {
		f.Info.OSVersion, f.Info.Model, f.Info.Manufacturer = s.OS.Version, s.Device, "Apple"
		f.Info.Emulator = s.IOS.Simulator != ""
	}
}

// watchAsk is how often the programs are queried again: none of Xcode's reports by itself which devices come and go.
const watchAsk = 3 * time.Second

var _ drivers.Watcher = (*Driver)(nil)

// Watch lists the devices again and again. Only what keeps the first list from being had is an error.
func (d *Driver) Watch(ctx context.Context, seen func([]drivers.Info)) error {
	look, err := fleet.Changes(ctx, d.Devices, seen)
	if err != nil {
		return err
	}
	for drivers.Pause(ctx, d.watchAsk) == nil {
		if err := look(); err != nil {
			d.log.Warn("the iOS devices could not be listed", "error", err)
		}
	}
	return nil
}
