package host

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// listLimit is how long one program that lists devices may take.
const listLimit = 20 * time.Second

// Kind is how the programs of this machine reach a device.
type Kind int

// The kinds.
const (
	Bare      Kind = iota // by its WebDriverAgent alone
	Simulator             // simctl
	Phone                 // devicectl
	Mux                   // go-ios
)

// Found is a device of the list.
type Found struct {
	Info   drivers.Info
	Kind   Kind
	Tunnel string // address of the phone in CoreDevice's tunnel
	NoUDID bool   // it goes by CoreDevice's name: a phone that trusts no machine reports no other
	URL    string // of its WebDriverAgent, where the environment has it
	Listed time.Time
}

// List queries all programs at once. One that fails costs the devices that it alone knows: its error comes with those
// that the others know.
func (t Tools) List(ctx context.Context) ([]Found, error) {
	var lists [3][]Found
	var errs [3]error
	var asking sync.WaitGroup
	for i, ask := range []func(context.Context) ([]Found, error){t.Simulators, t.Phones, t.muxed} {
		asking.Go(func() { lists[i], errs[i] = ask(ctx) })
	}
	asking.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var all []Found
	seen := map[string]bool{}
	for _, list := range lists {
		for _, f := range list {
			if !seen[f.Info.ID] {
				seen[f.Info.ID] = true
				all = append(all, f)
			}
		}
	}
	if slices.ContainsFunc(all, func(f Found) bool { return f.Info.State == Untrusted && !f.NoUDID }) {
		all = slices.DeleteFunc(all, func(f Found) bool { return f.NoUDID }) // go-ios knows its UDID
	}
	err := errors.Join(errs[:]...)
	if err != nil {
		t.Log.Warn("a list of iOS devices is not whole", "error", err)
	}
	return all, err
}

// Our own words for devices that cannot be used.
const (
	NoAgent   drivers.State = "without-wda"
	DeadAgent drivers.State = "wda-silent"
	Untrusted drivers.State = "untrusted"
	NoDevMode drivers.State = "developer-mode-off"
	NoTunnel  drivers.State = "no-tunnel"
	away      drivers.State = "unavailable"
	Starting  drivers.State = "booting"
	stopping  drivers.State = "shutting-down"
)

// remedy returns what to do about a device in such a state.
func remedy(state drivers.State) string {
	switch state {
	case Untrusted:
		return "unlock it and answer the question \"Trust This Computer?\"; if it does not ask, plug it in again"
	case NoDevMode:
		return "switch Developer Mode on in its Settings, Privacy & Security, and let it restart"
	case NoTunnel:
		return "iOS 17 and newer need a tunnel: run `ios tunnel start --userspace` and leave it running"
	case away:
		return "connect it by cable, or bring it into the same network, and unlock it"
	case Starting:
		return "wait until it has started"
	case stopping:
		return "wait until it is shut down, and boot it again: taproot devices --boot NAME"
	}
	return ""
}
