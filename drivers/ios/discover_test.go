package ios

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/dsl"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

func devices(t *testing.T, d *Driver) []drivers.Info {
	t.Helper()
	infos, err := d.Devices(t.Context())
	must(t, err)
	return infos
}

func TestEveryDeviceWithItsState(t *testing.T) {
	t.Parallel()
	o := iossim.Options{Devices: []iossim.DeviceOptions{
		{Name: "iPhone 16"}, {Name: "iPhone 15", State: "Shutdown"}, {Name: "iPad Pro", State: "Booting", Version: "17.5"},
		{Name: "iPhone SE", State: "Shutting Down"},
		{Phone: true}, {Phone: true, Untrusted: true}, {Phone: true, NoDeveloperMode: true}, {Phone: true, Away: true},
	}}
	b := newBench(t, o)
	want := map[int]string{0: "device", 2: "booting", 3: "shutting-down", 4: "device", 5: "untrusted",
		6: "developer-mode-off", 7: "unavailable"}
	infos := devices(t, b.driver(t))
	if len(infos) != len(want) {
		t.Errorf("%d devices: %+v", len(infos), infos)
	}
	for i, state := range want {
		udid := b.lab.Device(i).UDID()
		at := slices.IndexFunc(infos, func(info drivers.Info) bool { return info.ID == udid })
		if at < 0 {
			t.Errorf("device %d is not listed", i)
			continue
		}
		info := infos[at]
		if string(info.State) != state || info.Platform != dsl.IOS || info.Manufacturer != "Apple" || info.OSVersion == "" &&
			state != "untrusted" {
			t.Errorf("device %d: %+v", i, info)
		}
		if (info.Problem == "") != (info.State == drivers.Ready) {
			t.Errorf("device %d: state %s with the problem %q", i, info.State, info.Problem)
		}
		if info.Emulator != (i < 4) {
			t.Errorf("device %d is an emulator: %v", i, info.Emulator)
		}
	}
	if _, err := b.driver(t).Open(t.Context(), b.lab.Device(5).UDID()); !errors.Is(err, drivers.ErrDeviceLost) ||
		!strings.Contains(err.Error(), "Trust This Computer") {
		t.Errorf("open an untrusted one: %v", err)
	}
}

func TestPhonesByGoIOS(t *testing.T) {
	t.Parallel()
	o := iossim.Options{Devices: []iossim.DeviceOptions{{Phone: true}, {Phone: true, Untrusted: true},
		{Phone: true, NoDeveloperMode: true},
		{Phone: true, NoTunnel: true}, {Phone: true, NoTunnel: true, Version: "16.7"}}}
	b := newBench(t, o).only(t, "ios")
	for i, want := range map[int]drivers.State{0: drivers.Ready, 1: host.Untrusted, 2: host.NoDevMode, 3: host.NoTunnel,
		4: drivers.Ready} {
		for _, info := range devices(t, b.driver(t)) {
			if info.ID == b.lab.Device(i).UDID() && info.State != want {
				t.Errorf("device %d is %s, not %s", i, info.State, want)
			}
		}
	}
}

// Of a phone that does not trust this machine, Xcode reports only that it is there.
func TestAStrangersPhoneIsListed(t *testing.T) {
	t.Parallel()
	b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{{Phone: true, Untrusted: true}}}).only(t, "xcrun")
	infos := devices(t, b.driver(t))
	if len(infos) != 1 || infos[0].State != host.Untrusted || infos[0].ID == "" || !strings.Contains(infos[0].Problem,
		"Trust This Computer") {
		t.Errorf("%+v", infos)
	}
}

