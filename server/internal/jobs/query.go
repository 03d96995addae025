package jobs

import (
	"context"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// observe receives an event of a case.
func (r *job) observe(c event.Case, e event.Event) {
	r.mu.Lock()
	began := false
	i := slices.IndexFunc(r.record.Cases, func(k Case) bool { return k.Pack == c.Pack })
	if i >= 0 {
		k := &r.record.Cases[i]
		switch e.Kind {
		case event.CaseStarted:
			k.State, k.Device = Running, c.Device
			if r.record.State == Queued {
				r.record.State, r.record.Started, began = Running, time.Now().UTC(), true
			}
		case event.CaseEnded:
			k.State, k.Result, k.DurationMS = Ended, e.Result, e.DurationMS
			if e.Problem != nil {
				k.Problem = e.Problem.Message
			}
		}
	}
	r.mu.Unlock()
	if began {
		r.feed.add("run", r.state())
	}
	r.feed.add(string(e.Kind), caseEvent{c.Pack, e})
}

// change changes the record and notifies followers.
func (r *job) change(how func(*Record)) {
	r.mu.Lock()
	how(&r.record)
	r.mu.Unlock()
	r.feed.add("run", r.state())
}

// state returns a copy of the record.
func (r *job) state() Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec := r.record
	rec.Cases, rec.Problems = slices.Clone(rec.Cases), slices.Clone(rec.Problems)
	return rec
}

func (m *Manager) find(id string) *job {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.runs[id]
}

// known lists the runs in memory, newest first.
func (m *Manager) known() []Record {
	m.mu.Lock()
	ids := slices.Clone(m.order)
	m.mu.Unlock()
	var list []Record
	for _, id := range slices.Backward(ids) {
		if r := m.find(id); r != nil {
			list = append(list, r.state())
		}
	}
	return list
}

// Get returns the record of a run, also of earlier processes.
func (m *Manager) Get(id string) (Record, error) {
	if r := m.find(id); r != nil {
		return r.state(), nil
	}
	return onDisk(m.o.Config.Reports, id)
}

// List returns the newest runs, at most n; with before, those older than that run.
func (m *Manager) List(n int, before string) []Record {
	list := []Record{}
	for _, id := range names(m.o.Config.Reports) {
		if before != "" && id >= before {
			continue
		}
		if len(list) == n {
			break
		}
		if r, err := m.Get(id); err == nil {
			list = append(list, r)
		}
	}
	return list
}

// Cancel interrupts a run and waits until it has ended. A run that has ended does not change; for that of another
// process it returns ErrNotOurs.
func (m *Manager) Cancel(ctx context.Context, id string) (Record, error) {
	r := m.find(id)
	if r == nil {
		rec, err := onDisk(m.o.Config.Reports, id)
		if err == nil && rec.State != Ended {
			err = ErrNotOurs
		}
		return rec, err
	}
	r.cancel(errCancelled)
	err := r.feed.follow(ctx, r.feed.last(), func(Event) error { return nil })
	return r.state(), err
}

// Forget removes a run that has ended and has no folder any more.
func (m *Manager) Forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[id]; r != nil && r.state().State == Ended {
		delete(m.runs, id)
		m.order = slices.DeleteFunc(m.order, func(one string) bool { return one == id })
	}
}

// last returns the ID of the newest event.
func (f *feed) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.events) == 0 {
		return ""
	}
	return f.events[len(f.events)-1].ID
}

// Follow sends every event of a run after an ID, until the run has ended.
func (m *Manager) Follow(ctx context.Context, id, after string, send func(Event) error) error {
	if r := m.find(id); r != nil {
		return r.feed.follow(ctx, after, send)
	}
	r, err := onDisk(m.o.Config.Reports, id)
	if err != nil {
		return err
	}
	return replay(m.o.Config.Reports, r).follow(ctx, after, send)
}

// Count counts the runs in memory by their state.
func (m *Manager) Count() map[State]int {
	n := map[State]int{Queued: 0, Running: 0}
	for _, r := range m.known() {
		n[r.State]++
	}
	return n
}
