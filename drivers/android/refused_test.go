package android

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// TestGuardedPhones: what the maker of a phone keeps from adb's shell is an error of the step that requests it, and a
// warning of what a run does for all tests. Both name the maker's own switch.
func TestGuardedPhones(t *testing.T) {
	t.Parallel()
	makers := map[string]string{"OPPO": "Disable permission monitoring", "Xiaomi": "USB debugging (Security settings)"}
	for maker, name := range makers {
		for _, guard := range []androidsim.GuardStyle{androidsim.GuardRefuses, androidsim.GuardIsSilent} {
			t.Run(maker+" "+string(guard), func(t *testing.T) {
				t.Parallel()
				d, _ := openPhone(t, androidsim.Options{Maker: maker, Guard: guard})
				if err := d.StopAnimations(t.Context()); err != nil {
					t.Fatal(err)
				}
				said := strings.Join(d.TakeWarnings(), "\n")
				for _, words := range []string{name, "window_animation_scale", "screen_off_timeout"} {
					if !strings.Contains(said, words) {
						t.Errorf("%q is not in the warning %q", words, said)
					}
				}
				loud := strings.Contains(said, "SecurityException: Permission denial")
				if loud != (guard == androidsim.GuardRefuses) {
					t.Errorf("the reason: %q", said)
				}
				for what, do := range guardedCalls() {
					err := do(t.Context(), d)
					if err == nil || !strings.Contains(err.Error(), name) {
						t.Errorf("%s: %v", what, err)
					}
				}
				if left := d.TakeWarnings(); len(left) > 0 {
					t.Errorf("errors are warnings, too: %q", left)
				}
				if err := d.Close(); err != nil {
					t.Errorf("nothing was changed, and Close: %v", err)
				}
			})
		}
	}
}

func guardedCalls() map[string]func(context.Context, *Device) error {
	return map[string]func(context.Context, *Device) error{
		"dark mode": func(ctx context.Context, d *Device) error { return d.DarkMode(ctx, true) },
		"airplane":  func(ctx context.Context, d *Device) error { return d.Airplane(ctx, true) },
		"rotation":  func(ctx context.Context, d *Device) error { return d.SetRotation(ctx, 1) },
		"language":  func(ctx context.Context, d *Device) error { return d.Locale(ctx, androidsim.LoginPackage, "fr-FR") },
		"clear":     func(ctx context.Context, d *Device) error { return d.ClearApp(ctx, androidsim.LoginPackage) },
	}
}

// TestRefusedPermissions: a phone that lets adb's shell grant nothing says so for "all" in a warning, for a permission
// by name in an error; one that changes all it can warns of nothing.
func TestRefusedPermissions(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Options{Maker: "realme", Guard: androidsim.GuardRefuses})
	for _, allow := range []bool{true, false} {
		if err := d.SetPermissions(t.Context(), androidsim.LoginPackage,
			map[string]bool{drivers.AllPermissions: allow}); err != nil {
			t.Fatal(err)
		}
		said := strings.Join(d.TakeWarnings(), "\n")
		if !strings.Contains(said, "RUNTIME_PERMISSIONS") || !strings.Contains(said, "Disable permission monitoring") {
			t.Errorf("allow %t: %q", allow, said)
		}
	}
	err := d.SetPermissions(t.Context(), androidsim.LoginPackage, map[string]bool{"camera": true})
	if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), "Disable permission monitoring") {
		t.Errorf("by name: %v", err)
	}
	d, _ = openPhone(t, androidsim.Options{})
	if err := d.SetPermissions(t.Context(), androidsim.LoginPackage,
		map[string]bool{drivers.AllPermissions: true}); err != nil {
		t.Fatal(err)
	}
	if said := d.TakeWarnings(); len(said) > 0 {
		t.Errorf("warnings of an ordinary phone: %q", said)
	}
}

// TestReasonsOfTheShell: errors quote the line that says why, wherever the phone's shell is quoted.
func TestReasonsOfTheShell(t *testing.T) {
	t.Parallel()
	const trace = "\nException occurred while executing 'x':\njava.lang.IllegalStateException: user 0 is locked\n\tat " +
		"a.B.c(D.java:1)\n"
	calls := map[string]func(context.Context, *Device) error{
		"pm clear":      func(ctx context.Context, d *Device) error { return d.ClearApp(ctx, androidsim.LoginPackage) },
		"am force-stop": func(ctx context.Context, d *Device) error { return d.Stop(ctx, androidsim.LoginPackage) },
		"am kill":       func(ctx context.Context, d *Device) error { return d.Kill(ctx, androidsim.LoginPackage) },
		"am start":      func(ctx context.Context, d *Device) error { return d.Launch(ctx, androidsim.LoginPackage, false) },
		"pm uninstall":  func(ctx context.Context, d *Device) error { return d.Uninstall(ctx, androidsim.LoginPackage) },
		"pm grant": func(ctx context.Context, d *Device) error {
			return d.SetPermissions(ctx, androidsim.LoginPackage, map[string]bool{"camera": true})
		},
		"cmd uimode":       func(ctx context.Context, d *Device) error { return d.DarkMode(ctx, true) },
		"cmd connectivity": func(ctx context.Context, d *Device) error { return d.Airplane(ctx, true) },
		"cmd locale": func(ctx context.Context, d *Device) error {
			return d.Locale(ctx, androidsim.LoginPackage, "fr")
		},
		"settings put": func(ctx context.Context, d *Device) error { return d.SetRotation(ctx, 1) },
		"appops set": func(ctx context.Context, d *Device) error {
			return d.SetLocation(ctx, drivers.Coordinates{Latitude: 1, Longitude: 2})
		},
	}
	for match, do := range calls {
		t.Run(match, func(t *testing.T) {
			t.Parallel()
			d, p := openPhone(t, androidsim.Options{})
			p.Fail(androidsim.Fault{Match: match, Kind: androidsim.Error, Output: trace, Code: 255})
			err := do(t.Context(), d)
			p.Heal()
			if err == nil || !strings.Contains(err.Error(), "java.lang.IllegalStateException: user 0 is locked") ||
				strings.Contains(err.Error(), "Exception occurred") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestARefusedChangeIsNotGivenBack: only what a refused command did change is noted, also where it is the second of
// two.
func TestARefusedChangeIsNotGivenBack(t *testing.T) {
	t.Parallel()
	for nth, notes := range map[int]int{1: 0, 2: 1} {
		d, p := openPhone(t, androidsim.Options{})
		p.Fail(androidsim.Fault{Match: "settings put", Nth: nth, Kind: androidsim.Error,
			Output: "java.lang.SecurityException: no\n", Code: 255})
		if err := d.SetRotation(t.Context(), 1); err == nil || len(notesIn(t, d.debts.Notes)) != notes {
			t.Errorf("the %d. is refused: %v, notes %q", nth, err, notesIn(t, d.debts.Notes))
		}
	}
}
