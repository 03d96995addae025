package android

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
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

func TestFindCrash(t *testing.T) {
	t.Parallel()
	const at = "11-21 10:00:00.123 "
	died := at + " 1033  1060 I ActivityManager: Process com.a (pid 77) has died: fg  TOP \n"
	native := at +
		"   77    90 F libc    : Fatal signal 11 (SIGSEGV), code 1, fault addr 0x0 in tid 90 (worker), pid 77 (com.a)\n" +
		at + "   99    99 F DEBUG   : *** *** *** *** *** ***\n" +
		at + "   99    99 F DEBUG   : pid: 77, tid: 90, name: worker  >>> com.a <<<\n" +
		at + "   99    99 F DEBUG   : signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\n"
	nested := at + "   77    77 E AndroidRuntime: FATAL EXCEPTION: main\n" + at +
		"   88    88 E AndroidRuntime: FATAL EXCEPTION: bg\n" +
		at + "   77    77 E AndroidRuntime: Process: com.a:remote, PID: 77\n" + at +
		"   88    88 E AndroidRuntime: Process: com.ab, PID: 88\n" +
		at + "   77    77 E AndroidRuntime: java.lang.Error: of a\n" + at +
		"   88    88 E AndroidRuntime: java.lang.Error: of ab\n"
	for name, c := range map[string]struct{ log, kind, reason string }{
		"nothing":                 {"--------- beginning of main\nnonsense\n", "", ""},
		"died":                    {died, drivers.CrashDied, "Process com.a (pid 77) has died: fg  TOP "},
		"died in the back":        {strings.Replace(died, "fg  TOP", "cch CRE", 1), "", ""},
		"why it died counts more": {died + nested, drivers.CrashException, "java.lang.Error: of a"},
		"native": {native + died, drivers.CrashNative,
			"signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0"},
		"two at once, one name in other": {nested, drivers.CrashException, "java.lang.Error: of a"},
		"another app's ANR":              {at + " 1033  1060 E ActivityManager: ANR in com.ab (com.ab/.X)\n", "", ""},
		"with a user column, no reason": {strings.ReplaceAll(nested[:strings.Index(nested, "\n")+1], "   77    77",
			"u0_a77   77    77") + at + "u0_a77   77    77 E AndroidRuntime: Process: com.a, PID: 77\n", drivers.CrashException,
			"FATAL EXCEPTION: main"},
		"an exception without a process": {at + "   77    77 E AndroidRuntime: FATAL EXCEPTION: main\n" + at +
			"   77    77 E AndroidRuntime: PID: 77\n", "", ""},
		"a line of the app that lies": {at + "   77    77 E MyTag: FATAL EXCEPTION: main\n" + at +
			"   77    77 E MyTag: Process: com.a, PID: 1\n", "", ""},
		"without end, and not remembered": {nested + strings.Repeat(at+"   77    77 E AndroidRuntime: \tat x\n", 5000),
			drivers.CrashException, "java.lang.Error: of a"},
	} {
		crash := findCrash(c.log, "com.a")
		if (crash == nil) != (c.kind == "") || crash != nil && (crash.Kind != c.kind || crash.Reason != c.reason) {
			t.Errorf("%s: %+v", name, crash)
		}
		if crash != nil && strings.Count(crash.Report, "\n") > crashLines {
			t.Errorf("%s: a report of %d lines", name, strings.Count(crash.Report, "\n"))
		}
	}
}

func TestWatchTime(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]string{
		"11-21 10:00:00.123456789\nStarting": "'11-21 10:00:00.123456'", "11-21 10:00:00.N\n": "'11-21 10:00:00.000'",
		"11-21 10:00:00.%N": "'11-21 10:00:00.000'", "date: bad": "", "": "",
		"11-21 10:00:00'; reboot": "'11-21 10:00:00.000'",
	} {
		app := &launchedApp{}
		app.watch("a.b", output{out: []byte(date)})
		if app.watching.since != want {
			t.Errorf("%q: %q", date, app.watching.since)
		}
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
		if err := drivers.Pause(t.Context(), keyboardPoll); err != nil {
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
	d.watcher.app.watch(androidsim.ListPackage, output{out: []byte("date: not found")})
	p.Heal()
	p.Complain("")
	if _, err := d.Crashed(t.Context()); err == nil || !strings.Contains(err.Error(), "not checked") {
		t.Errorf("a launch at an unknown time: %v", err)
	}
}

// TestCrashOfOwnProcesses: a process is the app's by its name, or by its user; the kernel's short name is a hint, and a
// tombstone knows better.
func TestCrashOfOwnProcesses(t *testing.T) {
	t.Parallel()
	const am, fatal = "11-21 10:00:00.000  1033  1060 I ActivityManager: ",
		"11-21 10:00:01.000  4321  4321 E AndroidRuntime: "
	start := am + "Start proc 4300:com.example.login/u0a151 for next-top-activity {com.example.login/.Main}\n"
	exception := func(process string) string {
		return fatal + "FATAL EXCEPTION: main\n" + fatal + "Process: " + process + ", PID: 4321\n" + fatal +
			"java.lang.Error: x\n"
	}
	const libc = "11-21 10:00:01.000  4321  4321 F libc    : Fatal signal 6 (SIGABRT), code -1 (SI_QUEUE) in tid 4321 " +
		"(m.example.login), pid 4321 (m.example.login)\n"
	tomb := func(process string) string {
		const debug = "11-21 10:00:01.100  4400  4400 F DEBUG   : "
		return debug + "*** *** ***\n" + debug + "pid: 4321, tid: 4321, name: x  >>> " + process + " <<<\n" + debug +
			"signal 6 (SIGABRT), code -1\n"
	}
	for name, c := range map[string]struct {
		log  string
		mine bool
	}{
		"its own":     {exception("com.example.login"), true},
		"its service": {exception("com.example.login:remote"), true},
		"a process of another name": {
			start + am + "Start proc 4321:com.vendor.sync/u0a151 for service " +
				"{com.example.login/.Sync}\n" + exception("com.vendor.sync"), true},
		"the same user": {start + am + "Start proc 4321:com.vendor.sync/u0a151 for broadcast {x}\n" +
			exception("com.vendor.sync"), true},
		"another user": {
			start + am + "Start proc 4321:com.vendor.sync/u0a152 for service " +
				"{com.vendor/.Sync}\n" + exception("com.vendor.sync"), false},
		"a name that only begins so":    {exception("com.example.login2"), false},
		"a signal without a tombstone":  {libc, true},
		"a signal with one":             {libc + tomb("com.example.login"), true},
		"the end of another app's name": {libc + tomb("org.wrong.m.example.login"), false},
		"a signal of a service":         {tomb("com.example.login:remote"), true},
		"a signal of another app's":     {tomb("com.example.other"), false},
	} {
		crash := findCrash(c.log, "com.example.login")
		if (crash != nil) != c.mine {
			t.Errorf("%s: %+v", name, crash)
		}
	}
	if crash := findCrash(libc+tomb("com.example.login"), "com.example.login"); !strings.Contains(crash.Report, "***") {
		t.Errorf("the tombstone says more: %+v", crash)
	}
}
