package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// state returns the state of a host. The caller holds the lock of the hub.
func (one *host) state() string {
	switch {
	case one.revoked:
		return Revoked
	case one.lastBeat.IsZero() || one.beat.Ending || time.Since(one.lastBeat) > wire.Missed*one.every:
		return Offline
	case one.beat.Draining:
		return Draining
	}
	return Online
}

// maxDevices is how many devices a host may have.
const maxDevices = 1000

// receive processes a beat. NATS guarantees which host has published to the subject.
func (h *Hub) receive(subject string, body []byte) (any, error) {
	id := wire.From(subject)
	var b wire.Beat
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, errors.New("the beat is not valid JSON")
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
	reply := wire.BeatReply{Now: h.o.Now()}
	switch {
	case b.Ending:
		if one.beat.Boot == b.Boot { // its devices are blocked until it is back
			one.beat.Ending, one.lastBeat = true, time.Now()
			one.link.cut()
		}
		return reply, nil
	case !b.Same:
	case one.lastBeat.IsZero() || one.beat.Boot != b.Boot || one.beat.State != b.State:
		return reply, wire.RequestBeat(h.o.Broker.Conn(), id)
	default:
		b = one.beat
	}
	if foreign := one.ownOnly(b.Devices); foreign != "" {
		h.o.Refused(Refusal{Actor: hostActor(id), Action: "farm.lease", Target: foreign})
	}
	back := one.state() == Offline
	if one.beat.Boot != b.Boot {
		one.link.cut() // the connections to the previous process
	}
	if back {
		h.o.Log.Info("a host is online", "host", id, "version", short(b.Version), "devices", len(b.Devices))
	}
	if back || one.beat.Boot != b.Boot || free(one.beat) != free(b) {
		defer h.freed()
	}
	one.beat, one.lastBeat, one.silent, one.dead = b, time.Now(), false, false
	return reply, nil
}

// hostActor returns the name of a host in the audit log.
func hostActor(id string) string { return "host " + id }

// ownOnly removes what a host of one project reports about others. It returns a description of it, or "".
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

// goodDevices removes devices with an invalid id, and those above the limit.
func goodDevices(list []wire.Device) []wire.Device {
	list = slices.DeleteFunc(list, func(d wire.Device) bool { return !goodDevice(d.ID) })
	return list[:min(len(list), maxDevices)]
}

// goodDevice reports whether an id is valid. "@" is reserved for the host in a name.
func goodDevice(id string) bool {
	return id != "" && len(id) <= 200 && !strings.ContainsFunc(id, func(r rune) bool {
		return r < ' ' || r == 0x7f ||
			r == '@' || r == '/'
	})
}

// What follows is for package dispatch, which assigns devices to cases.

// mayReturn is how long the devices of a dead host still count as expected.
const mayReturn = 2 * time.Minute

// OnFreed sets a function that is called when more devices may be free, or hosts have come online. It must not block.
func (h *Hub) OnFreed(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.freed = f
}

// free counts the devices on which a case can start.
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

// ForCases calls do for each device and browser on which cases can run, of hosts that are not dead and, with hoped, of
// dead hosts that may come back. free means that a case can start on it now: the host is online, since a silent host
// may be one from which only this hub receives nothing. do must not call methods of the hub.
func (h *Hub) ForCases(hoped bool, do func(d Device, free bool)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range h.hosts {
		if one.revoked || one.dead && (!hoped || time.Since(one.lastBeat) > mayReturn) {
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

// ForBlocked calls do for each device of a host that responds on which no case can run now, with the reason in Why. do
// must not call methods of the hub.
func (h *Hub) ForBlocked(do func(d Device)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range h.hosts {
		if one.revoked || one.dead {
			continue
		}
		pool, labels := one.place()
		for _, d := range one.beat.Devices {
			if d.Cases != "" || d.Only != "" {
				continue
			}
			blocked := Device{Device: d, Host: one.ID, Pool: pool, Labels: labels, Project: one.Project}
			if blocked.judge(one, "", h.o.Now()); blocked.Why != "" {
				do(blocked)
			}
		}
	}
}

// Pool returns the pool of a host, or "" if it has none.
func (h *Hub) Pool(host string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.hosts[host]; one != nil {
		pool, _ := one.place()
		return pool
	}
	return ""
}

// Boots returns, for each host that is not dead, the id of its process.
func (h *Hub) Boots() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	boots := map[string]string{}
	for id, one := range h.hosts {
		if !one.dead && !one.revoked && !one.lastBeat.IsZero() {
			boots[id] = one.beat.Boot
		}
	}
	return boots
}

// Works reports whether a host works on an attempt according to its last beat, and whether the host is dead, so that
// its attempts go to other hosts.
func (h *Hub) Works(host, attempt string) (works, dead bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.hosts[host]
	if one == nil { // it has joined at another hub just now
		return false, false
	}
	return slices.Contains(one.beat.Working, attempt), one.dead
}

// DeadAfter returns how long a host may be silent before it counts as dead.
func (h *Hub) DeadAfter() time.Duration { return h.o.Dead }

// Complete reports whether this hub knows all hosts: it has received a beat of each, or has listened for long enough.
func (h *Hub) Complete() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.since) > h.o.Dead {
		return true
	}
	for _, one := range h.hosts {
		if !one.revoked && one.lastBeat.Before(h.since) {
			return false
		}
	}
	return true
}

// Dead returns the hosts that are newly dead; each is returned once, until its next beat. A hub that was disconnected
// or suspended knows nothing of hosts and starts to listen again. A broken connection looks intact for a while, so NATS
// must respond before a host counts as dead. The comment of Hub explains the algorithm.
func (h *Hub) Dead() []string {
	now, conn := time.Now(), h.o.Broker.Conn()
	deaf := !conn.IsConnected() || h.anySilent(now) && conn.FlushTimeout(2*max(h.o.Every, wire.BeatEvery)) != nil
	h.mu.Lock()
	defer h.mu.Unlock()
	deaf = deaf || !h.deadChecked.IsZero() && now.Sub(h.deadChecked) > max(h.o.Dead/2, 3*h.o.Every)
	h.deadChecked = time.Now()
	if deaf {
		h.restartListening(h.deadChecked)
		return nil
	}
	return h.died(now)
}

// quiet reports whether a host was silent for too long, including one that never sent a beat.
func (h *Hub) quiet(one *host, now time.Time) bool {
	return now.Sub(one.lastBeat) > h.o.Dead && now.Sub(h.since) > h.o.Dead
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

// died returns the hosts that were silent for too long at two consecutive calls: a beat may have been waiting at the
// first. The caller holds the lock.
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

// restartListening starts the time of listening again. The caller holds the lock.
func (h *Hub) restartListening(now time.Time) {
	h.since = now
	for _, one := range h.hosts {
		one.silent = false
	}
}
