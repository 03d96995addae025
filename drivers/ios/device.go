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

// Device is one simulator or iPhone, opened for one test. It is made of parts, each with a state and methods of its
// own; those that the contract of drivers has are its own.
type Device struct {
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
	_ drivers.Aimer           = (*Device)(nil)
	_ drivers.Adjuster        = (*Device)(nil)
	_ drivers.Alerter         = (*Device)(nil)
	_ drivers.AheadOfScreen   = (*Device)(nil)
	_ drivers.QuickTreeReader = (*Device)(nil)
	_ drivers.WebViewReader   = (*Device)(nil)
	_ drivers.PartReader      = (*Device)(nil)
	_ drivers.Screencaster    = (*Device)(nil)

	_ drivers.Pusher          = (*Device)(nil)
	_ drivers.StatusBarSetter = (*Device)(nil)
)

// newDevice prepares a device after its WebDriverAgent has made a session: its screen is unlocked, its size is known,
// and what an earlier session changed on it is restored.
func (d *Driver) newDevice(ctx context.Context, f host.Found, w *wda.Client, film string) (*Device, error) {
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
	w.Renewed = dev.watch.SessionRenewed
	dev.info.Width, dev.info.Height = img.Bounds().Dx(), img.Bounds().Dy()
	dev.RestoreLeftovers(ctx)
	return dev, nil
}

// assemble makes the parts, from the bottom up: each knows those before it.
func (d *Driver) assemble(f host.Found, w *wda.Client, film string) *Device {
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
	return &Device{Apps: apps, Alerts: alerts, Links: links, Fingers: fingers,
		Keyboard: keyboard.New(l, reader, fingers),
		Settings: settings.New(
			l,
			h,
			settings.Options{Mux: d.tools.Locator(f.Info.ID), Version: f.Info.OSVersion, Notes: d.notes},
		), Camera: camera,
		Recorder: capture.NewRecorder(l, h, g, film), info: f.Info, link: l, reader: reader, web: web, watch: watch}
}

// ReadSource makes a tree of what WebDriverAgent returns for GET /source: its XML, alone, in its JSON response, or in
// Appium's <AppiumAUT>, or its JSON (?format=json). It counts in points; pixels is the size of the screenshot that
// belongs to it; the tree is converted to its pixels. Without one, a point counts as a pixel. A source that is cut off
// is an error: what is missing in half a tree proves nothing.
func ReadSource(data []byte, pixels image.Point, taken time.Time) (*screen.Tree, error) {
	return source.ReadTree(data, pixels, taken)
}

// Info is the record made when the device was opened.
func (d *Device) Info() drivers.Info { return d.info }

// Close ends the logs and recordings that still run, and restores what was changed on the device. A device that is lost
// cannot be given anything now; that is not an error, and what it has to get back is noted for the next Open.
func (d *Device) Close() error {
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
func (d *Device) Tree(ctx context.Context) (*screen.Tree, error) { return d.reader.Tree(ctx) }

// QuickTree is Tree without distinguishing what is hidden from what is seen.
func (d *Device) QuickTree(ctx context.Context) (*screen.Tree, error) { return d.reader.QuickTree(ctx) }

// TreeAheadOfScreen is true: UIKit moves a view's frame at once to where its animation ends.
func (d *Device) TreeAheadOfScreen() bool { return true }

// ReadParts names the parts of texts of which the elements of pages in WebViews need the places.
func (d *Device) ReadParts(parts ...screen.TextPart) { d.web.ReadParts(parts...) }

// ReadWebViews chooses the source of the pages in WebViews.
func (d *Device) ReadWebViews(how string) error { return d.web.ReadWebViews(how) }

// Crashed reports whether the app that was launched last has died.
func (d *Device) Crashed(ctx context.Context) (*drivers.Crash, error) { return d.watch.Crashed(ctx) }
