package dispatch

import (
	"cmp"
	"encoding/json"
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
	known func() map[string]Host
	after time.Duration // who is silent for so long is dead
	since time.Time     // when this hub began to listen
}

// heard is the last beat of a host.
type heard struct {
	beat    order.Beat
	at      time.Time
	working map[order.Attempt]bool
}

func newRoster(after time.Duration, known func() map[string]Host) *roster {
	return &roster{known: known, after: after, hosts: map[string]*heard{}, since: time.Now()}
}

// hear takes a beat. changed tells whether a host came, or has other devices that are free.
func (r *roster) hear(host string, body []byte) (came, changed bool) {
	h := &heard{at: time.Now(), working: map[order.Attempt]bool{}}
	if json.Unmarshal(body, &h.beat) != nil || wire.Fits(h.beat.Version) != nil {
		return false, false
	}
	for _, a := range h.beat.Working {
		h.working[a] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.hosts[host]
	r.hosts[host] = h
	return before == nil, before == nil || before.beat.Draining != h.beat.Draining || free(before.beat) != free(h.beat)
}

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
func (r *roster) devices() (all, free []queue.Device) {
	var known map[string]Host
	if r.known != nil {
		known = r.known()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for host, h := range r.hosts {
		of, may := known[host]
		if r.known != nil && !may {
			continue
		}
		for _, d := range h.beat.Devices {
			q := queue.Device{Host: host, ID: d.ID, Platform: dsl.Platform(d.Platform), Model: d.Model, OS: d.OS, Width: d.Width, Height: d.Height, Pool: d.Pool, Labels: d.Labels}
			if r.known != nil {
				q.Pool, q.Labels = of.Pool, of.Labels
			}
			if of.Project != "" {
				q.Projects = []string{of.Project}
			}
			all = append(all, q)
			if !d.Busy && !h.beat.Draining {
				free = append(free, q)
			}
		}
	}
	order := func(a, b queue.Device) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.ID, b.ID)) }
	slices.SortFunc(all, order)
	slices.SortFunc(free, order)
	return all, free
}

// dead removes the hosts that were silent for too long, and gives them.
func (r *roster) dead(now time.Time) (list []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for host, h := range r.hosts {
		if now.Sub(h.at) > r.after {
			list = append(list, host)
			delete(r.hosts, host)
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
		h.at = now
	}
}

// knows tells whether a host is there; sure: this hub has listened for so long that it would know.
func (r *roster) knows(host string, now time.Time) (there, sure bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, there = r.hosts[host]
	return there, now.Sub(r.since) > r.after
}

// listened is for how long this hub has heard hosts.
func (r *roster) listened() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.since)
}

// works tells whether a host said that it works on an attempt.
func (r *roster) works(host string, a order.Attempt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.hosts[host]
	return h != nil && h.working[a]
}
