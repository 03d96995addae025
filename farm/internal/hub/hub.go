package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/store"
)

// Options are the dependencies and settings of a hub. Those without a default are required.
type Options struct {
	DB      *store.DB // with a migrated schema
	Broker  *broker.Broker
	Version string
	Log     *slog.Logger
	Life    time.Duration // of a host's credential, which it renews well before; default: Broker.Life
	// how often hosts send beats, and the hub reads their rows; default: wire.BeatEvery
	Every   time.Duration
	Dead    time.Duration    // how long a host may be silent before its cases move to other hosts; default: wire.AckWait
	Now     func() time.Time // the clock for reservations on all hosts; default: time.Now
	Refused func(Refusal)    // receives each action of a (claimed) host that was refused; must not block; may be nil
}

// Refusal is an action that was refused.
type Refusal struct {
	Actor   string // "host desk"
	Address string // the IP address that it came from; "" if unknown
	Action  string // "farm.nats"
	Target  string // a description
}

// Hub tracks the hosts of a farm. Safe for concurrent use. Close does not close the database or the broker.
//
// What it knows comes from two sources. The database says which hosts have joined and which were revoked; every hub
// reads it at each interval, because hosts join at other hubs and are revoked by a command. The beats, which every hub
// receives, carry the devices and are kept in memory only: they change every second, and a hub that restarts has all of
// them again after one interval.
//
// A missing beat has consequences in two steps, since a wrong guess costs much. After a few seconds (wire.Missed beats)
// a host is offline: its devices are blocked for clients, and no case starts there, but nothing is taken from it. Only
// after Options.Dead its running cases start again on other hosts; if the host were alive, a case would run twice and
// one result would be discarded. Silence has many causes other than a dead host, and most are on the side of the hub:
// it was suspended, it lost NATS, or its beats wait in the buffer of a connection. Therefore Dead calls a host dead
// only if all of the following hold:
//
//   - The hub has listened without interruption for Options.Dead (since). If Dead was not called on time, the process
//     was suspended; if NATS is not connected or does not respond to a flush, the hub received nothing. In both cases
//     the time starts again (restartListening).
//   - The host was silent at two consecutive calls (silent, then dead). Between them the hub processes the beats that
//     had already arrived.
//
// The result of a host that was wrongly called dead cannot do harm: queue.Accept takes only that of the current
// attempt.
type Hub struct {
	o       Options
	stop    context.CancelFunc
	working sync.WaitGroup
	served  []func()

	mu    sync.Mutex
	hosts map[string]*host
	local map[string]bool // ids of the devices of this machine

	since       time.Time // the hub has received beats without interruption since then
	deadChecked time.Time // when Dead was last called
	freed       func()
}

