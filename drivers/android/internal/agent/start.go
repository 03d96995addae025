package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
)

// setUp installs the agent where it is not there, starts it, and requests something real from it.
func (a *Agent) setUp(ctx context.Context) error {
	dir, err := a.Installer.Files.APKs()
	if err != nil {
		return err
	}
	if err := a.Installer.install(ctx, dir); err != nil {
		return err
	}
	if err := a.Debts.Note(func(owed *restore.State) { owed.Agent = true }); err != nil {
		return err
	}
	version, err := a.start(ctx)
	if err != nil && strings.Contains(err.Error(), signedApart) { // one of the two was built by someone else
		if err = a.Installer.remove(ctx); err == nil {
			err = a.Installer.install(ctx, dir)
		}
		if err == nil {
			version, err = a.start(ctx)
		}
	}
	if err != nil {
		a.Shell.end()
		a.Shell.stop(a.Phone.Life) // it continues without its shell, open to every caller
		return err
	}
	a.switchTo(true, "The screen was read with the agent appium-uiautomator2-server "+version+" on the phone.")
	return nil
}

// start runs the agent's instrumentation, twice where another user of UiAutomation may have been in its way.
func (a *Agent) start(ctx context.Context) (version string, err error) {
	clear := restore.StopAgent
	for try := range 2 {
		if _, err := a.Phone.Run(ctx, adb.Command{Name: "stop the agent", Line: clear}); err != nil {
			return "", err
		}
		if version, err = a.startOnce(ctx); err == nil || ctx.Err() != nil || errors.Is(err, drivers.ErrDeviceLost) {
			return version, err
		}
		a.Shell.end()
		if try > 0 || strings.Contains(err.Error(), signedApart) {
			break
		}
		a.Shell.plain = strings.Contains(err.Error(), "Unknown option")
		clear = "pkill -9 -x uiautomator; " + clear
		pause := agentRivalPause
		if !Answered(err, "session not created") {
			pause = agentStartPoll
		}
		if err := drivers.Pause(ctx, pause); err != nil {
			return "", a.Phone.Link.Fault(ctx, "start the agent", err)
		}
	}
	return "", err
}

// startOnce starts the agent, waits until it reports that it is ready, and makes sure that it is.
func (a *Agent) startOnce(ctx context.Context) (string, error) {
	a.setSession("")
	if err := a.Shell.start(ctx); err != nil {
		return "", err
	}
	version, err := a.Shell.awaitStatus(ctx)
	if err != nil {
		return "", err
	}
	return version, a.open(ctx)
}

func (a *Agent) setSession(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.session = id
}

// open starts a session with settings of ours, reads back those that matter, and looks at the screen.
func (a *Agent) open(ctx context.Context) error {
	settings := map[string]any{
		"waitForIdleTimeout": 0, "waitForSelectorTimeout": 0, "enableMultiWindows": true, "snapshotMaxDepth": a.Depth,
		"shutdownOnPowerDisconnect": false, "wakeLockTimeout": 0,
	}
	made := ""
	body := map[string]any{"capabilities": map[string]any{"firstMatch": []any{settings}, "alwaysMatch": map[string]any{}}}
	if err := Send(ctx, a.Phone.Link, Request{Method: "POST", Path: "/session", Body: body, limit: touchLimit,
		session: &made}, nil); err != nil {
		return err
	}
	if made == "" {
		return fmt.Errorf("device %s: the agent returned no session id", a.Phone.Link.Serial)
	}
	a.setSession(made)
	if err := a.keeps(ctx, map[string]any{"waitForIdleTimeout": 0.0, "enableMultiWindows": true,
		"snapshotMaxDepth": float64(a.Depth)}); err != nil {
		return err
	}
	return a.health(ctx)
}

// keeps reads settings back: what the agent does not know or finds out of range it passes over in silence.
func (a *Agent) keeps(ctx context.Context, settings map[string]any) error {
	var kept map[string]any
	if err := a.ask(ctx, Request{Method: "GET", Path: "appium/settings"}, &kept); err != nil {
		return err
	}
	for name, want := range settings {
		if kept[name] != want {
			return fmt.Errorf("device %s: the agent does not keep the setting %s: %v instead of %v", a.Phone.Link.Serial, name,
				kept[name], want)
		}
	}
	return nil
}
