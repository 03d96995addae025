package dispatch

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/order"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/farm/wire"
)

// roster is what hosts last said. Safe for concurrent use.
type roster struct {
	mu    sync.Mutex
	hosts map[string]*heard
	gone  map[string]*heard // that are dead, for a while
	known func() map[string]Host
	after time.Duration // who is silent for so long is dead
	since time.Time     // when this hub began to listen

	poolOf map[string]string // of hosts; it is replaced, never changed
}

// heard is the last beat of a host.
type heard struct {
	beat    order.Beat
	came    time.Time // the beat
	at      time.Time // it, or since when this hub listens if that is later
	working map[order.Attempt]bool
	silent  bool // for too long, when it was last looked at
}

func newRoster(after time.Duration, known func() map[string]Host) *roster {
	return &roster{known: known, after: after, hosts: map[string]*heard{}, gone: map[string]*heard{}, since: time.Now()}
}

// change is what a beat says that the one before did not.
type change struct {
	came  bool // there was none before
	free  bool // other devices are free
	began bool // the host was started again: it knows of nothing that was under way
}

// hear takes a beat.
func (r *roster) hear(host string, body []byte) (c change) {
	h := &heard{came: time.Now(), at: time.Now(), working: map[order.Attempt]bool{}}
	if json.Unmarshal(body, &h.beat) != nil || wire.Fits(h.beat.Version) != nil {
		return c
	}
	for _, a := range h.beat.Working {
		h.working[a] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.hosts[host]
	r.hosts[host] = h
	delete(r.gone, host)
	if before == nil {
		return change{came: true, free: true}
	}
	return change{free: before.beat.Draining != h.beat.Draining || free(before.beat) != free(h.beat) || time.Since(before.came) > quiet, began: before.beat.Boot != h.beat.Boot}
}

// quiet is how long nothing may come from a host before it gets no more cases: a hub that hears nothing itself must not give any to hosts that may be dead.
const quiet = wire.HostGone

// free counts the devices that nobody holds.
func free(b order.Beat) (n int) {
	for _, d := range b.Devices {
		if !d.Busy {
			n++
		}
	}
	return n
}

// devices are those of the hosts that are there, all and those that nobody holds.
func (r *roster) devices() (all, free []queue.Device) { return r.list(false) }

// hoped are all devices, also those of hosts that may come back: for them it is worth to wait.
func (r *roster) hoped() []queue.Device {
	all, _ := r.list(true)
	return all
}

// mayReturn is for how long a host that is dead is waited for.
const mayReturn = 2 * time.Minute

func (r *roster) list(gone bool) (all, free []queue.Device) {
	var known map[string]Host
	if r.known != nil {
		known = r.known()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	hosts := r.hosts
	if gone {
		maps.DeleteFunc(r.gone, func(_ string, h *heard) bool { return time.Since(h.came) > mayReturn })
		hosts = maps.Clone(r.gone)
		maps.Copy(hosts, r.hosts)
	}
	pools := map[string]string{}
	for host, h := range hosts {
		of, may := known[host]
		if r.known != nil && !may {
			continue
		}
		pools[host] = of.Pool
		for _, d := range h.beat.Devices {
			q := queue.Device{Host: host, ID: d.ID, Platform: dsl.Platform(d.Platform), Model: d.Model, OS: d.OS, Width: d.Width, Height: d.Height, Pool: d.Pool, Labels: d.Labels}
			if r.known != nil {
				q.Pool, q.Labels = of.Pool, of.Labels
			} else {
				pools[host] = d.Pool
			}
			if of.Project != "" {
				q.Projects = []string{of.Project}
			}
			all = append(all, q)
			if !d.Busy && !h.beat.Draining && time.Since(h.came) <= quiet {
				free = append(free, q)
			}
		}
	}
	r.poolOf = pools
	order := func(a, b queue.Device) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.ID, b.ID)) }
	slices.SortFunc(all, order)
	slices.SortFunc(free, order)
	return all, free
}

// pools are the hosts that were there when devices was called last, with their pools, which may be "". The map is not changed.
func (r *roster) pools() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.poolOf
}

// silent tells whether a host was silent for too long.
func (r *roster) silent(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.hosts {
		if now.Sub(h.at) > r.after {
			return true
		}
	}
	return false
}

// dead removes the hosts that were silent for too long at two looks, and gives them: what they said may have come just now.
func (r *roster) dead(now time.Time) (list []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for host, h := range r.hosts {
		switch before := h.silent; {
		case now.Sub(h.at) <= r.after:
		case !before:
			h.silent = true
		default:
			list = append(list, host)
			delete(r.hosts, host)
			r.gone[host] = h
		}
	}
	return list
}

// again begins to listen anew: what was said before counts as said now.
func (r *roster) again(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = now
	for _, h := range r.hosts {
		h.at, h.silent = now, false
	}
}

// knows tells whether a host is there; sure: this hub has listened for so long that it would know.
func (r *roster) knows(host string, now time.Time) (there, sure bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, there = r.hosts[host]
	return there, now.Sub(r.since) > r.after
}

// complete tells whether this hub has listened for so long that all hosts have come, or has heard all that it knows.
func (r *roster) complete() bool {
	var known map[string]Host
	if r.known != nil {
		known = r.known()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.since) > r.after {
		return true
	}
	for host := range known {
		if h := r.hosts[host]; h == nil || h.came.Before(r.since) {
			return false
		}
	}
	return r.known != nil
}

// boot names the process of a host that was last heard.
func (r *roster) boot(host string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.hosts[host]; h != nil {
		return h.beat.Boot
	}
	return ""
}

// works tells whether a host said that it works on an attempt.
func (r *roster) works(host string, a order.Attempt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.hosts[host]
	return h != nil && h.working[a]
}
