package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/metrics"
	"github.com/taproot-dev/taproot/runner/remote/order"
)

// Sealer encrypts what must not be readable in the database. use binds the text to a row.
type Sealer interface {
	Seal(text []byte, use string) string
	Unseal(sealed, use string) ([]byte, error)
}

// Options are the dependencies and settings of a Dispatcher.
type Options struct {
	Queue  *queue.Queue
	Hub    *hub.Hub // tracks the hosts and their devices; it is closed after the dispatcher
	Conn   *wire.Link
	Copies int         // of the stream, in a cluster
	Bucket blob.Bucket // for archives of tests and for packs; hubs share it
	Dir    string      // a local cache
	Seal   Sealer
	// Keep returns how long a project keeps unused archives of tests; nil: 30 days.
	Keep func(ctx context.Context, project string) (time.Duration, error)
	Log  *slog.Logger
	// Refused receives each action of a host or project that was refused: the actor ("host desk"), the action
	// ("farm.result") and its target. It must not block; may be nil.
	Refused func(actor, action, target string)
}

// Dispatcher runs cases on the hosts of a hub. Safe for concurrent use.
type Dispatcher struct {
	o      Options
	jobs   *wire.Jobs
	follow *followers
	accept chan accepting
	wake   chan struct{}
	files  archives
	boots  map[string]string // the process of each host that welcome has handled

	metrics *caseMetrics
	loans   sync.WaitGroup // connections between hosts
}

const (
	// pickEvery is how often a hub checks for cases to start when nothing has woken it.
	pickEvery = time.Second
	// forgottenAfter is how long a run may be without a client.
	forgottenAfter = 2 * time.Minute
)

// New makes a dispatcher, and the stream of cases if it does not exist.
func New(ctx context.Context, o Options) (*Dispatcher, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the hub: %w", err)
	}
	if o.Refused == nil {
		o.Refused = func(string, string, string) {}
	}
	jobs, err := wire.OpenJobs(ctx, o.Conn, o.Copies, o.Hub.DeadAfter())
	if err != nil {
		return nil, err
	}
	return &Dispatcher{o: o, jobs: jobs, boots: map[string]string{}, follow: newFollowers(),
		accept: make(chan accepting, 1024), wake: make(chan struct{}, 1), metrics: &caseMetrics{set: metrics.NewSet(),
			pools: map[string]bool{}},
		files: archives{bucket: o.Bucket, rows: o.Queue.Archives(), dir: filepath.Join(o.Dir, "archives"),
			used: map[string]time.Time{}}}, nil
}

// Run works until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) error {
	var stops []func()
	defer func() {
		for _, stop := range stops {
			stop()
		}
		d.loans.Wait()
	}()
	serve := func(what, group string, atOnce int, do func(ctx context.Context, host string, body []byte) (any,
		error)) error {
		stop, err := wire.ServeEach(d.o.Conn, what, group, atOnce, func(subject string, body []byte) (any, error) {
			return do(ctx, wire.From(subject), body)
		})
		if err == nil {
			stops = append(stops, stop)
		}
		return err
	}
	const group = "hubs"
	err := errors.Join(
		serve(wire.ToHub("*", order.StartSubject), group, 32, d.start),
		serve(wire.ToHub("*", order.ReportSubject), group, 256, d.report),
		serve(wire.ToHub("*", order.PartSubject), group, 8, d.part),
		serve(wire.ToHub("*", wire.LoanSubject), group, 256, d.loan),
		serve(wire.ToHub("*", order.EventsSubject), "", 1, d.events),
		serve(order.EndedSubject, "", 1, func(_ context.Context, _ string, body []byte) (any, error) {
			var list []order.Result
			err := json.Unmarshal(body, &list)
			d.follow.results(list)
			return nil, err
		}))
	if err != nil {
		return err
	}
	d.o.Hub.OnFreed(d.wakePick)
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { d.acceptAlways(ctx) })
	all.Go(func() { d.every(ctx, d.o.Hub.DeadAfter()/3, nil, d.reconcile) })
	all.Go(func() { d.every(ctx, pickEvery/2, nil, d.bury) })
	all.Go(func() { d.every(ctx, tidyEvery, nil, d.Tidy) })
	d.every(ctx, pickEvery, d.wake, d.pick)
	return nil
}

