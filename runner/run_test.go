package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// cases makes n cases that pass.
func cases(t *testing.T, platform dsl.Platform, n int) []plan.Case {
	var list []plan.Case
	for i := range n {
		list = append(list, newCase(t, fmt.Sprintf("%s-%d", platform, i+1), platform, "Ready"))
	}
	return list
}

// TestWaitForADeviceIsNotInTheDuration: the phone is busy for minutes, the test takes seconds.
func TestWaitForADeviceIsNotInTheDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A")
		f.cost = 2 * time.Second
		r := newRunner(t, run.Config{}, f)
		held := lease(t, r.Pool, dsl.Android)
		time.AfterFunc(3*time.Minute, held.Release)
		free := time.Now().Add(3 * time.Minute)
		o := r.Run(t.Context(), newCase(t, "sample", dsl.Android, "Ready"))
		wantResult(t, o, event.Pass)
		if o.CaseResult.Duration > 5*time.Second || o.CaseResult.Duration < 2*time.Second ||
			o.CaseResult.Started.Before(free) {
			t.Errorf("duration %v, started %v after the phone was free", o.CaseResult.Duration, o.CaseResult.Started.Sub(free))
		}
	})
}

func TestOutcomesAreInTheOrderOfTheCases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := phones("A", "B"), newPages(2)
		f.cost = time.Second
		r := newRunner(t, run.Config{}, f, p)
		var list []plan.Case
		for i := range 4 {
			list = append(list, cases(t, dsl.Android, 4)[i], cases(t, dsl.Web, 4)[i])
		}
		list = append(list, newCase(t, "apple", dsl.IOS, "Ready"))
		for i, o := range r.All(t.Context(), list) {
			if o.Case.Pack != list[i].Pack || filepath.Base(o.Dir) != list[i].Pack {
				t.Errorf("outcome %d is of %s in %s", i, o.Case.Pack, o.Dir)
			}
			want := event.Pass
			if list[i].Platform == dsl.IOS {
				want = event.Skipped
			}
			wantResult(t, o, want)
		}
	})
}

// TestBothPhonesWorkAtTheSameTime: six cases on two phones take the time of three, and the events say so.
func TestBothPhonesWorkAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A", "B")
		f.cost = time.Second
		r := newRunner(t, run.Config{}, f)
		outcomes := r.All(t.Context(), cases(t, dsl.Android, 6))
		work := map[string]int{}
		overlaps := 0
		for i, o := range outcomes {
			wantResult(t, o, event.Pass)
			work[o.CaseResult.Case.Device]++
			for _, other := range outcomes[:i] {
				if o.CaseResult.Started.Before(other.CaseResult.Ended) && other.CaseResult.Started.Before(o.CaseResult.Ended) {
					overlaps++
					if o.CaseResult.Case.Device == other.CaseResult.Case.Device {
						t.Errorf("%s and %s used one phone at once", o.Case.Pack, other.Case.Pack)
					}
				}
			}
		}
		if work["A"] != 3 || work["B"] != 3 || overlaps < 3 || len(f.doubled) > 0 {
			t.Errorf("cases per phone %v, %d overlaps, doubled %v", work, overlaps, f.doubled)
		}
	})
}

func TestParallelLimitsAllPlatformsTogether(t *testing.T) {
	for _, limit := range []int{1, 2, 3} {
		synctest.Test(t, func(t *testing.T) {
			f, p := phones("A", "B", "C"), newPages(3)
			f.cost, p.cost = time.Second, time.Second
			most, now := 0, 0
			count := func(d int) { // under one lock: synctest runs real threads
				f.set(func() { now += d; most = max(most, now) })
			}
			f.onOpen, p.onOpen = func(string) error { count(1); return nil }, func(string) error { count(1); return nil }
			f.onClose, p.onClose = func() { count(-1) }, func() { count(-1) }
			r := newRunner(t, run.Config{Parallel: limit}, f, p)
			for _, o := range r.All(t.Context(), append(cases(t, dsl.Android, 6), cases(t, dsl.Web, 6)...)) {
				wantResult(t, o, event.Pass)
			}
			if most != limit {
				t.Errorf("%d at once with a limit of %d", most, limit)
			}
		})
	}
}

