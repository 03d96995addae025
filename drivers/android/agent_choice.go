package android

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// AgentMode says whether an agent on the phone reads and touches its screen.
type AgentMode string

// The modes: where it can be had, or an error, or never.
const (
	AgentAuto    AgentMode = "auto"
	AgentRequire AgentMode = "require"
	AgentOff     AgentMode = "off"
)

// ParseAgentMode reads a mode; "" is AgentAuto.
func ParseAgentMode(s string) (AgentMode, error) {
	switch m := AgentMode(s); m {
	case "":
		return AgentAuto, nil
	case AgentAuto, AgentRequire, AgentOff:
		return m, nil
	}
	return "", fmt.Errorf("agent mode %q: use auto, require or off", s)
}

// choose starts the agent, where that is wanted and can be done, and notes in one sentence what reads the screen.
func (a *agentAccess) choose(ctx context.Context) error {
	o, serial := a.installer.files, a.phone.link.serial
	why, err := a.without(o)
	if err == nil && why == "" {
		if err = a.setUp(ctx); err == nil {
			return nil
		}
		if ctx.Err() == nil {
			o.refusals.note(serial, err)
		}
		if ctx.Err() != nil || errors.Is(err, drivers.ErrDeviceLost) && o.mode != AgentAuto {
			return err
		}
		why = noStart + agentReason(serial, err)
	}
	if o.mode == AgentRequire {
		if err == nil {
			err = fmt.Errorf("device %s: %w: TAPROOT_AGENT=require, but %s", serial, drivers.ErrUnsupported, why)
		}
		return err
	}
	a.switchTo(false, "The screen was read with uiautomator dump: "+why+".")
	return nil
}

// TreeReadBy says in a sentence what reads the screen and why.
func (a *agentAccess) TreeReadBy() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reads
}

// agentOptions are what the driver says about the agent.
type agentOptions struct {
	mode  AgentMode
	err   error                  // why the mode is none
	apks  func() (string, error) // the folder of its packages
	check func() error           // that they are what was published

	refusals *refusals
	patience time.Duration // with an installation; 0: the usual one
}

// refusals are the phones that did not let the agent be installed, and what they reported: each test would wait for the
// same answer again.
type refusals struct {
	mu     sync.Mutex
	reason map[string]string
}

// note keeps what a phone reported about an installation.
func (r *refusals) note(serial string, err error) {
	if refused := new(installRefused); errors.As(err, &refused) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.reason == nil {
			r.reason = map[string]string{}
		}
		r.reason[serial] = agentReason(serial, err)
	}
}

func (r *refusals) of(serial string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reason[serial]
}

// agentReason is an error as the end of a sentence about a phone that is named already.
func agentReason(serial string, err error) string {
	return strings.TrimPrefix(firstLine(err.Error()), "device "+serial+": ")
}

// without is why there is none, "" when one can be tried.
func (a *agentAccess) without(o agentOptions) (string, error) {
	switch {
	case o.err != nil:
		return "", o.err
	case o.mode == AgentOff:
		return "TAPROOT_AGENT is off", nil
	case a.phone.info.APILevel < agentAPI:
		return "the agent needs Android 8.0", nil
	case o.mode == AgentAuto && overNetwork(a.phone.link.serial):
		return "the phone is attached over the network, where the agent could be reached from other machines " +
			"(TAPROOT_AGENT=require " +
			"uses it all the same)", nil
	}
	if _, err := o.apks(); err != nil {
		return firstLine(err.Error()), nil
	}
	if said := o.refusals.of(a.phone.link.serial); said != "" && o.mode == AgentAuto {
		return noStart + said, nil
	}
	return "", nil
}

// overNetwork reports whether a serial is an address other than this machine's.
func overNetwork(serial string) bool {
	if strings.Contains(serial, "._adb-tls-connect._tcp") || strings.Contains(serial, "._adb._tcp") {
		return true
	}
	host, _, err := net.SplitHostPort(serial)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}
