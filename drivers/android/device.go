package android

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/android/internal/apps"
	"github.com/taproot-dev/taproot/drivers/android/internal/capture"
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
	"github.com/taproot-dev/taproot/drivers/android/internal/system"
	"github.com/taproot-dev/taproot/drivers/android/internal/ui"
	"github.com/taproot-dev/taproot/drivers/android/internal/watch"
	"github.com/taproot-dev/taproot/drivers/android/internal/webview"
)

const closeLimit = 8 * time.Second

// Device is one phone, opened for one test. Its parts know the phone and each other, and not the device.
type Device struct {
	phone *phone.Phone
	debts *restore.Debts
	agent *agent.Agent

	*ui.Screen
	*ui.Dialogs
	*input.Keyboard
	*agent.Setup
	*apps.Installer
	*apps.Apps
	*watch.Watcher
	*capture.Camera
	*capture.Caster
	*capture.Recorder
	*system.System
	*system.Emulator
}

var (
	_ drivers.Alerter          = (*Device)(nil)
	_ drivers.AnimationControl = (*Device)(nil)
	_ drivers.AppManager       = (*Device)(nil)
	_ drivers.Apps             = (*Device)(nil)
	_ drivers.Biometrics       = (*Device)(nil)
	_ drivers.CrashHinter      = (*Device)(nil)
	_ drivers.CrashWatcher     = (*Device)(nil)
	_ drivers.Device           = (*Device)(nil)
	_ drivers.DisplayReporter  = (*Device)(nil)
	_ drivers.ExactAimer       = (*Device)(nil)
	_ drivers.FilePuller       = (*Device)(nil)
	_ drivers.Identifier       = (*Device)(nil)
	_ drivers.Keyboard         = (*Device)(nil)
	_ drivers.KeyboardArea     = (*Device)(nil)
	_ drivers.LocationSetter   = (*Device)(nil)
	_ drivers.LogKeeper        = (*Device)(nil)
	_ drivers.Logger           = (*Device)(nil)
	_ drivers.MediaAdder       = (*Device)(nil)
	_ drivers.Meter            = (*Device)(nil)
	_ drivers.ObstacleReporter = (*Device)(nil)
	_ drivers.PartReader       = (*Device)(nil)
	_ drivers.Pincher          = (*Device)(nil)
	_ drivers.Pixels           = (*Device)(nil)
	_ drivers.Protector        = (*Device)(nil)
	_ drivers.Recorder         = (*Device)(nil)
	_ drivers.Screencaster     = (*Device)(nil)
	_ drivers.Shaker           = (*Device)(nil)
	_ drivers.System           = (*Device)(nil)
	_ drivers.Warner           = (*Device)(nil)
	_ drivers.WebViewReader    = (*Device)(nil)
)

func open(ctx context.Context, l *adb.Link, log *slog.Logger, notes string, from agent.Options) (*Device, error) {
	if err := l.Reach(ctx); err != nil {
		return nil, err
	}
	p, err := phone.Open(ctx, l, log)
	if err != nil {
		return nil, err
	}
	d := assemble(p, notes, from)
	if err := d.prepare(ctx); err != nil {
		p.Life.End()
		return nil, err
	}
	d.debts.Leftovers(ctx)
	if err := d.agent.Choose(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// assemble makes the parts of a device.
func assemble(p *phone.Phone, notes string, from agent.Options) *Device {
	owed, app := &restore.Debts{Phone: p, Notes: notes}, &watch.App{}
	touches := &input.Injector{Phone: p, Debts: owed}
	pm, shots, install := &apps.Packages{Phone: p}, &capture.Camera{Phone: p}, &apps.Installer{Phone: p}
	agentFiles, keys := &agent.Setup{Phone: p, Apps: install, Files: from}, &input.Keyboard{Phone: p, Input: touches}
	access := &agent.Agent{Phone: p, Input: touches, Debts: owed, Installer: agentFiles, Shell: &agent.Shell{Phone: p},
		Depth: agent.FirstDepth}
	glass := &ui.Screen{Phone: p, Camera: shots, Input: touches, Keyboard: keys, Dumper: &dump.Reader{Phone: p},
		WebViews: webview.OfPhone(p), Agent: access}
	return &Device{
		phone: p, debts: owed, agent: access, Screen: glass, Dialogs: ui.DialogsOn(glass),
		Keyboard: keys, Setup: agentFiles, Installer: install,
		Apps:    &apps.Apps{Phone: p, Packages: pm, App: app},
		Watcher: &watch.Watcher{Phone: p, App: app},
		Camera:  shots, Caster: &capture.Caster{Phone: p, Camera: shots, Agent: access},
		Recorder: &capture.Recorder{Phone: p, Camera: shots, Segment: capture.SegmentSeconds, Probe: capture.Probe},
		System:   &system.System{Phone: p, Debts: owed, Packages: pm},
		Emulator: &system.Emulator{Phone: p},
	}
}

// prepare clears away what killed sessions left (with the lease no other process works on this phone), wakes the
// display and takes a lock without a secret away.
func (d *Device) prepare(ctx context.Context) error {
	var clear sync.WaitGroup
	clear.Go(func() { d.phone.ClearLeftovers(ctx) })
	locked := d.Screen.Input.Unlock(ctx)
	clear.Wait()
	if ctx.Err() != nil {
		return d.phone.Link.Fault(ctx, "open", ctx.Err())
	}
	state, err := d.phone.Link.State(ctx)
	switch {
	case err != nil:
		return err
	case state != drivers.Ready:
		return d.phone.Link.NotReady(state)
	}
	return locked
}

// Info is the record made when the device was opened.
func (d *Device) Info() drivers.Info { return d.phone.Info }

// TakeWarnings returns what the phone refused since the last call.
func (d *Device) TakeWarnings() []string { return d.phone.TakeWarnings() }

// DisplayOn is the error about a display that is off, which takes no touches: the agent may see its elements all
// the same.
func (d *Device) DisplayOn(ctx context.Context) error { return d.phone.DisplayOn(ctx) }

// Close ends the logs and recordings that still run, takes our files off the device and restores what was changed on
// it. A device that is lost cannot be cleaned now; that is not an error, and what it has to get back is noted for the
// next Open.
func (d *Device) Close() error {
	if d.phone.Life.Err() == nil {
		farewell, done := context.WithTimeout(context.Background(), agent.Farewell)
		d.agent.Leave(farewell)
		done()
	}
	if !d.phone.Life.End() {
		return nil
	}
	d.WebViews.Close()

	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	var err error
	if line := d.phone.Cleaning(); line != "" {
		_, err = d.phone.Link.Run(ctx, adb.Command{Name: "clean up", Line: line, Limit: closeLimit})
	}
	if d.debts.Indebted() {
		err = errors.Join(err, d.debts.Restore(ctx))
	}
	if errors.Is(err, drivers.ErrDeviceLost) {
		d.phone.Log.Warn("device lost before it was cleaned", "error", err)
		return nil
	}
	return err
}
