package ios

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// hostileStep is a step on a page of com.example.traps, and what it has to come to.
type hostileStep struct {
	do   any
	want event.Result
}

func sees(label string) dsl.Assert      { return dsl.Assert{Selector: dsl.Selector{Label: label}} }
func seesNo(label string) dsl.AssertNot { return dsl.AssertNot{Selector: dsl.Selector{Label: label}} }

func isChecked(label string, checked bool) dsl.AssertElement {
	return dsl.AssertElement{Selector: dsl.Selector{Label: label}, Is: &dsl.State{Checked: &checked}}
}

func isSelected(label string, selected bool) dsl.AssertElement {
	return dsl.AssertElement{Selector: dsl.Selector{Label: label}, Is: &dsl.State{Selected: &selected}}
}

func isEnabled(label string, enabled bool) dsl.AssertElement {
	return dsl.AssertElement{Selector: dsl.Selector{Label: label}, Is: &dsl.State{Enabled: &enabled}}
}

func typedText(text string) dsl.Input {
	return dsl.Input{Text: text, Into: &dsl.Selector{ID: "nickname"}}
}

func replaced(text string) dsl.Input {
	return dsl.Input{Text: text, Into: &dsl.Selector{ID: "nickname"}, Replace: true}
}

// TestHostileScreens: each step passes if, and only if, a person would agree. model is what the app received in the
// end.
func TestHostileScreens(t *testing.T) {
	t.Parallel()
	const pass, fail = event.Pass, event.Fail
	for page, c := range map[string]struct {
		steps []hostileStep
		said  string
	}{
		"clear layer": {[]hostileStep{{sees("Total 12"), pass}, {tapLabel("Pay"), pass}}, "paid"},
		"popover":     {[]hostileStep{{tapLabel("Pay"), fail}, {tapLabel("Share"), pass}}, "shared"},
		"splash":      {[]hostileStep{{sees("Total 12"), fail}, {tapLabel("Pay"), fail}}, ""},
		"busy":        {[]hostileStep{{tapLabel("Pay"), pass}}, "paid"},
		"hidden bar":  {[]hostileStep{{tapLabel("Pay"), pass}}, "paid"},
		"under bar":   {[]hostileStep{{sees("Free text"), pass}, {sees("Total 12"), fail}}, ""},
		"flat switches": {[]hostileStep{{tapLabel("Sounds"), pass}, {isChecked("Sounds", true), pass},
			{isChecked("Sounds", false), fail}, {isChecked("Badges", true), fail}}, "Sounds is true"},
		"segments": {[]hostileStep{{isSelected("Day", true), pass}, {isSelected("Week", true), fail},
			{tapLabel("Week"), pass}, {isSelected("Week", true), pass}, {isSelected("Day", true), fail}}, "Week"},
		"twins": {[]hostileStep{{tapLabel("Pay"), pass}, {tapLabel("ghost"), fail}}, "paid"},
		"parent unseen": {[]hostileStep{{sees("Total 12"), pass}, {seesNo("Total 12"), fail}, {tapLabel("Pay"), pass}},
			"paid"},
		"toast": {[]hostileStep{{tapLabel("Save"), pass}, {sees("Saved just now"), pass},
			{seesNo("Saved just now"), pass}}, "saved"},
		"bottom":          {[]hostileStep{{typedText("Ada"), pass}, {tapLabel("Pay"), fail}}, ""},
		"link":            {[]hostileStep{{tapLabel("terms"), pass}}, "terms"},
		"row of two":      {[]hostileStep{{tapLabel("Ada"), pass}}, "row"},
		"disabled":        {[]hostileStep{{isEnabled("Pay", false), pass}, {tapLabel("Pay"), pass}}, "paid"},
		"always disabled": {[]hostileStep{{tapLabel("Pay"), fail}, {isEnabled("Pay", true), fail}}, ""},
		"picture button":  {[]hostileStep{{sees("Cart"), pass}, {tapLabel("Cart"), pass}}, "cart"},
		"hint label": {[]hostileStep{{dsl.Input{Text: "Ada", Into: &dsl.Selector{Label: "Nickname"}}, pass},
			{sees("Ada"), pass}}, ""},
		"hungry":    {[]hostileStep{{typedText("1234567"), fail}}, ""},
		"formatted": {[]hostileStep{{typedText("12345"), pass}, {replaced("9876"), pass}, {sees("987-6"), pass}}, ""},
		"secret": {[]hostileStep{{typedText("lovelace"), pass}, {sees("lovelace"), fail}, {replaced("abc"), pass}},
			""},
		"unfocused": {[]hostileStep{{typedText("Ada"), fail}}, ""},
		"carousel": {[]hostileStep{{sees("First offer"), pass}, {sees("Second offer"), fail},
			{tapLabel("Buy second"), fail}, {tapLabel("Buy first"), pass}}, "first"},
		"asks": {[]hostileStep{{tapLabel("Pay"), pass}, {tapLabel("Pay"), fail},
			{dsl.Alert{Answer: "accept"}, pass}}, "Zahlen"},
		"long": {[]hostileStep{{sees(iossim.LongText()), pass}, {sees(iossim.LongText() + " (label)"), pass},
			{dsl.AssertNot{Selector: dsl.Selector{Label: "Paragraph 40 of the terms", Match: dsl.MatchContains}}, fail}}, ""},
	} {
		t.Run(page, func(t *testing.T) {
			if !slices.Contains([]string{"clear layer", "popover", "under bar", "flat switches", "twins", "always disabled",
				"secret", "carousel", "asks"}, page) {
				testutil.Leave(t, "more kinds of pages")
			}
			t.Parallel()
			s, b := trap(t, page, iossim.DeviceOptions{})
			for _, step := range c.steps {
				s.Timeout = patience
				if step.want != event.Pass {
					s.Timeout = 700 * time.Millisecond
				}
				if v, err := doStep(t, s, step.do); v != step.want {
					t.Errorf("%+v: %s instead of %s: %v", step.do, v, step.want, err)
				}
			}
			said := ""
			for _, text := range b.lab.Device(0).Texts() {
				if after, ok := strings.CutPrefix(text, "Said: "); ok {
					said = after
				}
			}
			if said != c.said {
				t.Errorf("the app felt %q instead of %q", said, c.said)
			}
		})
	}
}

