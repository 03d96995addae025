package ios

import (
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/sim/ios/appium"
	"github.com/taproot-dev/taproot/runner/action"
)

// touchOn taps an element.
func touchOn(t *testing.T, d drivers.Device, label string) {
	t.Helper()
	b := wait(t, d, label).Bounds
	must(t, d.Tap(t.Context(), b.Min.Add(b.Size().Div(2))))
}

// form opens the list's form with the focus in its note.
func form(t *testing.T, d drivers.Device) {
	t.Helper()
	must(t, d.(drivers.Apps).Launch(t.Context(), iossim.ListBundle, true))
	touchOn(t, d, "Form")
	touchOn(t, d, "note")
}

// remoteCalls are calls of a device, by what they send.
func remoteCalls() map[string]func(ctx context.Context, d drivers.Device) error {
	return map[string]func(ctx context.Context, d drivers.Device) error{
		"mobile: source":  func(ctx context.Context, d drivers.Device) error { _, err := d.Tree(ctx); return err },
		"GET /screenshot": func(ctx context.Context, d drivers.Device) error { _, err := d.Screenshot(ctx); return err },
		"mobile: tap":     func(ctx context.Context, d drivers.Device) error { return d.Tap(ctx, image.Pt(9, 200)) },
		"POST /actions": func(ctx context.Context, d drivers.Device) error {
			return d.(drivers.Gestures).Swipe(ctx, image.Pt(9, 600), image.Pt(9, 300), 0)
		},
		"mobile: doubleTap": func(ctx context.Context, d drivers.Device) error {
			return d.(drivers.Gestures).DoubleTap(ctx, image.Pt(9, 200))
		},
		"POST /element/":    func(ctx context.Context, d drivers.Device) error { return d.Type(ctx, "Ada") },
		"mobile: launchApp": launchList(false),
		"mobile: terminateApp": func(ctx context.Context, d drivers.Device) error {
			return d.(drivers.AppManager).Stop(ctx, iossim.ListBundle)
		},
		"mobile: deepLink": func(ctx context.Context, d drivers.Device) error {
			return d.(drivers.AppManager).OpenLink(ctx, "https://example.com", "")
		},
		"mobile: keys": func(ctx context.Context, d drivers.Device) error {
			return d.(drivers.Keys).Press(ctx, []string{"tab"})
		},
		"mobile: setAppearance": func(ctx context.Context, d drivers.Device) error {
			return d.(drivers.System).DarkMode(ctx, true)
		},
		"POST /orientation": func(ctx context.Context, d drivers.Device) error {
			return d.(drivers.System).Rotate(ctx, true)
		},
		"mobile: setSimulatedLocation": func(ctx context.Context, d drivers.Device) error {
			return d.(drivers.LocationSetter).SetLocation(ctx, drivers.Coordinates{Latitude: 52, Longitude: 13})
		},
		"mobile: queryAppState": func(ctx context.Context, d drivers.Device) error {
			_, err := d.(drivers.CrashWatcher).Crashed(ctx)
			return err
		},
		"GET /alert/text": func(ctx context.Context, d drivers.Device) error {
			_, err := d.(drivers.Alerter).Alert(ctx)
			return err
		},
		"mobile: alert": func(ctx context.Context, d drivers.Device) error {
			return d.(drivers.Alerter).AnswerAlert(ctx, "OK", "")
		},
	}
}

func launchList(force bool) func(ctx context.Context, d drivers.Device) error {
	return func(ctx context.Context, d drivers.Device) error {
		return d.(drivers.Apps).Launch(ctx, iossim.ListBundle, force)
	}
}

