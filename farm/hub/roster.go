package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/farm/wire"
)

// state needs the lock of the hub.
func (one *host) state() string {
	switch {
	case one.revoked:
		return Revoked
	case one.heard.IsZero() || one.beat.Ending || time.Since(one.heard) > wire.Missed*one.every:
		return Offline
	case one.beat.Draining:
		return Draining
	}
	return Online
}

// maxDevices is how many devices a host may have.
const maxDevices = 1000

// hear takes what a host says of itself. NATS vouches for the host in the subject.
func (h *Hub) hear(subject string, body []byte) (any, error) {
	id := wire.From(subject)
	var b wire.Beat
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, errors.New("the beat cannot be read")
	}
	if err := wire.Fits(b.Protocol); err != nil {
		return nil, err
	}
	b.Devices, b.Browsers = goodDevices(b.Devices), goodDevices(b.Browsers)
	if (HostPlacement{Pool: b.Pool, Labels: b.Labels}).Check() != nil {
		b.Pool, b.Labels = "", nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.hosts[id]
	if one == nil || one.revoked {
		h.o.Refused(Refusal{Actor: hostActor(id), Action: "farm.beat", Target: "a host that was revoked, or never joined"})
		if one != nil {
			return nil, h.revoked(id, one.key)
		}
		return nil, ErrNoHost
	}
	heard := wire.BeatReply{Now: h.o.Now()}
	switch {
	case b.Ending:
		if one.beat.Boot == b.Boot { // its devices are blocked until it is back
			one.beat.Ending, one.heard = true, time.Now()
			one.link.cut()
		}
		return heard, nil
	case !b.Same:
	case one.heard.IsZero() || one.beat.Boot != b.Boot || one.beat.State != b.State:
		return heard, wire.SayAgain(h.o.Broker.Conn(), id)
	default:
		b = one.beat
	}
	if foreign := one.ownOnly(b.Devices); foreign != "" {
		h.o.Refused(Refusal{Actor: hostActor(id), Action: "farm.lease", Target: foreign})
	}
	back := one.state() == Offline
	if one.beat.Boot != b.Boot {
		one.link.cut() // what was connected with the process before
	}
	if back {
		h.o.Log.Info("a host is there", "host", id, "version", short(b.Version), "devices", len(b.Devices))
	}
	if back || one.beat.Boot != b.Boot || free(one.beat) != free(b) {
		defer h.freed()
	}
	one.beat, one.heard, one.silent, one.dead = b, time.Now(), false, false
	return heard, nil
}

// hostActor is how the log calls a host.
func hostActor(id string) string { return "host " + id }

// ownOnly takes out what a host of one project says of others, and tells what that was; "": nothing.
func (one *host) ownOnly(devices []wire.Device) (foreign string) {
	if one.Project == "" {
		return ""
	}
	for i := range devices {
		d := &devices[i]
		if d.Only != "" && d.Only != one.Project {
			foreign, d.Only = fmt.Sprintf("a page of project %s", d.Only), one.Project
		}
		d.Leases = slices.DeleteFunc(d.Leases, func(l wire.Lease) bool {
			if l.Project == one.Project {
				return false
			}
			foreign = fmt.Sprintf("a lease of %s for project %s", d.ID, l.Project)
			return true
		})
		maps.DeleteFunc(d.Records, func(project string, _ json.RawMessage) bool {
			if project == one.Project {
				return false
			}
			foreign = fmt.Sprintf("a record of %s for project %s", d.ID, project)
			return true
		})
	}
	return foreign
}

// goodDevices leaves out what cannot be a device.
func goodDevices(list []wire.Device) []wire.Device {
	list = slices.DeleteFunc(list, func(d wire.Device) bool { return !goodDevice(d.ID) })
	return list[:min(len(list), maxDevices)]
}

// goodDevice tells whether an id can be one: "@" is for the host behind it.
func goodDevice(id string) bool {
	return id != "" && len(id) <= 200 && !strings.ContainsFunc(id, func(r rune) bool {
		return r < ' ' || r == 0x7f ||
			r == '@' || r == '/'
	})
}

// The rest is for who gives cases their devices.

// mayReturn is for how long a host that is dead is waited for.
const mayReturn = 2 * time.Minute

// OnFreed lets f be told when devices may be free that were not, or hosts have come; it must not wait.
func (h *Hub) OnFreed(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.freed = f
}

