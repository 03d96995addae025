package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
)

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
		crash := FindCrash(c.log, "com.a")
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
		app := &App{}
		app.Launched("a.b", adb.Output{Out: []byte(date)})
		if app.watching.since != want {
			t.Errorf("%q: %q", date, app.watching.since)
		}
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
		crash := FindCrash(c.log, "com.example.login")
		if (crash != nil) != c.mine {
			t.Errorf("%s: %+v", name, crash)
		}
	}
	if crash := FindCrash(libc+tomb("com.example.login"), "com.example.login"); !strings.Contains(crash.Report, "***") {
		t.Errorf("the tombstone says more: %+v", crash)
	}
}

func TestParseFocus(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text, pkg string
		known           bool
	}{
		{"an activity",
			"  mCurrentFocus=Window{48b4735 u0 com.a.b/com.a.b.Main}\n  mFocusedApp=ActivityRecord{1 u0 com.x/.Y " +
				"t349}", "com.a.b", true},
		{"during a change", "  mCurrentFocus=null\n  mFocusedApp=ActivityRecord{1 u0 com.a/.B t3}", "", true},
		{"the status bar", "  mCurrentFocus=Window{1 u0 StatusBar}\n  mFocusedApp=ActivityRecord{1 u0 com.a/.B t3}",
			"com.a", true},
		{"a popup", "  mCurrentFocus=Window{1 u0 PopupWindow:8a1}\n  mFocusedApp=AppWindowToken{2 token=Token{3 " +
			"ActivityRecord{1 u0 com.a/.B t3}}}", "com.a", true},
		{"two displays", "  mCurrentFocus=null\n  mCurrentFocus=Window{1 u0 com.c/com.c.D$E}", "com.c", true},
		{"unknown", "WINDOW MANAGER nothing", "", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if pkg, known := parseFocus(c.text); pkg != c.pkg || known != c.known {
				t.Errorf("%q, %v", pkg, known)
			}
		})
	}
	for _, line := range []string{
		"    mResumedActivity: ActivityRecord{a u0 com.a.b/.C t12}",
		"  topResumedActivity=ActivityRecord{a u0 com.a.b/.C t12}",
		"  ResumedActivity: ActivityRecord{a u0 com.a.b/.C t12}",
	} {
		if m := resumedLine.FindStringSubmatch(line); m == nil || packageIn(m[1]) != "com.a.b" {
			t.Errorf("%s: %q", line, m)
		}
	}
}

func TestLogStart(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]string{
		"11-21 09:22:01.123456789\n": "'11-21 09:22:01.123'",
		"11-21 09:22:01.%N\n":        "'11-21 09:22:01.000'",
		"11-21 09:22:01.N\r\n":       "'11-21 09:22:01.000'",
		"date: bad format\n":         "1",
		"":                           "1",
	} {
		if got := logStart(date); got != want {
			t.Errorf("%q: %s", date, got)
		}
	}
}

func TestParseMeasurement(t *testing.T) {
	t.Parallel()
	const stat = "4711 (a b) c.d) S 1 2 3 4 -1 6 7 8 9 10 150 50 0 0 20 0 11 0 99 1 2\n"
	m := parseMeasurement("a.b", "pid=4711\n"+stat+
		"           TOTAL PSS:   123456            TOTAL RSS:   9\nTotal frames rendered: 8\n")
	if m == nil || m.CPU != 2*time.Second || *m.MemoryKB != 123456 || *m.Frames != 8 || m.JankyCount != nil {
		t.Errorf("%+v", m)
	}
	if m := parseMeasurement("a.b", "pid=\n"+stat); m != nil {
		t.Errorf("without a process: %+v", m)
	}
	if m := parseMeasurement("a.b", "pid=1\r\ncat: /proc/1/stat: Permission denied\n"); m == nil || m.CPU != 0 ||
		m.MemoryKB != nil {
		t.Errorf("a phone that tells nothing: %+v", m)
	}
}