// TestFaultsOfRemoteIPhones: each call, with each fault, is an error and never a result; no touch or text is sent
// twice; no session is left open or noted.
func TestFaultsOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	reads := []string{"mobile: source", "GET /screenshot", "mobile: queryAppState", "GET /alert/text"}
	for name, call := range remoteCalls() {
		for _, fault := range []string{appium.Dropped, appium.HTML, appium.Internal, appium.Cut, appium.Gone} {
			t.Run(name+" "+fault, func(t *testing.T) {
				t.Parallel()
				s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1, Width: 200, Height: 650})
				driver, folder := s.remote(t)
				d, err := driver.Open(t.Context(), "lab-1")
				must(t, err)
				form(t, d)
				if name == "mobile: alert" {
					s.phone.Show("Low battery", "OK")
				}
				s.Set(func() { s.Fault, s.Faulty = fault, name })
				before := len(s.Calls())
				err = call(t.Context(), d)
				proven := name == "POST /element/" && slices.Contains([]string{appium.Dropped, appium.HTML, appium.Cut}, fault)
				checkFault(t, err, proven)
				if fault == appium.Gone && !errors.Is(err, drivers.ErrDeviceLost) {
					t.Errorf("a lost session: %v", err)
				}
				sent := 0
				for _, c := range s.Calls()[before:] {
					if strings.HasPrefix(c, name) {
						sent++
					}
				}
				if !slices.Contains(reads, name) && sent != 1 {
					t.Errorf("%s was sent %d times", name, sent)
				}
				s.Set(func() { s.Fault = "" })
				if err := errors.Join(d.Close(), driver.Close()); err != nil {
					t.Errorf("close: %v", err)
				}
				if files, _ := filepath.Glob(filepath.Join(folder, "*.json")); s.Left() != 0 || len(files) != 0 {
					t.Errorf("%d sessions and %d records are left", s.Left(), len(files))
				}
			})
		}
	}
}

// checkFault: the error is one of the way, and names the device in plain words.
func checkFault(t *testing.T, err error, proven bool) {
	t.Helper()
	if proven {
		if err != nil {
			t.Errorf("the screen shows the text: %v", err)
		}
		return
	}
	said := fmt.Sprint(err)
	switch {
	case err == nil:
		t.Error("no error")
	case action.ResultOf(err) != "error":
		t.Errorf("it is a result: %v: %v", action.ResultOf(err), err)
	case strings.Contains(said, "<html") || strings.Contains(said, "invalid character"):
		t.Error(err)
	case !strings.Contains(said, "lab"):
		t.Errorf("the error does not name the device: %v", err)
	}
}

// TestLostTextOfRemoteIPhones: a text that did not arrive is not taken for one that did, and the session is not used
// for another test.
func TestLostTextOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1})
	driver, _ := s.remote(t)
	defer driver.Close()
	d, err := driver.Open(t.Context(), "lab-1")
	must(t, err)
	form(t, d)
	s.Set(func() { s.Fault, s.Faulty, s.Before = appium.Dropped, "POST /element/", true })
	err = d.Type(t.Context(), "Ada")
	if err == nil || !strings.Contains(err.Error(), "unknown, and it is not repeated") {
		t.Errorf("%v", err)
	}
	s.Set(func() { s.Fault = "" })
	_ = d.Close()
	if s.Left() != 0 {
		t.Error("the session is kept although its state is unknown")
	}
}

// TestRemoteIPhoneCapabilities: the user's capabilities stay, and what is needed is added. A session serves several
// tests.
func TestRemoteIPhoneCapabilities(t *testing.T) {
	t.Parallel()
	s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1})
	driver, err := NewRemote(remoteOf(s.URL, map[string]any{"appium:newCommandTimeout": 240.0,
		"appium:settings[snapshotMaxDepth]": 40.0}), t.TempDir())
	must(t, err)
	for range 2 {
		d, err := driver.Open(t.Context(), "lab-1")
		must(t, err)
		if i := d.Info(); i.Model != "iPhone" || i.OSVersion != "18.1" || i.Width != 390 || i.Height != 844 ||
			i.ID != "lab-1" {
			t.Errorf("%+v", i)
		}
		must(t, d.(drivers.Apps).Launch(t.Context(), iossim.ListBundle, true))
		must(t, d.Close())
	}
	for name, want := range map[string]any{"platformName": "iOS", "appium:automationName": "XCUITest",
		"appium:noReset": true, "appium:newCommandTimeout": 240.0, "appium:settings[snapshotMaxDepth]": 40.0,
		"appium:settings[animationCoolOffTimeout]": 0.0} {
		if got := s.Wanted()[name]; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if err := driver.Close(); err != nil || s.Count("POST /session") != 1 || s.Left() != 0 {
		t.Errorf("%v, %d sessions, %d open", err, s.Count("POST /session"), s.Left())
	}
}

