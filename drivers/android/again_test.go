package android

import (
	"context"
	"errors"
	"image"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// TestReadsSurviveALooseCable: a read is repeated once the phone is back; an action is not, whatever became
// of it.
func TestReadsSurviveALooseCable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		service string
		do      func(ctx context.Context, d *Device) error
		again   bool
	}{
		"tree": {"uiautomator", func(ctx context.Context, d *Device) error { _, err := d.Tree(ctx); return err }, true},
		"screenshot": {"screencap", func(ctx context.Context, d *Device) error { _, err := d.Screenshot(ctx); return err },
			true},
		"foreground": {"dumpsys window", func(ctx context.Context, d *Device) error {
			_, err := d.Foreground(ctx)
			return err
		}, true},
		"tap": {"input tap", func(ctx context.Context, d *Device) error { return d.Tap(ctx, image.Pt(300, 300)) },
			false},
		"launch": {"am start", func(ctx context.Context, d *Device) error {
			return d.Launch(ctx, androidsim.LoginPackage, false)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, p := openPhone(t, androidsim.Options{})
			p.Fail(androidsim.Fault{Match: c.service, Nth: 1, Kind: androidsim.Drop, Bytes: 2, Away: 300 * time.Millisecond})
			err := c.do(t.Context(), d)
			if c.again != (err == nil) || err != nil && !strings.Contains(err.Error(), "device "+p.Serial()) {
				t.Errorf("error %v", err)
			}
			if n := len(p.Taps()); n > 1 {
				t.Errorf("%d taps for one", n)
			}
			if c.again {
				noLeftovers(t, d)
			}
		})
	}
}

// TestAPhoneIsWaitedForOnce: when it did not come back, what is asked next fails at once, until the phone has answered
// again.
func TestAPhoneIsWaitedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := scripted{answer: func(string, string) (string, bool) { return says("x"), false }}.dial
		driver := scriptedDriver(scripted{})
		driver.srv.Dial = answers
		dev, err := driver.Open(t.Context(), "LOOSE")
		if err != nil {
			t.Fatal(err)
		}
		lookFor := func() time.Duration {
			began := time.Now()
			if _, err := dev.(*Device).KeyboardShown(t.Context()); !errors.Is(err, drivers.ErrDeviceLost) {
				t.Errorf("error %v", err)
			}
			return time.Since(began)
		}
		for range 2 {
			driver.srv.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrUnexpectedEOF }
			if took := lookFor(); took != adb.ReturnLimit {
				t.Errorf("waited %v", took)
			}
			if took := lookFor(); took != 0 {
				t.Errorf("waited again, %v", took)
			}
			driver.srv.Dial = answers
			if _, err := dev.(*Device).KeyboardShown(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if err := driver.Close(); err != nil {
			t.Error(err)
		}
	})
}
