package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/remote/archive"
	"github.com/taproot-dev/taproot/runner/remote/order"
	"github.com/taproot-dev/taproot/runner/run"
)

// Options are the settings of a worker.
type Options struct {
	Host   string // the id of this host
	Conn   *wire.Link
	Dir    string     // its folder, for archives and undelivered packs
	Config run.Config // of this host; overrides the settings of runs
	Pool   *pool.Pool
	Cache  int64 // maximum bytes of cached archives; default: 10 GB
	Log    *slog.Logger
}

const cacheBytes = 10 << 30

// Worker runs the cases that hubs send to a host. Safe for concurrent use.
type Worker struct {
	o     Options
	cache *archive.Cache
	spool *spool

	life     context.Context // of Run; a withdrawn case ends earlier
	draining atomic.Bool
	full     atomic.Bool // the disk was full when a case was last run
	mu       sync.Mutex
	working  map[order.Attempt]*job
	held     map[string]int       // devices with a running job of this worker, or lent for one of another
	ready    map[string]time.Time // when devices of remotes could be used last
	loans    loans
	link     context.Context // ends when the connection is lost
	unlink   context.CancelFunc
}

// job is an attempt that is in progress.
type job struct {
	cancel context.CancelFunc
	taken  *wire.ClaimedJob // its newest message
	more   []*wire.ClaimedJob
}

// New makes a worker. It delivers packs that an earlier worker has left when it runs.
func New(o Options) (*Worker, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Cache == 0 {
		o.Cache = cacheBytes
	}
	w := &Worker{o: o, life: context.Background(), working: map[order.Attempt]*job{}, held: map[string]int{},
		ready: map[string]time.Time{},
		loans: loans{lent: map[string]context.Context{}, waiting: map[string]chan net.Conn{}}}
	w.link, w.unlink = context.WithCancel(context.Background())
	var err error
	if w.cache, err = archive.NewCache(cacheIn(o.Dir), o.Cache, w.fetch); err != nil {
		return nil, err
	}
	if w.spool, err = openSpool(filepath.Join(o.Dir, "packs")); err != nil {
		return nil, err
	}
	cases := filepath.Join(o.Dir, "cases") // of a worker that died: they were not delivered, and run again
	if err := errors.Join(os.RemoveAll(cases), os.MkdirAll(cases, 0o700)); err != nil {
		return nil, fmt.Errorf("create the folder of cases: %w", err)
	}
	return w, nil
}

func cacheIn(dir string) string { return filepath.Join(dir, "tests") }

// TestsIn returns the folder, in that of a worker, which contains the tests of each run in a folder with an unguessable
// name.
func TestsIn(dir string) string { return archive.RunsIn(cacheIn(dir)) }

// Run works until ctx ends, and then interrupts what is running. Call Drain first to let it end.
func (w *Worker) Run(ctx context.Context) error {
	w.life = ctx
	var stops []func()
	defer func() {
		for _, stop := range stops {
			stop()
		}
	}()
	for what, serve := range map[string]func(string, []byte) (any, error){order.CancelSubject: w.cancel,
		order.PackSubject: w.part} {
		stop, err := wire.ServeEach(w.o.Conn, wire.ToHost(w.o.Host, what), "", 16, serve)
		if err != nil {
			return err
		}
		stops = append(stops, stop)
	}
	lends, err := wire.Config{To: wire.Loans}.Listen(w.o.Conn, w.o.Host)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { w.serveLoans(ctx, lends) })
	all.Go(func() { wire.EachLoss(ctx, w.o.Conn, w.lose) })
	all.Go(w.deliverLeft)
	return wire.Take(ctx, w.o.Conn, w.o.Host, func(t *wire.ClaimedJob) { w.take(ctx, t) })
}

// Refuse makes the worker return all new jobs.
func (w *Worker) Refuse() { w.draining.Store(true) }

// Drain calls Refuse, and waits until nothing is running and every pack is delivered, or ctx ends.
func (w *Worker) Drain(ctx context.Context) error {
	w.Refuse()
	for {
		w.mu.Lock()
		n := len(w.working) + len(w.loans.lent)
		w.mu.Unlock()
		if n == 0 && w.spool.empty() {
			return nil
		}
		if err := pool.Sleep(ctx, 50*time.Millisecond, nil); err != nil {
			return err
		}
	}
}

