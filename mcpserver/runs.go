package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// runs are the runs of tests that the session started.
type runs struct {
	mu   sync.Mutex
	byID map[string]*testRun
	work sync.WaitGroup
}

// testRun is a run that is active or finished.
type testRun struct {
	id     string
	dir    string
	cancel context.CancelCauseFunc
	done   chan struct{}

	mu       sync.Mutex
	steps    int // of the cases that have started
	ended    int
	last     string
	moved    chan struct{} // closed and renewed with each step
	outcomes []run.Outcome
	problem  error
}

func (r *runs) wait() { r.work.Wait() }

func (r *runs) find(id string) *testRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// runTestArgs are those of the tool run_test.
type runTestArgs struct {
	Test     string            `json:"test,omitempty" minLength:"1" doc:"A test's id, file or folder."`
	YAML     string            `json:"yaml,omitempty" minLength:"1" doc:"The text of a test instead."`
	Platform string            `json:"platform,omitempty" enum:"android,ios,web" doc:"Only the cases of one platform."`
	Vars     map[string]string `json:"vars,omitempty" doc:"Values for the test's variables."`
	WaitMs   int               `json:"wait_ms,omitempty" minimum:"0" maximum:"600000" default:"45000" doc:"How long to wait for the result; after that, a run id for get_report."`
}

func runTest(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	a := c.args.(runTestArgs)
	if c.Listed != nil {
		if a.Test != "" || a.YAML != "" || a.Platform != "" || len(a.Vars) > 0 {
			return nil, &client.Refusal{What: "steps cannot be combined with other arguments: they are performed on the open " +
				"device, and leave no report"}
		}
		return answered(c.PerformSteps(ctx))
	}
	if (a.Test == "") == (a.YAML == "") {
		return nil, &client.Refusal{What: "run_test needs steps, test or yaml"}
	}
	conf := c.runConfig(a)
	var planned *plan.Plan
	var err error
	if a.YAML != "" {
		planned, err = c.planText(conf, a.YAML)
	} else {
		planned, err = c.plan(conf, a.Test)
	}
	if err != nil {
		return nil, err
	}
	if conf.Device, err = c.runsOn(ctx, planned.Cases); err != nil {
		return nil, err
	}
	if err := c.lend(ctx, planned.Cases); err != nil {
		return nil, err
	}
	run, err := c.startRun(conf, planned.Cases)
	if err != nil {
		return nil, err
	}
	if err := c.await(ctx, run, time.Duration(a.WaitMs)*time.Millisecond); err != nil {
		run.cancel(err) // cancelling the call ends the run
		<-run.done
		return nil, err
	}
	state, err := run.summary()
	if err != nil {
		return nil, err
	}
	result, err := structured(state)
	if err == nil && state.State == "done" && state.Result != string(event.Pass) { // so that it is not read as a success
		result.IsError, result.StructuredContent = true, nil
	}
	return result, err
}

// runConfig returns the configuration of the client's runs: with the variables exposed to it, without chat messages.
func (c *call) runConfig(a runTestArgs) run.Config {
	conf := c.server.conf.Runner
	conf.Vars, conf.Platform = a.Vars, dsl.Platform(a.Platform)
	conf.LookupEnv = func(name string) (string, bool) {
		if v, ok := c.server.conf.Exposed[name]; ok {
			return v, ok
		}
		return c.Passwords.Value(name)
	}
	getenv := c.server.conf.Runner.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	conf.Getenv = func(name string) string {
		if slices.Contains([]string{"SLACK_WEBHOOK_URL", "FEISHU_WEBHOOK_URL", "NOTIFY_URLS", "GITHUB_ACTIONS"}, name) {
			return ""
		}
		return getenv(name)
	}
	return conf
}

// runsOn returns the device for a run: the one in the call; else the phone of set_device, when all cases are for its
// platform; else the configured one, which may be any. A test with several devices names them itself.
func (c *call) runsOn(ctx context.Context, cases []plan.Case) (string, error) {
	set := c.Choice()
	several := slices.IndexFunc(cases, func(one plan.Case) bool { return len(one.Devices) > 0 })
	switch {
	case several >= 0 && cmp.Or(c.Device, c.server.conf.Runner.Device) != "":
		return "", &client.Refusal{What: fmt.Sprintf("the test %s names its %d devices itself, and the run is for %s",
			cases[several].Test.ID, len(cases[several].Devices), cmp.Or(c.Device, c.server.conf.Runner.Device))}
	case several >= 0:
		return "", nil
	case c.Device != "":
		return c.Device, nil
	case set == "" || slices.Contains(c.Pages(), set):
		return c.server.conf.Runner.Device, nil
	}
	info, err := c.Live.Info(ctx, set)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(cases, func(one plan.Case) bool { return one.Platform != info.Platform }) ||
		info.Platform == dsl.Web {
		return c.server.conf.Runner.Device, nil
	}
	return set, nil
}

