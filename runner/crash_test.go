package runner_test

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// dying runs a case and calls harm after its last step. How long the engine waits for a crash is tested in fake time,
// in package engine.
func dying(t *testing.T, steps string, harm func(p *androidsim.Phone)) run.Outcome {
	t.Helper()
	driver, list := simulated(t, "SIM1")
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	c := parseCase(t, "id: sample\nplatform: android\nsteps:\n  - launch: {package: "+androidsim.LoginPackage+
		", force: true}\n"+steps)
	last := strings.Count(steps, "\n") + 1
	r.Observe = func(_ event.Case, e event.Event) {
		if e.Kind == event.StepEnded && e.Step == last {
			harm(list[0])
		}
	}
	return r.Run(t.Context(), c)
}

// writeCrash writes what the system logs for a process without a window.
func writeCrash(p *androidsim.Phone, process, exception string) {
	p.Log('E', "AndroidRuntime",
		"FATAL EXCEPTION: main\nProcess: %s, PID: 4711\n%s\n\tat com.example.Sync.run(Sync.java:7)", process, exception)
}

// TestAppThatDiesAfterTheLastTap is a fail, also when no step follows, and its stack is in all reports.
func TestAppThatDiesAfterTheLastTap(t *testing.T) {
	t.Parallel()
	const tap = "  - tap: E-mail\n"
	o := dying(t, tap, func(p *androidsim.Phone) {
		p.Crash(androidsim.LoginPackage, "java.lang.IllegalStateException: late")
	})
	wantResult(t, o, event.Fail, androidsim.LoginPackage+" crashed: java.lang.IllegalStateException: late")
	if p := o.CaseResult.Problem; p.Kind != event.AppCrashed || !strings.HasPrefix(p.Stack, "FATAL EXCEPTION: main") {
		t.Errorf("problem %+v", p)
	}
	for name, want := range map[string]string{"run.md": "FATAL EXCEPTION: main",
		"summary.json": "IllegalStateException: late", "events.ndjson": event.AppCrashed} {
		if text := readPack(t, o, name); !strings.Contains(text, want) {
			t.Errorf("%s does not tell:\n%s", name, text)
		}
	}
	o = dying(t, tap, func(p *androidsim.Phone) {
		writeCrash(p, androidsim.LoginPackage+":sync", "java.lang.IllegalStateException: in the service")
	})
	wantResult(t, o, event.Fail, "in the service")
}

// TestAnotherAppThatDies is none of the app's business.
func TestAnotherAppThatDies(t *testing.T) {
	t.Parallel()
	o := dying(t, "  - tap: E-mail\n", func(p *androidsim.Phone) {
		writeCrash(p, "com.example.weather", "java.lang.Error: rain")
	})
	wantResult(t, o, event.Pass)
}

// TestAppThatDiesInAnOptionalStep is a fail, also when the app was started again since, and when a step that failed for
// another reason followed.
func TestAppThatDiesInAnOptionalStep(t *testing.T) {
	t.Parallel()
	const crash = "  - tap: E-mail\n  - input: " + androidsim.LoginCrash +
		"\n  - tap: {label: Sign in, optional: true}\n  - assert: {label: Welcome, timeoutMs: 400, optional: true}\n"
	again := "  - launch: {package: " + androidsim.LoginPackage + ", force: true}\n"
	for name, more := range map[string]string{"the end": "", "started anew": again + "  - assert: Sign in\n",
		"another failure": again + "  - assert: {label: Nonsense, timeoutMs: 50}\n"} {
		t.Run(name, func(t *testing.T) {
			o := dying(t, crash+more, func(*androidsim.Phone) {})
			wantResult(t, o, event.Fail, "no session for "+androidsim.LoginCrash)
			if name == "another failure" && !strings.Contains(o.CaseResult.Problem.Message, "Nonsense") {
				t.Errorf("the other failure is not told: %s", o.CaseResult.Problem.Message)
			}
		})
	}
}

// TestAppThatDiesBeforeItIsStoppedOnPurpose: a stop makes the phone forget the crash, and an app that is stopped has
// not died.
func TestAppThatDiesBeforeItIsStoppedOnPurpose(t *testing.T) {
	t.Parallel()
	stop := "  - stop: " + androidsim.LoginPackage + "\n"
	for _, crash := range []bool{true, false} {
		driver, list := simulated(t, "SIM1")
		r := newRunner(t, run.Config{NoVideo: true}, driver)
		r.Observe = func(_ event.Case, e event.Event) {
			if crash && e.Kind == event.StepStarted && e.Step == 2 {
				list[0].Crash(androidsim.LoginPackage, "java.lang.OutOfMemoryError")
			}
		}
		o := r.Run(t.Context(), parseCase(t, "id: sample\nplatform: android\nsteps:\n  - launch: {package: "+
			androidsim.LoginPackage+", force: true}\n  - sleep: 300\n"+stop))
		want := event.Pass
		if crash {
			want = event.Fail
		}
		wantResult(t, o, want)
	}
}

// TestLogThatCannotBeReadIsNotChecked: it does not say that the app has not crashed.
func TestLogThatCannotBeReadIsNotChecked(t *testing.T) {
	t.Parallel()
	o := dying(t, "  - tap: E-mail\n", func(p *androidsim.Phone) {
		p.Fail(androidsim.Fault{Match: "logcat -d", Kind: androidsim.Hang})
	})
	if o.Result() != event.Pass || !strings.Contains(strings.Join(o.CaseResult.Notes, ";"),
		"whether the app has crashed could not be checked") {
		t.Errorf("%s, notes %q", o.Result(), o.CaseResult.Notes)
	}
	if md := readPack(t, o, "run.md"); !strings.Contains(md, "could not be checked") {
		t.Errorf("run.md does not tell:\n%s", md)
	}
}
