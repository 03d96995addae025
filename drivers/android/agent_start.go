package android

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
)

// setUp installs the agent where it is not there, starts it, and requests something real from it.
func (a *agentAccess) setUp(ctx context.Context) error {
	dir, err := a.installer.files.apks()
	if err != nil {
		return err
	}
	if err := a.installer.install(ctx, dir); err != nil {
		return err
	}
	if err := a.debts.noteRestore(func(owed *restoreState) { owed.Agent = true }); err != nil {
		return err
	}
	version, err := a.start(ctx)
	if err != nil && strings.Contains(err.Error(), signedApart) { // one of the two was built by someone else
		if err = a.installer.remove(ctx); err == nil {
			err = a.installer.install(ctx, dir)
		}
		if err == nil {
			version, err = a.start(ctx)
		}
	}
	if err != nil {
		a.shell.end()
		a.shell.stop(a.phone.life) // it continues without its shell, open to every caller
		return err
	}
	a.switchTo(true, "The screen was read with the agent appium-uiautomator2-server "+version+" on the phone.")
	return nil
}

// start runs the agent's instrumentation, twice where another user of UiAutomation may have been in its way.
func (a *agentAccess) start(ctx context.Context) (version string, err error) {
	clear := stopAgentLine
	for try := range 2 {
		if _, err := a.phone.run(ctx, command{name: "stop the agent", line: clear}); err != nil {
			return "", err
		}
		if version, err = a.startOnce(ctx); err == nil || ctx.Err() != nil || errors.Is(err, drivers.ErrDeviceLost) {
			return version, err
		}
		a.shell.end()
		if try > 0 || strings.Contains(err.Error(), signedApart) {
			break
		}
		a.shell.plain = strings.Contains(err.Error(), "Unknown option")
		clear = "pkill -9 -x uiautomator; " + clear
		pause := agentRivalPause
		if !answered(err, "session not created") {
			pause = agentStartPoll
		}
		if err := drivers.Pause(ctx, pause); err != nil {
			return "", a.phone.link.fault(ctx, "start the agent", err)
		}
	}
	return "", err
}

// startOnce starts the agent, waits until it reports that it is ready, and makes sure that it is.
func (a *agentAccess) startOnce(ctx context.Context) (string, error) {
	a.setSession("")
	if err := a.shell.start(ctx); err != nil {
		return "", err
	}
	version, err := a.shell.awaitStatus(ctx)
	if err != nil {
		return "", err
	}
	return version, a.open(ctx)
}

func (a *agentAccess) setSession(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.session = id
}

// open starts a session with settings of ours, reads back those that matter, and looks at the screen.
func (a *agentAccess) open(ctx context.Context) error {
	settings := map[string]any{
		"waitForIdleTimeout": 0, "waitForSelectorTimeout": 0, "enableMultiWindows": true, "snapshotMaxDepth": a.depth,
		"shutdownOnPowerDisconnect": false, "wakeLockTimeout": 0,
	}
	made := ""
	body := map[string]any{"capabilities": map[string]any{"firstMatch": []any{settings}, "alwaysMatch": map[string]any{}}}
	if err := request(ctx, a.phone.link, agentRequest{method: "POST", path: "/session", body: body, limit: touchLimit,
		session: &made}, nil); err != nil {
		return err
	}
	if made == "" {
		return fmt.Errorf("device %s: the agent returned no session id", a.phone.link.serial)
	}
	a.setSession(made)
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
			return fmt.Errorf("device %s: the agent does not keep the setting %s: %v instead of %v", a.phone.link.serial, name,
				kept[name], want)
		}
	}
	return nil
}
