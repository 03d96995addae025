package queue

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/seats"
	"github.com/taproot-dev/taproot/internal/store"
)

// Current returns the run of an attempt that a host has and may start, and since when the host has it. It returns
// ErrNoRun when the attempt was superseded, withdrawn, or never assigned to that host.
func (q *Queue) Current(ctx context.Context, run string, n, attempt int, host string) (r Run, since time.Time,
	err error) {
	r.ID = run
	var micros int64
	err = q.db.One(ctx,
		"SELECT r.project, r.priority, r.archive, r.sealed, c.since FROM farm_cases c JOIN farm_runs r ON r.id = c.run "+
			"WHERE c.run = $1 AND c.n = $2 AND c.attempt = $3 AND c.host = $4 AND c.state = 'running' AND c.cancel = 0",
		[]any{run, n, attempt, host}, &r.Project, &r.Priority, &r.Archive, &r.Sealed, &micros)
	if errors.Is(err, store.ErrNoRow) {
		err = ErrNoRun
	}
	return r, store.Moment(micros), err
}

// Counts is the load of the farm.
type Counts struct {
	Waiting map[string]int // cases, by the pool that they need; "": any
	Running map[string]int // by host
	Runs    int            // not ended
}

// Count returns the load of the farm.
func (q *Queue) Count(ctx context.Context) (c Counts, err error) {
	c.Waiting, c.Running = map[string]int{}, map[string]int{}
	err = q.db.Each(ctx, "SELECT needs, waiting FROM farm_lines WHERE waiting > 0", nil,
		func(scan func(...any) error) error {
			var text string
			var n int
			if err := scan(&text, &n); err != nil {
				return err
			}
			var want Needs
			err := json.Unmarshal([]byte(text), &want)
			c.Waiting[want.Pool] += n
			return err
		})
	if err == nil {
		err = q.db.Each(ctx, "SELECT host, COUNT(*) FROM farm_cases WHERE state = 'running' GROUP BY host", nil,
			func(scan func(...any) error) error {
				var host string
				var n int
				err := scan(&host, &n)
				c.Running[host] = n
				return err
			})
	}
	if err == nil {
		err = q.db.One(ctx, "SELECT COUNT(*) FROM farm_runs WHERE ended = 0", nil, &c.Runs)
	}
	return c, err
}

// Has reports whether a host has an attempt, including a withdrawn one.
func (q *Queue) Has(ctx context.Context, run string, n, attempt int, host string) (bool, error) {
	var count int
	err := q.db.One(ctx,
		"SELECT COUNT(*) FROM farm_cases WHERE run = $1 AND n = $2 AND attempt = $3 AND host = $4 AND state = "+
			"'running'", []any{run, n, attempt, host}, &count)
	return count > 0, err
}

// Foreign reports whether an attempt is or was assigned to another host, or has not been assigned yet, so that a host
// which reports it as its own is lying. For a superseded attempt it returns false, as that is no longer known.
func (q *Queue) Foreign(ctx context.Context, run string, n, attempt int, host string) (bool, error) {
	var count int
	err := q.db.One(ctx,
		"SELECT COUNT(*) FROM farm_cases WHERE run = $1 AND n = $2 AND (attempt < $3 OR attempt = $3 AND host <> $4 AND "+
			"state IN ('running', 'ended'))", []any{run, n, attempt, host}, &count)
	return count > 0, err
}

// Lends reports whether an attempt that a host runs has a device of another host.
func (q *Queue) Lends(ctx context.Context, run string, n, attempt int, to string, d Device) (bool, error) {
	var several string
	err := q.db.One(ctx,
		"SELECT devices FROM farm_cases WHERE run = $1 AND n = $2 AND attempt = $3 AND host = $4 AND state = 'running'",
		[]any{run, n, attempt, to}, &several)
	if errors.Is(err, store.ErrNoRow) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	list, err := placesIn(several)
	return slices.ContainsFunc(list, func(p seats.Seat) bool { return p.Host != to && keyOf(p) == d.key() }), err
}

