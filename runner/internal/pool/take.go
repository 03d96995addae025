package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// BusyError says who leases a device that was requested.
type BusyError struct {
	ID     string
	Holder Holder // zero when unknown
}

func (e *BusyError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("device %s is in use", e.ID)
	}
	until := ""
	if time.Now().Before(e.Holder.Until) {
		until = ", held until " + e.Holder.Until.Format("15:04:05 MST")
	}
	return fmt.Sprintf("device %s is in use by process %d (%s) since %s%s", e.ID, e.Holder.PID, e.Holder.What,
		e.Holder.Since.Format("15:04:05 MST"), until)
}

// UnknownDeviceError says that no device has that id, or that it cannot be used.
type UnknownDeviceError struct {
	ID     string
	Reason string   // of an attached device that cannot be used; else ""
	Others []string // that are attached
}

func (e *UnknownDeviceError) Error() string {
	switch {
	case e.Reason != "":
		return fmt.Sprintf("device %s cannot be used: %s", e.ID, e.Reason)
	case len(e.Others) == 0:
		return fmt.Sprintf("there is no device %q, and no other one", e.ID)
	}
	return fmt.Sprintf("there is no device %q; there are %s", e.ID, strings.Join(e.Others, ", "))
}

// List returns the devices of all platforms, usable or not. A platform without its tool has none. A device of a remote
// is left out when a device of this machine has its id.
func (p *Pool) List(ctx context.Context) ([]drivers.Info, error) {
	var all []drivers.Info
	var errs []error
	known := map[string]bool{}
	for i, d := range p.drivers {
		infos, err := p.list(ctx, i, fresh)
		var missing *drivers.Unavailable
		if err != nil && !errors.As(err, &missing) {
			errs = append(errs, fmt.Errorf("list %s devices: %w", d.Platform(), err))
		}
		for _, info := range p.chosen(d.Platform(), infos) {
			if info.Remote != "" && known[info.ID] {
				leftOut(p.shared, info)
				continue
			}
			known[info.ID] = true
			all = append(all, info)
		}
	}
	return all, errors.Join(errs...)
}

// leftOut warns of a device of a remote with the id of another device, once.
func leftOut(p *shared, info drivers.Info) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.doubles[info.ID] {
		p.doubles[info.ID] = true
		p.log.Warn("a device of a remote is left out, because a device of this machine has its id: give the remote another "+
			"name", "remote", info.Remote, "device", info.ID)
	}
}

// chosen drops devices that the configuration does not allow.
func (p *Pool) chosen(platform dsl.Platform, infos []drivers.Info) []drivers.Info {
	only := p.only(platform)
	return slices.DeleteFunc(slices.Clone(infos), func(i drivers.Info) bool { return only != "" && i.ID != only })
}

// Take leases one device at once or fails: a *BusyError says who leases it, a *ReservedError until when it is reserved,
// an *UnknownDeviceError that it does not exist or cannot be used.
func (p *Pool) Take(ctx context.Context, id, what string) (*Lease, error) {
	return p.TakeFor(ctx, id, what, "")
}

// TakeFor is Take for a client that may have reserved the device.
func (p *Pool) TakeFor(ctx context.Context, id, what, who string) (*Lease, error) {
	if r, now := p.Reserved(id, who, 0); now {
		return nil, &ReservedError{id, r}
	}
	var others []string
	var errs []error
	for i, d := range p.drivers {
		infos, err := p.list(ctx, i, trusted)
		if err == nil && !usable(infos, id) { // it may have been attached, or have become usable, since
			infos, err = p.list(ctx, i, fresh)
		}
		var missing *drivers.Unavailable
		if err != nil && !errors.As(err, &missing) {
			errs = append(errs, err)
		}
		for _, info := range p.chosen(d.Platform(), infos) {
			if info.ID == id {
				return p.takeThis(d, info, what)
			}
			others = append(others, info.ID)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return nil, &UnknownDeviceError{ID: id, Others: others}
}

func usable(infos []drivers.Info, id string) bool {
	return slices.ContainsFunc(infos, func(i drivers.Info) bool { return i.ID == id && i.State == drivers.Ready })
}

func (p *Pool) takeThis(d drivers.Driver, info drivers.Info, what string) (*Lease, error) {
	if info.State != drivers.Ready {
		return nil, &UnknownDeviceError{
			ID: info.ID, Reason: strings.TrimSuffix(fmt.Sprintf("%s: %s", info.State, info.Problem), ": ")}
	}
	release, ok, err := p.take(d, info.ID, what)
	if err != nil {
		return nil, err
	}
	if !ok {
		holder, _ := p.leases.holder(info.ID)
		return nil, &BusyError{ID: info.ID, Holder: holder}
	}
	return p.newLease(d, info, release), nil
}

// TakeAny leases the first free device of a platform at once or fails; see Take. It takes none of a remote.
func (p *Pool) TakeAny(ctx context.Context, platform dsl.Platform, what string) (*Lease, error) {
	list, err := p.usable(ctx, platform, trusted)
	if err != nil {
		return nil, err
	}
	busy := error(&NoDeviceError{Platform: platform,
		Reason: fmt.Sprintf("this machine has no %s device of its own", platform)})
	for _, c := range list {
		if c.info.Remote != "" {
			continue
		}
		lease, err := p.Take(ctx, c.info.ID, what)
		var taken *BusyError
		var reserved *ReservedError
		if !errors.As(err, &taken) && !errors.As(err, &reserved) {
			return lease, err
		}
		busy = err
	}
	return nil, busy
}
