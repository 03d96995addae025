package ios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// bootLimit is how long a simulator may take that starts for the first time after an update.
const bootLimit = 5 * time.Minute

// simulated is a simulator in simctl's list. Xcodes before 11 report whether it can be used in other words, or in a
// text.
type simulated struct {
	UDID         string `json:"udid"`
	Name         string `json:"name"`
	State        string `json:"state"`
	IsAvailable  any    `json:"isAvailable"`       // true, or "YES"
	Availability string `json:"availability"`      // "(available)"
	Trouble      string `json:"availabilityError"` // "runtime profile not found"
	version      string
}

// usable reports whether a simulator has a runtime.
func (s simulated) usable() bool {
	switch said := s.IsAvailable.(type) {
	case bool:
		return said
	case string:
		return strings.EqualFold(said, "YES") || strings.EqualFold(said, "true")
	}
	if s.Availability != "" {
		return s.Availability == "(available)"
	}
	return s.Trouble == ""
}

// listSimulators reads `simctl list -j devices`: every iOS simulator that has a runtime.
func (t tools) listSimulators(ctx context.Context) ([]simulated, error) {
	c := t.simctl("list", "-j", "devices")
	c.limit = listLimit
	out, err := t.run(ctx, c)
	if err != nil {
		return nil, err
	}
	return parseSimulators(out)
}

func parseSimulators(out []byte) ([]simulated, error) {
	var list struct {
		Devices map[string][]simulated `json:"devices"`
	}
	if err := jsonIn(out, "devices", &list); err != nil {
		return nil, fmt.Errorf("simctl list: %w: %s", err, screen.Quote(string(out)))
	}
	var sims []simulated
	for runtime, devices := range list.Devices {
		version, ok := iosVersion(runtime)
		if !ok {
			continue
		}
		for _, s := range devices {
			if s.usable() && s.UDID != "" {
				s.version = version
				sims = append(sims, s)
			}
		}
	}
	return sims, nil
}

var runtimeName = lazyregexp.New(`(?:^|\.)iOS[- ](\d+(?:[-.]\d+)*)$`)

// iosVersion reads com.apple.CoreSimulator.SimRuntime.iOS-18-1; old Xcodes write "iOS 11.4".
func iosVersion(runtime string) (string, bool) {
	m := runtimeName.FindStringSubmatch(runtime)
	if m == nil {
		return "", false
	}
	return strings.ReplaceAll(m[1], "-", "."), true
}

// simulators returns those that run, or are about to.
func (t tools) simulators(ctx context.Context) ([]found, error) {
	if t.xcrun == "" {
		return nil, nil
	}
	sims, err := t.listSimulators(ctx)
	if err != nil {
		return nil, noXcode(err, "simctl")
	}
	var list []found
	for _, s := range sims {
		info := drivers.Info{ID: s.UDID, Platform: dsl.IOS, Model: s.Name, Manufacturer: "Apple", OSVersion: s.version,
			Emulator: true}
		switch s.State {
		case "Booted":
			info.State = drivers.Ready
		case "Booting":
			info.State = starting
		case "Shutting Down":
			info.State = stopping
		default:
			continue // a Mac has dozens of them; --boot starts one
		}
		info.Problem = remedy(info.State)
		list = append(list, found{info: info, kind: simulator})
	}
	return list, nil
}

// noXcode explains an xcrun that starts none of Xcode's programs.
func noXcode(err error, program string) error {
	var failed *toolError
	if !errors.As(err, &failed) {
		return err
	}
	const selected = "install Xcode (its command line tools alone are not enough) and run `sudo xcode-select -s " +
		"/Applications/Xcode.app`"
	said := strings.ToLower(failed.output)
	switch {
	case strings.Contains(said, "unable to find utility"):
		return &drivers.Unavailable{What: "xcrun does not find " + program, Fix: selected}
	case strings.Contains(said, "active developer"), strings.Contains(said, "no developer tools were found"):
		return &drivers.Unavailable{What: "xcrun finds no Xcode at the configured path", Fix: selected}
	case strings.Contains(said, "license") && strings.Contains(said, "agree"):
		return &drivers.Unavailable{What: "Xcode's licence has not been accepted on this machine yet",
			Fix: "run `sudo xcodebuild -license accept`"}
	case strings.Contains(said, "first launch"), strings.Contains(said, "runfirstlaunch"):
		return &drivers.Unavailable{What: "Xcode was not set up after its installation",
			Fix: "run `sudo xcodebuild -runFirstLaunch`"}
	}
	return err
}

// bootOnce starts the simulator that Options.Boot names.
func (d *Driver) bootOnce(ctx context.Context) error {
	d.booting.Lock()
	defer d.booting.Unlock()
	if d.boot == "" {
		return nil
	}
	sims, err := d.tools.listSimulators(ctx)
	if err != nil {
		return noXcode(err, "simctl")
	}
	s, err := pickSimulator(sims, d.boot)
	if err != nil {
		return err
	}
	c := d.tools.simctl("bootstatus", s.UDID, "-b") // boots it where needed, and waits until it can be used
	c.limit = bootLimit
	if _, err := d.tools.run(ctx, c); err != nil {
		return fmt.Errorf("boot simulator %s (%s): %w", s.Name, s.UDID, err)
	}
	if s.State == "Shutdown" && !d.keep {
		d.booted = s.UDID
	}
	d.boot = ""
	return nil
}

// pickSimulator finds one by UDID or name; of several with one name the one that runs, else that of the newest iOS.
func pickSimulator(sims []simulated, name string) (simulated, error) {
	var fits []simulated
	var names []string
	for _, s := range sims {
		if strings.EqualFold(s.UDID, name) || strings.EqualFold(s.Name, name) {
			fits = append(fits, s)
		}
		names = append(names, s.Name)
	}
	if len(fits) == 0 {
		slices.Sort(names)
		names = slices.Compact(names)
		return simulated{}, fmt.Errorf("no simulator is called %q; there are %s", name,
			shorten.Bytes(strings.Join(names, ", "), 400))
	}
	slices.SortFunc(fits, func(a, b simulated) int {
		if (a.State == "Booted") != (b.State == "Booted") {
			return map[bool]int{true: -1, false: 1}[a.State == "Booted"]
		}
		if older(a.version, b.version) != older(b.version, a.version) {
			return map[bool]int{true: 1, false: -1}[older(a.version, b.version)]
		}
		return strings.Compare(a.UDID, b.UDID)
	})
	return fits[0], nil
}

// shutdown ends the simulator that bootOnce started.
func (d *Driver) shutdown() error {
	d.booting.Lock()
	defer d.booting.Unlock()
	if d.booted == "" {
		return nil
	}
	udid := d.booted
	d.booted = ""
	_, err := d.tools.run(context.Background(), d.tools.simctl("shutdown", udid))
	return err
}
