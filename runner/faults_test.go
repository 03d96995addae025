package runner_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// simulated starts phones behind the simulator's own adb server, and the real driver for them.
func simulated(t *testing.T, serials ...string) (*android.Driver, []*androidsim.Phone) {
	t.Helper()
	var kinds []androidsim.Options
	for _, serial := range serials {
		kinds = append(kinds, androidsim.Options{Serial: serial, LoginLoading: 1, LoginSpinner: 1, Width: 360, Height: 800,
			Density: 140})
	}
	return driverOf(t, kinds...)
}

// driverOf starts phones of these kinds, and the real driver for them.
func driverOf(t *testing.T, kinds ...androidsim.Options) (*android.Driver, []*androidsim.Phone) {
	t.Helper()
	server, phones := androidsim.Start(t, kinds...)
	return android.New(android.Options{NotesDir: t.TempDir(), Getenv: server.Getenv, FindADB: androidsim.NoADB}), phones
}

// logins makes cases that start the sample app and look at its form.
func logins(t *testing.T, n int) []plan.Case {
	t.Helper()
	var list []plan.Case
	for i := range n {
		list = append(list, parseCase(t, fmt.Sprintf("id: login-%d\nplatform: android\nsteps:\n"+
			"  - launch: {package: %s, force: true}\n  - assert: Sign in\n  - tap: E-mail\n  - assert: Password\n", i+1,
			androidsim.LoginPackage)))
	}
	return list
}

// TestPhoneThatDropsInMidTestCostsItsOwnTestOnly: its test is an error that names it, and all others pass on the other
// phone.
func TestPhoneThatDropsInMidTestCostsItsOwnTestOnly(t *testing.T) {
	t.Parallel()
	driver, list := simulated(t, "SIM-A", "SIM-B")
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	list[0].Fail(androidsim.Fault{Match: "uiautomator", Nth: 2, Kind: androidsim.Drop, Away: -1})
	errors := 0
	for _, o := range r.All(t.Context(), logins(t, 5)) {
		if o.Result() == event.Error {
			errors++
			wantResult(t, o, event.Error, "SIM-A")
			if o.CaseResult.ProblemStep == 0 || o.CaseResult.Case.Device != "SIM-A" {
				t.Errorf("the problem is of step %d on %s", o.CaseResult.ProblemStep, o.CaseResult.Case.Device)
			}
			continue
		}
		wantResult(t, o, event.Pass)
	}
	if errors != 1 {
		t.Errorf("%d errors for one drop", errors)
	}
}

// TestPhoneThatDropsAndComesBackIsUsedAgain: the cable was loose for a moment. What only reads the screen is done
// again; a tap may have happened, so its test is an error. The next test passes.
func TestPhoneThatDropsAndComesBackIsUsedAgain(t *testing.T) {
	t.Parallel()
	for service, want := range map[string]event.Result{"uiautomator": event.Pass, "input tap": event.Error} {
		t.Run(service, func(t *testing.T) {
			driver, list := simulated(t, "SIM-A")
			r := newRunner(t, run.Config{NoVideo: true}, driver)
			list[0].Fail(androidsim.Fault{Match: service, Nth: 1, Kind: androidsim.Drop, Away: 500 * time.Millisecond})
			outcomes := r.All(t.Context(), logins(t, 2))
			wantResult(t, outcomes[0], want)
			if want == event.Error && !strings.Contains(outcomes[0].CaseResult.Problem.Message, "SIM-A") {
				t.Errorf("the problem does not name the phone: %s", outcomes[0].CaseResult.Problem.Message)
			}
			wantResult(t, outcomes[1], event.Pass)
		})
	}
}

// TestFaultOfAPhoneIsNeverAFailureOfTheApp breaks each thing that a test needs; the driver's own tests do so in more
// ways.
func TestFaultOfAPhoneIsNeverAFailureOfTheApp(t *testing.T) {
	t.Parallel()
	kinds := map[string]androidsim.FaultKind{"drop": androidsim.Drop, "garbage": androidsim.Garbage}
	for i, service := range []string{"uiautomator", "screencap", "input tap", "am start", "dumpsys window"} {
		for name, kind := range kinds {
			if testing.Short() && (i%2 == 0) != (kind == androidsim.Drop) {
				continue // the other of the two is left to make test-full
			}
			t.Run(service+"/"+name, func(t *testing.T) {
				t.Parallel()
				driver, list := simulated(t, "SIM-A")
				r := newRunner(t, run.Config{NoVideo: true}, driver)
				r.Observe = func(of event.Case, e event.Event) { // until then, it is asked what it is
					if e.Kind == event.CaseStarted && of.ID == "login-1" {
						list[0].Fail(androidsim.Fault{Match: service, Kind: kind, Bytes: 5})
					}
				}
				o := r.Run(t.Context(), logins(t, 1)[0])
				wantResult(t, o, event.Error, "SIM-A")
				list[0].Heal()
				wantResult(t, r.Run(t.Context(), logins(t, 2)[1]), event.Pass)
			})
		}
	}
}

// TestServerKilledInMidTest: with the real adb. The test that runs is an error that names its phone, the driver starts
// the server again and connects the phone to it, which a new server does not know, and the next test passes.
func TestServerKilledInMidTest(t *testing.T) {
	t.Parallel()
	phone := androidsim.NewPhone(androidsim.Options{LoginLoading: 1, LoginSpinner: 1, Width: 360, Height: 800,
		Density: 140})
	t.Cleanup(phone.Close)
	adb := androidsim.StartADB(t)
	serial := adb.Connect(t, phone)
	command := func(args ...string) {
		if said, err := adb.Command(t.Context(), args...).CombinedOutput(); err != nil {
			t.Logf("adb %v: %v: %s", args, err, said)
		}
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = adb.Command(ctx, "kill-server").Run() // the one that the driver started
	})
	driver := android.New(android.Options{
		Getenv: func(name string) string {
			return map[string]string{"ANDROID_ADB_SERVER_PORT": fmt.Sprint(adb.Port)}[name]
		},
		FindADB: func(context.Context) (string, error) { return adbScript(t, adb) },
	})
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for phone.Count("input")+phone.Count("cmd input") == 0 && t.Context().Err() == nil {
			_ = drivers.Pause(t.Context(), 10*time.Millisecond)
		}
		command("kill-server") // while the finger is down
	}()
	presses := parseCase(t,
		fmt.Sprintf("id: presses\nplatform: android\nsteps:\n  - launch: %s\n  - longPress: {label: Sign in, durationMs: "+
			"8000}\n",
			androidsim.LoginPackage))
	wantResult(t, r.Run(t.Context(), presses), event.Error, serial)
	<-killed
	wantResult(t, r.Run(t.Context(), logins(t, 2)[1]), event.Pass)
}

// adbScript makes a program that is adb in the environment of the test's own server.
func adbScript(t *testing.T, adb *androidsim.ADB) (string, error) {
	path := filepath.Join(t.TempDir(), "adb.sh")
	var b strings.Builder
	b.WriteString("#!/bin/sh\nunset ADB_SERVER_SOCKET\n")
	for _, v := range adb.Env {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "A") || name == "HOME" || name == "TMPDIR" {
			fmt.Fprintf(&b, "export %s=%s\n", name, shellescape.Quote(value))
		}
	}
	fmt.Fprintf(&b, "exec adb \"$@\"\n")
	return path, os.WriteFile(path, []byte(b.String()), 0o700)
}
