package runpage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// Test is a test of the tree.
type Test struct {
	ID    string   `json:"id"`
	Name  string   `json:"name,omitempty"`
	File  string   `json:"file"` // relative to the working folder, with slashes
	Line  int      `json:"line"`
	Tags  []string `json:"tags,omitempty"`
	Skip  string   `json:"skip,omitempty"`
	Cases []string `json:"cases"` // the names of their packs
}

// Broken is a file with an error, which keeps its tests from running.
type Broken struct {
	File    string `json:"file"` // empty: the error is of no file
	Message string `json:"message"`
}

// Tests reads and runs tests. Safe for concurrent use.
type Tests interface {
	// Read lists the tests.
	Read() ([]Test, []Broken)
	// Run runs cases, and returns what the run printed on its standard error.
	Run(ctx context.Context, cases []string, o Observer) (printed string, err error)
	// Saved waits until files were saved, and returns them.
	Saved(ctx context.Context) ([]string, error)
	// Depending returns the cases that depend on files, as Read has listed them.
	Depending(files []string) []string
}

// Observer receives what a run does. Safe for concurrent use.
type Observer interface {
	Planned(runDir string, cases []string)
	Event(event.Case, event.Event)
}

// runs are the runs of a page, one at a time.
type runs struct {
	tests Tests
	state *state
	last  error // of the last run; to be read when work has returned

	mu      sync.Mutex
	wanted  []string // the cases of the next run, nil: none
	wake    chan struct{}
	cancel  context.CancelFunc // of the current run; nil: there is none
	changed []string           // cases that depend on files that were saved during a run
	reading sync.Mutex         // held while the tests are read
}

var (
	errBusy    = errors.New("a run is in progress: stop it first")
	errNothing = errors.New("no test is chosen")
)

// start requests a run.
func (r *runs) start(cases []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(cases) == 0 {
		return errNothing
	}
	if r.cancel != nil || r.wanted != nil {
		return errBusy
	}
	r.wanted = cases
	r.waking() <- struct{}{}
	return nil
}

// waking needs r.mu.
func (r *runs) waking() chan struct{} {
	if r.wake == nil {
		r.wake = make(chan struct{}, 1)
	}
	return r.wake
}

// stop interrupts the current run, and drops what was to run after it.
func (r *runs) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted, r.changed = nil, nil
	if r.cancel != nil {
		r.cancel()
		r.state.stopping()
	}
}

// startOrQueue requests a run, after the current one if there is one.
func (r *runs) startOrQueue(cases []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil && r.wanted == nil {
		r.wanted = cases
		r.waking() <- struct{}{}
		return
	}
	r.changed = append(r.changed, cases...)
	slices.Sort(r.changed)
	r.changed = slices.Compact(r.changed)
}

// work runs what is requested until ctx ends.
func (r *runs) work(ctx context.Context) {
	r.mu.Lock()
	wake := r.waking()
	r.mu.Unlock()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
			r.one(ctx)
		}
	}
}

func (r *runs) one(parent context.Context) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	r.mu.Lock()
	cases := r.wanted
	if cases == nil { // stopped before it started
		r.mu.Unlock()
		return
	}
	r.wanted, r.cancel = nil, cancel
	r.mu.Unlock()
	r.state.started(cases)
	printed, err := r.tests.Run(ctx, cases, r.state)
	r.last = err
	r.mu.Lock()
	r.cancel = nil
	again := r.changed
	r.changed = nil
	r.mu.Unlock()
	r.state.over(strings.TrimSpace(phrase.LimitBytes(printed, 16<<10)))
	if len(again) > 0 && parent.Err() == nil && r.state.watches() {
		r.startOrQueue(again)
	}
}

// follow reads the tests again when files were saved, and runs those that depend on them while Watch is on.
func (r *runs) follow(ctx context.Context) {
	for {
		files, err := r.tests.Saved(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.state.failed("files can no longer be watched: " + err.Error())
			return
		}
		r.refresh()
		cases := r.tests.Depending(files)
		if len(cases) > 0 && r.state.watches() {
			r.startOrQueue(cases)
		}
	}
}

// refresh reads the tests.
func (r *runs) refresh() {
	r.reading.Lock()
	defer r.reading.Unlock()
	r.state.setTests(r.tests.Read())
}