// MayRead returns the project for which a host currently works with an archive, or "" if there is none.
func (q *Queue) MayRead(ctx context.Context, host, archive string) (project string, err error) {
	err = q.db.One(ctx,
		"SELECT r.project FROM farm_cases c JOIN farm_runs r ON r.id = c.run WHERE c.host = $1 AND c.state = 'running' AND "+
			"r.archive = $2 LIMIT 1", []any{host, archive}, &project)
	if errors.Is(err, store.ErrNoRow) {
		err = nil
	}
	return project, err
}

// Hopeless returns the cases of a run that wait for a device that no host has, with the reason.
func (q *Queue) Hopeless(ctx context.Context, run string, all []Device) (map[int]string, error) {
	none := map[int]string{}
	type at struct{ project, kind, needs string }
	var kinds []at
	err := q.db.Each(ctx,
		"SELECT DISTINCT l.project, l.kind, l.needs FROM farm_lines l JOIN farm_runs r ON r.project = l.project WHERE r.id "+
			"= $1 AND l.waiting > 0", []any{run}, func(scan func(...any) error) error {
			var k at
			err := scan(&k.project, &k.kind, &k.needs)
			kinds = append(kinds, k)
			return err
		})
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		a := asked{project: k.project}
		if err := json.Unmarshal([]byte(k.needs), &a.needs); err != nil {
			return nil, err
		}
		fits := len(a.needs.Devices) > 0 && a.lacking(all) == ""
		for _, d := range all {
			fits = fits || len(a.needs.Devices) == 0 && a.needs.Unmet(k.project, d) == ""
		}
		if fits {
			continue
		}
		err := q.db.Each(ctx, "SELECT n FROM farm_cases WHERE run = $1 AND kind = $2 AND state = 'waiting'",
			[]any{run, k.kind}, func(scan func(...any) error) error {
				var n int
				err := scan(&n)
				none[n] = a.why(all)
				return err
			})
		if err != nil {
			return nil, err
		}
	}
	return none, nil
}

// Usable returns how many cases of a project can run at once on suitable devices. all is all devices.
func (q *Queue) Usable(ctx context.Context, project string, needs Needs, all []Device) (n int, err error) {
	for _, d := range all {
		if needs.Unmet(project, d) == "" {
			n++
		}
	}
	var most int
	err = q.db.One(ctx, "SELECT most FROM farm_projects WHERE id = $1", []any{project}, &most)
	if errors.Is(err, store.ErrNoRow) {
		err = nil
	}
	if most > 0 {
		n = min(n, most)
	}
	return n, err
}

// Running is a running case.
type Running struct {
	Run     string
	N       int
	Attempt int
	Host    string
	Device  string // of several: each with its name, and its host
	Since   time.Time
	What    json.RawMessage
}

// mostRunning limits the list of Running.
const mostRunning = 200

// Running lists the running cases of a project, at most 200, those that started first at the top.
func (q *Queue) Running(ctx context.Context, project string) (list []Running, err error) {
	err = q.db.Each(ctx,
		"SELECT run, n, attempt, host, device, devices, since, what FROM farm_cases WHERE state = 'running' AND project = "+
			"$1 ORDER BY since, run, n LIMIT $2", []any{project, mostRunning}, func(scan func(...any) error) error {
			var r Running
			var since int64
			var what, several string
			err := scan(&r.Run, &r.N, &r.Attempt, &r.Host, &r.Device, &several, &since, &what)
			if err == nil {
				var list []seats.Seat
				list, err = placesIn(several)
				r.Device = devicesOf(r.Device, list)
			}
			r.Since, r.What = store.Moment(since), json.RawMessage(what)
			list = append(list, r)
			return err
		})
	return list, err
}

// Runs lists the runs, including those that have ended but still have a running case.
func (q *Queue) Runs(ctx context.Context) ([]string, error) {
	return texts(ctx, q.db, "SELECT id FROM farm_runs")
}
