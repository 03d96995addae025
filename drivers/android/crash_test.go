package android

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/system"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

func crashOf(t *testing.T, d *Device) *drivers.Crash {
	t.Helper()
	crash, err := d.Crashed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return crash
}

func TestCrash(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		d, p := openPhone(t, androidsim.Options{API: api, LoginLoading: 1})
		if crash := crashOf(t, d); crash != nil {
			t.Errorf("API %d: before anything was launched: %+v", api, crash)
		}
		loginForm(t, d)
		if crash := crashOf(t, d); crash != nil {
			t.Errorf("API %d: before it crashed: %+v", api, crash)
		}
		if err := d.Type(t.Context(), androidsim.LoginCrash); err != nil {
			t.Fatal(err)
		}
		tapOn(t, d, "sign_in")
		crash := crashOf(t, d)
		if crash == nil || crash.App != androidsim.LoginPackage || crash.Kind != drivers.CrashException ||
			crash.Reason != "java.lang.IllegalStateException: no session for crash@example.com" ||
			!strings.HasPrefix(crash.Report, "FATAL EXCEPTION: main\nProcess: com.example.login, PID: ") ||
			!strings.Contains(crash.Report, "\tat com.example.login") {
			t.Fatalf("API %d: %+v", api, crash)
		}
		if strings.HasPrefix(p.Foreground(), androidsim.LoginPackage) || p.Running(androidsim.LoginPackage) {
			t.Errorf("API %d: the app goes on", api)
		}
		if err := d.Launch(t.Context(), androidsim.LoginPackage, false); err != nil {
			t.Fatal(err)
		}
		if crash := crashOf(t, d); crash != nil {
			t.Errorf("API %d: the crash before the launch: %+v", api, crash)
		}
		p.Crash(androidsim.LoginPackage, "java.lang.OutOfMemoryError")
		if crash := crashOf(t, d); crash == nil || crash.Reason != "java.lang.OutOfMemoryError" {
			t.Errorf("API %d: the second: %+v", api, crash)
		}
	}
}

// TestCrashOfOthers: the end of other apps, and of an app that the test itself stopped, is not reported.
func TestCrashOfOthers(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	for _, app := range []string{androidsim.ListPackage, androidsim.LoginPackage} {
		if err := d.Launch(t.Context(), app, true); err != nil {
			t.Fatal(err)
		}
	}
	p.Crash(androidsim.ListPackage, "java.lang.Error")
	if crash := crashOf(t, d); crash != nil {
		t.Errorf("%+v", crash)
	}
	if err := d.Stop(t.Context(), androidsim.LoginPackage); err != nil {
		t.Fatal(err)
	}
	if crash := crashOf(t, d); crash != nil {
		t.Errorf("%+v", crash)
	}
}

func TestANR(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	if err := d.Launch(t.Context(), androidsim.LoginPackage, true); err != nil {
		t.Fatal(err)
	}
	p.Log('E', "ActivityManager",
		"ANR in com.example.login (com.example.login/.MainActivity)\nPID: 4242\nReason: Input dispatching timed out "+
			"(5001ms)\nLoad: 1.2 / 1.1")
	crash := crashOf(t, d)
	if crash == nil || crash.Kind != drivers.CrashANR || crash.Reason != "Input dispatching timed out (5001ms)" ||
		!strings.HasSuffix(crash.Report, "Load: 1.2 / 1.1") {
		t.Errorf("%+v", crash)
	}
}

// TestCrashAfterATap: whatever way an app dies some time after a tap, it is reported, and the end of another app is
// not.
func TestCrashAfterATap(t *testing.T) {
	t.Parallel()
	for button, want := range map[string]struct{ kind, reason string }{
		"soon":    {drivers.CrashException, "java.lang.IllegalStateException: the cart is gone"},
		"service": {drivers.CrashException, "java.io.IOException: sync broke"},
		"native":  {drivers.CrashNative, "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000000"},
		"hang":    {drivers.CrashANR, "Input dispatching timed out"},
		"another": {},
	} {
		for _, api := range []int{30, 36} {
			t.Run(fmt.Sprintf("%s/%d", button, api), func(t *testing.T) {
				t.Parallel()
				o := androidsim.Small
				o.API = api
				d, p := openPhone(t, o)
				if err := d.Launch(t.Context(), androidsim.ListPackage+"/.CrashActivity", true); err != nil {
					t.Fatal(err)
				}
				var log bytes.Buffer
				stop, err := d.StartLog(t.Context(), &log)
				if err != nil {
					t.Fatal(err)
				}
				tapOn(t, d, button)
				await(t, "the crash", func() bool {
					out := p.LogText()
					return strings.Contains(out, "FATAL EXCEPTION") || strings.Contains(out, "backtrace:") ||
						strings.Contains(out, "ANR in")
				})
				if err := stop(); err != nil {
					t.Fatal(err)
				}
				crash := crashOf(t, d)
				if (crash == nil) != (want.kind == "") || crash != nil &&
					(crash.Kind != want.kind || !strings.HasPrefix(crash.Reason, want.reason)) {
					t.Errorf("%+v", crash)
				}
			})
		}
	}
}

// await polls what no call of the driver waits for.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for !done() {
		if err := drivers.Pause(t.Context(), input.KeyboardPoll); err != nil {
			t.Fatalf("still waiting for %s: %v", what, err)
		}
	}
}

