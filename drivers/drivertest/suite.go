package drivertest

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// tb is what a part of the suite needs of what runs it: a *testing.T, or a *Check. Log says that the device does not
// offer what the part is about, Logf prints what was found.
type tb interface {
	Helper()
	Context() context.Context
	Cleanup(func())
	TempDir() string
	Failed() bool
	Log(args ...any)
	Logf(format string, args ...any)
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// runner is a tb that runs the parts one after the other.
type runner[T any] interface {
	tb
	Run(name string, part func(T)) bool
}

// Subject is a driver under test. Its device must offer the sample login: fields "E-mail" and "Password", a button
// "Sign in", and "Welcome, Ada" after ada@example.com and lovelace.
type Subject[T runner[T]] struct {
	// Driver makes the driver; the suite closes it.
	Driver func(t T) drivers.Driver
	// ID is the device to use.
	ID string
	// Login brings an open device to the sample login, or to the app with which RunAny works.
	Login func(ctx context.Context, dev drivers.Device) error
	// Patience bounds the wait for anything on this device.
	Patience time.Duration
}

// Run runs the suite.
func Run[T runner[T]](t T, s Subject[T]) {
	t.Run("lists its device as ready, sorted, with a platform", s.lists)
	t.Run("opens, closes twice, and opens again", s.reopens)
	t.Run("an unknown device is an error", s.unknown)
	t.Run("the tree fits the screenshot", s.treeFitsPicture)
	t.Run("taps and types reach the app", s.signsIn)
	t.Run("a tree is never an old one", s.freshTree)
	t.Run("a cancelled context ends every call", s.cancels)
	t.Run("calls after Close are errors", s.afterClose)
	t.Run("a device is shaken, or says that it cannot be", s.shakes)
	t.Run("a notification and a status bar, or the device says that it cannot", s.pushes)
	t.Run("a sensor gets a finger, or the device says that it cannot be", s.proves)
	t.Run("gestures reach the app when it says that it knows them", s.gestures)
	t.Run("keys reach the app when it says that it has them", s.keys)
	t.Run("takes text away when it says that it can", s.erases)
	t.Run("records when it says that it can", s.recordings)
	t.Run("shows its screen live when it says that it can", s.casts)
	t.Run("logs when it says that it can", s.logs)
	t.Run("an app or a page that is not there blames the app", s.noApp)
}

// driver makes a driver that is closed with the test.
func (s Subject[T]) driver(t T) drivers.Driver {
	t.Helper()
	d := s.Driver(t)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close driver: %v", err)
		}
	})
	return d
}

// open returns a device on the sample login.
func (s Subject[T]) open(t T) drivers.Device {
	t.Helper()
	dev := s.device(t)
	if err := s.Login(t.Context(), dev); err != nil {
		t.Fatalf("bring the device to the login: %v", err)
	}
	return dev
}

func (s Subject[T]) device(t T) drivers.Device {
	t.Helper()
	dev, err := s.driver(t).Open(t.Context(), s.ID)
	if err != nil {
		t.Fatalf("open %s: %v", s.ID, err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return dev
}

// wait reads trees until the label is there.
func (s Subject[T]) wait(t T, dev drivers.Device, label string, action bool) screen.Match {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), s.Patience)
	defer cancel()
	var last error
	for ctx.Err() == nil {
		tree, err := dev.Tree(ctx)
		if err == nil {
			var found []screen.Match
			found, err = tree.Find(screen.Query{Selector: dsl.Selector{Label: label}, Action: action})
			if len(found) > 0 && !found[0].Target.Disabled {
				return found[0]
			}
			last = fmt.Errorf("the screen shows %q", tree.Texts(20))
		}
		last = errors.Join(err, last)
		if err != nil && !errors.Is(err, drivers.ErrNotReady) && !errors.Is(err, screen.ErrAmbiguous) {
			break
		}
	}
	t.Fatalf("%q did not appear: %v", label, last)
	return screen.Match{}
}

func (s Subject[T]) lists(t T) {
	d := s.driver(t)
	infos, err := d.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(infos, func(a, b drivers.Info) int { return strings.Compare(a.ID, b.ID) }) {
		t.Errorf("not sorted: %v", infos)
	}
	i := slices.IndexFunc(infos, func(i drivers.Info) bool { return i.ID == s.ID })
	if i < 0 {
		t.Fatalf("%s is not listed: %v", s.ID, infos)
	}
	if infos[i].State != drivers.Ready || infos[i].Platform != d.Platform() {
		t.Errorf("record %+v", infos[i])
	}
}

