package system

import (
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
)

// booted is a system with a launcher and one app, without shell, agent or adb.
func booted(t *testing.T, o spec.Options) *System {
	t.Helper()
	s := New(o.WithDefaults(), kernel.New())
	t.Cleanup(s.Cancel)
	launcher := NewPackage(spec.LauncherPackage, "Launcher", nil)
	launcher.Activities[spec.LauncherPackage+".uioverrides.QuickstepLauncher"] = ""
	s.Install(launcher)
	s.Install(NewPackage("com.example.shop", "Shop", nil))
	s.Boot()
	return s
}

// TestTasks: an app starts cold, comes back warm, and leaves the launcher when it dies.
func TestTasks(t *testing.T) {
	t.Parallel()
	s := booted(t, spec.Options{})
	defer s.StopTimers()
	witness, user := &Witness{Sys: s}, &User{Sys: s}
	s.Mu.Lock()
	if _, state := s.UI.Launch("com.example.shop", "com.example.shop.MainActivity",
		Launch{Extras: map[string]Extra{"id": {Kind: "--ei", Value: "7"}}}); state != "COLD" {
		t.Errorf("the first start is %q", state)
	}
	s.Mu.Unlock()
	if front := witness.Foreground(); front != "com.example.shop/.MainActivity" {
		t.Errorf("in the foreground: %s", front)
	}
	if e := witness.Extras("com.example.shop")["id"]; e != (Extra{Kind: "--ei", Value: "7"}) {
		t.Errorf("extras: %+v", e)
	}
	if tree := s.Tree(); !strings.Contains(tree, `text="Hello from Shop"`) {
		t.Errorf("tree: %s", tree)
	}
	user.Crash("com.example.shop", "java.lang.Error: no")
	if witness.Running("com.example.shop") || !strings.HasPrefix(witness.Foreground(), spec.LauncherPackage) {
		t.Errorf("after the crash: %s", witness.Foreground())
	}
	if text := s.Log.Text(); !strings.Contains(text, "FATAL EXCEPTION: main") {
		t.Errorf("log: %s", text)
	}
}

// TestKeyguard: a PIN opens the phone, a wrong one does not.
func TestKeyguard(t *testing.T) {
	t.Parallel()
	s := booted(t, spec.Options{Lock: spec.PINLock})
	defer s.StopTimers()
	witness := &Witness{Sys: s}
	press := func(codes ...int) {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		for _, c := range codes {
			s.UI.Key(c)
		}
	}
	press(224, 82, 8, 8, 8, 8, 66)
	if !witness.Locked() {
		t.Error("a wrong PIN opens it")
	}
	press(9, 12, 15, 7, 66)
	if witness.Locked() {
		t.Error("the PIN does not open it")
	}
	press(26)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if f := s.UI.Frame(time.Now()); len(f.Windows) > 0 || !s.UI.Guard.Locked {
		t.Errorf("the display is off, and shows %d windows", len(f.Windows))
	}
}
