package remote

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/archive"
	"github.com/taproot-dev/taproot/farm/order"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/upload"
)

// Options say where the hub is, and what is run there.
type Options struct {
	Hub      *Client
	Config   run.Config
	Plan     *plan.Plan
	Inputs   *PlanInputs // by which the plan was made
	Pool     string      // of the devices
	Labels   []string
	Priority int
	Log      *slog.Logger
	// Away is told, once for each time, when the hub does not answer and is waited for; may be nil.
	Away func(error)
}

// PlanInputs is what the planning of tests read. Safe for concurrent use.
type PlanInputs struct {
	mu    sync.Mutex
	files []string
	env   map[string]string
}

// NoteInputs lets a configuration note what its planning reads.
func NoteInputs(c *run.Config) *PlanInputs {
	n := &PlanInputs{env: map[string]string{}}
	lookup := c.LookupEnv
	c.Reads = func(file string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.files = append(n.files, file)
	}
	if lookup != nil {
		c.LookupEnv = func(name string) (string, bool) {
			value, ok := lookup(name)
			if ok {
				n.mu.Lock()
				n.env[name] = value
				n.mu.Unlock()
			}
			return value, ok
		}
	}
	return n
}

// Farm is a run on a hub. Safe for concurrent use.
type Farm struct {
	o    Options
	made archive.Made
	id   string
	away atomic.Bool // and Options.Away was told

	life context.Context
	end  context.CancelFunc
	both sync.WaitGroup

	mu      sync.Mutex
	next    int
	tries   map[int]*try
	adding  []order.NewCase
	takings []int
	wake    chan struct{}
	over    error // why no case ends any more; nil: it goes on
}

var _ run.RemoteRunner = (*Farm)(nil)

// try is a case that is under way.
type try struct {
	of     run.Try
	ended  chan order.Ended
	none   chan string
	hear   sync.Mutex
	from   int // the attempt that is heard
	closed bool
}

// Open sends what the tests need, and begins a run. Close must be called in the end.
func Open(ctx context.Context, o Options) (*Farm, error) {
	f := &Farm{o: o, tries: map[int]*try{}, wake: make(chan struct{}, 1)}
	if f.o.Log == nil {
		f.o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Config.Baselines {
		return nil, &plan.Usage{
			Msg: "baselines are not written on a hub: write them on a machine with the device (--update-baselines without " +
				"--hub)"}
	}
	if o.Config.Headed {
		return nil, &plan.Usage{Msg: "--headed opens a window on this machine, and the tests run on others"}
	}
	if err := f.send(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Hub.name, err)
	}
	f.life, f.end = context.WithCancel(context.WithoutCancel(ctx))
	f.both.Go(f.follow)
	f.both.Go(f.post)
	return f, nil
}

// send uploads the archive, unless the hub has it, and begins the run.
func (f *Farm) send(ctx context.Context) (err error) {
	c := f.o.Config
	f.o.Inputs.mu.Lock()
	files, env := f.o.Inputs.files, f.o.Inputs.env
	f.o.Inputs.mu.Unlock()
	needs, err := f.o.Plan.Needs(c.Dir, files)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp("", "taproot-tests-*.tar.gz")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if f.made, err = archive.Make(archive.Options{Dir: c.Dir, Needs: needs, Skip: []string{c.Reports}}, file); err != nil {
		return err
	}
	at := "archives/" + f.made.SHA256
	err = f.call(ctx, Request{Method: http.MethodHead, Path: at})
	var said *HubError
	if errors.As(err, &said) && said.Code == http.StatusNotFound {
		err = f.call(ctx, Request{Method: http.MethodPut, Path: at, File: file, Size: f.made.Bytes})
	}
	if err != nil {
		return err
	}
	var made order.MadeRun
	err = f.call(ctx, Request{Method: http.MethodPost, Path: "runs", Into: &made,
		Body: order.NewRun{Protocol: order.Protocol, Archive: f.made.SHA256, Priority: f.o.Priority,
			Settings: order.SettingsOf(c, f.made.Dir, env)}})
	f.id = made.ID
	return err
}

// closeLimit is how long a hub is asked to end a run of which everything came home.
const closeLimit = 10 * time.Second

// Close ends the run on the hub; one that is away for longer than some seconds forgets it by itself, later. A nil Farm
// has none.
func (f *Farm) Close() error {
	if f == nil {
		return nil
	}
	f.end()
	f.both.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	err := f.call(ctx, Request{Method: http.MethodDelete, Path: "runs/" + f.id})
	var said *HubError
	if errors.As(err, &said) && said.Code == http.StatusNotFound || ctx.Err() != nil {
		return nil
	}
	return err
}

