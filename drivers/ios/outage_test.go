package ios

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

// byAddress is a session on a WebDriverAgent that another process runs.
func byAddress(t *testing.T, o iossim.DeviceOptions) (*device, *bench) {
	t.Helper()
	b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{small(o)}})
	b.env["TAPROOT_WDA_URL"] = b.lab.Device(0).StartAgent()
	d, _ := b.open(t)
	return d, b
}

// TestWebDriverAgentIsAwayForAMoment: a WebDriverAgent that is started again is waited for, and nothing is done twice.
func TestWebDriverAgentIsAwayForAMoment(t *testing.T) {
	t.Parallel()
	d, b := byAddress(t, iossim.DeviceOptions{})
	page(t, d, "Gestures")
	at := middle(wait(t, d, "target"))
	taps := b.lab.Noted("POST /wda/tap")
	b.lab.Device(0).RestartAgent(1500 * time.Millisecond)
	must(t, d.Tap(t.Context(), at))
	wait(t, d, "Tapped")
	if n := b.lab.Noted("POST /wda/tap") - taps; n > 2 { // one is refused, for the session was lost
		t.Errorf("%d taps", n)
	}
}

// A hung WebDriverAgent never responds, its status included: a step ends soon after its time, and so does the rest of
// the test.
func TestAHungWebDriverAgentEndsTheStep(t *testing.T) {
	t.Parallel()
	s, b := trap(t, "switches", iossim.DeviceOptions{})
	b.lab.Fail(iossim.Fault{Match: "GET /source", Kind: iossim.Hang})
	s.Timeout = time.Second
	began := time.Now()
	v, err := doStep(t, s, tapLabel("Sounds"))
	if took := time.Since(began); v != event.Error || !errors.Is(err, drivers.ErrDeviceLost) || took > 2*wda.LeastRead {
		t.Errorf("%s after %v: %v", v, took, err)
	}
	began = time.Now()
	must(t, s.Device.Close())
	if took := time.Since(began); took > closeLimit {
		t.Errorf("to close it took %v", took)
	}
}

// The session of another client ends its app when a new one replaces it of ours: that is not a crash of the app.
func TestAnotherClientTookTheSession(t *testing.T) {
	t.Parallel()
	d, b := byAddress(t, iossim.DeviceOptions{})
	must(t, d.Launch(t.Context(), iossim.ListBundle, true))
	b.lab.Device(0).StealSession(iossim.ListBundle)
	if _, err := d.Tree(t.Context()); !errors.Is(err, drivers.ErrDeviceLost) ||
		!strings.Contains(err.Error(), "another client") {
		t.Errorf("%v", err)
	}
	if c, err := d.Crashed(t.Context()); c != nil || err != nil {
		t.Errorf("it counts as a crash: %+v, %v", c, err)
	}
	must(t, d.Launch(t.Context(), iossim.ListBundle, false))
	b.lab.Device(0).StealSession("")
	wait(t, d, "Gestures")
}

// An app that died is reported by the step that comes next, whatever that looks at.
func TestACrashIsToldByTheNextStep(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]any{
		"sleep": dsl.Sleep{Ms: 1}, "assertNot": dsl.AssertNot{Selector: dsl.Selector{Label: "Nothing like it"}},
		"hideKeyboard": dsl.HideKeyboard{},
	} {
		s, b := trap(t, "switches", iossim.DeviceOptions{})
		if v, err := doStep(t, s, tapLabel("Sounds")); v != event.Pass {
			t.Fatalf("%v", err)
		}
		b.lab.Device(0).Crash()
		if v, err := doStep(t, s, args); v != event.Fail || !strings.Contains(err.Error(), "Fatal error") {
			t.Errorf("%s: %s, %v", name, v, err)
		}
	}
}

