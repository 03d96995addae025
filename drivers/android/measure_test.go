package android

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers/android/internal/system"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

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