// Usable is how many cases of the platform can be under way at once.
func (f *Farm) Usable(ctx context.Context, p dsl.Platform) (int, error) {
	q := url.Values{"platform": {string(p)}}
	if d := f.device(p); d != "" {
		q.Set("device", d)
	}
	if f.o.Pool != "" {
		q.Set("pool", f.o.Pool)
	}
	q["label"] = f.o.Labels
	var u order.Usable
	err := f.call(ctx, Request{Method: http.MethodGet, Path: "usable", Query: q, Into: &u})
	return u.Cases, err
}

func (f *Farm) device(p dsl.Platform) string {
	if f.o.Config.Device == "" && p == dsl.Android {
		return f.o.Config.AndroidSerial
	}
	return f.o.Config.Device
}

// cancelLimit is how long a client that is interrupted waits for the packs of what was under way.
const cancelLimit = 15 * time.Second

// Try runs a case once on a device of the hub.
func (f *Farm) Try(ctx context.Context, t run.Try) (string, error) {
	n, mine, err := f.add(t)
	if err != nil {
		return "", err
	}
	defer f.leave(n, mine)
	select {
	case e := <-mine.ended:
		return f.home(ctx, t, e)
	case why := <-mine.none:
		f.withdraw(n)
		return "", &pool.NoDeviceError{Platform: t.Case.Platform, Reason: why}
	case <-ctx.Done():
	}
	if !f.withdraw(n) {
		return "", context.Cause(ctx)
	}
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelLimit)
	defer cancel()
	select {
	case e := <-mine.ended:
		return f.home(waiting, t, e)
	case <-waiting.Done():
		return "", context.Cause(ctx)
	}
}

// add lets a case wait on the hub.
func (f *Farm) add(t run.Try) (int, *try, error) {
	place, err := f.place(t.Case)
	if err != nil {
		return 0, nil, err
	}
	what, err := json.Marshal(place)
	if err != nil {
		return 0, nil, err
	}
	c := t.Case
	in, labels, need := c.Test.Device.Placed()
	if f.o.Pool != "" && in != "" && in != f.o.Pool {
		return 0, nil, &pool.NoDeviceError{Platform: c.Platform,
			Reason: fmt.Sprintf("the test wants a device of the pool %s, and the run is for the pool %s (--pool)", in, f.o.Pool)}
	}
	needs := order.Needs{Platform: c.Platform, Browser: c.Browser, Device: f.device(c.Platform), Avoid: t.Avoid,
		Need: need, Pool: cmp.Or(f.o.Pool, in), Labels: slices.Concat(f.o.Labels, labels)}
	mine := &try{of: t, ended: make(chan order.Ended, 1), none: make(chan string, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over != nil {
		return 0, nil, f.over
	}
	n := f.next
	f.next++
	f.tries[n] = mine
	f.adding = append(f.adding, order.NewCase{N: n, Needs: needs, What: what})
	f.stir()
	return n, mine, nil
}

// place names the case as the host finds it.
func (f *Farm) place(c plan.Case) (plan.Ref, error) {
	ref := plan.RefOf(c)
	if filepath.IsAbs(filepath.FromSlash(ref.File)) {
		name, err := f.made.Name(ref.File)
		if err != nil {
			return ref, err
		}
		rel, err := filepath.Rel(filepath.FromSlash(f.made.Dir), filepath.FromSlash(name))
		if err != nil {
			return ref, err
		}
		ref.File = filepath.ToSlash(rel)
	}
	return ref, nil
}

// leave forgets a case, and tells the hub that its result was taken.
func (f *Farm) leave(n int, mine *try) {
	mine.hear.Lock()
	mine.closed = true
	mine.hear.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tries, n)
	f.takings = append(f.takings, n)
	f.stir()
}

// stir wakes post. It needs f.mu.
func (f *Farm) stir() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// withdraw gives a case up, and tells whether it is under way and will end.
func (f *Farm) withdraw(n int) bool {
	ctx, cancel := context.WithTimeout(f.life, cancelLimit)
	defer cancel()
	var left order.CaseNumbers
	if err := f.call(ctx, Request{Method: http.MethodPost, Path: "runs/" + f.id + "/cancel", Body: order.CaseNumbers{
		N: []int{n}}, Into: &left}); err != nil {
		return false
	}
	for _, m := range left.N {
		if m == n {
			return true
		}
	}
	return false
}

// home brings the pack of a case.
func (f *Farm) home(ctx context.Context, t run.Try, e order.Ended) (string, error) {
	if e.Error != "" {
		return "", errors.New(e.Error)
	}
	dir := filepath.Join(t.Spool, fmt.Sprintf("home-%d", e.Attempt))
	err := f.call(ctx, Request{Method: http.MethodGet, Path: fmt.Sprintf("runs/%s/packs/%d-%d", f.id, e.N, e.Attempt),
		Take: func(r io.Reader) error {
			if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
				return &final{err}
			}
			came := &trackedReader{Reader: r}
			err := upload.Unpack(ctx, dir, came, upload.Limits{Archive: 4 << 30, Bytes: 8 << 30, File: 4 << 30, Files: 100_000,
				Ratio: 2000, Events: 1 << 30, Depth: 32})
			if err != nil && came.err == nil { // it came whole: no second one is better, and the disk here is as full
				return &final{fmt.Errorf("keep the pack that came from the hub: %w", err)}
			}
			return err
		}})
	return filepath.Join(dir, t.Case.Pack), err
}