// TestSlowListOfOnePlatformHoldsNoOtherUp: phones that hang must not keep the browser waiting.
func TestSlowListOfOnePlatformHoldsNoOtherUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := newRunner(t, run.Config{}, slowList{phones("A")}, newPages(1))
		outcomes := r.All(t.Context(), append(cases(t, dsl.Android, 1), cases(t, dsl.Web, 1)...))
		if late := outcomes[1].CaseResult.Started.Sub(began); late > 5*time.Second {
			t.Errorf("the page began after %v", late)
		}
	})
}

// TestPhoneThatIsLostBeforeTheTestCostsNothing: a dead phone fails at once, and would draw all cases to itself.
func TestPhoneThatIsLostBeforeTheTestCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A", "B")
		f.cost = time.Second
		f.onOpen = func(id string) error {
			if id == "A" {
				return fmt.Errorf("%w: device A does not answer", drivers.ErrDeviceLost)
			}
			return nil
		}
		r := newRunner(t, run.Config{}, f)
		for _, o := range r.All(t.Context(), cases(t, dsl.Android, 6)) {
			wantResult(t, o, event.Pass)
			if o.CaseResult.Case.Device != "B" {
				t.Errorf("ran on %s", o.CaseResult.Case.Device)
			}
		}
	})
}

func TestDeviceThatCannotBeOpenedIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"lost":  fmt.Errorf("%w: device A does not answer", drivers.ErrDeviceLost),
		"other": errors.New("device A: out of space"),
	} {
		t.Run(name, func(t *testing.T) {
			f, opens := phones("A"), 0
			f.onOpen = func(string) error { opens++; return err }
			o := newRunner(t, run.Config{}, f).Run(t.Context(), newCase(t, "sample", dsl.Android, "Ready"))
			wantResult(t, o, event.Error, "device A cannot be opened", err.Error())
			if o.CaseResult.Case.Device != "A" || opens > 2 {
				t.Errorf("the report names %q; %d tries", o.CaseResult.Case.Device, opens)
			}
		})
	}
}

func TestPageThatCannotBeOpenedIsTriedOnce(t *testing.T) {
	t.Parallel()
	p, opens := newPages(3), 0
	p.onOpen = func(string) error { opens++; return fmt.Errorf("%w: the browser did not start", drivers.ErrDeviceLost) }
	wantResult(t, newRunner(t, run.Config{}, p).Run(t.Context(), newCase(t, "sample", dsl.Web, "Ready")), event.Error,
		"did not start")
	if opens != 1 {
		t.Errorf("%d tries", opens)
	}
}

// TestPanicOutsideTheEngineIsAnError, and leaves the phone to the next case.
func TestPanicOutsideTheEngineIsAnError(t *testing.T) {
	t.Parallel()
	burst := true
	for name, f := range map[string]*fleet{"open": phones("A"), "close": phones("A")} {
		t.Run(name, func(t *testing.T) {
			burst = true
			if name == "open" {
				f.onOpen = func(string) error { doBurst(&burst); return nil }
			} else {
				f.onClose = func() { doBurst(&burst) }
			}
			r := newRunner(t, run.Config{}, f)
			outcomes := r.All(t.Context(), cases(t, dsl.Android, 2))
			if o := outcomes[0]; o.Result() != event.Error || o.Err == nil || !strings.Contains(o.Err.Error(), "boom") {
				t.Errorf("%s, %v", o.Result(), o.Err)
			}
			wantResult(t, outcomes[1], event.Pass)
		})
	}
}

func doBurst(once *bool) {
	if *once {
		*once = false
		panic("boom")
	}
}

