package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
)

// Mode says whether an agent on the phone reads and touches its screen.
type Mode string

// The modes: where it can be had, or an error, or never.
const (
	Auto    Mode = "auto"
	Require Mode = "require"
	Off     Mode = "off"
)

// ParseMode reads a mode; "" is Auto.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case "":
		return Auto, nil
	case Auto, Require, Off:
		return m, nil
	}
	return "", fmt.Errorf("agent mode %q: use auto, require or off", s)
}

// Choose starts the agent, where that is wanted and can be done, and notes in one sentence what reads the screen.
func (a *Agent) Choose(ctx context.Context) error {
	o, serial := a.Installer.Files, a.Phone.Link.Serial
	why, err := a.without(o)
	if err == nil && why == "" {
		if err = a.setUp(ctx); err == nil {
			return nil
		}
		if ctx.Err() == nil {
			o.Refusals.note(serial, err)
		}
		if ctx.Err() != nil || errors.Is(err, drivers.ErrDeviceLost) && o.Mode != Auto {
			return err
		}
		why = noStart + agentReason(serial, err)
	}
	if o.Mode == Require {
		if err == nil {
			err = fmt.Errorf("device %s: %w: TAPROOT_AGENT=require, but %s", serial, drivers.ErrUnsupported, why)
		}
		return err
	}
	a.switchTo(false, "The screen was read with uiautomator dump: "+why+".")
	return nil
}

// TreeReadBy says in a sentence what reads the screen and why.
func (a *Agent) TreeReadBy() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reads
}

// Options are what the driver says about the agent.
type Options struct {
	Mode  Mode
	Err   error                  // why the mode is none
	APKs  func() (string, error) // the folder of its packages
	Check func() error           // that they are what was published

	Refusals *Refusals
	Patience time.Duration // with an installation; 0: the usual one
}

// Refusals are the phones that did not let the agent be installed, and what they reported: each test would wait for the
// same answer again.
type Refusals struct {
	mu     sync.Mutex
	reason map[string]string
}

// note keeps what a phone reported about an installation.
func (r *Refusals) note(serial string, err error) {
	if refused := new(installRefused); errors.As(err, &refused) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.reason == nil {
			r.reason = map[string]string{}
		}
		r.reason[serial] = agentReason(serial, err)
	}
}

func (r *Refusals) of(serial string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reason[serial]
}

// agentReason is an error as the end of a sentence about a phone that is named already.
func agentReason(serial string, err error) string {
	return strings.TrimPrefix(adb.FirstLine(err.Error()), "device "+serial+": ")
}

// without is why there is none, "" when one can be tried.
func (a *Agent) without(o Options) (string, error) {
	switch {
	case o.Err != nil:
		return "", o.Err
	case o.Mode == Off:
		return "TAPROOT_AGENT is off", nil
	case a.Phone.Info.APILevel < MinAPI:
		return "the agent needs Android 8.0", nil
	case o.Mode == Auto && adb.OverWiFi(a.Phone.Link.Serial):
		return "the phone is attached over the network, where the agent could be reached from other machines " +
			"(TAPROOT_AGENT=require " +
			"uses it all the same)", nil
	}
	if _, err := o.APKs(); err != nil {
		return adb.FirstLine(err.Error()), nil
	}
	if said := o.Refusals.of(a.Phone.Link.Serial); said != "" && o.Mode == Auto {
		return noStart + said, nil
	}
	return "", nil
}
