// Package run takes one case from lease to pack: from a planned case it makes an outcome and its report pack. It does
// not depend on Ginkgo.
package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// Start finalizes dead runs and opens a new run.
func Start(c Config, observe func(event.Case, event.Event)) (*Runner, []history.Finalized, error) {
	sealed, sealErr := history.Finalize(c.Reports, time.Now())
	dir, err := c.Claim.NewRunDir(c.Reports, time.Now())
	if err != nil {
		return nil, sealed, errors.Join(err, sealErr)
	}
	return &Runner{Config: c, Pool: pool.New(Drivers(c), c.PoolOptions()), Dir: dir, Observe: observe,
		Until: c.until()}, sealed, sealErr
}

// Resume continues a run of a process that ended before its first case.
func Resume(c Config, dir string, observe func(event.Case, event.Event)) (*Runner, error) {
	opened, err := pack.OpenRunDir(dir)
	if err != nil {
		return nil, err
	}
	return &Runner{Config: c, Pool: pool.New(Drivers(c), c.PoolOptions()), Dir: opened, Observe: observe,
		Until: c.until()}, nil
}

// until is the time after which no case of a run that starts now may start.
func (c Config) until() time.Time {
	if c.MaxTime <= 0 {
		return time.Time{}
	}
	return time.Now().Add(c.MaxTime)
}

// late reports whether no case may start any more.
func late(r *Runner) bool { return !r.Until.IsZero() && time.Now().After(r.Until) }

// outOfTime is why a case does not start then.
func (c Config) outOfTime() notRun {
	return notRun{result: event.Skipped, kind: event.OutOfTime, why: fmt.Sprintf(
		"not run, because the run had reached its limit of %s (--max-time)", phrase.Duration(c.MaxTime))}
}

// End closes the drivers and the run directory.
func (r *Runner) End() error {
	r.StopServers()
	r.noting.Wait()
	return errors.Join(r.Pool.Close(), r.DropNeeds(), r.Dir.Close())
}

// All runs the cases, as many at once as there are devices (and as Config.Parallel allows), and returns their outcomes
// in the order of the cases. Cases start in that order, too, as far as there are devices for them.
func (r *Runner) All(ctx context.Context, cases []plan.Case) []Outcome {
	a := &batch{r: r, cases: cases, outcomes: make([]Outcome, len(cases)),
		turns: newCaseScheduler(cases, r.Config.Parallel), need: map[dsl.Platform]*atomic.Int64{},
		idle: map[dsl.Platform]chan struct{}{}, idles: map[dsl.Platform]func(){}, again: map[int]func(){}}
	for i, c := range cases {
		a.outcomes[i].Case = c
		if a.idle[c.Platform] == nil {
			idle := make(chan struct{})
			a.idle[c.Platform], a.idles[c.Platform] = idle, sync.OnceFunc(func() { close(idle) })
		}
		for _, platform := range platformsOf(c) {
			if a.need[platform] == nil {
				a.need[platform] = &atomic.Int64{}
			}
			a.need[platform].Add(1)
		}
	}
	a.chains = sequencesOf(cases)
	a.needs = needsOf(cases)
	platforms := a.turns.platforms()
	for _, platform := range platforms {
		queued := a.turns.queued(platform)
		first, _ := a.turns.next(platform)
		a.work.Go(func() { a.worker(ctx, platform, first) })
		// Listing the devices of one platform does not delay the cases of another.
		a.work.Go(func() { a.more(ctx, platform, queued) })
	}
	a.turns.open()
	a.work.Wait()
	a.retry(ctx)
	return a.outcomes
}

// batch is one run of many cases.
type batch struct {
	r        *Runner
	cases    []plan.Case
	outcomes []Outcome
	turns    *caseScheduler
	work     sync.WaitGroup
	need     map[dsl.Platform]*atomic.Int64 // the number of cases that may still need a device
	failed   atomic.Pointer[string]         // the case for which Config.FailFast ends the run
	mu       sync.Mutex                     // for again
	again    map[int]func()                 // cases to run again at the end; they no longer need their device afterwards
	chains   sequences
	needs    needs
	idle     map[dsl.Platform]chan struct{} // closed when a worker has no more work
	idles    map[dsl.Platform]func()        // close them
}

// more adds a worker for each additional device of a platform.
func (a *batch) more(ctx context.Context, platform dsl.Platform, queued int) {
	limit := queued
	if a.r.Config.Parallel > 0 {
		limit = min(limit, a.r.Config.Parallel)
	}
	if limit < 2 {
		return
	}
	if a.r.Remote != nil {
		a.grow(ctx, platform, limit)
		return
	}
	infos, err := a.r.Pool.Usable(ctx, platform)
	if err != nil {
		return // the cases themselves report why
	}
	n := len(infos)
	if platform == dsl.Web && a.r.Config.Parallel == 0 { // further pages are for tests with several
		n = min(n, DefaultPages)
	}
	a.addWorkers(ctx, platform, min(limit, n)-1)
}

