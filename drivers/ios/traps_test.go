package ios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/runner/action"
)

// trap opens a page of com.example.traps and returns a session that performs steps on it.
func trap(t *testing.T, page string, o iossim.DeviceOptions) (*action.Performer, *bench) {
	t.Helper()
	d, b := opened(t, small(o))
	b.lab.Device(0).InstallTraps()
	must(t, d.LaunchWith(t.Context(), iossim.TrapsBundle, drivers.LaunchOptions{Force: true, Arguments: map[string]string{
		"page": page}}))
	return &action.Performer{Device: d, Platform: dsl.IOS, Timeout: patience}, b
}

// doStep performs one step and returns its result.
func doStep(t *testing.T, s *action.Performer, args any) (event.Result, error) {
	t.Helper()
	s.Detail = nil
	err := action.Perform(t.Context(), s, args)
	return action.ResultOf(err), err
}

func tapLabel(label string) dsl.Tap { return dsl.Tap{Selector: dsl.Selector{Label: label}} }

// appSays waits until the app says what came of it.
func appSays(t *testing.T, s *action.Performer, want string) {
	t.Helper()
	if v, err := doStep(t, s, dsl.Assert{Selector: dsl.Selector{Label: "Said: " + want}}); v != event.Pass {
		t.Errorf("the app does not say %q: %v", want, err)
	}
}

func TestTrapSwitches(t *testing.T) {
	t.Parallel()
	s, _ := trap(t, "switches", iossim.DeviceOptions{})
	for _, name := range []string{"Wi-Fi", "Sounds", "Badges"} {
		if v, err := doStep(t, s, tapLabel(name)); v != event.Pass {
			t.Errorf("tap %s: %v", name, err)
		}
		appSays(t, s, name+" is true")
		for checked, want := range map[bool]event.Result{true: event.Pass, false: event.Fail} {
			if s.Timeout = patience; want == event.Fail {
				s.Timeout = time.Second
			}
			v, err := doStep(t, s, dsl.AssertElement{Selector: dsl.Selector{Label: name}, Is: &dsl.State{Checked: &checked}})
			if v != want {
				t.Errorf("%s is on, checked: %v gives %s (%v)", name, checked, v, err)
			}
			if v, err := doStep(t, s, dsl.Assert{Selector: dsl.Selector{Label: name, Checked: &checked}}); v != want {
				t.Errorf("%s is on, assert checked: %v gives %s (%v)", name, checked, v, err)
			}
			s.Timeout = patience
		}
	}
	if v, err := doStep(t, s, dsl.Tap{Selector: dsl.Selector{ID: "wifi"}}); v != event.Pass {
		t.Errorf("by its id: %v", err)
	}
	appSays(t, s, "Wi-Fi is false")
	s.Timeout = time.Second
	if v, err := doStep(t, s, tapLabel("Managed")); v != event.Fail || !strings.Contains(fmt.Sprint(err), "disabled") {
		t.Errorf("a row whose switch is disabled: %s, %v", v, err)
	}
}

func TestTrapCovers(t *testing.T) {
	t.Parallel()
	s, b := trap(t, "covers", iossim.DeviceOptions{})
	if v, err := doStep(t, s, tapLabel("Free")); v != event.Pass {
		t.Errorf("%v", err)
	}
	s.Timeout = time.Second
	if v, err := doStep(t, s, dsl.Assert{Selector: dsl.Selector{Label: "Balance 100"}}); v != event.Fail {
		t.Errorf("a text under a picture is seen: %s, %v", v, err)
	}
	for _, name := range []string{"Buy", "Sell"} {
		if v, err := doStep(t, s, tapLabel(name)); v != event.Fail {
			t.Errorf("tap %s under something opaque: %s, %v", name, v, err)
		}
	}
	if n := b.lab.Noted("traps: "); n != 1 {
		t.Errorf("the app felt %d touches", n)
	}
}

func TestTrapBars(t *testing.T) {
	t.Parallel()
	s, _ := trap(t, "bars", iossim.DeviceOptions{})
	for _, name := range []string{"First", "Last"} {
		if v, err := doStep(t, s, tapLabel(name)); v != event.Pass {
			t.Errorf("tap %s: %v", name, err)
		}
		appSays(t, s, name+" row")
	}
}

func TestTrapAnimation(t *testing.T) {
	t.Parallel()
	pages := []string{"panel", "panel-far", "panel-slow"}
	if testing.Short() {
		pages = pages[:2]
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			s, _ := trap(t, page, iossim.DeviceOptions{})
			for _, name := range []string{"Open panel", "Confirm"} {
				if v, err := doStep(t, s, tapLabel(name)); v != event.Pass {
					t.Errorf("tap %s: %v", name, err)
				}
			}
			appSays(t, s, "confirmed")
		})
	}
}

func TestTrapPlaceholder(t *testing.T) {
	t.Parallel()
	s, b := trap(t, "fields", iossim.DeviceOptions{})
	into := dsl.Selector{ID: "nickname"}
	if v, err := doStep(t, s, dsl.Input{Text: "Nickname", Into: &into}); v != event.Pass {
		t.Errorf("%v", err)
	}
	if text := b.lab.Device(0).FieldText(); text != "Nickname" {
		t.Errorf("the field holds %q", text)
	}
	if v, err := doStep(t, s, dsl.Input{Text: "Ada", Into: &into, Replace: true}); v != event.Pass {
		t.Errorf("%v", err)
	}
	if text := b.lab.Device(0).FieldText(); text != "Ada" {
		t.Errorf("replaced, the field holds %q", text)
	}
}

func TestTrapPayLater(t *testing.T) {
	t.Parallel()
	s, _ := trap(t, "later", iossim.DeviceOptions{})
	if v, err := doStep(t, s, tapLabel("Pay")); v != event.Pass {
		t.Errorf("%v", err)
	}
	appSays(t, s, "paid")
}

func TestTrapDepth(t *testing.T) {
	t.Parallel()
	s, _ := trap(t, "deep", iossim.DeviceOptions{})
	if v, err := doStep(t, s, dsl.Assert{Selector: dsl.Selector{Label: "Deep down"}}); v != event.Pass {
		t.Errorf("%v", err)
	}
	s.Timeout = time.Second
	if v, _ := doStep(t, s, dsl.AssertNot{Selector: dsl.Selector{Label: "Deep down"}}); v == event.Pass {
		t.Error("it is said not to be there")
	}
}

// TestTrapWheelWithoutAPlace: a picker wheel without a place from WebDriverAgent is an error that says so.
func TestTrapWheelWithoutAPlace(t *testing.T) {
	t.Parallel()
	for word, blames := range map[string]bool{"stale element reference": true, "unknown error": false} {
		d, b := opened(t, small(iossim.DeviceOptions{OldAgent: true}))
		page(t, d, "Form")
		wheel := wait(t, d, "Month")
		b.lab.Fail(iossim.Fault{Match: "/rect", Kind: iossim.Refuse, Word: word, Text: "no place today"})
		_, err := d.Adjust(t.Context(), wheel, "May")
		if err == nil || drivers.AppIsWrong(err) != blames {
			t.Errorf("%s: %v", word, err)
		}
		b.lab.Heal()
		if shown, err := d.Adjust(t.Context(), wheel, "May"); err != nil || shown != "May" {
			t.Errorf("afterwards: %q, %v", shown, err)
		}
	}
}
