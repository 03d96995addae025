package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// Options configure a Manager. The zero value of a limit means its default.
type Options struct {
	Config  run.Config // of every run; a Request narrows it
	Running int        // runs at once; default: 4
	Waiting int        // runs that wait in addition; default: 100
	Log     *slog.Logger
	Ended   func(Record) // called for each run that has ended; may be nil
	// Keep is called when the folder of a run is complete, before the run counts as ended; may be nil.
	Keep func(run string) error
	// Again creates a Request from the Content of an earlier one. With it, runs that wait when the process ends wait
	// again in the next one; without it, they are interrupted.
	Again func(content string) (Request, error)
	// Remote returns what runs the cases of a run on the devices of other machines; nil: they run on this machine's. It
	// is called before the run is planned, and may change the configuration.
	Remote func(*run.Config, Placement) Opening
}

// Opening starts a run's part on other machines, when the run's turn has come.
type Opening func(context.Context, run.Config, *plan.Plan) (RemoteRunner, error)

// RemoteRunner runs the cases of a run on other machines. Close ends it.
type RemoteRunner interface {
	run.RemoteRunner
	Close() error
}

// Placement says on which devices of other machines a run's cases may run, and with which priority.
type Placement struct {
	Pool     string
	Labels   []string // all of them are required
	Priority int      // -10 to 10
}

// Request is a run that a client requests: tests by ID, or the text of a test file.
type Request struct {
	Tests   []string
	YAML    string
	Change  func(*run.Config) // narrows the configuration; may be nil
	Place   Placement         // with Options.Remote
	By      string
	Key     string // idempotency key: the same one starts no second run
	Content string // the request as text: to detect two requests with one key, and to start the run again
}

// Errors of a client.
var (
	ErrFull     = errors.New("too many runs wait already; try again later")
	ErrOtherKey = errors.New("this idempotency key started a run of another request")
	ErrNothing  = errors.New("no test matches the request, so there is nothing to run")
	ErrNotOurs  = errors.New("the run belongs to another process, which alone can cancel it")
)

// Manager runs tests in the background. It is safe for concurrent use.
type Manager struct {
	o      Options
	ctx    context.Context
	cancel context.CancelCauseFunc
	slots  chan struct{}
	all    sync.WaitGroup

	start sync.Mutex // one run starts at a time: its folder, its key
	mu    sync.Mutex
	runs  map[string]*job
	order []string // in the order of their start
}

// ErrClosing is the cause of interrupted runs when the server ends.
var ErrClosing = errors.New("the server is shutting down")

var errCancelled = errors.New("it was cancelled")

// maxEndedRuns is how many ended runs stay in memory, for their events; others are read from the disk.
const maxEndedRuns = 20

// New creates a manager. It first completes the packs of runs of processes that were killed, and takes over waiting
// runs. Close ends it.
func New(o Options) *Manager {
	if o.Running == 0 {
		o.Running = 4
	}
	if o.Waiting == 0 {
		o.Waiting = 100
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	m := &Manager{o: o, ctx: ctx, cancel: cancel, slots: make(chan struct{}, o.Running), runs: map[string]*job{}}
	m.resume()
	m.all.Go(m.finalizeInterrupted)
	return m
}

// finalizeInterrupted completes the packs of runs of processes that were killed.
func (m *Manager) finalizeInterrupted() {
	sealed, err := history.Finalize(m.o.Config.Reports, time.Now())
	if err = errors.Join(err, m.o.Config.ReportFinalized(context.Background(), sealed)); err != nil {
		m.o.Log.Warn("cannot complete the reports of interrupted runs", "error", err)
	}
}

// Close interrupts every run and waits until their packs are complete. With Options.Again, runs that have not started
// wait for the next manager.
func (m *Manager) Close() {
	m.start.Lock() // no run starts any more
	m.cancel(ErrClosing)
	m.start.Unlock()
	m.all.Wait()
}

// job is a run that has not ended, or that has ended recently.
type job struct {
	cancel context.CancelCauseFunc
	feed   *feed

	mu     sync.Mutex
	record Record
	turn   bool         // it does not wait for other runs any more
	remote RemoteRunner // nil: its cases run here, or it has not started
}

// Start plans a run and starts it, or lets it wait for its turn. known reports that an earlier request with this key
// has started it. The error is a *plan.Usage or plan.Problems for errors in the client's tests, or one of this
// package's.
func (m *Manager) Start(ctx context.Context, r Request) (record Record, known bool, err error) {
	m.start.Lock()
	defer m.start.Unlock()
	if m.ctx.Err() != nil {
		return Record{}, false, ErrClosing
	}
	n := requestRecord{By: r.By}
	if r.Key != "" {
		n.Key, n.Digest = hash(r.By, r.Key), hash(r.Content)
		if id, before, ok := findRequest(m.o.Config.Reports, n.Key); ok {
			if before.Digest != n.Digest {
				return Record{}, false, ErrOtherKey
			}
			record, err := m.Get(id)
			return record, true, err
		}
	}
	p, err := m.plan(r)
	if err != nil {
		return Record{}, false, err
	}
	if m.waiting() >= m.o.Waiting {
		return Record{}, false, ErrFull
	}
	record, err = m.begin(ctx, p, n, r.Content)
	return record, false, err
}

// planned is a planned request.
type planned struct {
	*plan.Plan
	conf run.Config
	open Opening // nil: the cases run here
}

// plan plans the cases of a request.
func (m *Manager) plan(r Request) (out planned, err error) {
	conf := m.o.Config
	if r.Change != nil {
		r.Change(&conf)
	}
	if m.o.Remote != nil {
		out.open = m.o.Remote(&conf, r.Place)
	}
	var sources []plan.Source
	if r.YAML != "" {
		sources = []plan.Source{{Name: "request.yaml", Text: []byte(r.YAML)}}
	}
	if out.Plan, err = conf.PlanSent(r.Tests, sources...); err != nil {
		return out, err
	}
	if len(out.Cases) == 0 {
		return out, ErrNothing
	}
	out.conf = conf
	return out, nil
}

// waiting counts the runs that wait for their turn.
func (m *Manager) waiting() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.runs {
		if r.waits() {
			n++
		}
	}
	return n
}

