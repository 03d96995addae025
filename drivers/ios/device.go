package ios

import (
	"context"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// closeLimit bounds what Close does on the device.
const closeLimit = 10 * time.Second

// Device is one simulator or iPhone, opened for one test.
type Device struct {
	wda   *wda
	host  host
	tools tools
	info  drivers.Info
	log   *slog.Logger
	home  string
	film  string // address of WebDriverAgent's stream
	notes string
	life  *drivers.Lifetime // its goroutines are those of logs and recordings
	web   webViews

	taken drivers.ImageCache // the newest screenshot

	mu      sync.Mutex
	shot    image.Point   // size of the last screenshot, which is the measure of everything
	scale   float64       // pixels of a point
	wide    bool          // the application lay on its side when it was seen last
	told    bool          // WebDriverAgent returns traits
	corner  image.Point   // of the foreground app, in points
	tree    *screen.Tree  // that was read last
	bar     statusBar     // that was there last
	aimed   *screen.Node  // what the next touch is meant for
	standIn []buttonPlace // for the buttons of an alert with unreadable elements
	debts   restoreState
	app     watched           // the app that was launched last
	locales map[string]string // of apps
	known   []string          // the reports of crashes that were copied from an iPhone
}

var (
	_ drivers.Device          = (*Device)(nil)
	_ drivers.AppManager      = (*Device)(nil)
	_ drivers.Gestures        = (*Device)(nil)
	_ drivers.Keys            = (*Device)(nil)
	_ drivers.Editor          = (*Device)(nil)
	_ drivers.KeyboardHider   = (*Device)(nil)
	_ drivers.Keyboard        = (*Device)(nil)
	_ drivers.System          = (*Device)(nil)
	_ drivers.Recorder        = (*Device)(nil)
	_ drivers.Logger          = (*Device)(nil)
	_ drivers.CrashWatcher    = (*Device)(nil)
	_ drivers.LocationSetter  = (*Device)(nil)
	_ drivers.MediaAdder      = (*Device)(nil)
	_ drivers.Pincher         = (*Device)(nil)
	_ drivers.Alerter         = (*Device)(nil)
	_ drivers.AheadOfScreen   = (*Device)(nil)
	_ drivers.QuickTreeReader = (*Device)(nil)

	_ drivers.Pusher          = (*Device)(nil)
	_ drivers.StatusBarSetter = (*Device)(nil)
)

func (d *Driver) newDevice(ctx context.Context, f found, w *wda, film string) (*Device, error) {
	dev := &Device{wda: w, host: d.host(f, w), tools: d.tools, info: f.info, log: d.log.With("device", f.info.ID),
		home: d.home, film: film, notes: d.notes,
		life: drivers.NewLifetime(), locales: map[string]string{}}
	err := dev.wake(ctx)
	var img image.Image
	if err == nil {
		img, err = dev.Screenshot(ctx)
	}
	if err != nil {
		dev.life.End()
		return nil, err
	}
	w.renewed = dev.sessionRenewed
	dev.info.Width, dev.info.Height = img.Bounds().Dx(), img.Bounds().Dy()
	dev.restoreLeftovers(ctx)
	return dev, nil
}

// wake unlocks a screen that is locked. No program enters a passcode.
func (d *Device) wake(ctx context.Context) error {
	locked, err := d.locked(ctx)
	if err != nil || !locked {
		return err
	}
	if err := d.do(ctx, post("unlocking", "/wda/unlock", nil), nil); err != nil {
		return err
	}
	if locked, err = d.locked(ctx); err == nil && locked {
		err = fmt.Errorf("%w: device %s is locked: enter its passcode, and set Auto-Lock to Never", drivers.ErrDeviceLost,
			d.info.ID)
	}
	return err
}

func (d *Device) locked(ctx context.Context) (locked bool, err error) {
	err = d.do(ctx, get("the lock", "/wda/locked"), &locked)
	return locked, unlessUnknown(err)
}

// sessionRenewed looks whether the app of the test outlived the session of another client that took the place of ours,
// and was ended for a new one: WebDriverAgent ends the app of such a session with it. That is not a crash.
func (d *Device) sessionRenewed(ctx context.Context) error {
	d.mu.Lock()
	app := d.app
	d.mu.Unlock()
	if app.bundle == "" {
		return nil
	}
	var state int
	ask := post("the state of "+app.bundle, d.wda.path("/wda/apps/state"), map[string]any{"bundleId": app.bundle})
	if err := d.wda.call(ctx, ask, &state); err != nil || state != runsNot || findReport(d.reports(), app, "") != nil {
		return err
	}
	d.unwatch(app.bundle)
	return fmt.Errorf(
		"%w: device %s: %s does not run any more: another client has used this WebDriverAgent meanwhile, and the app of "+
			"its session is ended with that",
		drivers.ErrDeviceLost, d.info.ID, app.bundle)
}

// Info is the record made when the device was opened.
func (d *Device) Info() drivers.Info { return d.info }

// do makes a call in the session, unless the device is closed.
func (d *Device) do(ctx context.Context, r request, to any) error {
	ctx, cancel := drivers.Bound(ctx, d.life)
	defer cancel()
	return d.wda.in(ctx, r, to)
}

// alone makes a call that WebDriverAgent has outside of sessions only.
func (d *Device) alone(ctx context.Context, r request) error {
	ctx, cancel := drivers.Bound(ctx, d.life)
	defer cancel()
	return d.wda.call(ctx, r, nil)
}

// with returns a context for the host's programs, which ends with the device.
func (d *Device) with(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := drivers.Bound(ctx, d.life)
	defer cancel()
	if err := do(ctx); err != nil {
		return fmt.Errorf("device %s: %w", d.info.ID, err)
	}
	return nil
}

// Close ends the logs and recordings that still run, and restores what was changed on the device. A device that is lost
// cannot be given anything now; that is not an error, and what it has to get back is noted for the next Open.
func (d *Device) Close() error {
	if !d.life.End() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	d.closeWebViews()
	err := errors.Join(d.restore(ctx), d.wda.end(ctx))
	if errors.Is(err, drivers.ErrDeviceLost) {
		d.log.Warn("device lost before its settings were restored", "error", err)
		return nil
	}
	return err
}

// unsupported says what this device cannot do, and why.
func (d *Device) unsupported(why string) error {
	return fmt.Errorf("device %s: %w: %s", d.info.ID, drivers.ErrUnsupported, why)
}
