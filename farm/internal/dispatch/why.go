package dispatch

import (
	"context"

	"github.com/taproot-dev/taproot/farm/internal/queue"
)

// Waiting is the cases of a project that wait with the same needs, and the reason for the first of them.
type Waiting struct {
	queue.Line
	Why string
}

// Waiting returns the waiting cases of a project, with reasons.
func (d *Dispatcher) Waiting(ctx context.Context, project string) (list []Waiting, err error) {
	lines, err := d.o.Queue.Lines(ctx, project)
	for _, l := range lines {
		var at queue.CaseStatus
		if at, err = d.place(ctx, l.Run, l.N); err != nil {
			return nil, err
		}
		list = append(list, Waiting{l, at.Why})
	}
	return list, err
}

// place returns the state of a case, and why it waits.
func (d *Dispatcher) place(ctx context.Context, run string, n int) (queue.CaseStatus, error) {
	all, free := d.devices()
	busy := map[string]bool{}
	for _, one := range all {
		busy[one.Host+"/"+one.ID] = true
	}
	for _, one := range free {
		delete(busy, one.Host+"/"+one.ID)
	}
	return d.o.Queue.Why(ctx, run, n, all, busy)
}