// Under an alert of the system nothing of the app is touched, and all that is on the screen is
// reported, whichever app's elements WebDriverAgent returns meanwhile.
func TestTrapSystemAlert(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]iossim.DeviceOptions{"it replaces the app": {}, "it is apart": {AlertsApart: true},
		"its elements cannot be read": {AlertsApart: true, SystemBehind: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := trap(t, "switches", o)
			phone := b.lab.Device(0)
			phone.ShowBanner("Ada: lunch?")
			if v, err := doStep(t, s, tapLabel("Sounds")); v != event.Pass {
				t.Fatalf("under a banner: %v", err)
			}
			phone.Show("\u201cTraps\u201d Would Like to Send You Notifications", "Don\u2019t Allow", "Allow")
			s.Timeout = time.Second
			before := b.lab.Noted("traps: ")
			if v, err := doStep(t, s, tapLabel("Badges")); v == event.Pass || b.lab.Noted("traps: ") != before {
				t.Errorf("tapped under the alert: %v", err)
			}
			for _, label := range []string{"Badges", "Allow"} {
				if v, _ := doStep(t, s, dsl.AssertNot{Selector: dsl.Selector{Label: label}}); v == event.Pass {
					t.Errorf("%s is said not to be there", label)
				}
			}
			s.Timeout = patience
			if v, err := doStep(t, s, tapLabel("Don't Allow")); v != event.Pass {
				t.Errorf("%v", err)
			}
			if notes := strings.Join(phone.Noted(), "\n"); !strings.Contains(notes, "answered with \"Don\u2019t Allow\"") {
				t.Error("the button was not pressed")
			}
			if v, err := doStep(t, s, tapLabel("Badges")); v != event.Pass {
				t.Errorf("behind the alert: %v", err)
			}
		})
	}
}

// TestAlertThatCannotBeRead: of an alert with unreadable elements, only buttons are touched, by their names: what
// else it shows, and other gestures, have no place on the screen.
func TestAlertThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s, b := trap(t, "switches", iossim.DeviceOptions{AlertsApart: true, SystemBehind: true})
	phone := b.lab.Device(0)
	title := "\u201cTraps\u201d Would Like to Send You Notifications"
	phone.Show(title, "Don\u2019t Allow", "Allow")
	for name, do := range map[string]any{"a tap on its title": tapLabel(title),
		"a long press": dsl.LongPress{Selector: dsl.Selector{Label: "Allow"}},
		"a double tap": dsl.DoubleTap{Selector: dsl.Selector{Label: "Allow"}}} {
		if v, err := doStep(t, s, do); v != event.Fail || !strings.Contains(err.Error(), "only buttons can be tapped") {
			t.Errorf("%s: %s, %v", name, v, err)
		}
	}
	if notes := strings.Join(phone.Noted(), "\n"); strings.Contains(notes, "answered") {
		t.Error("the alert was answered")
	}
}

// go-ios ends with 0 although it failed.
func TestGoIOSFailsInSilence(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{Phone: true, DevModeUnknown: true, NoImage: true})).only(t, "ios")
	d := b.driver(t)
	infos, err := d.Devices(t.Context())
	if err != nil || len(infos) != 1 || infos[0].State != drivers.Ready {
		t.Errorf("a developer mode that is not known counts as off: %+v, %v", infos, err)
	}
	if err := d.agents.MountImage(t.Context(), b.lab.Device(0).UDID()); err == nil ||
		!strings.Contains(err.Error(), "no such host") {
		t.Errorf("an image that could not be downloaded: %v", err)
	}
}

// A partial erase does not meet the button that clears a field.
func TestEraseMissesTheClearButton(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		d, b := opened(t, small(iossim.DeviceOptions{NoHardKeys: old}))
		page(t, d, "Form")
		tapOn(t, d, "note")
		must(t, d.Type(t.Context(), "abcdef"))
		must(t, d.Erase(t.Context(), 2))
		if text := b.lab.Device(0).FieldText(); text != "abcd" {
			t.Errorf("old iOS %v: the field holds %q", old, text)
		}
		if old && slices.ContainsFunc(b.lab.Notes(), func(n string) bool {
			return strings.Contains(n, "/wda/element/") &&
				strings.Contains(n, "/tap")
		}) {
			t.Error("the field's end was tapped")
		}
	}
}

// Xcode raises the tunnel for the test: its address is queried again then, and the one that the phone reports, which is
// its own, is of no use. A port that is taken on the phone ends the start at once.
func TestWebDriverAgentAtTheEndOfTheTunnel(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{Phone: true})).only(t, "xcrun")
	d, _ := b.open(t)
	must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
	wait(t, d, "E-mail")
	film, err := d.StartRecording(t.Context(), t.TempDir())
	must(t, err)
	_, err = film.Stop(t.Context())
	must(t, err)

	taken := newBench(t, quick(iossim.DeviceOptions{Phone: true, PortTaken: true})).only(t, "xcrun")
	_, err = taken.driver(t).Open(t.Context(), taken.lab.Device(0).UDID())
	if !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), "8100") {
		t.Errorf("%v", err)
	}
}
