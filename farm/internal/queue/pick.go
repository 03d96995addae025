package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/internal/seats"
	"github.com/taproot-dev/taproot/internal/store"
)

// Assignment is an attempt of a case on a device of a host.
type Assignment struct {
	Run     string
	N       int
	Attempt int // from 1; a result of a lower attempt is not accepted
	Host    string
	Device  string
	Devices []seats.Seat // of a case with several, in its order; Host runs it, Device is one of them there
	Project string
	What    json.RawMessage
	Pool    string        // of the device; set by Pick only
	Waited  time.Duration // since the case was added; set by Pick only
}

// Pick assigns free devices to waiting cases, in one transaction. all is all devices, free or not: it shows which ones
// are rare. A device on which an attempt runs is not free, even if the caller lists it, so that hubs with outdated
// information cannot assign a device twice. The package comment explains the algorithm.
func (q *Queue) Pick(ctx context.Context, free, all []Device) (list []Assignment, err error) {
	if len(free) == 0 {
		return nil, nil
	}
	err = q.db.Write(ctx, func(tx *store.Tx) error {
		list = nil
		if err := turn(tx); err != nil {
			return err
		}
		b, shares, err := q.board(tx, free, all)
		if err != nil || b == nil {
			return err
		}
		pairs := b.match()
		if len(pairs) == 0 {
			return nil
		}
		now := q.now()
		for _, p := range pairs {
			list = append(list, Assignment{Run: p.head.run, N: p.head.n, Attempt: p.head.attempt + 1, Host: p.device.Host,
				Device: p.device.ID, Devices: p.places, Project: p.line.of.name, What: json.RawMessage(p.head.what),
				Pool: p.device.Pool, Waited: max(now.Sub(store.Moment(p.head.created)), 0)})
		}
		return q.markRunning(tx, list, pairs, shares)
	})
	if err != nil {
		return nil, fmt.Errorf("assign devices to cases: %w", err)
	}
	return list, nil
}

// board reads what waits, limited to what the free devices can take. It returns nil when nothing can start.
func (q *Queue) board(tx *store.Tx, free, all []Device) (*board, map[string]*share, error) {
	shares, err := readShares(tx)
	if err != nil || len(shares) == 0 {
		return nil, nil, err
	}
	lines, err := readLines(tx, shares)
	if err != nil || len(lines) == 0 {
		return nil, nil, err
	}
	busy, err := readBusy(tx, shares)
	if err != nil {
		return nil, nil, err
	}
	var really []Device
	seen := map[string]bool{}
	for _, d := range free {
		if !busy[d.key()] && !seen[d.key()] {
			really = append(really, d)
		}
		seen[d.key()] = true
	}
	b := newBoard(lines, really, all, q.now())
	for _, l := range lines {
		if l.free == 0 || l.of.full() {
			continue
		}
		if err := readHeads(tx, l); err != nil {
			return nil, nil, err
		}
	}
	return b, shares, nil
}

func readShares(tx *store.Tx) (map[string]*share, error) {
	shares := map[string]*share{}
	err := tx.Each(
		"SELECT id, weight, most, pass, served FROM farm_projects WHERE EXISTS (SELECT 1 FROM farm_lines WHERE project = "+
			"farm_projects.id AND waiting > 0)", nil, func(scan func(...any) error) error {
			s := &share{}
			err := scan(&s.name, &s.weight, &s.most, &s.pass, &s.served)
			shares[s.name] = s
			return err
		})
	return shares, err
}

func readLines(tx *store.Tx, shares map[string]*share) (lines []*line, err error) {
	err = tx.Each("SELECT project, kind, needs, waiting FROM farm_lines WHERE waiting > 0 ORDER BY project, kind", nil,
		func(scan func(...any) error) error {
			var project, needs string
			l := &line{}
			if err := scan(&project, &l.kind, &needs, &l.waiting); err != nil {
				return err
			}
			if l.of = shares[project]; l.of == nil {
				return nil
			}
			lines = append(lines, l)
			return json.Unmarshal([]byte(needs), &l.needs)
		})
	return lines, err
}

// readBusy returns the devices on which a case runs, and counts the running cases of each project.
func readBusy(tx *store.Tx, shares map[string]*share) (map[string]bool, error) {
	busy := map[string]bool{}
	err := tx.Each("SELECT project, host, device, devices FROM farm_cases WHERE state = 'running'", nil,
		func(scan func(...any) error) error {
			var project, several string
			var d Device
			err := scan(&project, &d.Host, &d.ID, &several)
			busy[d.key()] = true
			if err == nil {
				var list []seats.Seat
				list, err = placesIn(several)
				for _, p := range list {
					busy[keyOf(p)] = true
				}
			}
			if s := shares[project]; s != nil {
				s.running++
			}
			return err
		})
	return busy, err
}

func readHeads(tx *store.Tx, l *line) error {
	n := l.free
	if l.of.most > 0 {
		n = min(n, l.of.most-l.of.running)
	}
	return tx.Each(
		"SELECT run, n, rank, created, avoid, attempt, what FROM farm_cases WHERE state = 'waiting' AND project = $1 AND "+
			"kind = $2 ORDER BY rank, run, n LIMIT $3",
		[]any{l.of.name, l.kind, n}, func(scan func(...any) error) error {
			var h head
			err := scan(&h.run, &h.n, &h.rank, &h.created, &h.avoid, &h.attempt, &h.what)
			l.heads = append(l.heads, h)
			return err
		})
}

// markRunning marks the matched cases as running.
func (q *Queue) markRunning(tx *store.Tx, list []Assignment, pairs []pair, shares map[string]*share) error {
	now := store.Time(q.now())
	for rest := list; len(rest) > 0; rest = rest[min(len(rest), rowsAtOnce):] {
		v := values{}
		for _, a := range rest[:min(len(rest), rowsAtOnce)] {
			several := ""
			if len(a.Devices) > 0 {
				text, err := json.Marshal(a.Devices)
				if err != nil {
					return err
				}
				several = string(text)
			}
			v.row(v.text(a.Run), a.N, v.text(a.Host), v.text(a.Device), v.text(several))
		}
		n, err := tx.Exec(
			fmt.Sprintf("UPDATE farm_cases SET state = 'running', attempt = attempt + 1, host = v.column3, device = "+
				"v.column4, devices = v.column5, since = %d FROM (VALUES %s) AS v "+
				"WHERE run = v.column1 AND n = v.column2 AND state = 'waiting'", now, v.rows.String()), v.args...)
		if err != nil {
			return err
		}
		if want := int64(min(len(rest), rowsAtOnce)); n != want {
			return fmt.Errorf("only %d of %d cases could be marked as running", n, want)
		}
	}
	took := map[*line]int{}
	for _, p := range pairs {
		took[p.line]++
	}
	for l, n := range took {
		if err := lengthen(tx, l.of.name, l.kind, "", -n); err != nil {
			return err
		}
	}
	for _, s := range shares {
		if _, err := tx.Exec("UPDATE farm_projects SET pass = $2, served = $3 WHERE id = $1", s.name, s.pass,
			s.served); err != nil {
			return err
		}
	}
	return nil
}