// every repeats an action until ctx ends.
func (d *Dispatcher) every(ctx context.Context, rest time.Duration, wake <-chan struct{},
	do func(context.Context) error) {
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			d.o.Log.Warn("the farm's runs", "error", err)
		}
		timer := time.NewTimer(rest)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-wake:
		}
		timer.Stop()
	}
}

// wakePick wakes the loop that starts cases.
func (d *Dispatcher) wakePick() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// pick assigns free devices to waiting cases, and sends the cases to their hosts.
func (d *Dispatcher) pick(ctx context.Context) error {
	if !d.o.Conn.IsConnected() { // the host would not receive the case
		return nil
	}
	welcomed := d.welcome(ctx)
	all, free := d.devices()
	list, err := d.o.Queue.Pick(ctx, free, all)
	if err = errors.Join(welcomed, err); len(list) == 0 {
		return err
	}
	d.metrics.given(list)
	for _, a := range list {
		if d.follow.follows(a.Run) {
			d.follow.trust(a.Host, attemptOf(a)) // its events are forwarded without a query
		}
	}
	return errors.Join(err, d.send(ctx, list, ""))
}

// send puts attempts into the queues of their hosts. mark becomes part of the message id: a new mark sends a case again
// even though JetStream has stored it before, for a host that lost it afterwards.
func (d *Dispatcher) send(ctx context.Context, list []queue.Assignment, mark string) error {
	jobs := make([]wire.Job, len(list))
	for i, a := range list {
		if err := d.jobs.Let(ctx, a.Host); err != nil {
			return err
		}
		jobs[i] = wire.Job{Host: a.Host, ID: attemptOf(a).String() + mark, Body: order.Job{Attempt: attemptOf(a),
			Device: a.Device, Devices: a.Devices, What: a.What}}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return d.jobs.Send(ctx, jobs)
}

func attemptOf(a queue.Assignment) order.Attempt {
	return order.Attempt{Run: a.Run, N: a.N, Attempt: a.Attempt}
}

// bury puts back the cases of dead hosts.
func (d *Dispatcher) bury(ctx context.Context) error {
	var errs []error
	for _, host := range d.o.Hub.Dead() {
		errs = append(errs, d.lost(ctx, host))
	}
	return errors.Join(errs...)
}

func (d *Dispatcher) lost(ctx context.Context, host string) error {
	n, err := d.o.Queue.Lost(ctx, host)
	if err != nil {
		return err
	}
	if n > 0 {
		d.metrics.lost(d.o.Hub.Pool(host), n)
		d.o.Log.Warn("a host is lost, and its cases start again", "host", host, "cases", n)
		d.wakePick()
		d.follow.all()
	}
	return nil
}

// reconcile compares the running cases in the database with those that hosts report. It sends again what may have been
// lost, cancels what was withdrawn, and puts back the cases of hosts that died while no hub was running.
func (d *Dispatcher) reconcile(ctx context.Context) error {
	under, cancelled, err := d.o.Queue.UnderWay(ctx, "")
	if err != nil {
		return err
	}
	var errs []error
	var again []queue.Assignment
	lost := map[string]bool{}
	for _, a := range under {
		works, dead := d.o.Hub.Works(a.Host, attemptOf(a).String())
		switch {
		case dead && !lost[a.Host]:
			lost[a.Host] = true
			errs = append(errs, d.lost(ctx, a.Host))
		case dead:
		case cancelled[[2]any{a.Run, a.N}]:
			errs = append(errs, d.cancel(a))
		case !works:
			again = append(again, a)
		}
	}
	if len(again) > 0 { // with the same id as before: JetStream drops what it has already, and accepts what was lost
		errs = append(errs, d.send(ctx, again, ""))
	}
	runs, err := d.o.Queue.Forget(ctx, forgottenAfter)
	for _, run := range runs {
		errs = append(errs, d.deletePacks(ctx, run))
	}
	return errors.Join(append(errs, err)...)
}

// cancel informs a host that an attempt was withdrawn.
func (d *Dispatcher) cancel(a queue.Assignment) error {
	return wire.Publish(d.o.Conn, wire.ToHost(a.Host, order.CancelSubject), attemptOf(a))
}
