package appium

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/ui"
	"github.com/taproot-dev/taproot/drivers/internal/native"
)

// restoreLimit is how long all settings may take to be restored.
const restoreLimit = 30 * time.Second

// Device is a phone behind an Appium server, opened for one test.
type Device struct {
	session *Session
	info    drivers.Info

	*Screen
	*ui.Dialogs
	*Apps
	*Log
	*System
	*Files
	*native.Recorder
}

var (
	_ drivers.Aimer            = (*Device)(nil)
	_ drivers.Alerter          = (*Device)(nil)
	_ drivers.AppManager       = (*Device)(nil)
	_ drivers.Apps             = (*Device)(nil)
	_ drivers.Biometrics       = (*Device)(nil)
	_ drivers.CloudSession     = (*Device)(nil)
	_ drivers.CrashHinter      = (*Device)(nil)
	_ drivers.CrashWatcher     = (*Device)(nil)
	_ drivers.Device           = (*Device)(nil)
	_ drivers.DisplayReporter  = (*Device)(nil)
	_ drivers.Editor           = (*Device)(nil)
	_ drivers.FilePuller       = (*Device)(nil)
	_ drivers.FullTreeReader   = (*Device)(nil)
	_ drivers.Gestures         = (*Device)(nil)
	_ drivers.Identifier       = (*Device)(nil)
	_ drivers.Keyboard         = (*Device)(nil)
	_ drivers.KeyboardArea     = (*Device)(nil)
	_ drivers.KeyboardHider    = (*Device)(nil)
	_ drivers.Keys             = (*Device)(nil)
	_ drivers.LocationSetter   = (*Device)(nil)
	_ drivers.LogKeeper        = (*Device)(nil)
	_ drivers.Logger           = (*Device)(nil)
	_ drivers.MediaAdder       = (*Device)(nil)
	_ drivers.ObstacleReporter = (*Device)(nil)
	_ drivers.PartReader       = (*Device)(nil)
	_ drivers.Pincher          = (*Device)(nil)
	_ drivers.ProcessKiller    = (*Device)(nil)
	_ drivers.Protector        = (*Device)(nil)
	_ drivers.Recorder         = (*Device)(nil)
	_ drivers.System           = (*Device)(nil)
	_ drivers.SystemReader     = (*Device)(nil)
	_ drivers.TreeSource       = (*Device)(nil)
	_ drivers.Warner           = (*Device)(nil)
	_ native.LogReader         = (*Device)(nil)
	_ drivers.WebViewReader    = (*Device)(nil)
)

// Open uses a session, of a server at a URL, for one test.
func Open(o *native.Session, info drivers.Info, url string) *Device {
	s := &Session{Session: o, Phone: ReadPhone(o.Granted())}
	info.State = drivers.Ready
	info.Model, info.Manufacturer, info.OSVersion = s.Phone.Model, s.Phone.Manufacturer, s.Phone.Version
	info.APILevel, info.Density = s.Phone.API, s.Phone.Density
	info.Width, info.Height = s.Phone.Size.X, s.Phone.Size.Y
	glass := &Screen{Session: s, WebViews: newPages(s)}
	log := &Log{Session: s}
	system := &System{Session: s, Screen: glass, Log: log}
	return &Device{session: s, info: info, Screen: glass, Dialogs: &ui.Dialogs{Screen: glass, Device: info.ID},
		Apps: &Apps{Session: s, Log: log, URL: url}, Log: log, System: system, Files: &Files{Session: s, System: system},
		Recorder: &native.Recorder{Session: o}}
}

// Info is the record made when the device was opened.
func (d *Device) Info() drivers.Info { return d.info }

// TakeWarnings returns what came up since the last call.
func (d *Device) TakeWarnings() []string { return d.session.TakeWarnings() }

// SessionURL is the page of the session at the cloud.
func (d *Device) SessionURL() string { return d.session.SessionURL() }

// ReportResult sends the cloud the result of the test.
func (d *Device) ReportResult(ctx context.Context, passed bool, reason string) error {
	return d.session.ReportResult(ctx, passed, reason)
}

// Close restores what was changed, and releases the session.
func (d *Device) Close() error {
	if d.session.Life.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), restoreLimit)
	defer cancel()
	err := d.System.Restore(ctx)
	if !d.session.Life.End() {
		return nil
	}
	if errors.Is(err, drivers.ErrDeviceLost) {
		err = nil // it cannot be restored now; the session is ended
	}
	return errors.Join(err, d.session.Leave())
}

// CrashSuspected reports whether the newest screen has no window of the app that was launched last: its log is fetched
// then, and at the end of the test.
func (d *Device) CrashSuspected() bool {
	pkg := d.Log.app()
	return pkg != "" && !d.Screen.shows(pkg)
}

// End restores what was changed, and ends the session.
func (d *Device) End() error {
	d.session.Spoil()
	return d.Close()
}

// ReadLog fetches what the log has.
func (d *Device) ReadLog(ctx context.Context) error { return d.Log.read(ctx) }

// CheckActions returns an error that names what the server lacks for one of the actions of a test.
func (d *Device) CheckActions(ctx context.Context, names []string) error {
	return d.session.CheckActions(ctx, names)
}
