package ios

import (
	"context"
	"errors"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/alert"
	"github.com/taproot-dev/taproot/drivers/ios/internal/apps"
	"github.com/taproot-dev/taproot/drivers/ios/internal/capture"
	"github.com/taproot-dev/taproot/drivers/ios/internal/geometry"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/keyboard"
	"github.com/taproot-dev/taproot/drivers/ios/internal/settings"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/touch"
	"github.com/taproot-dev/taproot/drivers/ios/internal/view"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/drivers/ios/internal/webview"
)

// closeLimit bounds what Close does on the device.
const closeLimit = 10 * time.Second

// device is one simulator or iPhone, opened for one test. It is made of parts, each with a state and methods of its
// own; those that the contract of drivers has are its own.
type device struct {
	*apps.Apps
	*alert.Alerts
	*alert.Links
	*touch.Fingers
	*keyboard.Keyboard
	*settings.Settings
	*capture.Camera
	*capture.Recorder

	info   drivers.Info
	link   *wda.Link
	reader *view.Reader
	web    *webview.Views
	watch  *apps.Watch
}

var (
	_ drivers.Device          = (*device)(nil)
	_ drivers.AppManager      = (*device)(nil)
	_ drivers.Gestures        = (*device)(nil)
	_ drivers.Keys            = (*device)(nil)
	_ drivers.Editor          = (*device)(nil)
	_ drivers.KeyboardHider   = (*device)(nil)
	_ drivers.Keyboard        = (*device)(nil)
	_ drivers.System          = (*device)(nil)
	_ drivers.Recorder        = (*device)(nil)
	_ drivers.Logger          = (*device)(nil)
	_ drivers.CrashWatcher    = (*device)(nil)
	_ drivers.LocationSetter  = (*device)(nil)
	_ drivers.MediaAdder      = (*device)(nil)
	_ drivers.Pincher         = (*device)(nil)
	_ drivers.Aimer           = (*device)(nil)
	_ drivers.Adjuster        = (*device)(nil)
	_ drivers.Alerter         = (*device)(nil)
	_ drivers.AheadOfScreen   = (*device)(nil)
	_ drivers.QuickTreeReader = (*device)(nil)
	_ drivers.Warner          = (*device)(nil)
	_ drivers.WebViewReader   = (*device)(nil)
	_ drivers.PartReader      = (*device)(nil)
	_ drivers.Screencaster    = (*device)(nil)

	_ drivers.Pusher          = (*device)(nil)
	_ drivers.StatusBarSetter = (*device)(nil)
)

// newDevice prepares a device after its WebDriverAgent has made a session: its screen is unlocked, its size is known,
// and what an earlier session changed on it is restored.
func (d *Driver) newDevice(ctx context.Context, f host.Found, w *wda.Client, film string) (*device, error) {
	dev := d.assemble(f, w, film)
	err := dev.link.Wake(ctx)
	var img image.Image
	if err == nil {
		img, err = dev.Screenshot(ctx)
	}
	if err != nil {
		dev.link.Life.End()
		return nil, err
	}
	w.Renewed = func(ctx context.Context) error { return dev.watch.SessionRenewed(ctx, w) }
	dev.info.Width, dev.info.Height = img.Bounds().Dx(), img.Bounds().Dy()
	dev.RestoreLeftovers(ctx)
	return dev, nil
}

// assemble makes the parts, from the bottom up: each knows those before it.
func (d *Driver) assemble(f host.Found, w *wda.Client, film string) *device {
	log := d.log.With("device", f.Info.ID)
	l := &wda.Link{Agent: w, ID: f.Info.ID, Life: drivers.NewLifetime(), Log: log}
	h := host.New(d.tools, f, w)
	g := &geometry.Screen{ID: f.Info.ID}
	web := webview.New(l, h)
	watch := apps.NewWatch(l, d.tools.Reports(h), f.Info.Emulator, d.home)
	camera := capture.NewCamera(l, h, g)
	apps := apps.New(l, h, web, watch)
	reader := view.New(l, g, web, watch)
	alerts := alert.New(l, reader)
	fingers := touch.New(touch.Parts{Link: l, Geometry: g, Reader: reader, Camera: camera, Alerts: alerts, Web: web})
	links := alert.NewLinks(alert.LinkParts{Link: l, Host: h, Apps: apps, Watch: watch, Alerts: alerts})
	return &device{Apps: apps, Alerts: alerts, Links: links, Fingers: fingers,
		Keyboard: keyboard.New(l, reader, fingers),
		Settings: settings.New(
			l,
			h,
			settings.Options{Mux: d.tools.Locator(f.Info.ID), Version: f.Info.OSVersion, Notes: d.notes},
		), Camera: camera,
		Recorder: capture.NewRecorder(l, h, g, capture.Stream{URL: film, HTTP: w.HTTP}), info: f.Info, link: l,
		reader: reader, web: web, watch: watch}
}

// ReadSource makes a tree of what WebDriverAgent returns for GET /source: its XML, alone, in its JSON response, or in
// Appium's <AppiumAUT>, or its JSON (?format=json). It counts in points; pixels is the size of the screenshot that
// belongs to it; the tree is converted to its pixels. Without one, a point counts as a pixel. A source that is cut off
// is an error: what is missing in half a tree proves nothing.
func ReadSource(data []byte, pixels image.Point, taken time.Time) (*screen.Tree, error) {
	return source.ReadTree(data, pixels, taken)
}

// Info is the record made when the device was opened.
func (d *device) Info() drivers.Info { return d.info }

// TakeWarnings returns what came up since the last call.
func (d *device) TakeWarnings() []string { return d.web.TakeWarnings() }

// Close ends the logs and recordings that still run, and restores what was changed on the device. A device that is lost
// cannot be given anything now; that is not an error, and what it has to get back is noted for the next Open.
func (d *device) Close() error {
	if !d.link.Life.End() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	d.web.Close()
	err := errors.Join(d.Restore(ctx), d.link.Agent.End(ctx))
	if errors.Is(err, drivers.ErrDeviceLost) {
		d.link.Log.Warn("device lost before its settings were restored", "error", err)
		return nil
	}
	return err
}

// Tree reads the source of the foreground app, the alert of the system over it, the status bar and pages in WebViews.
func (d *device) Tree(ctx context.Context) (*screen.Tree, error) { return d.reader.Tree(ctx) }

// QuickTree is Tree without distinguishing what is hidden from what is seen.
func (d *device) QuickTree(ctx context.Context) (*screen.Tree, error) { return d.reader.QuickTree(ctx) }

// TreeAheadOfScreen is true: UIKit moves a view's frame at once to where its animation ends.
func (d *device) TreeAheadOfScreen() bool { return true }

// ReadParts names the parts of texts of which the elements of pages in WebViews need the places.
func (d *device) ReadParts(parts ...screen.TextPart) { d.web.ReadParts(parts...) }

// ReadWebViews chooses the source of the pages in WebViews.
func (d *device) ReadWebViews(how string) error { return d.web.ReadWebViews(how) }

// Crashed reports whether the app that was launched last has died.
func (d *device) Crashed(ctx context.Context) (*drivers.Crash, error) { return d.watch.Crashed(ctx) }