// take works on a job, unless it is in progress already: then the message is a duplicate, and ends with the job.
func (w *Worker) take(ctx context.Context, t *wire.ClaimedJob) {
	var j order.Job
	if err := json.Unmarshal(t.Body, &j); err != nil {
		w.o.Log.Error("a job is not valid", "error", err)
		w.done(ctx, t)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	if under := w.working[j.Attempt]; under != nil {
		under.more = append(under.more, t)
		w.mu.Unlock()
		return
	}
	mine := &job{cancel: cancel, taken: t}
	w.working[j.Attempt] = mine
	own := w.ownDevices(j)
	for _, id := range own {
		w.held[id]++
	}
	w.mu.Unlock()
	over := false
	defer func() {
		w.mu.Lock()
		delete(w.working, j.Attempt)
		for _, id := range own {
			if w.held[id]--; w.held[id] == 0 {
				delete(w.held, id)
			}
		}
		copies := mine.more
		w.mu.Unlock()
		for _, t := range append(copies, t) {
			if over {
				w.done(ctx, t)
			} else {
				_ = t.Leave() // the next process of this host receives it, at the latest after AckWait
			}
		}
	}()
	if w.spool.has(j.Attempt) { // an earlier process has run it
		over = w.deliver(j.Attempt)
		return
	}
	over = w.do(ctx, j)
}

// ownDevices are the devices of this host that a job uses.
func (w *Worker) ownDevices(j order.Job) (list []string) {
	if len(j.Devices) == 0 {
		return []string{j.Device}
	}
	for _, p := range j.Devices {
		if p.Host == w.o.Host {
			list = append(list, p.Device)
		}
	}
	return list
}

// done acknowledges a message, also when the worker is about to end.
func (w *Worker) done(ctx context.Context, t *wire.ClaimedJob) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := t.Done(ctx); err != nil {
		w.o.Log.Warn("a job may come again", "error", err)
	}
}

// do runs an attempt and delivers its pack. It reports whether the attempt is finished; otherwise the worker ends.
func (w *Worker) do(ctx context.Context, j order.Job) bool {
	switch {
	case w.draining.Load():
		return w.report(order.Report{Attempt: j.Attempt, Returned: true, Draining: true, Error: "its host shuts down"})
	case w.full.Load():
		return w.report(order.Report{Attempt: j.Attempt, Returned: true, Draining: true,
			Error: "the disk of its host is full"})
	}
	var start order.Start
	if err := w.ask(ctx, order.StartSubject, j.Attempt, &start); err != nil || !start.Go {
		return w.unwanted(j.Attempt)
	}
	why, err := w.run(ctx, j, start)
	switch {
	case w.life.Err() != nil:
		return false // the next process of this host starts it again, or delivers it
	case noRoom(err):
		w.full.Store(true)
		w.o.Log.Error("the disk is full: this host takes no cases until there is space again", "folder", w.o.Dir,
			"error", err)
		return w.report(order.Report{Attempt: j.Attempt, Returned: true, Draining: true, Error: err.Error()})
	case why != "":
		return w.report(order.Report{Attempt: j.Attempt, Error: why})
	case err != nil:
		w.letKnow(ctx, j)
		return w.report(order.Report{Attempt: j.Attempt, Returned: true, Error: err.Error()})
	}
	return w.deliver(j.Attempt)
}

// letKnow waits until the hubs have received that a device of a job cannot be used now. Otherwise they would assign it
// to the returned case again at once, until that has no attempt left.
func (w *Worker) letKnow(ctx context.Context, j order.Job) {
	own := w.ownDevices(j)
	list, _ := w.o.Pool.List(ctx) // the devices without an error are listed
	if slices.ContainsFunc(list, func(d drivers.Info) bool {
		return d.State != drivers.Ready && slices.Contains(own, d.ID)
	}) {
		_ = pool.Sleep(ctx, wire.Missed*wire.BeatEvery/2, nil) // the job may be withdrawn meanwhile
	}
}

