package dispatch

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// devices returns the devices of hosts that are not dead, and those on which a case can start; sorted by host and id.
func (d *Dispatcher) devices() (all, free []queue.Device) { return d.list(false) }

// hoped returns all devices, including those of dead hosts that may come back, for which a case should wait, and those
// that are blocked, for which it should not.
func (d *Dispatcher) hoped() []queue.Device {
	all, _ := d.list(true)
	d.o.Hub.ForBlocked(func(one hub.Device) {
		q := deviceOf(one)
		q.Blocked = one.Why
		all = append(all, q)
	})
	slices.SortFunc(all, byPlace)
	return all
}

func byPlace(a, b queue.Device) int {
	return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.ID, b.ID))
}

// deviceOf is the device as the queue knows it.
func deviceOf(one hub.Device) queue.Device {
	q := queue.Device{Host: one.Host, ID: one.ID, Platform: one.Platform, Manufacturer: one.Manufacturer,
		Model: one.Model, OS: one.OSVersion, Width: one.Width, Height: one.Height,
		Pool: one.Pool, Labels: phrase.Pairs(one.Labels), Remote: one.Remote, Browsers: one.Browsers}
	if one.Project != "" {
		q.Projects = []string{one.Project}
	}
	return q
}

func (d *Dispatcher) list(hoped bool) (all, free []queue.Device) {
	d.o.Hub.ForCases(hoped, func(one hub.Device, now bool) {
		q := deviceOf(one)
		all = append(all, q)
		if now {
			free = append(free, q)
		}
	})
	slices.SortFunc(all, byPlace)
	slices.SortFunc(free, byPlace)
	return all, free
}

// welcome creates the queues of new hosts. To hosts with a new process it sends again what the database has assigned to
// them; JetStream itself would wait for the previous process to acknowledge.
func (d *Dispatcher) welcome(ctx context.Context) error {
	var errs []error
	for host, boot := range d.o.Hub.Boots() {
		before, known := d.boots[host]
		if known && before == boot {
			continue
		}
		err := d.jobs.Let(ctx, host)
		if err == nil && known {
			var under []queue.Assignment
			if under, _, err = d.o.Queue.UnderWay(ctx, host); err == nil {
				err = d.send(ctx, under, ":"+boot)
			}
		}
		if err == nil {
			d.boots[host] = boot
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

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