func newJob(cases []plan.Case, by string, created time.Time) *job {
	r := &job{feed: newFeed(), record: Record{State: Queued, By: by, Created: created, Cases: []Case{}}}
	for _, c := range cases {
		r.record.Cases = append(r.record.Cases, Case{Pack: c.Pack, Test: c.Test.ID, Platform: c.Platform, State: Queued})
	}
	return r
}

func (m *Manager) begin(ctx context.Context, p planned, n requestRecord, content string) (Record, error) {
	r := newJob(p.Cases, n.By, time.Now().UTC())
	work, sealed, err := run.Start(p.conf, r.observe)
	if work == nil {
		return Record{}, fmt.Errorf("start a run: %w", err)
	}
	if err != nil {
		m.o.Log.Warn("cannot finalize the packs of interrupted runs", "error", err)
	}
	dir := work.Dir.Path()
	if err := errors.Join(writeRequest(dir, n), work.Announce(p.Cases),
		m.enqueue(filepath.Base(dir), queueEntry{n.By, content, r.record.Created})); err != nil {
		return Record{}, fmt.Errorf("start a run: %w", errors.Join(err, work.End(), os.RemoveAll(dir)))
	}
	m.launch(ctx, r, work, p, sealed...)
	return r.state(), nil
}

// launch lets a run wait for its turn. Its folder exists already.
func (m *Manager) launch(ctx context.Context, r *job, work *run.Runner, p planned, sealed ...history.Finalized) {
	r.record.ID = filepath.Base(work.Dir.Path())
	inner, cancel := context.WithCancelCause(m.ctx)
	r.cancel = cancel
	m.mu.Lock()
	m.runs[r.record.ID] = r
	m.order = append(m.order, r.record.ID)
	m.mu.Unlock()
	m.all.Go(func() {
		defer cancel(nil)
		if err := work.Config.ReportFinalized(context.WithoutCancel(ctx), sealed); err != nil {
			m.o.Log.Warn("cannot report interrupted runs", "error", err)
		}
		m.work(inner, r, work, p)
	})
}

// work waits for its turn and runs the cases.
func (m *Manager) work(ctx context.Context, r *job, work *run.Runner, p planned) {
	leave, kept := m.wait(ctx, r.record.ID)
	if kept {
		if err := work.End(); err != nil {
			m.o.Log.Warn("cannot close the folder of a waiting run", "run", r.record.ID, "error", err)
		}
		r.feed.end()
		return
	}
	defer leave()
	if ctx.Err() == nil {
		r.markStarted(nil)
	}
	outcomes := m.perform(ctx, r, work, p)
	if err := work.Report(ctx, io.Discard); err != nil {
		m.o.Log.Warn("cannot write the report of a run", "run", r.record.ID, "error", err)
		r.change(func(rec *Record) { rec.Problems = append(rec.Problems, err.Error()) })
	}
	if err := work.End(); err != nil {
		m.o.Log.Warn("cannot end a run", "run", r.record.ID, "error", err)
	}
	m.keep(r.record.ID)
	r.change(func(rec *Record) { rec.end(outcomes) })
	r.feed.end()
	if m.o.Ended != nil {
		m.o.Ended(r.state())
	}
	m.forget()
}