// addWorkers adds n workers, and reports whether there is work for them.
func (a *batch) addWorkers(ctx context.Context, platform dsl.Platform, n int) bool {
	for range n {
		i, ok := a.turns.next(platform)
		if !ok {
			return false
		}
		a.turns.open()
		a.work.Go(func() { a.worker(ctx, platform, i) })
	}
	return true
}

// worker runs case i, and then the remaining cases of its platform.
func (a *batch) worker(ctx context.Context, platform dsl.Platform, i int) {
	defer a.idles[platform]()
	for ok := true; ok; {
		if err := a.turns.await(ctx, i); err != nil {
			return // the run was interrupted: queued cases do not start
		}
		a.one(ctx, i)
		i, ok = a.turns.leave(platform)
	}
}

// one runs a case that has a slot.
func (a *batch) one(ctx context.Context, i int) {
	c := a.cases[i]
	freed := sync.OnceFunc(func() {
		for _, platform := range platformsOf(c) {
			if a.need[platform].Add(-1) == 0 && a.r.Last {
				a.r.Pool.Retire(platform)
			}
		}
	})
	defer func() {
		if a.outcomes[i].again == nil {
			freed()
			return
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.again[i] = freed
	}()
	defer a.chains.ended(i)
	defer a.needs.ended(c.Pack)
	if failed := a.failed.Load(); failed != nil {
		a.outcomes[i] = a.r.LeftOut(ctx, c, *failed)
		return
	}
	if ctx.Err() != nil {
		return
	}
	if failed, err := a.chains.await(ctx, a, i); err != nil {
		return
	} else if failed != "" {
		a.outcomes[i] = a.r.SequenceEnded(ctx, c, failed)
		return
	}
	if err := a.needs.await(ctx, a, i); err != nil {
		return
	}
	rest := func(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
		return a.turns.yieldSlot(ctx, i, func() error { return pool.Sleep(ctx, d, wake) })
	}
	// Those that wait for the result of the case do not wait for the end of the run.
	later := a.r.Config.RetryAtEnd && !c.Needed && c.Test.Sequence == ""
	a.outcomes[i] = a.r.run(ctx, c, callbacks{rest: rest, freed: freed, later: later})
	if a.outcomes[i].again == nil {
		a.stopAtFailure(i)
	}
}

// stopAtFailure ends the run after a case that failed, if it is to stop at the first one.
func (a *batch) stopAtFailure(i int) {
	if v := a.outcomes[i].Result(); a.r.Config.FailFast && (v == event.Fail || v == event.Error) {
		a.failed.CompareAndSwap(nil, &a.cases[i].Pack)
	}
}

// retry runs again, one after the other, the cases that wait for the end of the run. None starts after the
// limit of the run, or after a failure that ends it: then the first attempt is the result.
func (a *batch) retry(ctx context.Context) {
	for _, i := range slices.Sorted(maps.Keys(a.again)) {
		if ctx.Err() == nil && !late(a.r) && a.failed.Load() == nil {
			first := a.outcomes[i]
			a.outcomes[i] = a.r.run(ctx, a.cases[i], callbacks{rest: pool.Sleep, freed: a.again[i], again: &first})
		}
		a.outcomes[i].again = nil
		a.stopAtFailure(i)
		a.again[i]()
	}
}

// LeftOut writes the pack of a case that is not started because another one did not pass.
func (r *Runner) LeftOut(ctx context.Context, c plan.Case, failed string) Outcome {
	return r.without(ctx, c, notRun{result: event.Skipped, why: "not run, because " + failed +
		" did not pass and the run stops at the first failure"})
}

// SequenceEnded writes the pack of a case that is not started because one before it in its sequence did not pass.
func (r *Runner) SequenceEnded(ctx context.Context, c plan.Case, failed string) Outcome {
	return r.without(ctx, c, notRun{result: event.Skipped, why: "not run, because " + failed +
		" did not pass and the flows of " + c.Test.Sequence + " end there (continueOnFailure: false)"})
}

// Exit codes of a run.
const (
	ExitPass        = 0
	ExitFail        = 1
	ExitUsage       = 2
	ExitError       = 3
	ExitInterrupted = 130
)

// ExitCode sums the outcomes up: failed tests take precedence over errors; a run in which nothing ran is not a success.
func ExitCode(outcomes []Outcome, allowEmpty bool) int {
	count := map[event.Result]int{}
	late := false
	for _, o := range outcomes {
		count[o.Result()]++
		late = late || o.CaseResult != nil && o.CaseResult.Problem != nil && o.CaseResult.Problem.Kind == event.OutOfTime
	}
	switch {
	case count[event.Interrupted] > 0:
		return ExitInterrupted
	case count[event.Fail] > 0:
		return ExitFail
	case count[event.Error] > 0, late:
		return ExitError
	case count[event.Pass]+count[event.Expected] == 0 && !allowEmpty:
		return ExitError
	}
	return ExitPass
}

// Tests lists the tests of the arguments, or of the default folder, and the errors of files without tests.
func (c Config) Tests(args ...string) ([]*dsl.Test, []error, error) {
	o := c.planning()
	o.Args = args
	return plan.List(o)
}
