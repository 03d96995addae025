package jobs

import (
	"context"
	"fmt"
)

// WaitReasons is a RemoteRunner that knows why a case, by the name of its pack, has not started; "": unknown.
type WaitReasons interface {
	Why(ctx context.Context, pack string) string
}

// maxReasons limits how many cases of a run get a reason.
const maxReasons = 10

// markStarted marks that the run does not wait for other runs any more, and sets where its cases run.
func (r *job) markStarted(there RemoteRunner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn, r.remote = true, there
}

// waits reports whether the run waits for its turn.
func (r *job) waits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record.State == Queued && !r.turn
}

// Explain adds to the record of a run of this process why it, or its cases, wait.
func (m *Manager) Explain(ctx context.Context, rec Record) Record {
	r := m.find(rec.ID)
	if r == nil || rec.State == Ended {
		return rec
	}
	if r.waits() {
		rec.Why = fmt.Sprintf("as many runs are under way as may be at once (%d); it starts when one of them has ended",
			m.o.Running)
		return rec
	}
	r.mu.Lock()
	there, _ := r.remote.(WaitReasons)
	r.mu.Unlock()
	first := ""
	for i, asked := 0, 0; there != nil && i < len(rec.Cases) && asked < maxReasons; i++ {
		c := &rec.Cases[i]
		if c.State != Queued {
			continue
		}
		asked++
		if c.Why = there.Why(ctx, c.Pack); first == "" {
			first = c.Why
		}
	}
	if rec.State != Queued {
		return rec
	}
	if rec.Why = first; rec.Why == "" {
		rec.Why = "none of its tests has started: it waits for a matching device, or opens one"
	}
	return rec
}