// Host is a host that has joined.
type Host struct {
	ID      string            `json:"id"`
	Pool    string            `json:"pool,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Project string            `json:"project,omitempty" doc:"The only project that may use its devices."`
	Version string            `json:"version"`
	State   string            `json:"state" enum:"online,draining,offline,revoked"`
	Joined  time.Time         `json:"joined"`
	Seen    time.Time         `json:"seen" doc:"When its last beat was received."`
	Devices int               `json:"devices"`
	key     string
	revoked bool
}

// host is a host with its last beat.
type host struct {
	Host
	beat      wire.Beat
	lastBeat  time.Time // when the last beat arrived, by the clock of this process; zero: none since its start
	silent    bool      // it was silent for too long at the last call of Dead
	dead      bool      // it was silent for too long at two consecutive calls of Dead
	seenSaved time.Time // when seen was last written to the database
	every     time.Duration
	link      *link
}

// The states of a host.
const (
	Online   = "online"
	Draining = "draining"
	Offline  = "offline"
	Revoked  = "revoked"
)

// Open starts a hub.
func Open(ctx context.Context, o Options) (*Hub, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Life == 0 {
		o.Life = o.Broker.Life()
	}
	if o.Every == 0 {
		o.Every = wire.BeatEvery
	}
	if o.Dead == 0 {
		o.Dead = wire.AckWait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Refused == nil {
		o.Refused = func(Refusal) {}
	}
	h := &Hub{o: o, hosts: map[string]*host{}, local: map[string]bool{}, since: time.Now(), freed: func() {}}
	if err := h.reload(ctx); err != nil {
		return nil, fmt.Errorf("read the hosts of the farm: %w", err)
	}
	for _, one := range []struct {
		name, group string
		do          func(string, []byte) (any, error)
	}{{wire.BeatSubject, "", h.receive}, {"renew", "hubs", h.renew}} {
		stop, err := wire.Serve(o.Broker.Conn(), wire.ToHub("*", one.name), one.group, one.do)
		if err != nil {
			return nil, errors.Join(err, h.Close())
		}
		h.served = append(h.served, stop)
	}
	polling, stop := context.WithCancel(context.Background())
	h.stop = stop
	o.Broker.OnRefused(h.refused)
	h.working.Go(func() { h.poll(polling) })
	return h, nil
}

// Close stops the hub's background work and closes its connections to hosts.
func (h *Hub) Close() error {
	h.o.Broker.OnRefused(nil)
	for _, stop := range h.served {
		stop()
	}
	if h.stop != nil {
		h.stop()
	}
	h.working.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range h.hosts {
		one.link.cut()
	}
	return nil
}

// poll reads the database regularly: hosts join at other hubs, and are revoked by taproot admin.
func (h *Hub) poll(ctx context.Context) {
	tick := time.NewTicker(h.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := h.reload(ctx); err != nil && ctx.Err() == nil {
			h.o.Log.Warn("the hosts of the farm cannot be read", "error", err)
		}
		h.note(ctx)
		h.mu.Lock()
		for _, one := range h.hosts {
			if one.state() == Offline {
				one.link.cut()
			}
		}
		h.mu.Unlock()
	}
}

// reload reads the hosts from the database.
func (h *Hub) reload(ctx context.Context) error {
	var list []Host
	err := h.o.DB.Each(ctx, "SELECT id, public_key, pool, labels, project, version, joined, seen, revoked FROM farm_hosts",
		nil, func(scan func(...any) error) error {
			var one Host
			var labels string
			var joined, seen, revoked int64
			if err := scan(&one.ID, &one.key, &one.Pool, &labels, &one.Project, &one.Version, &joined, &seen,
				&revoked); err != nil {
				return err
			}
			one.Joined, one.Seen, one.revoked = store.Moment(joined), store.Moment(seen), revoked != 0
			list = append(list, one)
			return json.Unmarshal([]byte(labels), &list[len(list)-1].Labels)
		})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, row := range list {
		was := h.hosts[row.ID]
		if was == nil {
			was = &host{link: h.newLink(row.ID), Host: Host{ID: row.ID}, every: h.o.Every}
			h.hosts[row.ID] = was
		}
		if row.revoked && !was.revoked {
			was.link.cut()
			if err := h.o.Broker.Revoke(row.key); err != nil {
				return err
			}
			h.o.Log.Info("a host was revoked", "host", row.ID)
		}
		was.Host = row
	}
	return nil
}

// note writes to the database when hosts were last seen.
func (h *Hub) note(ctx context.Context) {
	due := map[string]string{} // versions, by host
	h.mu.Lock()
	for _, one := range h.hosts {
		if one.state() != Offline && !one.revoked && time.Since(one.seenSaved) > 15*time.Second {
			one.seenSaved = time.Now()
			due[one.ID] = short(one.beat.Version)
		}
	}
	h.mu.Unlock()
	for id, version := range due {
		if _, err := h.o.DB.Exec(ctx, "UPDATE farm_hosts SET seen = $1, version = $2 WHERE id = $3", store.Time(time.Now()),
			version, id); err != nil && ctx.Err() == nil {
			h.o.Log.Debug("cannot save when a host was seen", "host", id, "error", err)
		}
	}
}

// refused forwards what NATS refused.
func (h *Hub) refused(r broker.Refusal) {
	out := Refusal{Actor: "host (unknown)", Address: r.Address, Action: "farm.nats", Target: r.What}
	if r.Key == "" {
		out.Action = "farm.connect"
	}
	h.mu.Lock()
	for _, one := range h.hosts {
		if r.Key != "" && one.key == r.Key {
			out.Actor = hostActor(one.ID)
		}
	}
	h.mu.Unlock()
	h.o.Refused(out)
}

// renew returns the next credential of a host that is not revoked.
func (h *Hub) renew(subject string, _ []byte) (any, error) {
	h.mu.Lock()
	one, key := h.hosts[wire.From(subject)], ""
	if one != nil && !one.revoked {
		key = one.key
	}
	h.mu.Unlock()
	if key == "" {
		return nil, ErrNoHost
	}
	text, err := h.o.Broker.Credential(wire.From(subject), key, h.o.Life)
	return wire.Renewed{Credential: text}, err
}

// Hosts lists the hosts with devices that a project may use, sorted by id. With all it includes the hosts of other
// projects and revoked hosts.
func (h *Hub) Hosts(project string, all bool) []Host {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := []Host{}
	for _, one := range h.hosts {
		if !all && (one.revoked || !one.visible(project)) {
			continue
		}
		out := one.Host
		out.State, out.Devices = one.state(), len(one.beat.Devices)
		out.Pool, out.Labels = one.place()
		if one.beat.Version != "" {
			out.Version = short(one.beat.Version)
		}
		if !one.lastBeat.IsZero() {
			out.Seen = one.lastBeat
		}
		list = append(list, out)
	}
	slices.SortFunc(list, func(a, b Host) int { return strings.Compare(a.ID, b.ID) })
	return list
}

func (one *host) visible(project string) bool { return one.Project == "" || one.Project == project }

// place returns the pool and the labels of a host. Those of its token override those of its beat.
func (one *host) place() (string, map[string]string) {
	pool, labels := one.Pool, map[string]string{}
	if pool == "" {
		pool = one.beat.Pool
	}
	maps.Copy(labels, one.beat.Labels)
	maps.Copy(labels, one.Labels)
	return pool, labels
}