// TestFewCallsToRemoteIPhones: a read of a screen that rests is one source and one screenshot, which is the one that
// the caller takes next.
func TestFewCallsToRemoteIPhones(t *testing.T) {
	t.Parallel()
	s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1})
	d := s.open(t)
	must(t, d.(drivers.Apps).Launch(t.Context(), iossim.ListBundle, true))
	wait(t, d, "Form")
	before := len(s.Calls())
	for range 3 {
		_, err := d.Tree(t.Context())
		must(t, err)
		_, err = d.Screenshot(t.Context())
		must(t, err)
	}
	want := slices.Repeat([]string{"mobile: source", "GET /screenshot"}, 3)
	if got := s.Calls()[before:]; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestAlertOverStillRemoteIPhone: an alert that comes over a screen of which nothing else changes is read at once, and
// so is that it has gone.
func TestAlertOverStillRemoteIPhone(t *testing.T) {
	t.Parallel()
	for _, apart := range []bool{false, true} {
		s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1, AlertsApart: apart})
		d := s.open(t)
		must(t, d.(drivers.Apps).Launch(t.Context(), iossim.ListBundle, true))
		wait(t, d, "Form")
		for range 3 {
			must(t, seesAlert(t, d, false))
			s.phone.Show("Low battery", "OK")
			must(t, seesAlert(t, d, true))
			must(t, d.(drivers.Alerter).AnswerAlert(t.Context(), "OK", ""))
		}
		must(t, seesAlert(t, d, false))
	}
}

func seesAlert(t *testing.T, d drivers.Device, want bool) error {
	tree, err := d.Tree(t.Context())
	if err != nil {
		return err
	}
	seen := false
	for n := range tree.All {
		seen = seen || strings.Contains(n.Text, "Low battery")
	}
	if seen != want {
		return fmt.Errorf("the tree has the alert: %v, and shows %q", seen, tree.Texts(20))
	}
	return nil
}

// TestFocusOfRemoteIPhones: the focus is known after each touch, also where neither the source nor the pixels show that
// it has moved; it is asked for only where it may have.
func TestFocusOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1})
	d := s.open(t)
	var first, second iossim.Entry
	s.phone.ShowScene(func(iossim.Moment) []iossim.Part {
		return []iossim.Part{{Kind: "TextField", ID: "first", Bounds: image.Rect(20, 100, 300, 140), Entry: &first},
			{Kind: "TextField", ID: "second", Bounds: image.Rect(20, 200, 300, 240), Entry: &second},
			{Kind: "Button", ID: "save", Label: "Save", Bounds: image.Rect(20, 300, 300, 340), Tapped: func() {}}}
	})
	must(t, d.(drivers.Apps).Launch(t.Context(), iossim.SceneBundle, true))
	for i, c := range []struct {
		tap, want string
		asked     int // in two reads
	}{{"", "", 2}, {"save", "", 0}, {"first", "first", 1}, {"first", "first", 0}, {"second", "second", 1},
		{"first", "first", 1},
		{"save", "first", 1}, {"second", "second", 1}} {
		if c.tap != "" {
			touchOn(t, d, c.tap)
		}
		before := s.Count("GET /element/active")
		for range 2 {
			tree, err := d.Tree(t.Context())
			must(t, err)
			got := ""
			if f := tree.Focused(); f != nil {
				got = f.ID
			}
			if got != c.want {
				t.Errorf("%d: after a tap on %q the focus is %q", i, c.tap, got)
			}
		}
		if n := s.Count("GET /element/active") - before; n != c.asked {
			t.Errorf("%d: after a tap on %q it was asked for %d times", i, c.tap, n)
		}
	}
}