// unwanted reports that a withdrawn attempt is not running. The device counts as used until a hub has received that.
func (w *Worker) unwanted(a order.Attempt) bool {
	return w.report(order.Report{Attempt: a, Returned: true, Draining: true, Error: "it was withdrawn"})
}

// answerLimit is how long a hub may take to respond before another one is queried: it may have been killed meanwhile.
const answerLimit = 10 * time.Second

// connection returns a context that ends when the current connection is lost.
func (w *Worker) connection() context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.link
}

// lose ends what waits for a response over the connection.
func (w *Worker) lose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unlink()
	w.link, w.unlink = context.WithCancel(context.Background())
}

// ask repeats a request until a hub responds, or ctx ends.
func (w *Worker) ask(ctx context.Context, what string, question, into any) error {
	wait, limit := 100*time.Millisecond, answerLimit
	if r, ok := question.(order.Report); ok {
		limit += time.Duration(r.Size>>20) * time.Second // it is transferred in parts
	}
	for {
		asking, cancel := context.WithTimeout(ctx, limit)
		stop := context.AfterFunc(w.connection(), cancel)
		err := wire.Ask(asking, w.o.Conn, wire.ToHub(w.o.Host, what), question, into)
		stop()
		cancel()
		var refused *wire.RefusedError
		if err == nil || ctx.Err() != nil {
			return err
		}
		if !errors.As(err, &refused) {
			w.o.Log.Debug("no hub responds", "error", err)
		} else {
			w.o.Log.Warn("a hub responds with an error", "error", err)
		}
		if err := pool.Sleep(ctx, wait, nil); err != nil {
			return err
		}
		wait = min(2*wait, 2*time.Second)
	}
}

// report sends the outcome of an attempt without a pack to a hub. It retries until the worker ends.
func (w *Worker) report(r order.Report) bool {
	var v order.ReportReply
	return w.ask(w.life, order.ReportSubject, r, &v) == nil
}

// fetch downloads the archive of tests from a hub.
func (w *Worker) fetch(ctx context.Context, sum string) (io.ReadCloser, error) {
	return &parts{ctx: ctx, ask: func(ctx context.Context, from int64) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		var b order.Bytes
		err := wire.Ask(ctx, w.o.Conn, wire.ToHub(w.o.Host, order.PartSubject), order.Part{Archive: sum, From: from}, &b)
		return b.Bytes, err
	}}, nil
}

// parts reads something that is transferred in parts.
type parts struct {
	ctx  context.Context
	ask  func(ctx context.Context, from int64) ([]byte, error)
	at   int64
	left []byte
}

func (p *parts) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		next, err := p.ask(p.ctx, p.at)
		if err != nil {
			return 0, err
		}
		if len(next) == 0 {
			return 0, io.EOF
		}
		p.left, p.at = next, p.at+int64(len(next))
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

func (p *parts) Close() error { return nil }

// cancel ends a withdrawn attempt: its case ends as interrupted.
func (w *Worker) cancel(_ string, body []byte) (any, error) {
	var a order.Attempt
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	w.mu.Lock()
	j := w.working[a]
	w.mu.Unlock()
	switch {
	case j != nil:
		j.cancel()
	case !w.spool.has(a): // its job was lost, or has not arrived yet
		w.unwanted(a)
	}
	return nil, nil
}

// observer sends events to the hubs, in batches.
type observer struct {
	w  *Worker
	at order.Attempt

	mu     sync.Mutex
	from   int
	events []event.Event
	timer  *time.Timer
}

// flushAfter is how long an event may wait for others.
const flushAfter = 100 * time.Millisecond

func (o *observer) event(_ event.Case, e event.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, e)
	if o.timer == nil {
		o.timer = time.AfterFunc(flushAfter, o.flush)
	}
}

func (o *observer) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.timer = nil
	if len(o.events) > 0 {
		// a lost event is still in the pack
		_ = wire.Publish(o.w.o.Conn, wire.ToHub(o.w.o.Host, order.EventsSubject), order.Events{Attempt: o.at, From: o.from,
			Events: o.events})
	}
	o.from, o.events = o.from+len(o.events), nil
}