// A source that WebDriverAgent could not return says nothing about what is not there.
func TestReadsThatFailProveNothing(t *testing.T) {
	t.Parallel()
	for word, result := range map[string]event.Result{"stale element reference": event.Error,
		"unknown error": event.Error} {
		for _, route := range []string{"GET /source", "GET /alert/text"} {
			s, b := trap(t, "clear layer", iossim.DeviceOptions{})
			s.Timeout = time.Second
			b.lab.Fail(iossim.Fault{Match: route, Kind: iossim.Refuse, Word: word, Text: "Cannot get the snapshot"})
			if v, err := doStep(t, s, seesNo("Nothing like it")); v != result {
				t.Errorf("%s of %s: %s, %v", word, route, v, err)
			}
			b.lab.Heal()
			s.Timeout = patience
			b.lab.Fail(iossim.Fault{Match: route, Kind: iossim.Refuse, Word: word, Text: "Cannot get the snapshot", Nth: 1})
			if v, err := doStep(t, s, tapLabel("Pay")); v != event.Pass {
				t.Errorf("%s of %s, once: %s, %v", word, route, v, err)
			}
		}
	}
}

// The touch of an alert that slides in is lost, and that of a switch within one closes nothing.
func TestAlertsThatStay(t *testing.T) {
	t.Parallel()
	s, b := trap(t, "clear layer", iossim.DeviceOptions{AlertsSlide: 700 * time.Millisecond})
	phone := b.lab.Device(0)
	phone.Show("Allow \u201cTraps\u201d to use your location?", "Precise: On", "Allow Once", "Allow While Using App",
		"Don\u2019t Allow")
	for _, step := range []dsl.Alert{{Button: "Precise: On"}, {Answer: "dismiss"}} {
		if v, err := doStep(t, s, step); v != event.Pass {
			t.Errorf("%+v: %s, %v", step, v, err)
		}
	}
	if n := b.lab.Noted("answered with \"Don\u2019t Allow\""); n != 1 {
		t.Errorf("it was answered %d times", n)
	}
	stuck, b := trap(t, "clear layer", iossim.DeviceOptions{AlertsSlide: time.Hour})
	b.lab.Device(0).Show("It stays", "OK")
	stuck.Timeout = 4 * time.Second
	if v, err := doStep(t, stuck, dsl.Alert{Answer: "accept"}); v != event.Fail ||
		!strings.Contains(err.Error(), "stays") {
		t.Errorf("an alert that stays: %s, %v", v, err)
	}
}

func TestLockedPhones(t *testing.T) {
	t.Parallel()
	for _, passcode := range []bool{false, true} {
		b := newBench(t, quick(iossim.DeviceOptions{Passcode: passcode}))
		b.lab.Device(0).Lock()
		dev, err := b.driver(t).Open(t.Context(), b.lab.Device(0).UDID())
		if passcode {
			if err == nil || !strings.Contains(err.Error(), "passcode") {
				t.Errorf("locked with a passcode: %v", err)
			}
			continue
		}
		must(t, err)
		if b.lab.Device(0).Locked() {
			t.Error("it is still locked")
		}
		must(t, dev.Close())
	}
}

// TestTurningTakesAMoment: WebDriverAgent says that a screen does not turn which turns in a moment: the next step finds
// it turned.
func TestTurningTakesAMoment(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{TurnsLate: 400 * time.Millisecond}))
	page(t, d, "Gestures")
	must(t, d.Rotate(t.Context(), true))
	if !b.lab.Device(0).Landscape() {
		t.Error("the step is over, and the screen still stands")
	}
}

// A simulator with WebDriverAgent's runner on it needs no built one, and a start that fails is made once more.
func TestStartsOnSimulators(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{RunnerInstalled: true}))
	must(t, os.RemoveAll(filepath.Join(b.home, "Library/Developer/Xcode")))
	d, _ := b.open(t)
	must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
	wait(t, d, "E-mail")
	if b.lab.Noted("xcodebuild") > 0 {
		t.Error("it was built, or tried to be")
	}

	again := newBench(t, quick(iossim.DeviceOptions{}))
	again.lab.Fail(iossim.Fault{Match: "test-without-building", Nth: 1, Kind: iossim.Refuse,
		Text: "Testing failed: Test runner never began executing tests", Code: 65})
	d, _ = again.open(t)
	must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
	wait(t, d, "E-mail")
}