// perform runs the cases, here or on other machines.
func (m *Manager) perform(ctx context.Context, r *job, work *run.Runner, p planned) []run.Outcome {
	if outcomes := m.serve(ctx, r, work, p); outcomes != nil {
		return outcomes
	}
	defer work.StopServers()
	if p.open == nil {
		work.Config.FFmpeg = run.FindFFmpeg(ctx, work.Config)
		return work.All(ctx, p.Cases)
	}
	there, err := p.open(ctx, work.Config, p.Plan)
	if err != nil {
		m.o.Log.Warn("cannot start a run on other machines", "run", r.record.ID, "error", err)
		work.Remote = unreachableRunner{err}
		return work.All(ctx, p.Cases)
	}
	work.Remote = there
	r.markStarted(there)
	outcomes := work.All(ctx, p.Cases)
	if err := there.Close(); err != nil {
		m.o.Log.Warn("cannot end a run on other machines", "run", r.record.ID, "error", err)
	}
	return outcomes
}

// serve starts the servers that the tests of the server's own project need, if that is allowed. It returns the outcomes
// of the cases when one does not start.
func (m *Manager) serve(ctx context.Context, r *job, work *run.Runner, p planned) []run.Outcome {
	problem := ""
	var outcomes []run.Outcome
	if len(p.Servers()) > 0 && !work.Config.AllowStart {
		problem = "the servers under start in taproot.yaml were not started: taproot serve needs --allow-start for that"
	} else if err := work.StartServers(ctx, p.Cases); err != nil {
		m.o.Log.Warn("cannot start the servers of the app", "run", r.record.ID, "error", err)
		problem, outcomes = err.Error(), work.NotServed(ctx, p.Cases, err)
	}
	if problem != "" {
		r.change(func(rec *Record) { rec.Problems = append(rec.Problems, problem) })
	}
	return outcomes
}

// unreachableRunner ends each case with an error, because other machines cannot be reached.
type unreachableRunner struct{ err error }

func (u unreachableRunner) Usable(context.Context, dsl.Platform) (int, error) { return 0, u.err }

func (u unreachableRunner) Try(context.Context, run.Attempt) (string, error) { return "", u.err }

func (m *Manager) keep(run string) {
	if m.o.Keep == nil {
		return
	}
	if err := m.o.Keep(run); err != nil {
		m.o.Log.Warn("cannot publish a run that has ended", "run", run, "error", err)
	}
}

// end sets the results of the cases. Cases that never started are interrupted.
func (rec *Record) end(outcomes []run.Outcome) {
	rec.State, rec.Ended = Ended, time.Now().UTC()
	for i, o := range outcomes {
		c := &rec.Cases[i]
		c.State, c.Result, c.Pack = Ended, o.Result(), o.Case.Pack
		if o.CaseResult != nil {
			c.Device, c.DurationMS = o.CaseResult.Case.Device, o.CaseResult.Duration.Milliseconds()
			if o.CaseResult.Problem != nil {
				c.Problem = o.CaseResult.Problem.Message
			}
		}
		if o.Err != nil {
			rec.Problems = append(rec.Problems, fmt.Sprintf("the report of %s is not complete: %v", c.Pack, o.Err))
		}
	}
	rec.Result = overallResult(rec.Cases)
}

// overallResult returns the result of a run. The order is that of the exit codes: the first result that any case has.
func overallResult(cases []Case) event.Result {
	for _, v := range []event.Result{event.Interrupted, event.Fail, event.Error, event.Pass, event.Expected} {
		if slices.ContainsFunc(cases, func(c Case) bool { return c.Result == v }) {
			if v == event.Expected { // a run with known failures alone passes
				v = event.Pass
			}
			return v
		}
	}
	return event.Skipped
}

// forget removes the oldest ended runs from memory.
func (m *Manager) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	ended := slices.DeleteFunc(slices.Clone(m.order), func(id string) bool { return m.runs[id].state().State != Ended })
	for len(ended) > maxEndedRuns {
		delete(m.runs, ended[0])
		m.order = slices.DeleteFunc(m.order, func(id string) bool { return id == ended[0] })
		ended = ended[1:]
	}
}
