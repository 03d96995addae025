package android

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/androidtest"
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
	for _, api := range levels() {
		d, p := openPhone(t, androidtest.Options{API: api, LoginLoading: 1})
		if crash := crashOf(t, d); crash != nil {
			t.Errorf("API %d: before anything was launched: %+v", api, crash)
		}
		loginForm(t, d)
		if crash := crashOf(t, d); crash != nil {
			t.Errorf("API %d: before it crashed: %+v", api, crash)
		}
		if err := d.Type(t.Context(), androidtest.LoginCrash); err != nil {
			t.Fatal(err)
		}
		tapOn(t, d, "sign_in")
		crash := crashOf(t, d)
		if crash == nil || crash.App != androidtest.LoginPackage || crash.Kind != drivers.CrashException ||
			crash.Reason != "java.lang.IllegalStateException: no session for crash@example.com" ||
			!strings.HasPrefix(crash.Report, "FATAL EXCEPTION: main\nProcess: com.example.login, PID: ") || !strings.Contains(crash.Report, "\tat com.example.login") {
			t.Fatalf("API %d: %+v", api, crash)
		}
		if strings.HasPrefix(p.Foreground(), androidtest.LoginPackage) || p.Running(androidtest.LoginPackage) {
			t.Errorf("API %d: the app goes on", api)
		}
		if err := d.Launch(t.Context(), androidtest.LoginPackage, false); err != nil {
			t.Fatal(err)
		}
		if crash := crashOf(t, d); crash != nil {
			t.Errorf("API %d: the crash before the launch: %+v", api, crash)
		}
		p.Crash(androidtest.LoginPackage, "java.lang.OutOfMemoryError")
		if crash := crashOf(t, d); crash == nil || crash.Reason != "java.lang.OutOfMemoryError" {
			t.Errorf("API %d: the second: %+v", api, crash)
		}
	}
}

// TestCrashOfOthers: of other apps, and of an app that the test itself stopped, nobody is told.
func TestCrashOfOthers(t *testing.T) {
	d, p := openPhone(t, androidtest.Options{})
	for _, app := range []string{androidtest.ListPackage, androidtest.LoginPackage} {
		if err := d.Launch(t.Context(), app, true); err != nil {
			t.Fatal(err)
		}
	}
	p.Crash(androidtest.ListPackage, "java.lang.Error")
	if crash := crashOf(t, d); crash != nil {
		t.Errorf("%+v", crash)
	}
	if err := d.Stop(t.Context(), androidtest.LoginPackage); err != nil {
		t.Fatal(err)
	}
	if crash := crashOf(t, d); crash != nil {
		t.Errorf("%+v", crash)
	}
}

func TestANR(t *testing.T) {
	d, p := openPhone(t, androidtest.Options{})
	if err := d.Launch(t.Context(), androidtest.LoginPackage, true); err != nil {
		t.Fatal(err)
	}
	p.Log('E', "ActivityManager", "ANR in com.example.login (com.example.login/.MainActivity)\nPID: 4242\nReason: Input dispatching timed out (5001ms)\nLoad: 1.2 / 1.1")
	crash := crashOf(t, d)
	if crash == nil || crash.Kind != drivers.CrashANR || crash.Reason != "Input dispatching timed out (5001ms)" || !strings.HasSuffix(crash.Report, "Load: 1.2 / 1.1") {
		t.Errorf("%+v", crash)
	}
}

func TestFindCrash(t *testing.T) {
	const at = "11-21 10:00:00.123 "
	died := at + " 1033  1060 I ActivityManager: Process com.a (pid 77) has died: fg  TOP \n"
	native := at + "   77    90 F libc    : Fatal signal 11 (SIGSEGV), code 1, fault addr 0x0 in tid 90 (worker), pid 77 (com.a)\n" +
		at + "   99    99 F DEBUG   : *** *** *** *** *** ***\n" +
		at + "   99    99 F DEBUG   : pid: 77, tid: 90, name: worker  >>> com.a <<<\n" +
		at + "   99    99 F DEBUG   : signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\n"
	nested := at + "   77    77 E AndroidRuntime: FATAL EXCEPTION: main\n" + at + "   88    88 E AndroidRuntime: FATAL EXCEPTION: bg\n" +
		at + "   77    77 E AndroidRuntime: Process: com.a:remote, PID: 77\n" + at + "   88    88 E AndroidRuntime: Process: com.ab, PID: 88\n" +
		at + "   77    77 E AndroidRuntime: java.lang.Error: of a\n" + at + "   88    88 E AndroidRuntime: java.lang.Error: of ab\n"
	for name, c := range map[string]struct{ log, kind, reason string }{
		"nothing":                         {"--------- beginning of main\nnonsense\n", "", ""},
		"died":                            {died, drivers.CrashDied, "Process com.a (pid 77) has died: fg  TOP "},
		"died in the back":                {strings.Replace(died, "fg  TOP", "cch CRE", 1), "", ""},
		"why it died counts more":         {died + nested, drivers.CrashException, "java.lang.Error: of a"},
		"native":                          {native + died, drivers.CrashNative, "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0"},
		"two at once, one name in other":  {nested, drivers.CrashException, "java.lang.Error: of a"},
		"another app's ANR":               {at + " 1033  1060 E ActivityManager: ANR in com.ab (com.ab/.X)\n", "", ""},
		"with a user column, no reason":   {strings.ReplaceAll(nested[:strings.Index(nested, "\n")+1], "   77    77", "u0_a77   77    77") + at + "u0_a77   77    77 E AndroidRuntime: Process: com.a, PID: 77\n", drivers.CrashException, "FATAL EXCEPTION: main"},
		"an exception without a process":  {at + "   77    77 E AndroidRuntime: FATAL EXCEPTION: main\n" + at + "   77    77 E AndroidRuntime: PID: 77\n", "", ""},
		"a line of the app that lies":     {at + "   77    77 E MyTag: FATAL EXCEPTION: main\n" + at + "   77    77 E MyTag: Process: com.a, PID: 1\n", "", ""},
		"without end, and not remembered": {nested + strings.Repeat(at+"   77    77 E AndroidRuntime: \tat x\n", 5000), drivers.CrashException, "java.lang.Error: of a"},
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
	for date, want := range map[string]string{
		"11-21 10:00:00.123456789\nStarting": "'11-21 10:00:00.123456'", "11-21 10:00:00.N\n": "'11-21 10:00:00.000'",
		"11-21 10:00:00.%N": "'11-21 10:00:00.000'", "date: bad": "", "": "", "11-21 10:00:00'; reboot": "'11-21 10:00:00.000'",
	} {
		d := &Device{}
		d.watch("a.b", output{out: []byte(date)})
		if d.watching.since != want {
			t.Errorf("%q: %q", date, d.watching.since)
		}
	}
}
