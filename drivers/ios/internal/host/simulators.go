package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
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

// ListSimulators reads `simctl list -j devices`: every iOS simulator that has a runtime.
func (t Tools) ListSimulators(ctx context.Context) ([]simulated, error) {
	c := t.Simctl("list", "-j", "devices")
	c.Limit = listLimit
	out, err := t.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	return parseSimulators(out)
}

func parseSimulators(out []byte) ([]simulated, error) {
	var list struct {
		Devices map[string][]simulated `json:"devices"`
	}
	if err := JSONIn(out, "devices", &list); err != nil {
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

// Simulators returns those that run, or are about to.
func (t Tools) Simulators(ctx context.Context) ([]Found, error) {
	if t.Xcrun == "" {
		return nil, nil
	}
	sims, err := t.ListSimulators(ctx)
	if err != nil {
		return nil, NoXcode(err, "simctl")
	}
	var list []Found
	for _, s := range sims {
		info := drivers.Info{ID: s.UDID, Platform: dsl.IOS, Model: s.Name, Manufacturer: "Apple", OSVersion: s.version,
			Emulator: true}
		switch s.State {
		case "Booted":
			info.State = drivers.Ready
		case "Booting":
			info.State = Starting
		case "Shutting Down":
			info.State = stopping
		default:
			continue // a Mac has dozens of them; --boot starts one
		}
		info.Problem = remedy(info.State)
		list = append(list, Found{Info: info, Kind: Simulator})
	}
	return list, nil
}

// NoXcode explains an xcrun that starts none of Xcode's programs.
func NoXcode(err error, program string) error {
	var failed *ToolError
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

// Boot starts one simulator, once, and ends it. It is safe for concurrent use.
type Boot struct {
	tools Tools
	keep  bool // it runs on

	mu     sync.Mutex
	name   string // or UDID of the simulator that is still to be started; "": none
	booted string // the UDID of the one that was started
}

// NewBoot returns the Boot of the simulator with a name or UDID; keep leaves it running.
func NewBoot(t Tools, name string, keep bool) *Boot { return &Boot{tools: t, name: name, keep: keep} }

// Waits reports whether a simulator is still to be started.
func (b *Boot) Waits() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.name != ""
}

// Once starts the simulator, unless it did before.
func (b *Boot) Once(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.name == "" {
		return nil
	}
	sims, err := b.tools.ListSimulators(ctx)
	if err != nil {
		return NoXcode(err, "simctl")
	}
	s, err := pickSimulator(sims, b.name)
	if err != nil {
		return err
	}
	c := b.tools.Simctl("bootstatus", s.UDID, "-b") // boots it where needed, and waits until it can be used
	c.Limit = bootLimit
	if _, err := b.tools.Run(ctx, c); err != nil {
		return fmt.Errorf("boot simulator %s (%s): %w", s.Name, s.UDID, err)
	}
	if s.State == "Shutdown" && !b.keep {
		b.booted = s.UDID
	}
	b.name = ""
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
			phrase.LimitBytes(strings.Join(names, ", "), 400))
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

// Shutdown ends the simulator that once started.
func (b *Boot) Shutdown() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.booted == "" {
		return nil
	}
	udid := b.booted
	b.booted = ""
	_, err := b.tools.Run(context.Background(), b.tools.Simctl("shutdown", udid))
	return err
}
