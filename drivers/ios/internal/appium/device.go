package appium

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/native"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/alert"
	"github.com/taproot-dev/taproot/drivers/ios/internal/apps"
	"github.com/taproot-dev/taproot/drivers/ios/internal/capture"
	"github.com/taproot-dev/taproot/drivers/ios/internal/geometry"
	"github.com/taproot-dev/taproot/drivers/ios/internal/keyboard"
	"github.com/taproot-dev/taproot/drivers/ios/internal/settings"
	"github.com/taproot-dev/taproot/drivers/ios/internal/touch"
	"github.com/taproot-dev/taproot/drivers/ios/internal/view"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/drivers/ios/internal/webview"
)

// restoreLimit is how long all settings may take to be restored.
const restoreLimit = 30 * time.Second

// Device is an iPhone behind an Appium server, opened for one test. Its parts are those of an iPhone that is reached by
// its WebDriverAgent.
type Device struct {
	*apps.Apps
	*alert.Alerts
	*alert.Links
	*touch.Fingers
	*keyboard.Keyboard
	*settings.Settings
	*capture.Camera
	*native.Recorder

	info   drivers.Info
	agent  *Agent
	link   *wda.Link
	host   *Host
	reader *view.Reader
	web    *webview.Views
	watch  *apps.Watch
}

var (
	_ drivers.Adjuster       = (*Device)(nil)
	_ drivers.AheadOfScreen  = (*Device)(nil)
	_ drivers.Aimer          = (*Device)(nil)
	_ drivers.Alerter        = (*Device)(nil)
	_ drivers.AppManager     = (*Device)(nil)
	_ drivers.CloudSession   = (*Device)(nil)
	_ drivers.CrashHinter    = (*Device)(nil)
	_ drivers.CrashWatcher   = (*Device)(nil)
	_ drivers.Device         = (*Device)(nil)
	_ drivers.Editor         = (*Device)(nil)
	_ drivers.Gestures       = (*Device)(nil)
	_ drivers.Keyboard       = (*Device)(nil)
	_ drivers.KeyboardHider  = (*Device)(nil)
	_ drivers.Keys           = (*Device)(nil)
	_ drivers.LocationSetter = (*Device)(nil)
	_ drivers.MediaAdder     = (*Device)(nil)
	_ drivers.PartReader     = (*Device)(nil)
	_ drivers.Pincher        = (*Device)(nil)
	_ drivers.Pusher         = (*Device)(nil)
	_ drivers.Recorder       = (*Device)(nil)
	_ drivers.System         = (*Device)(nil)
	_ drivers.TreeSource     = (*Device)(nil)
	_ drivers.Warner         = (*Device)(nil)
	_ drivers.WebViewReader  = (*Device)(nil)
	_ native.Phone           = (*Device)(nil)
)

// Open uses a session, of a server at a URL, for one test. The phone is unlocked, and its size is read.
func Open(ctx context.Context, s *native.Session, info drivers.Info, url string) (*Device, error) {
	d := assemble(s, info, url)
	if err := d.link.Wake(ctx); err != nil {
		return nil, err
	}
	img, err := d.Screenshot(ctx)
	if err != nil {
		return nil, err
	}
	d.info.Width, d.info.Height = img.Bounds().Dx(), img.Bounds().Dy()
	return d, nil
}

