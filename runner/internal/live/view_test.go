package live_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/internal/live"
)

// casting is a driver of phones that stream their screens, and count the streams.
type casting struct {
	*phones
	mu          sync.Mutex
	begun, open int
	show        func(drivers.Frame) // of the newest stream
}

func (c *casting) Open(ctx context.Context, id string) (drivers.Device, error) {
	dev, err := c.phones.Open(ctx, id)
	return &caster{dev.(*phone), c}, err
}

type caster struct {
	*phone
	c *casting
}

func (d *caster) Screencast(_ context.Context, show func(drivers.Frame)) (func() error, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	d.c.begun++
	d.c.open++
	d.c.show = show
	return sync.OnceValue(func() error {
		d.c.mu.Lock()
		defer d.c.mu.Unlock()
		d.c.open--
		return nil
	}), nil
}

func (c *casting) send(n int) { c.show(drivers.Frame{JPEG: fmt.Append(nil, n), Size: image.Pt(1, 2)}) }

func (c *casting) streams() (begun, open int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun, c.open
}

func view(t *testing.T, d *live.Devices) *live.View {
	t.Helper()
	v, err := d.View(t.Context(), "A")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestTwentyViewersShareOneStream: the stream starts with the first viewer and ends with the last; all get the newest
// frame, slow ones never an older one.
func TestTwentyViewersShareOneStream(t *testing.T) {
	c := &casting{phones: newPhones("A")}
	d := devices(t, c, t.TempDir(), live.Options{})
	if begun, _ := c.streams(); begun != 0 {
		t.Error("a stream nobody watches")
	}
	var all []*live.View
	for range 20 {
		all = append(all, view(t, d))
	}
	for i := range 5 {
		c.send(i)
	}
	for _, v := range all {
		if f, err := v.Next(t.Context()); err != nil || string(f.JPEG) != "4" {
			t.Errorf("a late viewer gets %q, %v", f.JPEG, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := all[0].Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a picture again: %q, %v", f.JPEG, err)
	}
	if begun, open := c.streams(); begun != 1 || open != 1 {
		t.Errorf("%d streams were begun, %d are open", begun, open)
	}
	for _, v := range all {
		if err := errors.Join(v.Close(), v.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, open := c.streams(); open != 0 {
		t.Errorf("%d streams are open, and nobody watches", open)
	}
	again := view(t, d)
	defer again.Close()
	if begun, open := c.streams(); begun != 2 || open != 1 {
		t.Errorf("%d streams were begun, %d are open", begun, open)
	}
}

// TestWatchingIsNoActing: other clients can watch a leased device, but not act on it.
func TestWatchingIsNoActing(t *testing.T) {
	c := &casting{phones: newPhones("A")}
	d := devices(t, c, t.TempDir(), live.Options{})
	if _, err := d.Hold(t.Context(), "A", "ada", time.Minute); err != nil {
		t.Fatal(err)
	}
	v := view(t, d)
	defer v.Close()
	var held *live.HeldError
	if _, err := call(t, d, "A", "bob", "tap", `{"label": "Login"}`); !errors.As(err, &held) {
		t.Errorf("bob: %v", err)
	}
	if d.Extend("A", "bob", time.Hour) || d.Drop("A", "bob") {
		t.Error("bob holds what is ada's")
	}
	if !d.Extend("A", "ada", time.Hour) {
		t.Error("ada holds nothing")
	}
	if h, _ := d.Held("A"); time.Until(h.Until) < time.Minute || time.Since(h.Since) > time.Minute {
		t.Errorf("held since %v until %v", h.Since, h.Until)
	}
	if !d.Drop("A", "ada") {
		t.Error("ada holds nothing")
	}
	if _, err := call(t, d, "A", "bob", "tap", `{"label": "Login"}`); err != nil {
		t.Errorf("bob, when ada has gone: %v", err)
	}
}

// TestViewersOfADeviceThatBreaks: they get an error, and the next viewer gets a new stream.
func TestViewersOfADeviceThatBreaks(t *testing.T) {
	c := &casting{phones: newPhones("A")}
	d := devices(t, c, t.TempDir(), live.Options{})
	v := view(t, d)
	defer v.Close()
	c.phones.fail = errors.New("the cable was pulled")
	if _, err := call(t, d, "A", "x", "tap", `{"label": "Login"}`); err == nil {
		t.Fatal("no error")
	}
	if _, err := v.Next(t.Context()); !errors.Is(err, live.ErrGone) {
		t.Errorf("error %v", err)
	}
	again := view(t, d)
	defer again.Close()
	c.send(7)
	if f, err := again.Next(t.Context()); err != nil || string(f.JPEG) != "7" {
		t.Errorf("%q, %v", f.JPEG, err)
	}
}

// TestStills: of a device without a stream, screenshots are taken between the calls. An unchanged screen is not sent
// again.
func TestStills(t *testing.T) {
	p := newPhones("A")
	d := devices(t, p, t.TempDir(), live.Options{})
	v := view(t, d)
	f, err := v.Next(t.Context())
	if err != nil || f.Size != image.Pt(100, 200) {
		t.Errorf("%+v, %v", f.Size, err)
	}
	for before := p.shots.Load(); p.shots.Load() < before+2; time.Sleep(time.Millisecond) { // of the same screen
	}
	p.ink.Store(1)
	next, err := v.Next(t.Context())
	if err != nil || bytes.Equal(next.JPEG, f.JPEG) {
		t.Errorf("the same picture again, %v", err)
	}
	if _, err := call(t, d, "A", "x", "tap", `{"label": "Login"}`); err != nil {
		t.Error(err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

var _ drivers.Driver = (*casting)(nil)
