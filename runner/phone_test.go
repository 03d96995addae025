package runner_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// onPhone runs steps on a simulated phone.
func onPhone(t *testing.T, steps ...string) (run.Outcome, *androidsim.Phone) {
	t.Helper()
	driver, list := simulated(t, "SIM1")
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	o := r.Run(t.Context(), parseCase(t, "id: sample\nplatform: android\nsteps:\n  - "+strings.Join(steps, "\n  - ")+"\n"))
	if o.Err != nil || o.CaseResult == nil {
		t.Fatalf("%v %+v", o.Err, o)
	}
	return o, list[0]
}

// readPack returns a file of the outcome's pack.
func readPack(t *testing.T, o run.Outcome, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(o.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestStepInWhichTheAppDiesSaysSo: the step fails at once, and carries what the system wrote.
func TestStepInWhichTheAppDiesSaysSo(t *testing.T) {
	t.Parallel()
	o, _ := onPhone(t, "launch: {package: "+androidsim.LoginPackage+", force: true}", "tap: E-mail", "input: "+
		androidsim.LoginCrash, "tap: Sign in",
		"assert: {label: Welcome, timeoutMs: 600000}")
	wantResult(t, o, event.Fail, androidsim.LoginPackage+
		" crashed: java.lang.IllegalStateException: no session for crash@example.com")
	p := o.CaseResult.Problem
	if !strings.HasPrefix(p.Stack, "FATAL EXCEPTION: main\nProcess: "+androidsim.LoginPackage) ||
		p.Kind != event.AppCrashed {
		t.Errorf("problem %+v", p)
	}
	if o.CaseResult.Duration.Minutes() > 5 {
		t.Errorf("it took %v to notice", o.CaseResult.Duration)
	}
	if md := readPack(t, o, "run.md"); !strings.Contains(md, "FATAL EXCEPTION: main") {
		t.Errorf("run.md does not show the crash:\n%s", md)
	}
}

// TestAppThatHasDiedUnnoticed: no step read the screen when it crashed; the next step that passes reports it all the
// same.
func TestAppThatHasDiedUnnoticed(t *testing.T) {
	t.Parallel()
	driver, list := simulated(t, "SIM1")
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	r.Observe = func(_ event.Case, e event.Event) {
		if e.Kind == event.StepStarted && e.Step == 2 {
			list[0].Crash(androidsim.LoginPackage, "java.lang.OutOfMemoryError")
		}
	}
	o := r.Run(t.Context(), parseCase(t, "id: sample\nplatform: android\nsteps:\n  - launch: {package: "+
		androidsim.LoginPackage+
		", force: true}\n  - press: volumeUp\n  - assertNot: {label: Nothing, timeoutMs: 100}\n"))
	wantResult(t, o, event.Fail, "java.lang.OutOfMemoryError")
}

// TestDialogAboutAnotherAppIsNotTheAppsFault: a dialog over the app belongs to the phone.
func TestDialogAboutAnotherAppIsNotTheAppsFault(t *testing.T) {
	t.Parallel()
	driver, list := simulated(t, "SIM1")
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	list[0].Complain("Application Not Responding: com.android.systemui")
	o := r.Run(t.Context(), parseCase(t, "id: sample\nplatform: android\nsteps:\n  - launch: {package: "+
		androidsim.LoginPackage+
		", force: true}\n  - tap: {label: Nothing, timeoutMs: 100}\n"))
	wantResult(t, o, event.Error, "com.android.systemui does not respond")
	if !strings.Contains(o.CaseResult.Problem.Message, "Nothing") {
		t.Errorf("it does not say what was looked for: %s", o.CaseResult.Problem.Message)
	}
}

// TestTapsAreProved: each step's event has the result of its tap.
func TestTapsAreProved(t *testing.T) {
	t.Parallel()
	open := func(page string) string {
		return fmt.Sprintf("launch: {package: %s, force: true}", androidsim.ListPackage+"/."+page+"Activity")
	}
	for _, c := range []struct {
		page, label string
		timeoutMs   int
		result      event.Result
		want        string
	}{
		{"Overlay", "Beside", 60000, event.Pass, event.ProofHit},
		{"Overlay", "Behind", 700, event.Fail, event.ProofOccluded},
		{"Dialog", "Delete everything?", 60000, event.Pass, event.ProofNoEffect},
	} {
		t.Run(c.page+" "+c.label, func(t *testing.T) {
			o, _ := onPhone(t, open(c.page), fmt.Sprintf("tap: {label: %q, timeoutMs: %d}", c.label, c.timeoutMs))
			if o.CaseResult.Result != c.result {
				t.Fatalf("%s: %s", o.CaseResult.Result, failure.Text(o))
			}
			d := o.CaseResult.Steps[1].Detail
			if d == nil || d.ProofKind() != c.want || d.Point == nil || d.Bounds == nil {
				t.Errorf("detail %+v", d)
			}
			if events := readPack(t, o, "events.ndjson"); !strings.Contains(events, `"proof":"`+c.want) {
				t.Error("the event does not tell")
			}
			if md := readPack(t, o, "run.md"); !strings.Contains(md, "taps on elements: 1 "+c.want) {
				t.Errorf("run.md does not tell:\n%s", md)
			}
		})
	}
}

// TestTapOnWhatMovesOn: an element that never stops moving is not touched, and the proof says why.
func TestTapOnWhatMovesOn(t *testing.T) {
	t.Parallel()
	driver, phones := driverOf(t, androidsim.Options{Width: 360, Height: 800, Density: 140, Moving: 10 * time.Second})
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	o := r.Run(t.Context(), parseCase(t, "id: sample\nplatform: android\nsteps:\n  - launch: {package: "+
		androidsim.ListPackage+
		"/.MovingActivity, force: true}\n  - tap: {id: moving, timeoutMs: 900}\n"))
	wantResult(t, o, event.Fail, "could not be tapped")
	if d := o.CaseResult.Steps[1].Detail; d == nil || d.Proof != event.ProofMoved {
		t.Errorf("detail %+v", d)
	}
	if taps := phones[0].Taps(); len(taps) != 0 {
		t.Errorf("it was touched: %v", taps)
	}
}

// TestTapOnWhatPassesBy: an element is moving if it is at its place in the tree, but in neither the screenshot before
// nor the one after.
func TestTapOnWhatPassesBy(t *testing.T) {
	t.Parallel()
	driver, phones := driverOf(t, androidsim.Options{Width: 360, Height: 800, Density: 140, Moving: 6 * time.Second,
		Latency: androidsim.Latency{Dump: 2200 * time.Millisecond, Screencap: time.Second}})
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	o := r.Run(t.Context(), parseCase(t, "id: sample\nplatform: android\nsteps:\n  - launch: {package: "+
		androidsim.ListPackage+
		"/.MovingActivity, force: true}\n  - tap: {id: moving, timeoutMs: 30000}\n  - assert: Moving tapped\n"))
	wantResult(t, o, event.Pass)
	if taps := phones[0].Taps(); len(taps) != 1 {
		t.Errorf("it was touched: %v", taps)
	}
}

// TestPhoneThatIsPluggedInIsTakenAtOnce: a case that waits for a phone is notified by the adb server.
func TestPhoneThatIsPluggedInIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	driver, list := simulated(t, "SIM1", "SIM2")
	list[1].Disconnect()
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	first := lease(t, r.Pool, dsl.Android)
	defer first.Release()
	taken := make(chan string, 1)
	go func() {
		l, err := r.Pool.Lease(t.Context(), dsl.Android, "second")
		if err != nil {
			taken <- err.Error()
			return
		}
		defer l.Release()
		taken <- l.Info.ID
	}()
	list[1].Reconnect()
	if got := <-taken; got != "SIM2" {
		t.Errorf("got %s", got)
	}
}

// TestMetricsOfAnApp: the app's use of the phone is in the pack.
func TestMetricsOfAnApp(t *testing.T) {
	t.Parallel()
	o, p := onPhone(t, "launch: {package: "+androidsim.LoginPackage+", force: true}", "assert: Sign in")
	wantResult(t, o, event.Pass)
	var m event.Metrics
	if err := json.Unmarshal([]byte(readPack(t, o, event.MetricsPath)), &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Samples) == 0 || m.Samples[0].App != androidsim.LoginPackage || m.Summary.MemoryKBMax < 60000 ||
		m.Summary.Frames != 120 ||
		m.Summary.JankyFrames != 3 || m.Samples[0].CPUPercent != nil {
		t.Errorf("metrics %+v", m)
	}
	if !strings.Contains(readPack(t, o, "summary.json"), `"metrics.json"`) &&
		!strings.Contains(readPack(t, o, "summary.json"), event.MetricsPath) {
		t.Error("summary.json does not name them")
	}
	for _, scale := range []string{"window_animation_scale", "transition_animation_scale", "animator_duration_scale"} {
		if now := p.Setting("global", scale); now != "1.0" {
			t.Errorf("after the run %s is %s", scale, now)
		}
	}
}

// TestMovingScreenIsReadInPixels: uiautomator refuses it; labels are read by OCR, and the phone is not
// asked in vain again.
func TestMovingScreenIsReadInPixels(t *testing.T) {
	t.Parallel()
	driver, phones := driverOf(t, androidsim.Options{Width: 720, Height: 1280, Density: 280})
	p, locks := phones[0], locksIn(t.TempDir()) // in the short mode, the second test alone: reading pixels takes long
	r := newRunner(t, run.Config{NoVideo: true, Getenv: func(name string) string {
		return cmp.Or(locks(name), os.Getenv(name))
	}}, driver)
	if !testing.Short() {
		o := r.Run(t.Context(), parseCase(t, "id: sample\nplatform: android\nsteps:\n  - launch: {package: "+
			androidsim.ListPackage+
			"/.AnimationActivity, force: true}\n  - assert: Never idle\n  - assertNot: {label: Nonsense, timeoutMs: 100, soft: "+
			"true}\n  - tap: Stop\n"))
		// That something is not there cannot be proved by pixels alone, so that step is an error, which is not the app's.
		wantResult(t, o, event.Error, "never stops moving")
		if s := o.CaseResult.Steps[1]; s.Result != event.Pass || s.Detail == nil || len(s.Detail.Notes) == 0 {
			t.Errorf("assert: %+v", s)
		}
	}
	o := r.Run(t.Context(), parseCase(t, "id: second\nplatform: android\nsteps:\n  - launch: {package: "+
		androidsim.ListPackage+
		"/.AnimationActivity, force: true}\n  - assert: Never idle\n  - tap: Stop\n  - waitStable:\n  - assert: Stop\n"))
	wantResult(t, o, event.Pass)
	if taps := p.Taps(); len(taps) != 1 || taps[0].Label != "Stop" {
		t.Errorf("taps %+v", taps)
	}
	if n := p.Count("uiautomator"); n > 6 {
		t.Errorf("the phone was asked for its elements %d times", n)
	}
}

// TestTargetUnderTheKeyboard: a tap must not hit a key of it.
func TestTargetUnderTheKeyboard(t *testing.T) {
	t.Parallel()
	o, p := onPhone(t, "launch: {package: "+androidsim.ListPackage+"/.FormActivity, force: true}", "tap: Note",
		"input: bye", "tap: Save",
		"assert: \"Saved: bye\"")
	wantResult(t, o, event.Pass)
	if taps := p.Taps(); len(taps) != 2 || taps[1].Label != "Save" {
		t.Errorf("taps %+v", taps)
	}
	if d := o.CaseResult.Steps[3].Detail; d == nil || !strings.Contains(strings.Join(d.Notes, ";"),
		"keyboard lay over it") ||
		d.ProofKind() != event.ProofHit {
		t.Errorf("detail %+v", d)
	}
}
