package drivertest

import (
	"bytes"
	"errors"
	"image/jpeg"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// watched starts to show the screen of a device, and compares the first image with a screenshot. Nil: this device
// cannot be watched, as the log says.
func (s Subject[T]) watched(t T, dev drivers.Device, first *seen) (caster drivers.Screencaster, stop func() error) {
	caster, ok := dev.(drivers.Screencaster)
	if !ok {
		t.Log("the device does not claim that it can be watched")
		return nil, nil
	}
	shot, err := dev.Screenshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop, err = caster.Screencast(t.Context(), first.show)
	if errors.Is(err, drivers.ErrUnsupported) {
		t.Log("this one of the driver's devices cannot:", err)
		return nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	f := first.wait(t, s.Patience, time.Time{})
	if f.Size != shot.Bounds().Size() {
		t.Errorf("an image of %v, the screenshot has %v", f.Size, shot.Bounds().Size())
	}
	if _, err := jpeg.Decode(bytes.NewReader(f.JPEG)); err != nil {
		t.Errorf("the image: %v", err)
	}
	return caster, stop
}

// casts: an image comes at once, another one after a change, of the size of a screenshot; two casts at a time see the
// same; once stop has returned nothing is shown any more.
func (s Subject[T]) casts(t T) {
	dev := s.open(t)
	var first, second seen
	caster, stop := s.watched(t, dev, &first)
	if caster == nil {
		return
	}
	also, err := caster.Screencast(t.Context(), second.show)
	if err != nil {
		t.Fatal(err)
	}
	second.wait(t, s.Patience, time.Time{})
	touched := time.Now()
	if err := dev.Tap(t.Context(), s.wait(t, dev, "Password", true).Point); err != nil {
		t.Fatal(err)
	}
	if err := dev.Type(t.Context(), "lovelace"); err != nil {
		t.Fatal(err)
	}
	first.wait(t, s.Patience, touched)
	second.wait(t, s.Patience, touched)
	if err := errors.Join(stop(), stop()); err != nil {
		t.Errorf("stop: %v", err)
	}
	count := first.count()
	if err := dev.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := also(); err != nil {
		t.Errorf("stop after Close: %v", err)
	}
	if first.count() != count {
		t.Error("images came after stop")
	}
}

// seen keeps what a cast showed.
type seen struct {
	mu   sync.Mutex
	last drivers.Frame
	n    int
}

func (s *seen) show(f drivers.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = f
	s.n++
}

func (s *seen) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// wait returns an image that was taken after a time.
func (s *seen) wait(t tb, patience time.Duration, after time.Time) drivers.Frame {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		f := s.last
		s.mu.Unlock()
		if f.JPEG != nil && f.At.After(after) {
			return f
		}
	}
	t.Fatalf("no image came within %v", patience)
	return drivers.Frame{}
}
