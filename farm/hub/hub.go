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

	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/server/service/store"
)

// Options are what a hub works with; all but Log are needed.
type Options struct {
	DB      *store.DB // migrated
	Broker  *broker.Broker
	Version string
	Log     *slog.Logger
	Life    time.Duration // of a host's credential, which it renews long before; default: what suits the broker
	// how often hosts say that they are there, and the database is asked about them; default: wire.BeatEvery
	Every   time.Duration
	Dead    time.Duration    // how long a host may be silent before its cases go elsewhere; default: wire.AckWait
	Now     func() time.Time // its clock, by which reservations count on all hosts; default: time.Now
	Refused func(Refusal)    // is told what hosts, and who says to be one, may not do; it must not wait. nil: nobody
}

// Refusal is something that was refused.
type Refusal struct {
	Actor   string // "host desk"
	Address string // from which it came; "": it is not known
	Action  string // "farm.nats"
	Target  string // in words
}

// Hub knows the hosts of a farm. Safe for concurrent use. Close does not close the database or the broker.
type Hub struct {
	o       Options
	stop    context.CancelFunc
	working sync.WaitGroup
	served  []func()

	mu    sync.Mutex
	hosts map[string]*host
	local map[string]bool // ids of the devices of this machine

	since  time.Time // when this hub began to listen
	looked time.Time // when it was last asked who is dead
	freed  func()
}

// Host is a host that joined.
type Host struct {
	ID      string            `json:"id"`
	Pool    string            `json:"pool,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Project string            `json:"project,omitempty" doc:"Whose devices it has alone."`
	Version string            `json:"version"`
	State   string            `json:"state" enum:"online,draining,offline,revoked"`
	Joined  time.Time         `json:"joined"`
	Seen    time.Time         `json:"seen" doc:"When it was last heard."`
	Devices int               `json:"devices"`
	key     string
	revoked bool
}

// host is one and what it says.
type host struct {
	Host
	beat   wire.Beat
	heard  time.Time // by the clock of this process; zero: not since it began
	silent bool      // for too long, when it was last looked at
	dead   bool      // the same at two looks
	noted  time.Time // in the database
	every  time.Duration
	link   *link
}

// The states of a host.
const (
	Online   = "online"
	Draining = "draining"
	Offline  = "offline"
	Revoked  = "revoked"
)

// Open begins to hear hosts.
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
		return nil, fmt.Errorf("hosts of the farm: %w", err)
	}
	for _, one := range []struct {
		name, group string
		do          func(string, []byte) (any, error)
	}{{wire.BeatSubject, "", h.hear}, {"renew", "hubs", h.renew}} {
		stop, err := wire.Serve(o.Broker.Conn(), wire.ToHub("*", one.name), one.group, one.do)
		if err != nil {
			return nil, errors.Join(err, h.Close())
		}
		h.served = append(h.served, stop)
	}
	looking, stop := context.WithCancel(context.Background())
	h.stop = stop
	o.Broker.OnRefused(h.refused)
	h.working.Go(func() { h.look(looking) })
	return h, nil
}

// Close ends the hub's connections with hosts.
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

// look follows the database: hosts join at other hubs, and are revoked by taproot admin.
func (h *Hub) look(ctx context.Context) {
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

// note keeps in the database when hosts were heard.
func (h *Hub) note(ctx context.Context) {
	due := map[string]string{} // versions, by host
	h.mu.Lock()
	for _, one := range h.hosts {
		if one.state() != Offline && !one.revoked && time.Since(one.noted) > 15*time.Second {
			one.noted = time.Now()
			due[one.ID] = short(one.beat.Version)
		}
	}
	h.mu.Unlock()
	for id, version := range due {
		if _, err := h.o.DB.Exec(ctx, "UPDATE farm_hosts SET seen = $1, version = $2 WHERE id = $3", store.Time(time.Now()),
			version, id); err != nil && ctx.Err() == nil {
			h.o.Log.Debug("that a host is there could not be kept", "host", id, "error", err)
		}
	}
}

// refused passes on what NATS refused.
func (h *Hub) refused(r broker.Refusal) {
	out := Refusal{Actor: "host (not known)", Address: r.Address, Action: "farm.nats", Target: r.What}
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

// renew gives a host that is still welcome its next credential.
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

// Hosts lists the hosts whose devices a project may use; with all also those of other projects and those that were
// revoked. Sorted by id.
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
		if !one.heard.IsZero() {
			out.Seen = one.heard
		}
		list = append(list, out)
	}
	slices.SortFunc(list, func(a, b Host) int { return strings.Compare(a.ID, b.ID) })
	return list
}

func (one *host) visible(project string) bool { return one.Project == "" || one.Project == project }

// place is the pool and the labels of a host: what its token said goes before what it says itself.
func (one *host) place() (string, map[string]string) {
	pool, labels := one.Pool, map[string]string{}
	if pool == "" {
		pool = one.beat.Pool
	}
	maps.Copy(labels, one.beat.Labels)
	maps.Copy(labels, one.Labels)
	return pool, labels
}