// trackedReader remembers why what comes broke off.
type trackedReader struct {
	io.Reader
	err error // nil: it did not
}

func (c *trackedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// atOnce bounds what one request tells.
const atOnce = 500

// post sends cases that are new, and tells which results were taken: all at once that came at once.
func (f *Farm) post() {
	for {
		select {
		case <-f.life.Done():
			return
		case <-f.wake:
		}
		f.mu.Lock()
		adding, takings := f.adding, f.takings
		f.adding, f.takings = nil, nil
		f.mu.Unlock()
		for len(adding) > 0 {
			some := adding[:min(len(adding), atOnce)]
			adding = adding[len(some):]
			if err := f.call(f.life, Request{Method: http.MethodPost, Path: "runs/" + f.id + "/cases", Body: some}); err != nil {
				f.refuse(some, err)
			}
		}
		for len(takings) > 0 {
			some := takings[:min(len(takings), atOnce)]
			takings = takings[len(some):]
			if err := f.call(f.life, Request{Method: http.MethodPost, Path: "runs/" + f.id + "/taken", Body: order.CaseNumbers{
				N: some}}); err != nil {
				f.o.Log.Debug("the hub keeps results longer", "error", err)
			}
		}
	}
}

// refuse ends cases that the hub does not take.
func (f *Farm) refuse(cases []order.NewCase, err error) {
	for _, c := range cases {
		f.conclude(order.Ended{N: c.N, Error: "the hub does not take the case: " + err.Error()})
	}
}

func (f *Farm) conclude(e order.Ended) {
	f.mu.Lock()
	t := f.tries[e.N]
	f.mu.Unlock()
	if t != nil {
		select {
		case t.ended <- e:
		default: // told before
		}
	}
}

// follow takes the news of the run, and begins anew when they break off. A hub that refuses them, or is silent for too
// long, has ended the run.
func (f *Farm) follow() {
	heard := time.Now()
	for f.life.Err() == nil {
		err := f.news(func() { heard = time.Now() })
		var said *HubError
		switch refused := errors.As(err, &said) && said.Code < 500 && said.Code != http.StatusTooManyRequests; {
		case refused && said.Code == http.StatusNotFound:
			f.gone(errors.New("the hub has ended the run"))
			return
		case refused:
			f.gone(fmt.Errorf("the hub has ended the run: %w", err))
			return
		case time.Since(heard) > patience && f.life.Err() == nil:
			f.gone(fmt.Errorf("%s has not answered for %v: %w", f.o.Hub.name, patience, err))
			return
		}
		_ = pool.Sleep(f.life, time.Second/2, nil)
	}
}

// gone ends all cases: no news of them will come any more.
func (f *Farm) gone(why error) {
	f.mu.Lock()
	f.over = why
	var list []int
	for n := range f.tries {
		list = append(list, n)
	}
	f.mu.Unlock()
	for _, n := range list {
		f.conclude(order.Ended{N: n, Error: why.Error()})
	}
}

func (f *Farm) news(heard func()) error {
	return f.once(f.life, Request{Method: http.MethodGet, Path: "runs/" + f.id + "/events", Take: func(r io.Reader) error {
		lines := bufio.NewReaderSize(r, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return err
			}
			var n order.RunEvent
			if err := json.Unmarshal(line, &n); err != nil {
				return err
			}
			heard()
			f.hear(n)
		}
	}})
}

func (f *Farm) hear(n order.RunEvent) {
	switch {
	case n.Ended != nil:
		f.conclude(*n.Ended)
	case n.None != nil:
		f.mu.Lock()
		t := f.tries[n.None.N]
		f.mu.Unlock()
		if t != nil {
			select {
			case t.none <- n.None.Why:
			default:
			}
		}
	case n.Events != nil:
		f.mu.Lock()
		t := f.tries[n.Events.N]
		f.mu.Unlock()
		if t != nil {
			t.heard(n.Events)
		}
	}
}

// heard takes events, unless they are of an attempt before the newest.
func (t *try) heard(e *order.Events) {
	t.hear.Lock()
	defer t.hear.Unlock()
	if t.closed || e.Attempt.Attempt < t.from {
		return
	}
	t.from = e.Attempt.Attempt
	for i, one := range e.Events {
		t.of.Heard(e.From+i, one)
	}
}