// free counts the devices on which a case can begin.
func free(b wire.Beat) (n int) {
	for _, list := range [][]wire.Device{b.Devices, b.Browsers} {
		for _, d := range list {
			if d.Cases == wire.CasesFree && !b.Draining {
				n++
			}
		}
	}
	return n
}

// ForCases tells each device on which cases can run, browsers too, of hosts that are not dead and, with hoped, of those
// that may come back; free: one can begin on it now. A host that is silent for a while gets none: this hub may be the
// one that hears nothing. do must not ask the hub.
func (h *Hub) ForCases(hoped bool, do func(d Device, free bool)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range h.hosts {
		if one.revoked || one.dead && (!hoped || time.Since(one.heard) > mayReturn) {
			continue
		}
		pool, labels := one.place()
		for _, list := range [][]wire.Device{one.beat.Devices, one.beat.Browsers} {
			for _, d := range list {
				if d.Cases != "" {
					do(Device{Device: d, Host: one.ID, Pool: pool, Labels: labels, Project: one.Project}, d.Cases == wire.CasesFree &&
						one.state() == Online)
				}
			}
		}
	}
}

// LabelList writes labels as NAME=VALUE, sorted.
func LabelList(of map[string]string) (list []string) {
	for k, v := range of {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return list
}

// Pool is that of a host; "": it has none.
func (h *Hub) Pool(host string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.hosts[host]; one != nil {
		pool, _ := one.place()
		return pool
	}
	return ""
}

// Boots names the processes of the hosts that are not dead, by host.
func (h *Hub) Boots() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	boots := map[string]string{}
	for id, one := range h.hosts {
		if !one.dead && !one.revoked && !one.heard.IsZero() {
			boots[id] = one.beat.Boot
		}
	}
	return boots
}

// Works tells whether a host said that it works on an attempt; dead: it is known to be dead, so that whatever it had
// goes elsewhere.
func (h *Hub) Works(host, attempt string) (works, dead bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.hosts[host]
	if one == nil { // it has joined another hub just now
		return false, false
	}
	return slices.Contains(one.beat.Working, attempt), one.dead
}

// DeadAfter is how long a host may be silent.
func (h *Hub) DeadAfter() time.Duration { return h.o.Dead }

// Complete tells whether this hub has listened for so long that all hosts have come, or has heard all that it knows.
func (h *Hub) Complete() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.since) > h.o.Dead {
		return true
	}
	for _, one := range h.hosts {
		if !one.revoked && one.heard.Before(h.since) {
			return false
		}
	}
	return true
}

// Dead gives the hosts that are dead, each once until it is heard again. A hub that has no connection, or that was
// stopped itself, knows nothing of hosts: it begins to listen anew. A connection that is cut looks whole for a while,
// so that NATS must answer before anybody is called dead.
func (h *Hub) Dead() []string {
	now, conn := time.Now(), h.o.Broker.Conn()
	deaf := !conn.IsConnected() || h.anySilent(now) && conn.FlushTimeout(2*max(h.o.Every, wire.BeatEvery)) != nil
	h.mu.Lock()
	defer h.mu.Unlock()
	deaf = deaf || !h.looked.IsZero() && now.Sub(h.looked) > max(h.o.Dead/2, 3*h.o.Every)
	h.looked = time.Now()
	if deaf {
		h.listenAnew(h.looked)
		return nil
	}
	return h.died(now)
}

// quiet tells whether a host was silent for too long, also one that was never heard.
func (h *Hub) quiet(one *host, now time.Time) bool {
	return now.Sub(one.heard) > h.o.Dead && now.Sub(h.since) > h.o.Dead
}

func (h *Hub) anySilent(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range h.hosts {
		if !one.dead && h.quiet(one, now) {
			return true
		}
	}
	return false
}

// died finds the hosts that were silent for too long at two looks: what they said may have come just now. The caller
// has the lock.
func (h *Hub) died(now time.Time) (list []string) {
	for id, one := range h.hosts {
		switch {
		case one.dead || !h.quiet(one, now):
		case !one.silent:
			one.silent = true
		default:
			one.dead = true
			list = append(list, id)
		}
	}
	return list
}

// listenAnew lets what was said before count as said now. The caller has the lock.
func (h *Hub) listenAnew(now time.Time) {
	h.since = now
	for _, one := range h.hosts {
		one.silent = false
	}
}
