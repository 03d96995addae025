package hub

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// The values of Device.Use.
const (
	Free    = "free"
	Busy    = "busy"   // in use by a call, a run or another process
	Leased  = "leased" // leased or reserved by a client
	Blocked = "blocked"
)

// Device is a device of a host, as a project sees it.
type Device struct {
	wire.Device
	Name    string // its id, with "@" and the host appended when another host has a device with the same id
	Host    string
	Pool    string
	Labels  map[string]string
	Project string // the only project that may use it; "": all projects
	Use     string
	Why     string // why the device is blocked
	Holder  string // of a lease of the requesting project
	Since   time.Time
}

const (
	lowBattery = 15 // percent, of a device that is not charging
	hot        = 45 // °C: phones throttle, and batteries suffer
)

// Target identifies a device by its host and its id.
type Target struct{ Host, Device string }

// ErrAmbiguous means that several hosts have a device with the same id.
var ErrAmbiguous = errors.New("several hosts have a device of this id")

// SetLocal sets the ids of the devices of this machine. They keep their ids, even if a host has a device with the same.
func (h *Hub) SetLocal(ids []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.local)
	for _, id := range ids {
		h.local[id] = true
	}
}

// Devices lists the devices that a project may see, sorted by name.
func (h *Hub) Devices(project string) []Device {
	return h.devices(project, func(one *host, d wire.Device) bool {
		return one.visible(project) && (d.Only == "" || d.Only == project)
	})
}

// AllDevices lists the devices of all hosts, for operators: with the holder of each, whatever project it belongs to.
func (h *Hub) AllDevices() []Device {
	list := h.devices("", func(*host, wire.Device) bool { return true })
	for i := range list {
		if d := &list[i]; len(d.Leases) > 0 {
			d.Holder, d.Since = d.Leases[0].Holder, d.Leases[0].Since
		} else if r, now := d.reserved(h.o.Now()); now {
			d.Holder = r.Holder
		}
	}
	return list
}

// reserved returns the reservation that is current.
func (d *Device) reserved(now time.Time) (wire.Lease, bool) {
	for _, r := range d.Reserved {
		if !r.Since.After(now) && now.Before(r.Until) {
			return r, true
		}
	}
	return wire.Lease{}, false
}

func (h *Hub) devices(project string, sees func(*host, wire.Device) bool) []Device {
	h.mu.Lock()
	defer h.mu.Unlock()
	list, count := []Device{}, map[string]int{}
	for id := range h.local {
		count[id]++
	}
	for _, one := range h.hosts {
		if one.revoked {
			continue
		}
		pool, labels := one.place()
		for _, d := range one.beat.Devices {
			if !sees(one, d) {
				continue
			}
			count[d.ID]++
			list = append(list, Device{Device: d, Name: d.ID, Host: one.ID, Pool: pool, Labels: labels, Project: one.Project})
			list[len(list)-1].judge(one, project, h.o.Now())
		}
	}
	for i := range list {
		if count[list[i].ID] > 1 {
			list[i].Name += "@" + list[i].Host
		}
	}
	slices.SortFunc(list, func(a, b Device) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// judge sets Use and Why.
func (d *Device) judge(one *host, project string, at time.Time) {
	if at := slices.IndexFunc(d.Leases, func(l wire.Lease) bool { return l.Project == project }); at >= 0 {
		d.Holder, d.Since = d.Leases[at].Holder, d.Leases[at].Since
	}
	d.Use, d.Why = Free, ""
	reserved, now := d.reserved(at)
	if now && d.Holder == "" && reserved.Project == project {
		d.Holder = reserved.Holder
	}
	switch state := one.state(); {
	case state == Offline:
		d.Why = "its host does not respond"
	case d.Gone:
		d.Why = "it is unplugged"
	case d.State != drivers.Ready:
		if d.Why = d.Problem; d.Why == "" {
			d.Why = string(d.State)
		}
	case len(d.Leases) > 0:
		d.Use, d.Since = Leased, d.Leases[0].Since
	case now:
		d.Use, d.Since = Leased, reserved.Since
	case d.LeasedSince != nil:
		d.Use, d.Since = Busy, *d.LeasedSince
	case state == Draining:
		d.Why = "its host is shutting down"
	case d.Battery > 0 && d.Battery < lowBattery && !d.Charging:
		d.Why = fmt.Sprintf("its battery is low (%d %%)", d.Battery)
	case d.Temperature >= hot:
		d.Why = fmt.Sprintf("it is hot (%d °C)", d.Temperature)
	}
	if d.Why != "" {
		d.Use = Blocked
	}
}

// Kept reports whether a device with this name belongs to other projects, and none to the given project.
func (h *Hub) Kept(project, name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	id, on, suffixed := strings.Cut(name, "@")
	kept := false
	for _, one := range h.hosts {
		if one.revoked || suffixed && one.ID != on {
			continue
		}
		for _, d := range one.beat.Devices {
			if d.ID != id {
				continue
			}
			if one.visible(project) && (d.Only == "" || d.Only == project) {
				return false
			}
			kept = true
		}
	}
	return kept && (suffixed || !h.local[id])
}

// Find returns the host and id of a device that a project may use. ok is false when no host has it.
func (h *Hub) Find(project, name string) (at Target, ok bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id, on, suffixed := strings.Cut(name, "@")
	if !suffixed && h.local[name] {
		return Target{}, false, nil
	}
	var found []string
	for _, one := range h.hosts {
		if one.revoked || !one.visible(project) || suffixed && one.ID != on {
			continue
		}
		if slices.ContainsFunc(one.beat.Devices, func(d wire.Device) bool {
			return d.ID == id &&
				(d.Only == "" || d.Only == project)
		}) {
			found = append(found, one.ID)
		}
	}
	switch len(found) {
	case 0:
		return Target{}, false, nil
	case 1:
		return Target{found[0], id}, true, nil
	}
	slices.Sort(found)
	return Target{}, true, fmt.Errorf("%w: call it %s@%s", ErrAmbiguous, id, strings.Join(found, ", or "+id+"@"))
}