// What xcrun says when Xcode is there, but not ready, and what to do about it.
func TestXcodeThatIsNotReady(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"xcrun: error: active developer path (\"/Applications/Xcode.app/Contents/Developer\") does not exist\nUse `sudo " +
			"xcode-select --switch path/to/Xcode.app`": "xcode-select -s",
		"xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools), missing xcrun at: " +
			"/Library/Developer/CommandLineTools/usr/bin/xcrun": "xcode-select -s",
		"You have not agreed to the Xcode license agreements. Please run 'sudo xcodebuild -license' from within a Terminal " +
			"window to review and agree": "xcodebuild -license accept",
		"Agreeing to the Xcode/iOS license requires admin privileges, please run \u201csudo xcodebuild -license\u201d and " +
			"then " +
			"retry " +
			"this command.": "xcodebuild -license accept",
	} {
		b := newBench(t, iossim.Options{}).only(t, "xcrun")
		b.lab.Fail(iossim.Fault{Match: "xcrun", Kind: iossim.Refuse, Code: 69, Text: said + "\n"})
		_, err := b.driver(t).Devices(t.Context())
		var missing *drivers.Unavailable
		if !errors.As(err, &missing) || !strings.Contains(missing.Fix, want) {
			t.Errorf("%s\n%v", said, err)
		}
		checks := b.driver(t).Checks(t.Context())
		if checks[0].OK || !strings.Contains(checks[0].Advice, want) {
			t.Errorf("doctor: %+v", checks[0])
		}
	}
}

func TestWhereNothingReachesIOS(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lab      iossim.Options
		programs []string
		says     string
	}{
		"no program":             {iossim.Options{}, nil, "install"},
		"the command line tools": {iossim.Options{NoXcode: true}, []string{"xcrun"}, "xcode-select"},
		"go-ios without usbmuxd": {iossim.Options{NoMux: true}, []string{"ios"}, "usbmuxd"},
		"both, and none of use":  {iossim.Options{NoXcode: true, NoMux: true}, []string{"xcrun", "ios"}, "usbmuxd"},
	} {
		b := newBench(t, c.lab).only(t, c.programs...)
		_, err := b.driver(t).Devices(t.Context())
		var missing *drivers.Unavailable
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := newBench(t, iossim.Options{OldXcode: true}).only(t, "xcrun") // before Xcode 15 there are simulators all the same
	if infos := devices(t, b.driver(t)); len(infos) != 1 {
		t.Errorf("%+v", infos)
	}
}

