package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// DeviceT is Device for a test of package testing, without Ginkgo: it waits for a free device, opens it for the test,
// and releases it when the test has ended. The test has a report pack; its steps wait as YAML steps do, and end it by
// t.Fatal when they fail. Without a device the test is skipped, or fails when TAPROOT_REQUIRE_DEVICES is set. All tests
// of one invocation of `go test` or `ginkgo` for a package write into one run directory, including those of RunSuites.
// Its pages are made whenever no test of the process has a device any more. Only RunSuites sends results to chats.
//
//	func TestLogin(t *testing.T) {
//		page := runner.DeviceT(t, runner.OnWeb())
//		page.Open("login.html")
//		page.Tap("Sign in", runner.Within(30*time.Second))
//	}
func DeviceT(t testing.TB, options ...DeviceOption) *TestDevice {
	t.Helper()
	ginkgo.GinkgoHelper()
	at := types.NewCodeLocation(0)
	d, err := plain.open(t, at, options)
	if err != nil {
		t.Fatalf("error: %v", err)
	}
	return d
}

// plain is the state that the plain tests of this process share.
var plain plainSuite

// plainSuite is the run of plain tests, which do not use Ginkgo.
type plainSuite struct {
	mu      sync.Mutex
	suite   *suite         // while a test has a device
	tests   int            // number of tests with a device
	devices map[string]int // number of devices that a test had, by its name
}

// enter returns the suite for a test. leave must be called.
func (p *plainSuite) enter(ctx context.Context) (*suite, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.suite == nil {
		s, err := p.join(ctx)
		if err != nil {
			return nil, err
		}
		p.suite = s
	}
	p.tests++
	return p.suite, nil
}

// join starts the run of this invocation of the tests, or continues it.
func (p *plainSuite) join(ctx context.Context) (*suite, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	conf, err := run.FromEnv(run.ProjectRoot(dir), os.LookupEnv)
	if err == nil {
		err = conf.Resolve()
	}
	if err != nil {
		return nil, err
	}
	conf.TakeOutputDir([]string{dir})
	joined, begun, _, err := theRun().join(conf)
	if joined == nil {
		return nil, err
	}
	if begun {
		joined.NoteEnvironment(ctx, nil)
	}
	s := &suite{conf: conf, runner: joined}
	s.runner.Config.FFmpeg = run.FindFFmpeg(ctx, conf)
	return s, nil
}

// leave ends a test's part in the run. The last test ends the drivers and makes the pages.
func (p *plainSuite) leave(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tests--; p.tests > 0 {
		return nil
	}
	s := p.suite
	p.suite = nil
	err := theRun().report(s.conf, func() error {
		return s.conf.Received(context.WithoutCancel(ctx), s.runner.Dir.Path())
	})
	return errors.Join(err, s.runner.End())
}

// pack names the pack of a test's next device.
func (p *plainSuite) pack(id, test string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.devices == nil {
		p.devices = map[string]int{}
	}
	p.devices[test]++
	if n := p.devices[test]; n > 1 {
		return fmt.Sprintf("%s--device-%d", id, n)
	}
	return id
}

func (p *plainSuite) open(t testing.TB, at types.CodeLocation, options []DeviceOption) (*TestDevice, error) {
	t.Helper()
	s, err := p.enter(t.Context())
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { // after the device was released
		if err := p.leave(t.Context()); err != nil {
			t.Logf("the report of the run is incomplete: %v", err)
		}
	})
	pos, src := s.source(at)
	c, hide := s.testCase(testCase{id: specID(t.Name()), name: t.Name(), at: at}, options)
	c.Pack, c.Twin = p.pack(c.Test.ID, t.Name()), "test"
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.devices[t.Name()]--
	})
	if only := s.conf.Platform; only != "" && only != c.Platform {
		t.Skipf("it is for %s, and TAPROOT_PLATFORM is %s", c.Platform, only)
	}
	lease, dev, none := s.runner.Open(t.Context(), c, pool.Sleep)
	if none != nil {
		if none.Result() == event.Skipped {
			t.Skip(reason(none.CaseResult))
		}
		t.Fatal(failure.Text(*none))
	}
	d := &TestDevice{t: t, ctx: t.Context(), suite: s, c: c, lease: lease, dev: dev}
	if err := d.startReport(t.Context(), hide); err != nil {
		s.runner.GiveBack(lease, dev, event.Pass)
		return nil, fmt.Errorf("the report cannot be kept: %w", err)
	}
	t.Cleanup(func() { d.endT(pos, src) })
	return d, nil
}

// endT releases the device of a plain test and ends its report.
func (d *TestDevice) endT(pos source.Pos, src *source.Source) {
	d.t.Helper()
	ctx := context.WithoutCancel(d.ctx)
	result, problem := d.steps.Result()
	failed, why := d.t.Failed(), "the test failed; the output of go test says why"
	if panics() { // package testing reports it only after its clean-up
		failed, why = true, "the test panicked; the output of go test says why"
	}
	switch {
	case failed && result == event.Pass: // outside of the device's own steps
		result = event.Fail
		var err error = &action.Failure{Problem: event.Problem{Message: why, Assertion: true}}
		if d.broken != nil {
			err = d.broken
		}
		problem = d.steps.Fail(ctx, dsl.NamedStep("expect", d.t.Name(), pos, src), err).Problem
	case d.t.Skipped():
		result, problem = event.Skipped, &event.Problem{Message: "the test was skipped"}
	}
	ended, err := d.steps.End(ctx, result, problem)
	d.suite.runner.GiveBack(d.lease, d.dev, ended)
	out := d.suite.runner.Finish(ctx, d.c, d.pack, err)
	if v := out.Result(); !failed && v != event.Pass && v != event.Skipped {
		d.t.Error(failure.Text(out)) // the test and its report must agree
	}
}

// panics reports whether the goroutine is panicking.
func panics() bool {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for {
		frame, more := frames.Next()
		if frame.Function == "runtime.gopanic" {
			return true
		}
		if !more {
			return false
		}
	}
}

// testCase is the name and the place of a test in Go.
type testCase struct {
	id, name string
	at       types.CodeLocation
	labels   []string
}

// testCase is a test in Go as a case, without its pack.
func (s *suite) testCase(of testCase, options []DeviceOption) (plan.Case, []string) {
	pos, source := s.source(of.at)
	c := plan.Case{Platform: dsl.Android, Dir: folder(of.at), Labels: of.labels,
		Test: &dsl.Test{ID: of.id, Name: of.name, Tags: of.labels, Pos: pos, IDPos: pos, Source: source}}
	if s.conf.Platform != "" {
		c.Platform = s.conf.Platform
	}
	var hide []string
	for _, o := range options {
		o.apply(&c, &hide)
	}
	c.Test.Platform = c.Platform
	return c, hide
}
