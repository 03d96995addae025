package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/archive"
	"github.com/taproot-dev/taproot/runner/internal/order"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// Options name the hub, and what is run there.
type Options struct {
	Hub      *Client
	Config   run.Config
	Plan     *plan.Plan
	Inputs   *PlanInputs // the files that the planning has read
	Pool     string      // of the devices
	Labels   []string
	Priority int
	Log      *slog.Logger
	// Away is called once for each time that the hub is unreachable and waited for; may be nil.
	Away func(error)
}

// PlanInputs records what the planning of tests has read. Safe for concurrent use.
type PlanInputs struct {
	mu    sync.Mutex
	files []string
	env   map[string]string
}

// NoteInputs makes a configuration record what its planning reads.
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
	key  []byte // of what tests need
	id   string
	away atomic.Bool // Options.Away was called, and the hub is still unreachable

	life context.Context
	end  context.CancelFunc
	both sync.WaitGroup

	mu      sync.Mutex
	next    int
	tries   map[int]*try
	adding  []order.NewCase
	takings []int
	wake    chan struct{}
	over    error // why the run has ended; nil: it has not
}

var _ run.RemoteRunner = (*Farm)(nil)

// try is a case that was submitted.
type try struct {
	of         run.Attempt
	ended      chan order.Ended
	none       chan string
	started    atomic.Bool // an event has arrived
	forwarding sync.Mutex
	from       int // the newest attempt, from which events are passed on
	closed     bool
}

// Open uploads what the tests need, and starts a run. Close must be called in the end.
func Open(ctx context.Context, o Options) (*Farm, error) {
	f := &Farm{o: o, key: order.NewKey(), tries: map[int]*try{}, wake: make(chan struct{}, 1)}
	if f.o.Log == nil {
		f.o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Config.Baselines {
		return nil, &plan.Usage{
			Msg: "baselines are not written on a hub: write them on a machine with the device (--update-baselines without " +
				"--hub)"}
	}
	for _, c := range o.Plan.Cases {
		if name := c.Test.GoAction(); name != "" {
			return nil, &plan.Usage{Msg: fmt.Sprintf("%s uses %s, a function in Go, which the hosts of a farm do not have",
				c.Test.ID, name)}
		}
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

// send uploads the archive, unless the hub has it, and starts the run.
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
	var hubErr *HubError
	if errors.As(err, &hubErr) && hubErr.Code == http.StatusNotFound {
		err = f.call(ctx, Request{Method: http.MethodPut, Path: at, File: file, Size: f.made.Bytes})
	}
	if err != nil {
		return err
	}
	var made order.MadeRun
	err = f.call(ctx, Request{Method: http.MethodPost, Path: "runs", Into: &made,
		Body: order.NewRun{Protocol: order.Protocol, Archive: f.made.SHA256, Priority: f.o.Priority,
			Settings: order.SettingsOf(c, f.made.Dir, env).WithKey(f.key)}})
	f.id = made.ID
	return err
}

// closeLimit is how long Close attempts to end a run after all results were received.
const closeLimit = 10 * time.Second

// Close ends the run on the hub. If the hub stays unreachable, it ends the run itself later. A nil Farm has no run.
func (f *Farm) Close() error {
	if f == nil {
		return nil
	}
	f.end()
	f.both.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	err := f.call(ctx, Request{Method: http.MethodDelete, Path: "runs/" + f.id})
	var hubErr *HubError
	if errors.As(err, &hubErr) && hubErr.Code == http.StatusNotFound || ctx.Err() != nil {
		return nil
	}
	return err
}

// Usable returns how many cases of the platform can run at once.
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

// cancelLimit is how long an interrupted client waits for the packs of running cases.
const cancelLimit = 15 * time.Second

// Try runs a case once on a device of the hub.
func (f *Farm) Try(ctx context.Context, t run.Attempt) (string, error) {
	n, mine, err := f.add(t)
	if err != nil {
		return "", err
	}
	defer f.leave(n, mine)
	var limit <-chan time.Time
	if !t.Until.IsZero() {
		timer := time.NewTimer(time.Until(t.Until))
		defer timer.Stop()
		limit = timer.C
	}
	for waiting := true; waiting; {
		select {
		case e := <-mine.ended:
			return f.home(ctx, t, e)
		case why := <-mine.none:
			f.withdraw(n)
			return "", &pool.NoDeviceError{Platform: t.Case.Platform, Reason: why}
		case <-limit:
			if f.withdrawWaiting(ctx, n) {
				return "", run.ErrTooLate
			}
			limit = nil
			if !mine.started.Load() { // it has a device, but its host may still return the case to the queue
				limit = time.After(askLate)
			}
		case <-ctx.Done():
			waiting = false
		}
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

// follow streams the events of the run, and reconnects after an interruption. If the hub refuses, or is unreachable for
// too long, the run has ended.
func (f *Farm) follow() {
	lastEvent := time.Now()
	for f.life.Err() == nil {
		err := f.news(func() { lastEvent = time.Now() })
		var hubErr *HubError
		switch refused := errors.As(err, &hubErr) && hubErr.Code < 500 && hubErr.Code != http.StatusTooManyRequests; {
		case refused && hubErr.Code == http.StatusNotFound:
			f.gone(errors.New("the hub has ended the run"))
			return
		case refused:
			f.gone(fmt.Errorf("the hub has ended the run: %w", err))
			return
		case time.Since(lastEvent) > patience && f.life.Err() == nil:
			f.gone(fmt.Errorf("%s has not responded for %v: %w", f.o.Hub.name, patience, err))
			return
		}
		_ = pool.Sleep(f.life, time.Second/2, nil)
	}
}

// gone ends all cases: no more results will arrive.
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

func (f *Farm) news(received func()) error {
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
			received()
			f.handle(n)
		}
	}})
}

func (f *Farm) handle(n order.RunEvent) {
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
			t.forward(n.Events)
		}
	}
}

// forward passes events on, unless they are of an older attempt.
func (t *try) forward(e *order.Events) {
	t.forwarding.Lock()
	defer t.forwarding.Unlock()
	if t.closed || e.Attempt.Attempt < t.from {
		return
	}
	t.from = e.Attempt.Attempt
	t.started.Store(true)
	for i, one := range e.Events {
		t.of.Received(e.From+i, one)
	}
}