// TestCaseThatIsRunAgainHasAPackOfItsOwn: ginkgo --flake-attempts runs a spec twice in one run.
func TestCaseThatIsRunAgainHasAPackOfItsOwn(t *testing.T) {
	t.Parallel()
	r := newRunner(t, run.Config{}, phones("A"))
	for _, pack := range []string{"sample", "sample--attempt-2", "sample--attempt-3"} {
		o := r.Run(t.Context(), newCase(t, "sample", dsl.Android, "Ready"))
		wantResult(t, o, event.Pass)
		if filepath.Base(o.Dir) != pack || o.CaseResult.Case.Pack != pack || o.CaseResult.Case.ID != "sample" {
			t.Errorf("pack %s, in the events %s of %s", o.Dir, o.CaseResult.Case.Pack, o.CaseResult.Case.ID)
		}
	}
}

func TestPackThatCannotBeMadeIsAnError(t *testing.T) {
	t.Parallel()
	r := newRunner(t, run.Config{}, phones("A"))
	if err := os.RemoveAll(r.Dir.Path()); err != nil {
		t.Fatal(err)
	}
	o := r.Run(t.Context(), newCase(t, "sample", dsl.Android, "Ready"))
	if o.Result() != event.Error || o.Err == nil || run.ExitCode([]run.Outcome{o}, true) != run.ExitError {
		t.Errorf("%s, %v", o.Result(), o.Err)
	}
	lease(t, r.Pool, dsl.Android).Release() // it is free
}

func TestInterruptEndsTheRunWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A", "B")
		f.cost = time.Minute
		r := newRunner(t, run.Config{}, f)
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		time.AfterFunc(90*time.Second, cancel)
		outcomes := r.All(ctx, cases(t, dsl.Android, 6))
		if took := time.Since(began); took > 91*time.Second {
			t.Errorf("ended after %v", took)
		}
		count := map[event.Result]int{}
		for _, o := range outcomes {
			count[o.Result()]++
		}
		if count[event.Pass] != 2 || count[event.Interrupted] != 4 || run.ExitCode(outcomes, false) != run.ExitInterrupted {
			t.Errorf("results %v", count)
		}
		for _, o := range outcomes[4:] { // had no device: nothing to report
			if o.Dir != "" || o.Case.Pack == "" {
				t.Errorf("outcome %+v", o)
			}
		}
		if l := lease(t, r.Pool, dsl.Android); l.Info.ID != "A" {
			t.Errorf("leased %s", l.Info.ID)
		}
	})
}