// assemble makes the parts, from the bottom up: each knows those before it.
func assemble(s *native.Session, info drivers.Info, url string) *Device {
	granted := s.Granted()
	info.State, info.Manufacturer = drivers.Ready, "Apple"
	if model := granted.Text("deviceName"); model != "" {
		info.Model = model
	}
	info.OSVersion = granted.Text("platformVersion", "sdkVersion")
	d := &Device{info: info, agent: NewAgent(s), Recorder: &native.Recorder{Session: s,
		Options: map[string]any{"videoType": "libx264", "pixelFormat": "yuv420p"}}}
	l := &wda.Link{Agent: d.agent, ID: info.ID, Life: s.Life, Log: slog.New(slog.DiscardHandler)}
	d.link, d.host = l, NewHost(d.agent, url)
	g := &geometry.Screen{ID: info.ID}
	d.web = webview.Of(l, &contexts{Session: s})
	d.watch = apps.NewWatch(l, nil, false, "")
	d.Camera = capture.NewCamera(l, d.host, g)
	d.Apps = apps.New(l, d.host, d.web, d.watch)
	d.reader = view.New(l, g, d.web, d.watch)
	d.agent.inPage = func() bool { return pageHasFocus(d.reader.Last()) }
	d.Alerts = alert.New(l, d.reader)
	d.Fingers = touch.New(touch.Parts{Link: l, Geometry: g, Reader: d.reader, Camera: d.Camera, Alerts: d.Alerts,
		Web: d.web})
	d.Links = alert.NewLinks(alert.LinkParts{Link: l, Host: d.host, Apps: d.Apps, Watch: d.watch, Alerts: d.Alerts})
	d.Keyboard = keyboard.New(l, d.reader, d.Fingers)
	d.Settings = settings.New(l, d.host, settings.Options{Version: info.OSVersion, Forgets: true})
	return d
}

// Info is the record made when the device was opened.
func (d *Device) Info() drivers.Info { return d.info }

// Tree reads the source of the foreground app, the alert of the system over it, the status bar and pages in WebViews.
func (d *Device) Tree(ctx context.Context) (*screen.Tree, error) { return d.reader.Tree(ctx) }

// TreeAheadOfScreen is true: UIKit moves a view's frame at once to where its animation ends.
func (d *Device) TreeAheadOfScreen() bool { return true }

// TreeReadBy says what reads the screen.
func (d *Device) TreeReadBy() string {
	return "The screen was read by the Appium server of the remote " + d.agent.Remote + "."
}

// ReadParts names the parts of texts of which the elements of pages in WebViews need the places.
func (d *Device) ReadParts(parts ...screen.TextPart) { d.web.ReadParts(parts...) }

// ReadWebViews chooses the source of the pages in WebViews.
func (d *Device) ReadWebViews(how string) error { return d.web.ReadWebViews(how) }

// Crashed reports whether the app that was launched last has died.
func (d *Device) Crashed(ctx context.Context) (*drivers.Crash, error) { return d.watch.Crashed(ctx) }

// CrashSuspected reports whether the newest tree is not one of the app that was launched last: its state is requested
// then, and at the end of the test.
func (d *Device) CrashSuspected() bool {
	app := d.watch.Bundle()
	return app != "" && d.reader.Last() != nil && d.reader.App() != app
}

// TakeWarnings returns what came up since the last call.
func (d *Device) TakeWarnings() []string { return d.agent.TakeWarnings() }

// SessionURL is the page of the session at the cloud.
func (d *Device) SessionURL() string { return d.agent.SessionURL() }

// ReportResult sends the cloud the result of the test.
func (d *Device) ReportResult(ctx context.Context, passed bool, reason string) error {
	return d.agent.ReportResult(ctx, passed, reason)
}

// CheckActions returns an error that names what the server lacks for one of the actions of a test.
func (d *Device) CheckActions(ctx context.Context, names []string) error {
	return d.host.CheckActions(ctx, names)
}

// Close restores what was changed, and releases the session.
func (d *Device) Close() error {
	if d.agent.Life.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), restoreLimit)
	defer cancel()
	err := d.Restore(ctx)
	if err == nil {
		err = d.agent.ReadApp(ctx, "")
	}
	if !d.agent.Life.End() {
		return nil
	}
	if err != nil {
		d.agent.Spoil()
	}
	if errors.Is(err, drivers.ErrDeviceLost) {
		err = nil // it cannot be restored now; the session is ended
	}
	return errors.Join(err, d.agent.Leave())
}

// End restores what was changed, and ends the session.
func (d *Device) End() error {
	d.agent.Spoil()
	return d.Close()
}