func TestWhoseWebDriverAgent(t *testing.T) {
	t.Parallel()
	two := iossim.Options{Devices: []iossim.DeviceOptions{small(iossim.DeviceOptions{}),
		small(iossim.DeviceOptions{})}}
	b := newBench(t, two)
	a0, a1 := b.lab.Device(0), b.lab.Device(1)
	b.env["TAPROOT_WDA_URL"] = a0.UDID() + "=" + a0.StartAgent() + ", " + a1.UDID() + "=" + a1.StartAgent() + "/"
	d := b.driver(t)
	for _, dev := range []*iossim.Device{a0, a1} {
		opened, err := d.Open(t.Context(), dev.UDID())
		must(t, err)
		must(t, opened.Close())
	}
	must(t, d.Close())

	// One address and one device: it is that device's. One address and no program: it is a device of its own.
	b = newBench(t, quick(iossim.DeviceOptions{}))
	b.env["TAPROOT_WDA_URL"] = b.lab.Device(0).StartAgent()
	if infos := devices(t, b.driver(t)); len(infos) != 1 || infos[0].ID != b.lab.Device(0).UDID() {
		t.Errorf("%+v", infos)
	}
	b.only(t)
	infos := devices(t, b.driver(t))
	if len(infos) != 1 || !strings.HasPrefix(infos[0].ID, "wda-127.0.0.1-") || infos[0].State != drivers.Ready ||
		infos[0].OSVersion != "18.1" || !infos[0].Emulator {
		t.Errorf("%+v", infos)
	}

	b.env["TAPROOT_WDA_URL"] = "http://127.0.0.1:1"
	if infos := devices(t, b.driver(t)); infos[0].State != host.DeadAgent || infos[0].Problem == "" {
		t.Errorf("an agent that is not there: %+v", infos)
	}
	for _, wrong := range []string{"8100", "ftp://a", "UDID=", "http://"} {
		b.env["TAPROOT_WDA_URL"] = wrong
		if _, err := b.driver(t).Devices(t.Context()); err == nil || !strings.Contains(err.Error(), "TAPROOT_WDA_URL") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// Without a WebDriverAgent to start, a simulator is listed with what to do, so that tests are skipped for that reason.
func TestWebDriverAgentIsNotBuilt(t *testing.T) {
	t.Parallel()
	b := newBench(t, iossim.Options{})
	b.env["TAPROOT_WDA_XCTESTRUN"] = "/nowhere.xctestrun"
	if infos := devices(t, b.driver(t)); infos[0].State != host.NoAgent || !strings.Contains(infos[0].Problem,
		"/nowhere.xctestrun") {
		t.Errorf("%+v", infos)
	}
	b.env = map[string]string{"HOME": t.TempDir()}
	d := New(Options{Environ: b.lab.Environ(b.bin), Getenv: func(name string) string {
		return map[string]string{"PATH": b.bin, "HOME": b.env["HOME"]}[name]
	}})
	if infos := devices(t, d); infos[0].State != host.NoAgent || !strings.Contains(infos[0].Problem,
		"taproot ios build-agent") {
		t.Errorf("%+v", infos)
	}
	must(t, d.Close())
}

func TestASimulatorIsBooted(t *testing.T) {
	t.Parallel()
	o := iossim.Options{Devices: []iossim.DeviceOptions{{Name: "iPhone 15", State: "Shutdown", Version: "17.5"},
		{Name: "iPhone 15", State: "Shutdown", Version: "18.1"}}}
	b := newBench(t, o)
	b.boot = "iphone 15"
	d := b.driver(t)
	if infos := devices(t, d); len(infos) != 1 || infos[0].ID != b.lab.Device(1).UDID() {
		t.Fatalf("the one with the newest iOS is meant: %+v", infos)
	}
	devices(t, d)
	must(t, d.Close())
	if b.lab.Noted("simctl bootstatus") != 1 || b.lab.Noted("simctl shutdown") != 1 {
		t.Errorf("%q", b.lab.Notes())
	}
	b.boot = "iPhone 3G"
	if _, err := b.driver(t).Devices(t.Context()); err == nil || !strings.Contains(err.Error(), "there are iPhone 15") {
		t.Errorf("%v", err)
	}
}

// A device that the program lists in half, or not at all, is not taken for none.
func TestListsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, match := range []string{"simctl list", "devicectl", "ios list"} {
		for _, kind := range []iossim.Kind{iossim.Cut, iossim.Garbage, iossim.Refuse} {
			b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{{Phone: true}}})
			switch match {
			case "devicectl":
				b.only(t, "xcrun")
			case "ios list":
				b.only(t, "ios")
			default:
				b = newBench(t, iossim.Options{}).only(t, "xcrun")
			}
			b.lab.Fail(iossim.Fault{Match: match, Kind: kind, Text: "it does not work today\n"})
			if infos, err := b.driver(t).Devices(t.Context()); err == nil {
				t.Errorf("%s, fault %v: %+v", match, kind, infos)
			}
		}
	}
}

func TestChecksSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	text := func(checks []Check) string {
		var b strings.Builder
		for _, c := range checks {
			b.WriteString(c.Name + " " + map[bool]string{true: "ok", false: "missing"}[c.OK] + " " + c.Text + " " +
				c.Advice + "\n")
		}
		return b.String()
	}
	whole := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{{}, {Phone: true, NoDeveloperMode: true}}})
	for name, c := range map[string]struct {
		bench *bench
		says  []string
	}{
		"all of it": {whole, []string{"xcode ok", "go-ios ok", "1.2.0", "iPhone 16, iOS 18.1, device", "Developer Mode"}},
		"nothing": {newBench(t, iossim.Options{}).only(t), []string{"xcode missing", "go-ios missing",
			"npm install -g go-ios", "devices missing"}},
		"half an Xcode": {newBench(t, iossim.Options{NoXcode: true}).only(t, "xcrun"),
			[]string{"xcode missing", "xcode-select"}},
		"no device": {newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{{State: "Shutdown"}}}).only(t,
			"xcrun"), []string{"xcode ok", "devices missing none", "--boot"}},
	} {
		got := text(c.bench.driver(t).Checks(t.Context()))
		for _, want := range c.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, got)
			}
		}
	}
}

// A simulator is opened without the programs that list iPhones: they take seconds, before each test that starts ten
// seconds after the last list.
func TestASimulatorIsOpenedWithoutAskingForIPhones(t *testing.T) {
	t.Parallel()
	b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{{}, {Phone: true}}})
	b.open(t)
	if b.lab.Noted("simctl list") != 1 || b.lab.Noted("ios list") != 0 || b.lab.Noted("devicectl list") != 0 {
		t.Errorf("%q", b.lab.Notes())
	}
}
