package service

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Host is a process of taproot serve that works for the service.
type Host struct {
	ID      string
	Name    string // of the machine
	Version string
	Started time.Time
	Seen    time.Time // when it last reported
	Running int       // number of its running runs
	Queued  int       // number of its waiting runs
	Gone    bool      // it has not reported for too long
}

const (
	// HostBeat is how often a host reports that it is running.
	HostBeat  = 15 * time.Second
	hostGone  = 4 * HostBeat
	hostsKept = 7 * 24 * time.Hour
)

// Hosts are the processes that work for the service, and the names of runs of which each is used by one of them.
type Hosts struct{ *tables }

// NewHost makes the entry of this process.
func (s *Hosts) NewHost(name, version string) Host {
	return Host{ID: newID("host"), Name: cut(name, 200), Version: cut(version, 100), Started: s.now()}
}

// Here records that a host is running, and its load.
func (s *Hosts) Here(ctx context.Context, h Host) error {
	_, err := s.db.Exec(ctx,
		"INSERT INTO hosts (id, name, version, started, seen, running, queued) VALUES ($1, $2, $3, $4, $5, $6, $7) ON "+
			"CONFLICT (id) DO UPDATE SET seen = $5, running = $6, queued = $7",
		h.ID, h.Name, h.Version, store.Time(h.Started), store.Time(s.now()), h.Running, h.Queued)
	return err
}

// Leave records that a host has ended.
func (s *Hosts) Leave(ctx context.Context, h Host) error {
	_, err := s.db.Exec(ctx, "DELETE FROM hosts WHERE id = $1", h.ID)
	return err
}

// Hosts lists the running hosts, and those of the last days that ended without Leave.
func (o *Operator) Hosts(ctx context.Context) (list []Host, err error) {
	now := o.s.now()
	err = o.s.db.Each(ctx, "SELECT id, name, version, started, seen, running, queued FROM hosts ORDER BY started, id", nil,
		func(scan func(...any) error) error {
			var h Host
			var started, seen int64
			err := scan(&h.ID, &h.Name, &h.Version, &started, &seen, &h.Running, &h.Queued)
			h.Started, h.Seen = store.Moment(started), store.Moment(seen)
			h.Gone = now.Sub(h.Seen) > hostGone
			list = append(list, h)
			return err
		})
	return list, err
}

// ClaimRun reserves the name of a run in a project: of all replicas, one succeeds.
func (s *Hosts) ClaimRun(ctx context.Context, project, run string) (bool, error) {
	n, err := s.db.Exec(ctx,
		"INSERT INTO run_names (project, run, created) VALUES ($1, $2, $3) ON CONFLICT (project, run) DO "+
			"NOTHING", project, run, store.Time(s.now()))
	return n == 1, err
}