func TestSummaryOfACaseWithoutADevice(t *testing.T) {
	t.Parallel()
	o := newRunner(t, run.Config{}, phones()).Run(t.Context(), newCase(t, "sample", dsl.Android, "Ready"))
	data, err := os.ReadFile(filepath.Join(o.Dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil || s["result"] != "skipped" || s["steps"] != 1.0 ||
		s["steps_passed"] != 0.0 || s["id"] != "sample" {
		t.Errorf("%v, %v", s, err)
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	const pass, fail, bad, skip, stop = event.Pass, event.Fail, event.Error, event.Skipped, event.Interrupted
	for _, test := range []struct {
		results    []event.Result
		allowEmpty bool
		want       int
	}{
		{[]event.Result{pass, pass}, false, 0},
		{[]event.Result{pass, skip}, false, 0},
		{[]event.Result{pass, fail}, false, 1},
		{[]event.Result{bad, fail, pass}, false, 1},
		{[]event.Result{bad, pass}, false, 3},
		{[]event.Result{bad, skip}, true, 3},
		{[]event.Result{skip, skip}, false, 3},
		{[]event.Result{skip, skip}, true, 0},
		{nil, false, 3},
		{nil, true, 0},
		{[]event.Result{pass, stop}, false, 130},
		{[]event.Result{fail, bad, stop}, true, 130},
	} {
		var outcomes []run.Outcome
		for _, v := range test.results {
			outcomes = append(outcomes, run.Outcome{CaseResult: &event.CaseResult{Result: v}})
		}
		if got := run.ExitCode(outcomes, test.allowEmpty); got != test.want {
			t.Errorf("%v, allow empty %v: exit code %d, want %d", test.results, test.allowEmpty, got, test.want)
		}
	}
}

func TestReportThatCouldNotBeKeptIsNeverAPass(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	for _, test := range []struct {
		result *event.CaseResult
		err    error
		want   event.Result
	}{
		{&event.CaseResult{Result: event.Pass}, nil, event.Pass},
		{&event.CaseResult{Result: event.Pass}, full, event.Error},
		{&event.CaseResult{Result: event.Skipped}, full, event.Error},
		{&event.CaseResult{Result: event.Fail}, full, event.Fail},
		{&event.CaseResult{Result: event.Interrupted}, full, event.Interrupted},
		{nil, full, event.Error},
		{nil, nil, event.Interrupted},
	} {
		if got := (run.Outcome{CaseResult: test.result, Err: test.err}).Result(); got != test.want {
			t.Errorf("%+v with %v: %s, want %s", test.result, test.err, got, test.want)
		}
	}
}

func TestFailureTextShowsTheLineAndWhatWasThere(t *testing.T) {
	t.Parallel()
	r := newRunner(t, run.Config{}, phones("A"))
	o := r.Run(t.Context(), newCase(t, "sample", dsl.Android, "Paid"))
	wantResult(t, o, event.Fail)
	text := failure.Text(o)
	if !strings.HasPrefix(text, "suites/sample.yaml:4:5: fail: ") {
		t.Errorf("it does not begin with the place:\n%s", text)
	}
	for _, w := range []string{`  4 |   - assert: {label: "Paid", timeoutMs: 0}`, "expected:", "actual:", `"Ready"`,
		"pack:", o.Dir} {
		if !strings.Contains(text, w) {
			t.Errorf("it does not say %q:\n%s", w, text)
		}
	}
}

func TestFailureTextWithoutAStep(t *testing.T) {
	t.Parallel()
	c := newCase(t, "sample", dsl.Android, "Ready")
	none := newRunner(t, run.Config{RequireDevices: true}, phones()).Run(t.Context(), c)
	full := errors.New("no space left on device")
	for name, test := range map[string]struct {
		o    run.Outcome
		want string
	}{
		"no device":   {none, "suites/sample.yaml:1:1: error: no Android device"},
		"interrupted": {run.Outcome{Case: c}, "suites/sample.yaml:1:1: interrupted"},
		"no pack":     {run.Outcome{Case: c, Err: full}, "suites/sample.yaml:1:1: error: no space left on device"},
		"report not kept": {run.Outcome{Case: c, Err: full, CaseResult: &event.CaseResult{Result: event.Pass}},
			"suites/sample.yaml:1:1: error: no space left on device"},
	} {
		if text := failure.Text(test.o); !strings.HasPrefix(text, test.want) || strings.Contains(text, "<nil>") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestFromEnv(t *testing.T) {
	lookup := func(env map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	}
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := run.FromEnv(deep, lookup(map[string]string{"TAPROOT_REQUIRE_DEVICES": "1", "TAPROOT_NO_VIDEO": "false",
		"TAPROOT_DEVICE": "A"}))
	if err != nil || !c.RequireDevices || c.NoVideo || c.Device != "A" || c.Reports != filepath.Join(root, "tests",
		"reports") {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := run.FromEnv(deep, lookup(map[string]string{"TAPROOT_REPORTS_DIR": "out"})); err != nil ||
		c.Reports != filepath.Join(deep, "out") {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := run.FromEnv(deep, lookup(map[string]string{"TAPROOT_NO_VIDEO": "perhaps"})); err == nil ||
		!strings.Contains(err.Error(), `TAPROOT_NO_VIDEO="perhaps"`) {
		t.Errorf("error %v", err)
	}
	t.Chdir(deep)
	if real, err := filepath.EvalSymlinks(root); err != nil || run.ProjectRoot(".") != real &&
		run.ProjectRoot(".") != root {
		t.Errorf("the root from a relative folder is %s, %v", run.ProjectRoot("."), err)
	}
}
