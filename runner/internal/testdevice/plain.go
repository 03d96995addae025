package testdevice

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// Open waits for a free device, opens it for a test of package testing, and releases it when the test has ended. The
// test has a report pack; its steps end it by t.Fatal when they fail. Without a device the test is skipped, or fails
// when TAPROOT_REQUIRE_DEVICES is set.
func Open(t testing.TB, options ...Option) *Device {
	t.Helper()
	d, err := plain.open(t, options)
	if err != nil {
		t.Fatalf("error: %v", err)
	}
	return d
}

// plainTest is a test of package testing as a Framework.
type plainTest struct{ testing.TB }

// Fatal ends the test as failed.
func (t plainTest) Fatal(text string) {
	t.Helper()
	t.TB.Fatal(text)
}

// Place returns the line of the test that called a function of Taproot.
func (plainTest) Place() Place { return callerOutside() }

// ours are the packages that tests call.
var ours = []string{"/runner.", "/runner/devicetest.", "/runner/internal/testdevice."}

// callerOutside returns the line that called a function of the packages that tests use.
func callerOutside() Place {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		inside := false
		for _, pkg := range ours {
			inside = inside || strings.HasPrefix(frame.Function, "github.com/taproot-dev/taproot"+pkg)
		}
		if !inside || !more {
			return Place{File: frame.File, Line: frame.Line}
		}
	}
}

// plain is the state that the plain tests of this process share.
var plain plainSuite

// plainSuite is the run of plain tests, which do not use Ginkgo.
type plainSuite struct {
	mu      sync.Mutex
	suite   *Suite         // while a test has a device
	tests   int            // number of tests with a device
	devices map[string]int // number of devices that a test had, by its name
}

// enter returns the suite for a test. leave must be called.
func (p *plainSuite) enter(ctx context.Context) (*Suite, error) {
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
func (p *plainSuite) join(ctx context.Context) (*Suite, error) {
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
	joined, begun, _, err := TheRun.Join(conf)
	if joined == nil {
		return nil, err
	}
	if begun {
		joined.NoteEnvironment(ctx, nil)
	}
	joined.Config.FFmpeg = run.FindFFmpeg(ctx, conf)
	return &Suite{Config: conf, Runner: joined}, nil
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
	err := TheRun.Report(s.Config, func() error {
		return s.Config.Received(context.WithoutCancel(ctx), s.Runner.Dir.Path())
	})
	return errors.Join(err, s.Runner.End())
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

func (p *plainSuite) open(t testing.TB, options []Option) (*Device, error) {
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
	at := callerOutside()
	c, hide := s.Case(Test{ID: SpecID(t.Name()), Name: t.Name(), At: at}, options)
	c.Pack, c.Twin = p.pack(c.Test.ID, t.Name()), "test"
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.devices[t.Name()]--
	})
	if only := s.Config.Platform; only != "" && only != c.Platform {
		t.Skipf("it is for %s, and TAPROOT_PLATFORM is %s", c.Platform, only)
	}
	lease, dev, none := s.Runner.Open(t.Context(), c, pool.Sleep)
	if none != nil {
		if none.Result() == event.Skipped {
			t.Skip(failure.Reason(none.CaseResult))
		}
		t.Fatal(failure.Text(*none))
	}
	h, err := s.Hold(t.Context(), plainTest{t}, c, lease, dev, hide)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { h.endTest(t, at) })
	return h.Device, nil
}

// endTest releases the device of a plain test and ends its report.
func (h *Held) endTest(t testing.TB, at Place) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	result, problem := h.Result()
	failed, why := t.Failed(), "the test failed; the output of go test says why"
	if panics() { // package testing reports it only after its clean-up
		failed, why = true, "the test panicked; the output of go test says why"
	}
	switch {
	case failed && result == event.Pass: // outside of the device's own steps
		result = event.Fail
		problem = h.Fail(ctx, t.Name(), at, event.Problem{Message: why, Assertion: true})
	case t.Skipped():
		result, problem = event.Skipped, &event.Problem{Message: "the test was skipped"}
	}
	out := h.End(ctx, result, problem)
	if v := out.Result(); !failed && v != event.Pass && v != event.Skipped {
		t.Error(failure.Text(out)) // the test and its report must agree
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
