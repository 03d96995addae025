package android

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const closeLimit = 8 * time.Second

// Device is one phone, opened for one test. Its parts know the phone and each other, and not the device.
type Device struct {
	phone *phone
	debts *debts
	agent *agentAccess

	*ui
	*keyboard
	*agentInstaller
	*installer
	*apps
	*watcher
	*camera
	*caster
	*recorder
	*system
	*emulator
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

func open(ctx context.Context, l *link, log *slog.Logger, notes string, agent agentOptions) (*Device, error) {
	if err := l.reach(ctx); err != nil {
		return nil, err
	}
	p, err := newPhone(ctx, l, log)
	if err != nil {
		return nil, err
	}
	d := assemble(p, notes, agent)
	if err := d.prepare(ctx); err != nil {
		p.life.End()
		return nil, err
	}
	d.debts.restoreLeftovers(ctx)
	if err := d.agent.choose(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// assemble makes the parts of a device.
func assemble(p *phone, notes string, agent agentOptions) *Device {
	owed, app := &debts{phone: p, notes: notes}, &launchedApp{}
	input := &injector{phone: p, debts: owed}
	pm, shots, install := &packages{phone: p}, &camera{phone: p}, &installer{phone: p}
	agentFiles, keys := &agentInstaller{phone: p, apps: install, files: agent}, &keyboard{phone: p, input: input}
	access := &agentAccess{phone: p, input: input, debts: owed, installer: agentFiles, shell: &agentShell{phone: p},
		depth: agentDepth}
	return &Device{
		phone: p, debts: owed, agent: access,
		ui: &ui{phone: p, camera: shots, input: input, keyboard: keys, dumper: &dumper{phone: p},
			webViews: &webViews{phone: p}, agent: access},
		keyboard: keys, agentInstaller: agentFiles, installer: install,
		apps:    &apps{phone: p, packages: pm, app: app},
		watcher: &watcher{phone: p, app: app},
		camera:  shots, caster: &caster{phone: p, camera: shots, agent: access},
		recorder: &recorder{phone: p, camera: shots, segment: segmentSeconds, probe: recordingProbe},
		system:   &system{phone: p, debts: owed, packages: pm},
		emulator: &emulator{phone: p},
	}
}

// prepare clears away what killed sessions left (with the lease no other process works on this phone), wakes the
// display and takes a lock without a secret away.
func (d *Device) prepare(ctx context.Context) error {
	var clear sync.WaitGroup
	clear.Go(func() { d.phone.clearLeftovers(ctx) })
	locked := d.ui.input.unlock(ctx)
	clear.Wait()
	if ctx.Err() != nil {
		return d.phone.link.fault(ctx, "open", ctx.Err())
	}
	state, err := d.phone.link.state(ctx)
	switch {
	case err != nil:
		return err
	case state != drivers.Ready:
		return d.phone.link.notReady(state)
	}
	return locked
}

// Info is the record made when the device was opened.
func (d *Device) Info() drivers.Info { return d.phone.info }

// TakeWarnings returns what the phone refused since the last call.
func (d *Device) TakeWarnings() []string { return d.phone.takeWarnings() }

// DisplayOn is the error about a display that is off, which takes no touches: the agent may see its elements all
// the same.
func (d *Device) DisplayOn(ctx context.Context) error { return d.phone.displayOn(ctx) }

// Close ends the logs and recordings that still run, takes our files off the device and restores what was changed on
// it. A device that is lost cannot be cleaned now; that is not an error, and what it has to get back is noted for the
// next Open.
func (d *Device) Close() error {
	if d.phone.life.Err() == nil {
		farewell, done := context.WithTimeout(context.Background(), agentFarewell)
		d.agent.leave(farewell)
		done()
	}
	if !d.phone.life.End() {
		return nil
	}
	d.webViews.close()

	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	var err error
	if line := d.phone.cleaning(); line != "" {
		_, err = d.phone.link.run(ctx, command{name: "clean up", line: line, limit: closeLimit})
	}
	if d.debts.indebted() {
		err = errors.Join(err, d.debts.restore(ctx))
	}
	if errors.Is(err, drivers.ErrDeviceLost) {
		d.phone.log.Warn("device lost before it was cleaned", "error", err)
		return nil
	}
	return err
}
