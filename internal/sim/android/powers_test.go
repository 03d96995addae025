package androidsim

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCaret: keys move it, typing goes where it is, and both ways of deleting work from it.
func TestCaret(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{LoginLoading: 1})
	b.start(LoginPackage + "/.MainActivity")
	b.tap("E-mail", 0)
	for _, c := range []struct{ line, want string }{
		{"input text abcd", "abcd"},
		{"input keyevent 21 21; input text X", "abXcd"},
		{"input keyevent 67", "abcd"},
		{"input keyevent 112", "abd"},
		{"input keyevent 122; input text 1", "1abd"},
		{"input keyevent 123 67", "1ab"},
		{"input keycombination 113 122; input keyevent 112", "ab"},
		{"input keycombination 113 29; input keycombination 113 31; input keyevent 123; input keycombination 113 50", "abab"},
		{"input keycombination -t 5 59 29", "ababA"},
		{"input keycombination 113 29; input keyevent 67", "E-mail"},
	} {
		b.sh(c.line)
		if !b.sees(c.want) {
			t.Errorf("%s: %q", c.line, b.texts())
		}
	}
	if keys := b.phone.Keys(); !slices.Equal(keys[len(keys)-1], []int{67}) ||
		!slices.Equal(keys[len(keys)-2], []int{113, 29}) {
		t.Errorf("keys %v", keys)
	}
}

// TestCrashIsInItsBuffer: where the crash is, that the launcher is in the foreground, and that other buffers do not
// have it.
func TestCrashIsInItsBuffer(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{LoginLoading: 1})
	b.start(LoginPackage + "/.MainActivity")
	b.tap("E-mail", 0)
	b.sh("input text " + LoginCrash)
	b.tap("Sign in", 0)
	if strings.HasPrefix(b.phone.Foreground(), LoginPackage) || b.sh("pidof "+LoginPackage).code == 0 {
		t.Error("the app goes on")
	}
	for buffer, want := range map[string]bool{"-b crash": true, "-b main": false, "-b main,crash": true, "": true,
		"-b all": true, "-b system": false} {
		out := b.sh("logcat -d " + buffer).out
		if got := strings.Contains(out, "E AndroidRuntime: FATAL EXCEPTION: main\n") &&
			strings.Contains(out, "E AndroidRuntime: Process: com.example.login, PID: "); got != want {
			t.Errorf("logcat %s: %q", buffer, out)
		}
		if strings.Contains(out, "has died: fg  TOP") != (buffer != "-b crash") {
			t.Errorf("logcat %s: %q", buffer, out)
		}
	}
}

// TestDoubleTapNeedsItsTime: neither too close nor too far.
func TestDoubleTapNeedsItsTime(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{DoubleTap: time.Minute})
	b.start(ListPackage + "/.GesturesActivity")
	b.tap("Target", 0)
	b.sh("sleep 0.05")
	b.tap("Target", 0)
	if !b.sees("Double tapped") {
		t.Errorf("texts: %q", b.texts())
	}
	b.sh("sleep 0.05")
	b.tap("Target", 0)
	if !b.sees("Tapped") {
		t.Errorf("the third tap begins anew: %q", b.texts())
	}
}

func TestRevokeKills(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.start(LoginPackage + "/.MainActivity")
	b.sh("pm grant " + LoginPackage + " android.permission.CAMERA")
	if !b.phone.Running(LoginPackage) || !b.phone.Granted(LoginPackage, "android.permission.CAMERA") {
		t.Error("granted, and it runs")
	}
	if res := b.sh("dumpsys package " + LoginPackage); !strings.Contains(res.out,
		"requested permissions:\n      android.permission.INTERNET\n") ||
		!strings.Contains(res.out, "android.permission.CAMERA: granted=true") {
		t.Errorf("dumpsys: %q", res.out)
	}
	b.sh("pm revoke " + LoginPackage + " android.permission.CAMERA")
	if b.phone.Running(LoginPackage) {
		t.Error("it runs on with a permission that was taken away")
	}
}

func TestShade(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.sh("cmd statusbar expand-notifications")
	if !b.sees("No notifications") || !strings.Contains(b.sh("dumpsys window displays").out, "NotificationShade}") {
		t.Errorf("texts %q", b.texts())
	}
	b.sh("input keyevent 4")
	if b.sees("No notifications") {
		t.Error("back does not close it")
	}
}

// TestInstallOverAnOldOne: before Android 10 only when asked to.
func TestInstallOverAnOldOne(t *testing.T) {
	t.Parallel()
	for api, replaces := range map[int]bool{24: false, 34: true} {
		b := newBench(t, Options{API: api})
		if err := b.phone.WriteFile("/data/local/tmp/a.apk", []byte("PK\x03\x04\npackage=a.b\n")); err != nil {
			t.Fatal(err)
		}
		b.sh("pm install /data/local/tmp/a.apk")
		if res := b.sh("pm install /data/local/tmp/a.apk"); (res.out == "Success\n") != replaces {
			t.Errorf("API %d: %+v", api, res)
		}
		if res := b.sh("pm install -r /data/local/tmp/a.apk"); res.out != "Success\n" {
			t.Errorf("API %d: %+v", api, res)
		}
	}
}
