package runner

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/plan"
)

// Begin seals what dead runs left behind and opens a new run.
func Begin(c Config, observe func(reporters.Case, reporters.Event)) (*Runner, []reporters.Sealed, error) {
	sealed, sealErr := reporters.Seal(c.Reports, time.Now())
	dir, err := reporters.NewRunDir(c.Reports, time.Now())
	if err != nil {
		return nil, sealed, errors.Join(err, sealErr)
	}
	return &Runner{Config: c, Pool: NewPool(Drivers(c), c), Dir: dir, Observe: observe}, sealed, sealErr
}

// End closes the drivers and the run directory.
func (r *Runner) End() error { return errors.Join(r.Pool.Close(), r.Dir.Close()) }

// All runs the cases, as many at once as there are devices (and as Config.Parallel allows), and gives their outcomes in the order of
// the cases.
func (r *Runner) All(ctx context.Context, cases []plan.Case) []Outcome {
	outcomes := make([]Outcome, len(cases))
	var slots chan struct{}
	if r.Config.Parallel > 0 {
		slots = make(chan struct{}, r.Config.Parallel)
	}
	var workers sync.WaitGroup
	for platform, queue := range queues(cases) {
		next := make(chan int, len(queue))
		for _, i := range queue {
			next <- i
		}
		close(next)
		workers.Go(func() { // one platform's devices are listed while those of another are at work
			for range min(len(queue), r.width(ctx, platform)) {
				workers.Go(func() {
					for i := range next {
						outcomes[i] = r.slot(ctx, cases[i], slots)
					}
				})
			}
		})
	}
	workers.Wait()
	return outcomes
}

// queues gives the indexes of the cases of each platform.
func queues(cases []plan.Case) map[dsl.Platform][]int {
	all := map[dsl.Platform][]int{}
	for i, c := range cases {
		all[c.Platform] = append(all[c.Platform], i)
	}
	return all
}

// width is how many cases of a platform can run at once.
func (r *Runner) width(ctx context.Context, platform dsl.Platform) int {
	infos, err := r.Pool.Usable(ctx, platform)
	if err != nil {
		return 1 // the cases themselves tell why
	}
	return len(infos)
}

// slot runs a case within the limit of Config.Parallel.
func (r *Runner) slot(ctx context.Context, c plan.Case, slots chan struct{}) Outcome {
	if slots != nil {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		case <-ctx.Done():
			return Outcome{Case: c}
		}
	}
	if ctx.Err() != nil {
		return Outcome{Case: c}
	}
	return r.Run(ctx, c)
}

// Exit codes of a run.
const (
	ExitPass        = 0
	ExitFail        = 1
	ExitUsage       = 2
	ExitError       = 3
	ExitInterrupted = 130
)

// ExitCode sums the outcomes up: a failed test weighs more than errors beside it; a run in which nothing ran is no success.
func ExitCode(outcomes []Outcome, allowEmpty bool) int {
	count := map[reporters.Verdict]int{}
	for _, o := range outcomes {
		count[o.Verdict()]++
	}
	switch {
	case count[reporters.Interrupted] > 0:
		return ExitInterrupted
	case count[reporters.Fail] > 0:
		return ExitFail
	case count[reporters.Error] > 0:
		return ExitError
	case count[reporters.Pass] == 0 && !allowEmpty:
		return ExitError
	}
	return ExitPass
}

// Plan builds the cases that the configuration asks for.
func (c Config) Plan(args ...string) (*plan.Plan, error) {
	return plan.Build(plan.Options{Dir: c.Dir, Args: slices.Clone(args), Platform: c.Platform, Labels: c.Labels, Vars: c.Vars, Environment: c.Environment, Env: c.LookupEnv})
}
