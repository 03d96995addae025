package ios

import (
	"errors"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

// TestVariablesOfAnApp: an app gets the environment that it is started with, also one that ran, on whatever reaches the
// device.
func TestVariablesOfAnApp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		phone    bool
		programs []string
		bare     bool
	}{"simctl": {programs: []string{"xcrun"}}, "devicectl": {phone: true, programs: []string{"xcrun"}},
		"go-ios": {phone: true, programs: []string{"ios"}}, "WebDriverAgent": {bare: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, quick(iossim.DeviceOptions{Phone: c.phone})).only(t, c.programs...)
			phone := b.lab.Device(0)
			if c.bare {
				b.env["TAPROOT_WDA_URL"] = phone.UDID() + "=" + phone.StartAgent()
			}
			d, _ := b.open(t)
			must(t, d.Launch(t.Context(), iossim.ListBundle, true))
			must(t, d.LaunchWith(t.Context(), iossim.ListBundle, drivers.LaunchOptions{
				Env: map[string]string{"API_URL": "http://127.0.0.1:8080/?a=b", "MODE": "{\"x\": 1}"}}))
			if b.lab.Noted("com.example.list has API_URL=http://127.0.0.1:8080/?a=b") != 1 ||
				b.lab.Noted(`com.example.list has MODE={"x": 1}`) != 1 || b.lab.Noted("com.example.list started") != 2 {
				t.Errorf("%q", phone.Noted())
			}
		})
	}
}

// TestWhatOnlySimulatorsTake: notifications and another status bar; the bar shows what is so again once the device is
// closed.
func TestWhatOnlySimulatorsTake(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	full := 100
	must(t, d.SetStatusBar(t.Context(), &drivers.StatusBar{Time: "9:41", Battery: &full}))
	must(t, d.Push(t.Context(), iossim.ListBundle, []byte(`{"aps":{"alert":{"title":"Shipped"}}}`)))
	must(t, d.Close())
	if b.lab.Noted("status bar: override") != 1 || b.lab.Noted("status bar: clear") != 1 {
		t.Errorf("%q", b.lab.Device(0).Noted())
	}
	p, _ := opened(t, small(iossim.DeviceOptions{Phone: true}))
	for what, err := range map[string]error{"status bar": p.SetStatusBar(t.Context(), &drivers.StatusBar{Time: "9:41"}),
		"push": p.Push(t.Context(), iossim.ListBundle, []byte(`{"aps":{}}`))} {
		if !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%s on an iPhone: %v", what, err)
		}
	}
}

// TestALinkOfTheAppOfTheTest is opened on a fresh simulator without a question, in whichever language that would be.
func TestALinkOfTheAppOfTheTest(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
	must(t, d.Press(t.Context(), []string{"home"}))
	must(t, d.OpenLink(t.Context(), "login://form", ""))
	if front, err := d.Foreground(t.Context()); err != nil || front != iossim.LoginBundle || b.lab.Noted("alert ") != 0 {
		t.Errorf("%s is in front, %v, %q", front, err, b.lab.Device(0).Noted())
	}
}

// TestLocationOfAnOldIPhone: what WebDriverAgent cannot before iOS 16.4, go-ios can.
func TestLocationOfAnOldIPhone(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{Phone: true, Version: "15.8"}))
	must(t, d.SetLocation(t.Context(), drivers.Coordinates{Latitude: 52.52, Longitude: -13.405}))
	if at := b.lab.Device(0).Place(); at != "52.5200000,-13.4050000" {
		t.Errorf("it believes to be at %q", at)
	}
	must(t, d.Close())
	if at := b.lab.Device(0).Place(); at != "" {
		t.Errorf("after the test it believes to be at %q", at)
	}
}

// TestAnAppearanceThatNobodyCanSet: an iPhone that goes by the time of day gets the appearance that is asked for, and
// does not report that it gets its own back.
func TestAnAppearanceThatNobodyCanSet(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{Phone: true, Automatic: true}))
	if _, err := d.IsDark(t.Context()); !errors.Is(err, drivers.ErrUnsupported) {
		t.Errorf("%v", err)
	}
	must(t, d.DarkMode(t.Context(), true))
	if dark, err := d.IsDark(t.Context()); err != nil || !dark {
		t.Errorf("%v, %v", dark, err)
	}
	must(t, d.Close())
	if b.lab.Noted("/wda/device/appearance") != 1 {
		t.Errorf("%q", b.lab.Device(0).Noted())
	}
}
