package jobs

import (
	"context"
	"fmt"
)

// WaitReasons is a RemoteRunner that knows why a case, by the name of its pack, has not begun; "": it does not.
type WaitReasons interface {
	Why(ctx context.Context, pack string) string
}

// mostWhys bounds the cases of a run of which it is asked why they wait.
const mostWhys = 10

// begin notes that the run waits for no other one any more, and where its cases run.
func (r *job) begin(there RemoteRunner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn, r.there = true, there
}

// waits tells whether the run waits for its turn.
func (r *job) waits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record.State == Queued && !r.turn
}

// Explain completes the record of a run of this process by why it waits, or cases of it.
func (m *Manager) Explain(ctx context.Context, rec Record) Record {
	r := m.find(rec.ID)
	if r == nil || rec.State == Ended {
		return rec
	}
	if r.waits() {
		rec.Why = fmt.Sprintf("as many runs are under way as may be at once (%d); it begins when one of them has ended",
			m.o.Running)
		return rec
	}
	r.mu.Lock()
	there, _ := r.there.(WaitReasons)
	r.mu.Unlock()
	first := ""
	for i, asked := 0, 0; there != nil && i < len(rec.Cases) && asked < mostWhys; i++ {
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
		rec.Why = "none of its tests has begun: a device that suits one is waited for, or is being opened"
	}
	return rec
}
