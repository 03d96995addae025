package runner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// androidPhone is a driver with one simulated phone.
func androidPhone(t *testing.T) drivers.Driver {
	driver, _ := driverOf(t, androidsim.Options{Width: 360, Height: 800, Density: 140})
	return driver
}

// apple is the folder of the programs of the simulated Mac, which are built for the first test that needs them.
var apple = filepath.Join(os.TempDir(), fmt.Sprintf("taproot-apple-%d", os.Getpid()))

var buildApple = sync.OnceValue(func() error {
	if err := os.Mkdir(apple, 0o700); err != nil {
		return err
	}
	return iossim.Build(context.Background(), apple)
})

// iosSimulator is a driver with one simulator of a simulated Mac.
func iosSimulator(t *testing.T) (drivers.Driver, *iossim.Lab) {
	if err := buildApple(); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	lab, err := iossim.New(home, iossim.Options{Devices: []iossim.DeviceOptions{{Scale: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	environ := lab.Environ(apple, "TAPROOT_WDA_URL="+lab.Device(0).StartAgent())
	return ios.New(ios.Options{Environ: environ, NotesDir: filepath.Join(home, "notes"), Getenv: func(name string) string {
		for _, entry := range environ {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}}), lab
}

func iosSuite(t *testing.T) []plan.Case {
	p, err := plan.Build(plan.Options{Dir: "..", Args: []string{"suites/ios"}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Cases
}

// TestBothPlatformsAtOnce runs the suite of iOS: `platform: both` is a case on each platform, in parallel, each with
// its own pack and log, and, in full mode, its recording.
func TestBothPlatformsAtOnce(t *testing.T) {
	t.Parallel()
	mac, _ := iosSimulator(t)
	r := newRunner(t, run.Config{NoVideo: testing.Short()}, androidPhone(t), mac)
	r.Observe = meeting(t, "both-login--android", "both-login--ios")
	packs := map[string]*event.CaseResult{}
	for _, o := range r.All(t.Context(), iosSuite(t)) {
		wantResult(t, o, event.Pass)
		packs[filepath.Base(o.Dir)] = o.CaseResult
		if o.Case.Platform == dsl.IOS {
			for _, name := range []string{"run.md", "summary.json", "logcat.txt"} {
				if found, _ := filepath.Glob(filepath.Join(o.Dir, name)); len(found) == 0 {
					t.Errorf("%s has no %s", o.Case.Pack, name)
				}
			}
		}
	}
	a, i := packs["both-login--android"], packs["both-login--ios"]
	if a == nil || i == nil {
		t.Fatalf("packs %v", packs)
	}
	if !a.Started.Before(i.Ended) || !i.Started.Before(a.Ended) {
		t.Errorf("one after the other: android %v to %v, ios %v to %v", a.Started, a.Ended, i.Started, i.Ended)
	}
}

// meeting blocks the first step of each of the packs until the other ones have started, too: a run that takes one after
// the other never passes it.
func meeting(t *testing.T, packs ...string) func(event.Case, event.Event) {
	var missing sync.WaitGroup
	missing.Add(len(packs))
	all := make(chan struct{})
	go func() { missing.Wait(); close(all) }()
	return func(c event.Case, e event.Event) {
		if e.Kind != event.StepStarted || e.Step != 1 || !slices.Contains(packs, c.Pack) {
			return
		}
		missing.Done()
		select {
		case <-all:
		case <-time.After(2 * time.Minute):
			t.Errorf("%s is alone", c.Pack)
		}
	}
}

// TestWithoutAnythingThatReachesIOS: the cases on iOS are skipped and say why; the others run.
func TestWithoutAnythingThatReachesIOS(t *testing.T) {
	t.Parallel()
	r := newRunner(t, run.Config{}, androidPhone(t),
		ios.New(ios.Options{Getenv: func(string) string { return "" }, Environ: []string{}}))
	for _, o := range r.All(t.Context(), iosSuite(t)) {
		if o.Case.Platform == dsl.Android {
			wantResult(t, o, event.Pass)
			continue
		}
		wantResult(t, o, event.Skipped)
		if why := o.CaseResult.Problem.Message; !strings.Contains(why, "no program that reaches iOS devices is installed") {
			t.Errorf("skipped because %s", why)
		}
	}
}

// TestWhatGoesWrongOnIOSHasTheRightResult: a WebDriverAgent that dies is an error; the app that crashes a fail, with
// its crash.
func TestWhatGoesWrongOnIOSHasTheRightResult(t *testing.T) {
	t.Parallel()
	mac, lab := iosSimulator(t)
	r := newRunner(t, run.Config{NoVideo: true}, mac)
	crash := parseCase(t,
		"id: crash\nplatform: ios\nsteps:\n  - launch: {package: com.example.login, force: true}\n  - tap: E-mail\n"+
			"  - input: crash@example.com\n  - tap: Sign in\n  - assert: {label: Welcome, timeoutMs: 3000}\n")
	o := r.Run(t.Context(), crash)
	wantResult(t, o, event.Fail)
	if p := o.CaseResult.Problem; !strings.Contains(p.Message, "Fatal error: no session") {
		t.Errorf("the crash is not told: %s", p.Message)
	}
	lab.Fail(iossim.Fault{Match: "GET /source", Nth: 1, Kind: iossim.Die})
	wantResult(t,
		r.Run(t.Context(), parseCase(t, "id: dies\nplatform: ios\nsteps:\n  - launch: {package: com.example.login, force: "+
			"true}\n  - tap: E-mail\n")), event.Error)
}