// TestLogThatCannotBeRead: then it is not known whether the app has crashed.
func TestLogThatCannotBeRead(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Small)
	if err := d.Launch(t.Context(), androidsim.ListPackage, true); err != nil {
		t.Fatal(err)
	}
	p.Fail(androidsim.Fault{Match: "-b crash", Kind: androidsim.Error, Output: "unknown buffer crash\n", Code: 1})
	p.Crash(androidsim.ListPackage, "java.lang.Error: gone")
	if crash := crashOf(t, d); crash == nil || crash.Reason != "java.lang.Error: gone" {
		t.Errorf("a phone without that buffer: %+v", crash)
	}
	if err := d.Launch(t.Context(), androidsim.ListPackage, true); err != nil {
		t.Fatal(err)
	}
	if crash := crashOf(t, d); crash != nil {
		t.Errorf("no crash: %+v", crash)
	}
	p.Fail(androidsim.Fault{Match: "logcat -d", Kind: androidsim.Error, Output: "logcat: Unable to open log device\n",
		Code: 1})
	if crash, err := d.Crashed(t.Context()); err == nil || crash != nil || !strings.Contains(err.Error(), "not checked") {
		t.Errorf("%+v, %v", crash, err)
	}
	p.Complain("Application Error: " + androidsim.ListPackage)
	if crash := crashOf(t, d); crash == nil {
		t.Error("the dialog on the screen tells of it, too")
	}
	d.Watcher.App.Launched(androidsim.ListPackage, adb.Output{Out: []byte("date: not found")})
	p.Heal()
	p.Complain("")
	if _, err := d.Crashed(t.Context()); err == nil || !strings.Contains(err.Error(), "not checked") {
		t.Errorf("a launch at an unknown time: %v", err)
	}
}

// TestComplaints: the system's dialog about another app is an obstacle; one about the app itself is a crash,
// of which the log may have nothing left.
func TestComplaints(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{LoginLoading: 1, Transition: 1})
	look := func() (string, *drivers.Crash) {
		what, err := d.Obstacle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return what, crashOf(t, d)
	}
	p.Complain("Application Not Responding: com.android.systemui")
	if what, crash := look(); what != "" || crash != nil {
		t.Errorf("before anything was launched: %q, %+v", what, crash)
	}
	if err := d.Launch(t.Context(), androidsim.LoginPackage, true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ title, obstacle, crash string }{
		{"", "", ""},
		{"Application Not Responding: com.android.systemui", "com.android.systemui does not respond", ""},
		{"Application Error: com.google.android.gms:car", "com.google.android.gms:car has stopped", ""},
		{"Application Not Responding: " + androidsim.LoginPackage, "", drivers.CrashANR},
		{"Application Error: " + androidsim.LoginPackage + ":sync", "", drivers.CrashException},
	} {
		p.Complain(c.title)
		what, crash := look()
		kind := ""
		if crash != nil {
			kind = crash.Kind
		}
		if !strings.Contains(what, c.obstacle) || (what == "") != (c.obstacle == "") || kind != c.crash {
			t.Errorf("%s: %q, %+v", c.title, what, crash)
		}
	}
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Options{})
	if id, err := d.Identify(t.Context()); id != nil || err != nil {
		t.Errorf("before anything was launched: %+v, %v", id, err)
	}
	if err := d.Launch(t.Context(), androidsim.LoginPackage, true); err != nil {
		t.Fatal(err)
	}
	if id, err := d.Identify(t.Context()); err != nil || id == nil ||
		*id != (drivers.Identity{ID: androidsim.LoginPackage, Version: "1.0"}) {
		t.Errorf("%+v, %v", id, err)
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		d, p := openPhone(t, androidsim.Options{API: api})
		if m, err := d.Measure(t.Context()); m != nil || err != nil {
			t.Errorf("API %d: before anything was launched: %+v, %v", api, m, err)
		}
		if err := d.Launch(t.Context(), androidsim.LoginPackage, true); err != nil {
			t.Fatal(err)
		}
		before := p.Shells()
		m, err := d.Measure(t.Context())
		if err != nil || m == nil || m.App != androidsim.LoginPackage || m.Process == 0 || m.MemoryKB == nil ||
			*m.MemoryKB < 60000 ||
			m.Frames == nil || *m.Frames != 120 || m.JankyCount == nil || *m.JankyCount != 3 {
			t.Errorf("API %d: %+v, %v", api, m, err)
		}
		if n := p.Shells() - before; n != 1 {
			t.Errorf("API %d: it took %d shell calls", api, n)
		}
		p.Crash(androidsim.LoginPackage, "java.lang.Error")
		if m, err := d.Measure(t.Context()); m != nil || err != nil {
			t.Errorf("API %d: after its end: %+v, %v", api, m, err)
		}
	}
}

func TestCalm(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	settings := func() string {
		var all []string
		for _, s := range system.AnimationSettings() {
			all = append(all, p.Setting(s.Space, s.Key))
		}
		return strings.Join(all, " ")
	}
	before := settings()
	for range 2 {
		if err := d.StopAnimations(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := settings(); got != "0 0 0 1800000" {
			t.Errorf("settings %s", got)
		}
	}
	if err := d.Close(); err != nil || settings() != before {
		t.Errorf("after Close %s, before %s, %v", settings(), before, err)
	}
}

// TestAnimationsOfSlowPhone: a phone that does not answer costs the call's own limit.
func TestAnimationsOfSlowPhone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := false
		driver := scriptedDriver(scripted{answer: func(_, service string) (string, bool) {
			return says("1.0\n1.0\n1.0\n30000\n"), hang
		}})
		dev, err := driver.Open(t.Context(), "SLOW")
		if err != nil {
			t.Fatal(err)
		}
		hang = true
		began := time.Now()
		if err := dev.(*Device).StopAnimations(t.Context()); err == nil || time.Since(began) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		hang = false
		if err := driver.Close(); err != nil {
			t.Error(err)
		}
	})
}
