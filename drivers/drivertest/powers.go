package drivertest

import (
	"context"
	"errors"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// gestures: each reaches the screen once, and none is made at a point that is not on it.
func (s Subject[T]) gestures(t T) {
	dev := s.open(t)
	g, ok := dev.(drivers.Gestures)
	if !ok {
		t.Log("the device does not claim to know gestures")
		return
	}
	at := s.wait(t, dev, "E-mail", true).Point
	if err := g.LongPress(t.Context(), at, 600*time.Millisecond); err != nil {
		t.Fatalf("long press: %v", err)
	}
	s.focused(t, dev, "E-mail")
	at = s.wait(t, dev, "Password", true).Point
	if err := g.DoubleTap(t.Context(), at); err != nil {
		t.Fatalf("double tap: %v", err)
	}
	s.focused(t, dev, "Password")
	img, err := dev.Screenshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds().Size()
	low, high := image.Pt(size.X/2, size.Y*2/3), image.Pt(size.X/2, size.Y/3)
	// A browser with a mouse refuses where nothing listens to it, one that does not know refuses altogether.
	if err := g.Swipe(t.Context(), low, high, 200*time.Millisecond); err != nil &&
		!errors.Is(err, drivers.ErrNotActionable) && !errors.Is(err, drivers.ErrUnsupported) {
		t.Errorf("swipe: %v", err)
	}
	if err := g.Drag(t.Context(), low, high, 200*time.Millisecond); err != nil {
		t.Errorf("drag: %v", err)
	}
	s.refusesPoints(t, g, low, size)
}

// pushes: an app gets a notification, and the status bar shows what was set, or the device says that it cannot; a
// cancelled call does neither.
func (s Subject[T]) pushes(t T) {
	dev := s.open(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	calls := map[string]func(context.Context) error{}
	apps, _ := dev.(drivers.Apps)
	if d, ok := dev.(drivers.Pusher); ok && apps != nil {
		app, err := apps.Foreground(t.Context())
		if err != nil {
			t.Errorf("the app that gets a notification: %v", err)
		}
		calls["Push"] = func(ctx context.Context) error { return d.Push(ctx, app, []byte(`{"aps":{"badge":1}}`)) }
	}
	if d, ok := dev.(drivers.StatusBarSetter); ok {
		calls["SetStatusBar"] = func(ctx context.Context) error {
			return d.SetStatusBar(ctx, &drivers.StatusBar{Time: "9:41"})
		}
		calls["SetStatusBar, as it is"] = func(ctx context.Context) error { return d.SetStatusBar(ctx, nil) }
	}
	for name, do := range calls {
		if err := do(t.Context()); err != nil && !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
		if err := do(cancelled); !errors.Is(err, context.Canceled) && !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%s with a cancelled context: %v", name, err)
		}
	}
}

// shakes: it ends, or the device says that only a hand can do it; a call that is cancelled leaves nothing under way.
func (s Subject[T]) shakes(t T) {
	dev := s.open(t)
	d, ok := dev.(drivers.Shaker)
	if !ok {
		t.Log("the device does not claim that it can be shaken")
		return
	}
	if err := d.Shake(t.Context()); err != nil && !errors.Is(err, drivers.ErrUnsupported) {
		t.Errorf("shake: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Shake(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, drivers.ErrUnsupported) {
		t.Errorf("shake with a cancelled context: %v", err)
	}
}

// proves: the sensor is touched, or the device says that only a person can do it; a call that is cancelled says so.
func (s Subject[T]) proves(t T) {
	dev := s.open(t)
	d, ok := dev.(drivers.Biometrics)
	if !ok {
		t.Log("the device does not claim that its sensor can simulate a finger")
		return
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, do := range map[string]func(context.Context) error{
		"Enroll":           func(ctx context.Context) error { return d.Enroll(ctx, true) },
		"Present, known":   func(ctx context.Context) error { return d.Present(ctx, true) },
		"Present, unknown": func(ctx context.Context) error { return d.Present(ctx, false) },
	} {
		if err := do(t.Context()); err != nil && !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
		if err := do(cancelled); !errors.Is(err, context.Canceled) && !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%s with a cancelled context: %v", name, err)
		}
	}
}

// refusesPoints: a finger outside of the screen is the test's mistake, and nothing that may be passed over.
func (s Subject[T]) refusesPoints(t T, g drivers.Gestures, on, size image.Point) {
	for _, off := range []image.Point{{X: -1, Y: 5}, {X: 5, Y: size.Y + 5000}, {X: size.X + 5000, Y: 5}} {
		for name, err := range map[string]error{
			"LongPress":  g.LongPress(t.Context(), off, time.Millisecond),
			"DoubleTap":  g.DoubleTap(t.Context(), off),
			"Swipe from": g.Swipe(t.Context(), off, on, time.Millisecond),
			"Swipe to":   g.Swipe(t.Context(), on, off, time.Millisecond),
			"Drag from":  g.Drag(t.Context(), off, on, time.Millisecond),
			"Drag to":    g.Drag(t.Context(), on, off, time.Millisecond),
		} {
			if !errors.Is(err, drivers.ErrNotActionable) {
				t.Errorf("%s %v on a screen of %v: %v", name, off, size, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.LongPress(ctx, on, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("a long press with a cancelled context: %v", err)
	}
}

// focused waits until a field has the focus.
func (s Subject[T]) focused(t T, dev drivers.Device, label string) {
	t.Helper()
	want := s.wait(t, dev, label, true).Target.ID
	s.until(t, dev, label+" has the focus", func(tree *screen.Tree) bool {
		f := tree.Focused()
		return f != nil && f.ID == want
	})
}

// until reads trees until one is as it should be.
func (s Subject[T]) until(t T, dev drivers.Device, what string, ok func(*screen.Tree) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), s.Patience)
	defer cancel()
	for {
		tree, err := dev.Tree(ctx)
		if err != nil && !errors.Is(err, drivers.ErrNotReady) {
			t.Fatalf("it never came true that %s: %v", what, err)
		}
		if err == nil && ok(tree) {
			return
		}
	}
}

// emptyField is what some systems give as the text of the empty field: its hint.
const emptyField = "E-mail"

// shows waits until the field with the focus holds a text.
func (s Subject[T]) shows(t T, dev drivers.Device, text string) {
	t.Helper()
	last := ""
	defer func() {
		if t.Failed() {
			t.Logf("the field held %q at last", last)
		}
	}()
	s.until(t, dev, "the field holds "+text, func(tree *screen.Tree) bool {
		f := tree.Focused()
		if f == nil || !f.Editable {
			return false
		}
		last = f.Text
		return last == text || text == "" && last == emptyField
	})
}

// keys: those that every keyboard has do what they do everywhere.
func (s Subject[T]) keys(t T) {
	dev := s.open(t)
	k, ok := dev.(drivers.Keys)
	if !ok {
		t.Log("the device does not claim to have keys")
		return
	}
	press := func(keys ...string) {
		t.Helper()
		if err := k.Press(t.Context(), keys); err != nil {
			t.Fatalf("press %q: %v", keys, err)
		}
	}
	s.fill(t, dev, "E-mail", "ab")
	press("c")
	press("D")
	press("shift", "e")
	s.shows(t, dev, "abcDE")
	press("backspace")
	s.shows(t, dev, "abcD")
	press("left")
	press("left")
	press("delete")
	s.shows(t, dev, "abD")
	press("tab")
	s.until(t, dev, "the password has the focus", func(tree *screen.Tree) bool {
		f := tree.Focused()
		return f != nil && f.Password
	})
	for _, keys := range [][]string{{"no-such-key"}, {"control", "no-such-key"}, {}} {
		if err := k.Press(t.Context(), keys); !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("press %q: %v", keys, err)
		}
	}
	// Where keys are pressed together at all, control and A select everything.
	switch err := k.Press(t.Context(), []string{"control", "a"}); {
	case err == nil:
		s.fill(t, dev, "E-mail", "x")
		press("control", "a")
		press("backspace")
		s.shows(t, dev, "")
	case !errors.Is(err, drivers.ErrUnsupported):
		t.Errorf("press control and a: %v", err)
	}
}

// erases: from the end of the field, wherever the caret is, and no more than there is.
func (s Subject[T]) erases(t T) {
	dev := s.open(t)
	e, ok := dev.(drivers.Editor)
	if !ok {
		t.Log("the device does not claim to take text away")
		return
	}
	erase := func(n int) {
		t.Helper()
		if err := e.Erase(t.Context(), n); err != nil {
			t.Fatalf("erase %d: %v", n, err)
		}
	}
	s.fill(t, dev, "E-mail", "hello world")
	erase(0)
	s.shows(t, dev, "hello world")
	erase(6)
	s.shows(t, dev, "hello")
	if k, ok := dev.(drivers.Keys); ok {
		for range 3 {
			if err := k.Press(t.Context(), []string{"left"}); err != nil {
				t.Fatal(err)
			}
		}
		erase(1)
		s.shows(t, dev, "hell")
	}
	erase(-1)
	s.shows(t, dev, "")
	erase(-1)
	s.shows(t, dev, "")
	if err := dev.Type(t.Context(), "again"); err != nil {
		t.Fatal(err)
	}
	s.shows(t, dev, "again")
}
