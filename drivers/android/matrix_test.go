package android

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// readAndAct is what a step does: it reads, it acts, it reads.
func readAndAct(ctx context.Context, dev drivers.Device) error {
	if _, err := dev.Tree(ctx); err != nil {
		return err
	}
	if err := dev.Tap(ctx, image.Pt(500, 500)); err != nil {
		return err
	}
	_, err := dev.Screenshot(ctx)
	return err
}

// worldLimit is more than the limits of the calls of a step add up to.
const worldLimit = 2 * time.Minute

// TestWorldsThatBreak breaks what is around the calls. Each ends within its time, blames the device and never the
// app, says what to do, and once all is well again the same driver works.
func TestWorldsThatBreak(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		hurt func(t *testing.T, p *androidsim.Phone, s *androidsim.Server)
		heal func(p *androidsim.Phone)
		kind error
		says string
	}{
		{"the cable is pulled", func(_ *testing.T, p *androidsim.Phone, _ *androidsim.Server) { p.Disconnect() },
			(*androidsim.Phone).Reconnect, drivers.ErrDeviceLost, "adb devices"},
		{"the phone asks anew whether it may be debugged",
			func(_ *testing.T, p *androidsim.Phone, _ *androidsim.Server) {
				p.SetState(androidsim.StateUnauthorized)
			},
			(*androidsim.Phone).Reconnect, drivers.ErrDeviceLost, "Allow USB debugging"},
		{"the phone goes offline",
			func(_ *testing.T, p *androidsim.Phone, _ *androidsim.Server) { p.SetState(androidsim.StateOffline) },
			(*androidsim.Phone).Reconnect, drivers.ErrDeviceLost, "adb reconnect"},
		{"the phone restarts into recovery",
			func(_ *testing.T, p *androidsim.Phone, _ *androidsim.Server) { p.SetState(androidsim.StateRecovery) },
			(*androidsim.Phone).Reconnect, drivers.ErrUnsupported, "no uiautomator"},
		{"every service drops",
			func(_ *testing.T, p *androidsim.Phone, _ *androidsim.Server) {
				p.Fail(androidsim.Fault{Kind: androidsim.Drop})
			},
			(*androidsim.Phone).Heal, drivers.ErrDeviceLost, ""},
		{"every service talks nonsense",
			func(_ *testing.T, p *androidsim.Phone, _ *androidsim.Server) {
				p.Fail(androidsim.Fault{Kind: androidsim.Garbage})
			},
			(*androidsim.Phone).Heal, nil, ""},
		{"every reply is cut",
			func(_ *testing.T, p *androidsim.Phone, _ *androidsim.Server) {
				p.Fail(androidsim.Fault{Kind: androidsim.Cut, Bytes: 2})
			},
			(*androidsim.Phone).Heal, drivers.ErrDeviceLost, ""},
		{"every service is slow, which is no fault",
			func(_ *testing.T, p *androidsim.Phone, _ *androidsim.Server) {
				p.Fail(androidsim.Fault{Kind: androidsim.Slow, Delay: 200 * time.Millisecond})
			}, (*androidsim.Phone).Heal, nil, "-"},
		{"the storage is full", func(_ *testing.T, p *androidsim.Phone, _ *androidsim.Server) { p.FillStorage(true) },
			func(p *androidsim.Phone) { p.FillStorage(false) }, nil, "storage is full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			driver, phones, server := newPhones(t, androidsim.Options{})
			dev, err := driver.Open(t.Context(), phones[0].Serial())
			if err != nil {
				t.Fatal(err)
			}
			c.hurt(t, phones[0], server)
			ctx, cancel := context.WithTimeout(t.Context(), worldLimit)
			defer cancel()
			err = readAndAct(ctx, dev)
			switch {
			case ctx.Err() != nil:
				t.Errorf("it took more than %v: %v", worldLimit, err)
			case c.says == "-":
				if err != nil {
					t.Error(err)
				}
			case err == nil || drivers.AppIsWrong(err) || !strings.Contains(err.Error(), phones[0].Serial()) ||
				!strings.Contains(err.Error(), c.says),
				c.kind != nil && !errors.Is(err, c.kind):
				t.Errorf("error %v", err)
			}
			c.heal(phones[0])
			if err := eventually(t, func() error { return readAndAct(t.Context(), dev) }); err != nil {
				t.Errorf("once all is well: %v", err)
			}
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// eventually repeats something until it succeeds, for a while.
func eventually(t *testing.T, do func() error) error {
	t.Helper()
	limit := time.Now().Add(time.Minute)
	for {
		err := do()
		if err == nil || time.Now().After(limit) {
			return err
		}
		if drivers.Pause(t.Context(), input.KeyboardPoll) != nil {
			return err
		}
	}
}

// TestInstallOnAFullPhone: what is wrong with the phone is not the package's fault.
func TestInstallOnAFullPhone(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	p.FillStorage(true)
	dir := t.TempDir()
	for name, do := range map[string]func(string) error{
		"x.apk": func(path string) error { return d.Install(t.Context(), path) },
		"x.png": func(path string) error { return d.AddMedia(t.Context(), path) },
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("PK\x03\x04\npackage=a.b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := do(path)
		if err == nil || drivers.AppIsWrong(err) || !strings.Contains(err.Error(), "storage is full") &&
			!strings.Contains(err.Error(), "No space left") {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.FillStorage(false)
}

// TestTwoServersForOnePhone: only one adb server can have it; to the other it is offline or not there, which is
// reported.
func TestTwoServersForOnePhone(t *testing.T) {
	t.Parallel()
	phone := androidsim.NewPhone(androidsim.Options{})
	t.Cleanup(phone.Close)
	first, second := androidsim.StartADB(t), androidsim.StartADB(t)
	serial := first.Connect(t, phone)
	drive := func(port int) *Driver {
		d := New(Options{Getenv: portEnv(port), FindADB: serverAt("").FindADB, NotesDir: t.TempDir()})
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	one, other := drive(first.Port), drive(second.Port)
	if _, err := other.Open(t.Context(), serial); !errors.Is(err, drivers.ErrDeviceLost) ||
		!strings.Contains(err.Error(), "adb devices") {
		t.Errorf("a server that does not have it: %v", err)
	}
	dev, err := one.Open(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	if err := readAndAct(t.Context(), dev); err != nil {
		t.Error(err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestNoDescriptorStaysOpen: whatever goes wrong, the process has as many open files afterwards as before.
func TestNoDescriptorStaysOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("counts in /proc")
	}
	driver, phones, _ := newPhones(t, androidsim.Options{LoginLoading: 1})
	round := func() {
		for _, kind := range []androidsim.FaultKind{androidsim.Drop, androidsim.Cut, androidsim.Garbage,
			androidsim.Refuse} {
			dev, err := driver.Open(t.Context(), phones[0].Serial())
			if err != nil {
				t.Fatal(err)
			}
			phones[0].Fail(androidsim.Fault{Kind: kind, Bytes: 3})
			if err := readAndAct(t.Context(), dev); err == nil {
				t.Error("no error")
			}
			phones[0].Heal()
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
			if _, err := driver.Open(t.Context(), "no such phone"); err == nil {
				t.Error("opened a phone that is not there")
			}
		}
	}
	round() // what is opened once and kept, such as the poller of the network
	before := descriptors(t)
	for range 5 {
		round()
	}
	if err := eventually(t, func() error { // the simulator's side closes in its own time
		if now := descriptors(t); now > before+2 {
			return errors.New("too many")
		}
		return nil
	}); err != nil {
		t.Errorf("%d open files, %d before", descriptors(t), before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
