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

	"github.com/VictoriaMetrics/metrics"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/order"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/server/blob"
)

// Sealer encrypts what the database must not show. use binds it to a row.
type Sealer interface {
	Seal(text []byte, use string) string
	Unseal(sealed, use string) ([]byte, error)
}

// Options are what a Dispatcher needs.
type Options struct {
	Queue  *queue.Queue
	Hub    *hub.Hub // which knows the hosts and their devices; it is closed after the dispatcher
	Conn   *wire.Link
	Copies int         // of the stream, in a cluster
	Bucket blob.Bucket // for archives of tests, and packs on their way; hubs share it
	Dir    string      // for what this hub needs of it for a while
	Seal   Sealer
	// Keep is how long a project keeps archives of tests that nothing uses; nil: 30 days.
	Keep func(ctx context.Context, project string) (time.Duration, error)
	Log  *slog.Logger
	// Refused is told what hosts and projects may not do: who ("host desk"), which action ("farm.result"), and on what. It
	// must not wait. nil: nobody
	Refused func(actor, action, target string)
}

// Dispatcher is a hub's part in runs. Safe for concurrent use.
type Dispatcher struct {
	o      Options
	jobs   *wire.Jobs
	follow *followers
	accept chan accepting
	wake   chan struct{}
	files  archives
	boots  map[string]string // of hosts that were welcomed

	figures *figures
}

const (
	// lookAgain is how often a hub looks for cases to begin although nobody woke it.
	lookAgain = time.Second
	// forgottenAfter is how long nobody may ask for a run.
	forgottenAfter = 2 * time.Minute
)

// New makes the stream, if it is not there yet.
func New(ctx context.Context, o Options) (*Dispatcher, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the hub: %w", err)
	}
	if o.Refused == nil {
		o.Refused = func(string, string, string) {}
	}
	jobs, err := wire.OpenJobs(ctx, o.Conn, o.Copies, o.Hub.DeadAfter())
	if err != nil {
		return nil, err
	}
	return &Dispatcher{o: o, jobs: jobs, boots: map[string]string{}, follow: newFollowers(),
		accept: make(chan accepting, 1024), wake: make(chan struct{}, 1), figures: &figures{set: metrics.NewSet(),
			pools: map[string]bool{}},
		files: archives{bucket: o.Bucket, queue: o.Queue, dir: filepath.Join(o.Dir, "archives"), used: map[string]time.Time{}}}, nil
}

// Run works until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) error {
	var stops []func()
	defer func() {
		for _, stop := range stops {
			stop()
		}
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
		serve(order.ToHub("*", order.StartSubject), group, 32, d.start),
		serve(order.ToHub("*", order.ReportSubject), group, 256, d.report),
		serve(order.ToHub("*", order.PartSubject), group, 8, d.part),
		serve(order.ToHub("*", order.EventsSubject), "", 1, d.events),
		serve(order.EndedSubject, "", 1, func(_ context.Context, _ string, body []byte) (any, error) {
			var list []order.Result
			err := json.Unmarshal(body, &list)
			d.follow.results(list)
			return nil, err
		}))
	if err != nil {
		return err
	}
	d.o.Hub.OnFreed(d.look)
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { d.acceptAlways(ctx) })
	all.Go(func() { d.every(ctx, d.o.Hub.DeadAfter()/3, nil, d.reconcile) })
	all.Go(func() { d.every(ctx, lookAgain/2, nil, d.bury) })
	all.Go(func() { d.every(ctx, tidyEvery, nil, d.Tidy) })
	d.every(ctx, lookAgain, d.wake, d.pick)
	return nil
}

// every does something again and again until ctx ends.
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

// look lets the hub look for cases to begin.
func (d *Dispatcher) look() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// pick gives free devices to cases that wait, and sends these to their hosts.
func (d *Dispatcher) pick(ctx context.Context) error {
	if !d.o.Conn.IsConnected() { // what begins here would reach nobody
		return nil
	}
	welcomed := d.welcome(ctx)
	all, free := d.devices()
	list, err := d.o.Queue.Pick(ctx, free, all)
	if err = errors.Join(welcomed, err); len(list) == 0 {
		return err
	}
	d.figures.given(list)
	for _, a := range list {
		if d.follow.follows(a.Run) {
			d.follow.trust(a.Host, attemptOf(a)) // its events are passed on without a look into SQL
		}
	}
	return errors.Join(err, d.send(ctx, list, ""))
}

// send puts attempts into the queues of their hosts. What is sent again has another mark, where it may be that it was
// lost after it had been kept.
func (d *Dispatcher) send(ctx context.Context, list []queue.Assignment, mark string) error {
	jobs := make([]wire.Job, len(list))
	for i, a := range list {
		if err := d.jobs.Let(ctx, a.Host); err != nil {
			return err
		}
		jobs[i] = wire.Job{Host: a.Host, ID: attemptOf(a).String() + mark, Body: order.Job{Attempt: attemptOf(a),
			Device: a.Device, What: a.What}}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return d.jobs.Send(ctx, jobs)
}

func attemptOf(a queue.Assignment) order.Attempt {
	return order.Attempt{Run: a.Run, N: a.N, Attempt: a.Attempt}
}

// bury gives the cases of hosts that are dead their next attempt.
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
		d.figures.lost(d.o.Hub.Pool(host), n)
		d.o.Log.Warn("a host is lost, and its cases begin again", "host", host, "cases", n)
		d.look()
		d.follow.all()
	}
	return nil
}

// reconcile compares what SQL says is under way with what hosts say: it sends again what may have been lost, ends what
// nobody wants, and notices the hosts that died while no hub listened.
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
	if len(again) > 0 { // the same id as before: what NATS has is not doubled. What it lost long ago gets through.
		errs = append(errs, d.send(ctx, again, ""))
	}
	runs, err := d.o.Queue.Forget(ctx, forgottenAfter)
	for _, run := range runs {
		errs = append(errs, d.deletePacks(ctx, run))
	}
	return errors.Join(append(errs, err)...)
}

// cancel tells a host that nobody wants an attempt any more.
func (d *Dispatcher) cancel(a queue.Assignment) error {
	return wire.Tell(d.o.Conn, order.ToHost(a.Host, order.CancelSubject), attemptOf(a))
}
