package android

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/shellerr"
)

// startAgent installs the agent where it is not there, starts it, and requests something real from it.
func (d *Device) startAgent(ctx context.Context, o agentOptions) error {
	dir, err := o.apks()
	if err != nil {
		return err
	}
	if err := d.installAgent(ctx, dir, o.check); err != nil {
		return err
	}
	if err := d.noteRestore(func(debts *restoreState) { debts.Agent = true }); err != nil {
		return err
	}
	a := &agentAccess{d: d, mode: o.mode, depth: agentDepth}
	version, err := a.start(ctx)
	if err != nil && strings.Contains(err.Error(), signedApart) { // one of the two was built by someone else
		if err = d.removeAgent(ctx); err == nil {
			err = d.installAgent(ctx, dir, o.check)
		}
		if err == nil {
			version, err = a.start(ctx)
		}
	}
	if err != nil {
		a.end()
		d.stopAgent(d.life) // it continues without its shell, open to every caller
		return err
	}
	d.mu.Lock()
	d.agent = a
	d.reads = "The screen was read with the agent appium-uiautomator2-server " + version + " on the phone."
	d.mu.Unlock()
	return nil
}

// start runs the agent's instrumentation, twice where another user of UiAutomation may have been in its way.
func (a *agentAccess) start(ctx context.Context) (version string, err error) {
	d := a.d
	clear := stopAgentLine
	for try := range 2 {
		if _, err := d.run(ctx, command{name: "stop the agent", line: clear}); err != nil {
			return "", err
		}
		if version, err = a.startOnce(ctx); err == nil || ctx.Err() != nil || errors.Is(err, drivers.ErrDeviceLost) {
			return version, err
		}
		a.end()
		if try > 0 || strings.Contains(err.Error(), signedApart) {
			break
		}
		a.plain = strings.Contains(err.Error(), "Unknown option")
		clear = "pkill -9 -x uiautomator; " + clear
		pause := agentRivalPause
		if !answered(err, "session not created") {
			pause = agentStartPoll
		}
		if err := drivers.Pause(ctx, pause); err != nil {
			return "", d.link.fault(ctx, "start the agent", err)
		}
	}
	return "", err
}

// startOnce starts the agent, waits until it reports that it is ready, and makes sure that it is.
func (a *agentAccess) startOnce(ctx context.Context) (string, error) {
	d := a.d
	line := "am instrument -w "
	if !a.plain {
		line += "--no-window-animation "
	}
	line += "-e DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES true -e disableAnalytics true "
	if !a.plain && d.info.APILevel >= hiddenAPI {
		line += "--no-hidden-api-checks "
	}
	p, err := d.stream(ctx, command{name: "am instrument", line: line + agentRunner})
	if err != nil {
		return "", err
	}
	ended, said := make(chan struct{}), &capped{max: agentOutputBytes, quiet: true}
	a.mu.Lock()
	a.proc, a.ended, a.output, a.session = p, ended, said, ""
	a.mu.Unlock()
	if err := d.life.Go(func() {
		defer close(ended)
		_, _ = p.wait(said, said)
	}); err != nil {
		p.close()
		return "", err
	}
	version, err := a.awaitStatus(ctx)
	if err != nil {
		return "", err
	}
	return version, a.open(ctx)
}

// awaitStatus polls until the agent reports that it is ready. That does not mean yet that it works.
func (a *agentAccess) awaitStatus(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, agentStartLimit, a.d.link.tooSlow("the start of the agent",
		agentStartLimit))
	defer cancel()
	for {
		var status struct {
			Ready bool
			Build struct{ Version string }
		}
		err := a.d.link.ask(ctx, agentRequest{method: "GET", path: "/status"}, &status)
		if err == nil && status.Ready {
			return status.Build.Version, nil
		}
		select {
		case <-a.ended:
			return "", fmt.Errorf("device %s: the agent ended at once: %s", a.d.link.serial, a.lastOutput())
		default:
		}
		if err := drivers.Pause(ctx, agentStartPoll); err != nil {
			return "", a.d.link.fault(ctx, "start the agent", err)
		}
	}
}

// lastOutput are what the shell of the agent printed.
func (a *agentAccess) lastOutput() string {
	for line := range strings.Lines(string(a.output.Bytes())) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"Error=", "shortMsg=", signedApart, "Unknown option"} {
			if i := strings.Index(line, mark); i >= 0 {
				return strings.TrimPrefix(strings.TrimPrefix(line[i:], "Error="), "shortMsg=")
			}
		}
	}
	if line := shellerr.Line(string(a.output.Bytes())); line != "" {
		return line
	}
	return "it printed nothing"
}

// open starts a session with settings of ours, reads back those that matter, and looks at the screen.
func (a *agentAccess) open(ctx context.Context) error {
	settings := map[string]any{
		"waitForIdleTimeout": 0, "waitForSelectorTimeout": 0, "enableMultiWindows": true, "snapshotMaxDepth": a.depth,
		"shutdownOnPowerDisconnect": false, "wakeLockTimeout": 0,
	}
	made := ""
	body := map[string]any{"capabilities": map[string]any{"firstMatch": []any{settings}, "alwaysMatch": map[string]any{}}}
	if err := a.d.link.ask(ctx, agentRequest{method: "POST", path: "/session", body: body, limit: touchLimit,
		session: &made}, nil); err != nil {
		return err
	}
	if made == "" {
		return fmt.Errorf("device %s: the agent returned no session id", a.d.link.serial)
	}
	a.mu.Lock()
	a.session = made
	a.mu.Unlock()
	if err := a.keeps(ctx, map[string]any{"waitForIdleTimeout": 0.0, "enableMultiWindows": true,
		"snapshotMaxDepth": float64(a.depth)}); err != nil {
		return err
	}
	return a.health(ctx)
}

// keeps reads settings back: what the agent does not know or finds out of range it passes over in silence.
func (a *agentAccess) keeps(ctx context.Context, settings map[string]any) error {
	var kept map[string]any
	if err := a.ask(ctx, agentRequest{method: "GET", path: "appium/settings"}, &kept); err != nil {
		return err
	}
	for name, want := range settings {
		if kept[name] != want {
			return fmt.Errorf("device %s: the agent does not keep the setting %s: %v instead of %v", a.d.link.serial, name,
				kept[name], want)
		}
	}
	return nil
}