// lend releases the session's phones, so that the run can lease them. Pages stay open.
func (c *call) lend(ctx context.Context, cases []plan.Case) error {
	var errs []error
	for _, st := range c.Mine() {
		if st.Info.Platform == dsl.Web ||
			!slices.ContainsFunc(cases, func(p plan.Case) bool { return p.Platform == st.Info.Platform }) {
			continue
		}
		c.server.mu.Lock()
		isRecorded := c.server.recordings[st.Info.ID] != nil
		c.server.mu.Unlock()
		if isRecorded {
			errs = append(errs, &client.Refusal{What: st.Info.ID + " is being recorded",
				Try: "record {action: stop} before run_test"})
			continue
		}
		if c.server.conf.Devices != nil {
			_, err := c.Live.Release(ctx, st.Info.ID, c.Who)
			errs = append(errs, err)
			continue
		}
		errs = append(errs, c.Live.Shut(ctx, st.Info.ID, c.Who))
	}
	return errors.Join(errs...)
}

// startRun starts a run that continues after the call.
func (c *call) startRun(conf run.Config, cases []plan.Case) (*testRun, error) {
	if err := c.server.base.Err(); err != nil {
		return nil, context.Cause(c.server.base)
	}
	ctx, cancel := context.WithCancelCause(c.server.base)
	conf.FFmpeg = run.FindFFmpeg(ctx, conf)
	started := &testRun{cancel: cancel, done: make(chan struct{}), moved: make(chan struct{})}
	r, interrupted, err := run.Start(conf, started.observe)
	if r == nil {
		cancel(nil)
		return nil, err
	}
	c.server.warn(err, conf.ReportFinalized(ctx, interrupted), history.WriteChoice(r.Dir, conf.Choice()),
		r.Announce(cases))
	started.dir, started.id = r.Dir.Path(), filepath.Base(r.Dir.Path())
	c.server.runs.mu.Lock()
	if c.server.runs.byID == nil {
		c.server.runs.byID = map[string]*testRun{}
	}
	c.server.runs.byID[started.id] = started
	c.server.runs.mu.Unlock()
	c.server.runs.work.Go(func() {
		defer cancel(nil)
		defer close(started.done)
		outcomes := r.All(ctx, cases)
		c.server.warn(r.Report(ctx, io.Discard))
		err := r.End()
		started.mu.Lock()
		started.outcomes, started.problem = outcomes, err
		started.mu.Unlock()
	})
	return started, nil
}

// warn logs problems of a run's report as warnings.
func (s *clientSession) warn(errs ...error) {
	for _, err := range errs {
		if err != nil {
			s.Log.Warn("the run's report", "error", err)
		}
	}
}

// observe counts the steps of a run.
func (r *testRun) observe(c event.Case, e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Kind {
	case event.CaseStarted:
		if e.Case != nil {
			r.steps += len(e.Case.Steps)
		}
	case event.StepEnded:
		r.ended++
		r.last = fmt.Sprintf("%s, step %d: %s", c.ID, e.Step, e.Result)
	default:
		return
	}
	close(r.moved)
	r.moved = make(chan struct{})
}

// state returns the progress of the run.
func (r *testRun) state() (ended, steps int, last string, moved <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended, r.steps, r.last, r.moved
}

// await waits for the end of a run, limit at most. A client that wants progress receives each step that ends, and a
// notification every few seconds while a step, or the wait for a device, takes its time. The error is the one of ctx.
func (c *call) await(ctx context.Context, run *testRun, limit time.Duration) error {
	timer, ticker := time.NewTimer(limit), time.NewTicker(heartbeat)
	defer timer.Stop()
	defer ticker.Stop()
	began, reported := time.Now(), 0
	for {
		ended, steps, last, moved := run.state()
		if ended > reported {
			began, reported = time.Now(), ended
			c.progress(ctx, float64(ended), float64(max(steps, ended)), last)
		}
		select {
		case <-run.done:
			return nil
		case <-moved:
		case <-ticker.C:
			took := time.Since(began)
			c.progress(ctx, float64(ended)+shareOfStep(took), float64(max(steps, ended+1)), waiting(steps, took))
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// shareOfStep grows with the time that a step takes and stays below 1: the protocol wants progress that rises with each
// notification.
func shareOfStep(took time.Duration) float64 { return took.Seconds() / (took.Seconds() + 10) }

// waiting describes a run in which no step has ended for some time.
func waiting(steps int, took time.Duration) string {
	if steps == 0 {
		return fmt.Sprintf("waiting for a device or its first step: %s so far", took.Round(time.Second))
	}
	return fmt.Sprintf("the current step: %s so far", took.Round(time.Second))
}