func (s Subject[T]) reopens(t T) {
	d := s.driver(t)
	for range 2 {
		dev, err := d.Open(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if dev.Info().ID != s.ID {
			t.Errorf("opened %q, asked for %q", dev.Info().ID, s.ID)
		}
		for range 2 {
			if err := dev.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	}
}

func (s Subject[T]) unknown(t T) {
	dev, err := s.driver(t).Open(t.Context(), "no-such-device")
	if err == nil {
		_ = dev.Close()
		t.Fatal("opened a device that does not exist")
	}
	if !strings.Contains(err.Error(), "no-such-device") {
		t.Errorf("the error does not name the device: %v", err)
	}
}

func (s Subject[T]) treeFitsPicture(t T) {
	dev := s.open(t)
	button := s.wait(t, dev, "Sign in", true)
	tree, err := dev.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	img, err := dev.Screenshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds().Min != (image.Point{}) || img.Bounds().Size() != tree.Size {
		t.Errorf("the tree is %v, the screenshot %v", tree.Size, img.Bounds())
	}
	if !button.Point.In(img.Bounds()) {
		t.Errorf("the button at %v is outside the screenshot %v", button.Point, img.Bounds())
	}
	if !painted(img, button.Target.Bounds) {
		t.Error("where the tree has the button, the screenshot has one colour")
	}
	for n := range tree.All {
		for _, c := range n.Children {
			if c.Parent != n {
				t.Fatalf("%v has the parent %v instead of %v", c, c.Parent, n)
			}
		}
	}
}

// painted reports whether a part of a screenshot has more than one colour.
func painted(img image.Image, r image.Rectangle) bool {
	r = r.Intersect(img.Bounds())
	first := img.At(r.Min.X, r.Min.Y)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if img.At(x, y) != first {
				return true
			}
		}
	}
	return false
}

// fill taps a field, waits for its focus and types.
func (s Subject[T]) fill(t T, dev drivers.Device, label, text string) {
	t.Helper()
	m := s.wait(t, dev, label, true)
	if err := dev.Tap(t.Context(), m.Point); err != nil {
		t.Fatalf("tap %s: %v", label, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), s.Patience)
	defer cancel()
	for {
		tree, err := dev.Tree(ctx)
		if err != nil && !errors.Is(err, drivers.ErrNotReady) {
			t.Fatalf("%s never got the focus: %v", label, err)
		}
		if err == nil {
			if f := tree.Focused(); f != nil && f.Editable && f.ID == m.Target.ID {
				break
			}
		}
	}
	if err := dev.Type(ctx, text); err != nil {
		t.Fatalf("type into %s: %v", label, err)
	}
}

func (s Subject[T]) signsIn(t T) {
	dev := s.open(t)
	s.fill(t, dev, "E-mail", "ada@example.com")
	s.wait(t, dev, "ada@example.com", false)
	s.fill(t, dev, "Password", "lovelace")
	tree, err := dev.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range tree.All {
		if strings.Contains(n.Text+n.Desc, "lovelace") {
			t.Errorf("the tree has the password: %v", n)
		}
	}
	if err := dev.Tap(t.Context(), s.wait(t, dev, "Sign in", true).Point); err != nil {
		t.Fatal(err)
	}
	s.wait(t, dev, "Welcome, Ada", false)
}

func (s Subject[T]) freshTree(t T) {
	dev := s.open(t)
	s.fill(t, dev, "E-mail", "one")
	s.wait(t, dev, "one", false)
	if err := dev.Type(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	s.wait(t, dev, "onetwo", false)
}

func (s Subject[T]) cancels(t T) {
	dev := s.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Tree":       func() error { _, err := dev.Tree(ctx); return err },
		"Screenshot": func() error { _, err := dev.Screenshot(ctx); return err },
		"Tap":        func() error { return dev.Tap(ctx, image.Pt(1, 1)) },
		"Type":       func() error { return dev.Type(ctx, "x") },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", name, err)
		}
	}
	if _, err := dev.Screenshot(t.Context()); err != nil {
		t.Errorf("the device is of no use after a cancelled call: %v", err)
	}
}

func (s Subject[T]) afterClose(t T) {
	dev := s.open(t)
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := dev.Tree(t.Context()); err == nil {
		t.Error("Tree works after Close")
	}
	if err := dev.Tap(t.Context(), image.Pt(1, 1)); err == nil {
		t.Error("Tap works after Close")
	}
}
