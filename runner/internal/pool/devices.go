package pool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// Usable lists the devices of a platform on which cases can run.
func (p *Pool) Usable(ctx context.Context, platform dsl.Platform) ([]drivers.Info, error) {
	list, err := p.usable(ctx, platform, fresh)
	infos := make([]drivers.Info, len(list))
	for i, c := range list {
		infos[i] = c.info
	}
	return infos, err
}

// Held reports whether a device is leased, or reserved so soon that no case may start on it, in this process or, as far
// as that is known without trying to lease it, in another one.
func (p *Pool) Held(platform dsl.Platform, id string) bool {
	p.mu.Lock()
	own := p.local[string(platform)+"/"+id]
	p.mu.Unlock()
	if own {
		return true
	}
	if _, busy := p.Busy(id); busy {
		return true
	}
	_, soon := p.Reserved(id, "", Notice)
	return soon
}

// usable lists the devices of a platform on which cases can run. The error of one driver counts only when no other one
// has such a device.
func (p *Pool) usable(ctx context.Context, platform dsl.Platform, age time.Duration) ([]candidate, error) {
	of := placesOf(p.drivers, platform)
	if len(of) == 0 {
		return nil, &NoDeviceError{Platform: platform, Reason: noDriver(platform)}
	}
	var ready []candidate
	var infos []drivers.Info
	var failed error
	known := map[string]bool{}
	for _, i := range of {
		list, err := p.list(ctx, i, age)
		if err != nil && failed == nil {
			failed = err
		}
		infos = append(infos, list...)
		for _, info := range p.ready(platform, list) {
			if !known[info.ID] {
				known[info.ID] = true
				ready = append(ready, candidate{p.drivers[i], info})
			}
		}
	}
	var missing *drivers.Unavailable
	switch {
	case len(ready) > 0:
	case errors.As(failed, &missing):
		return nil, &NoDeviceError{Platform: platform, Reason: missing.Error(), Lost: p.lost(platform), Err: missing}
	case failed != nil:
		return nil, fmt.Errorf("list %s devices: %w", platform, failed)
	case age > fresh:
		return p.usable(ctx, platform, fresh) // do not trust an old empty list
	default:
		return nil, &NoDeviceError{Platform: platform, Reason: p.whyNone(platform, infos), Lost: p.lost(platform)}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.noDeviceSince, platform)
	if p.had[platform] == nil {
		p.had[platform] = map[string]bool{}
	}
	for _, c := range ready {
		p.had[platform][c.info.ID] = true
	}
	return ready, nil
}

// ready keeps the devices that cases may use.
func (p *Pool) ready(platform dsl.Platform, infos []drivers.Info) []drivers.Info {
	only := p.only(platform)
	var ready []drivers.Info
	for _, info := range infos {
		if info.State == drivers.Ready && (only == "" || info.ID == only) {
			ready = append(ready, info)
		}
	}
	return ready
}

// lost reports whether there was a usable device before.
func (p *Pool) lost(platform dsl.Platform) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.had[platform]) > 0
}

// list returns the devices from a listing that is at most age old. One caller at a time queries the driver; the others
// share the result.
func (p *Pool) list(ctx context.Context, driver int, age time.Duration) ([]drivers.Info, error) {
	if last, ok := p.known(driver, age); ok {
		return last.infos, last.err
	}
	asking := p.listing[driver]
	select {
	case asking <- struct{}{}:
		defer func() { <-asking }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if last, ok := p.known(driver, age); ok {
		return last.infos, last.err
	}
	infos, err := p.drivers[driver].Devices(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err // the caller's own context ended
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed[driver] = listing{infos, err, time.Now()}
	return infos, err
}

// known returns the last listing while it is recent enough; an error expires sooner.
func (p *Pool) known(driver int, age time.Duration) (listing, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.listed[driver]
	if last.err != nil {
		age = min(age, fresh)
	}
	return last, ok && time.Since(last.at) < age
}

// attachedNow lists the devices by the ids that --device takes.
func attachedNow(platform dsl.Platform, infos []drivers.Info) string {
	if len(infos) == 0 {
		return fmt.Sprintf("no %s device is", platform)
	}
	var list []string
	for _, i := range infos {
		facts := strings.TrimSpace(i.Manufacturer + " " + i.Model)
		if i.State != drivers.Ready {
			facts = strings.TrimSpace(facts + " " + string(i.State))
		}
		list = append(list, strings.TrimSuffix(fmt.Sprintf("%s (%s)", i.ID, facts), " ()"))
	}
	return "attached: " + strings.Join(list, ", ")
}

// whyNone explains an empty list: which devices are attached and why none can be used.
func (p *Pool) whyNone(platform dsl.Platform, infos []drivers.Info) string {
	only := p.only(platform)
	var why []string
	listed := map[string]bool{}
	for _, info := range infos {
		listed[info.ID] = true
		if only == "" || info.ID == only {
			why = append(why, strings.TrimSuffix(fmt.Sprintf("%s is %s: %s", info.ID, info.State, info.Problem), ": "))
		}
	}
	for _, id := range p.seen(platform) {
		if !listed[id] {
			why = append(why, id+" was attached and no longer is")
		}
	}
	switch {
	case len(why) > 0:
		return strings.Join(why, "; ")
	case only != "":
		return fmt.Sprintf("the %s device %s is not attached; %s", platform, only, attachedNow(platform, infos))
	case platform == dsl.Android:
		return "no Android device is attached: connect a phone with USB debugging on, or start simulated ones with " +
			"`taproot sim`"
	case platform == dsl.IOS:
		return "no iOS device is attached: boot a simulator (taproot devices --boot \"iPhone 16\"), or connect an iPhone"
	}
	return fmt.Sprintf("no %s device is attached", platform)
}

// seen lists the devices that were usable at some time of this run.
func (p *Pool) seen(platform dsl.Platform) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.had[platform]))
}

func noDriver(platform dsl.Platform) string {
	return fmt.Sprintf("no driver for platform %q", platform)
}