// TestKeyboardOfRemoteIPhones: a keyboard with a key that hides it goes by a touch of that key, and of no other.
func TestKeyboardOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1, HideKey: true})
	d := s.open(t)
	form(t, d)
	shown := func() bool {
		is, err := d.(drivers.Keyboard).KeyboardShown(t.Context())
		must(t, err)
		return is
	}
	if !shown() {
		t.Fatal("no keyboard is shown")
	}
	taps := s.Count("mobile: tap")
	must(t, d.(drivers.KeyboardHider).HideKeyboard(t.Context()))
	if shown() || s.Count("mobile: tap") != taps+1 {
		t.Errorf("shown: %v, %d taps", shown(), s.Count("mobile: tap")-taps)
	}
}

// TestBarOfRemoteIPhones: the server reports the status bar once. What an app shows in its place may be under it, which
// one warning says.
func TestBarOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1})
	d := s.open(t)
	var touched bool
	s.phone.ShowScene(func(iossim.Moment) []iossim.Part {
		return []iossim.Part{{Kind: "Button", ID: "top", Label: "Top", Bounds: image.Rect(20, 4, 120, 34),
			Tapped: func() { touched = true }}}
	})
	must(t, d.(drivers.Apps).Launch(t.Context(), iossim.SceneBundle, true))
	s.phone.ShowStatusBar(false)
	for range 2 {
		touchOn(t, d, "top")
	}
	warnings := d.(drivers.Warner).TakeWarnings()
	if !touched || len(warnings) != 1 || !strings.Contains(warnings[0], "status bar") {
		t.Errorf("touched: %v, %q", touched, warnings)
	}
}

// TestCrashOfRemoteIPhones: an app that has died is known by its state.
func TestCrashOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1})
	d := s.open(t)
	must(t, d.(drivers.Apps).Launch(t.Context(), iossim.ListBundle, true))
	wait(t, d, "Form")
	hints := d.(drivers.CrashHinter)
	if crash, err := d.(drivers.CrashWatcher).Crashed(t.Context()); err != nil || crash != nil || hints.CrashSuspected() {
		t.Errorf("%v, %v, suspected %v", crash, err, hints.CrashSuspected())
	}
	s.phone.Crash()
	_, err := d.Tree(t.Context())
	must(t, err)
	crash, err := d.(drivers.CrashWatcher).Crashed(t.Context())
	if err != nil || crash == nil || crash.App != iossim.ListBundle || !hints.CrashSuspected() {
		t.Errorf("%v, %v, suspected %v", crash, err, hints.CrashSuspected())
	}
}

// TestRemoteIPhoneSaysWhatItLacks: what the server does not have, or has for simulators alone, is known before the
// first touch.
func TestRemoteIPhoneSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	s := serve(t, iossim.DeviceOptions{Phone: true, Scale: 1})
	s.Lacks = "mobile: setAppearance"
	d := s.open(t)
	checker := d.(interface {
		CheckActions(ctx context.Context, names []string) error
	})
	check := func(names, want string) {
		t.Helper()
		err := checker.CheckActions(t.Context(), strings.Fields(names))
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %v", names, err)
		}
		if err != nil && !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%s: %v", names, err)
		}
	}
	check("tap assertVisible launch launch.package launch.force openLink setLocation", "")
	check("setDarkMode", `has no command "mobile: setAppearance"`)
	for _, name := range []string{"push", "setPermissions", "clearApp", "shake", "biometrics", "addMedia", "launch.clear",
		"launch.permissions"} {
		check(name, "for simulators alone")
	}
	s.Set(func() { s.Simulator = true })
	check("push setPermissions clearApp shake biometrics addMedia", "")
	if n := s.Count("mobile: tap"); n != 0 {
		t.Errorf("%d touches", n)
	}
}
