package android

import (
	"context"
	"fmt"
	"image"
	"maps"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/appium"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/dsl"
)

// remoteDriver opens phones at an Appium server of others. Its devices, NAME-1 to NAME-N, are leased across the
// processes of this machine.
type remoteDriver struct {
	server   dsl.RemoteServer
	sessions *remote.Sessions

	mu   sync.Mutex
	last drivers.Info // of the phone that was opened last
}

var _ remote.Driver = (*remoteDriver)(nil)

// NewRemote makes a driver of a remote. Nothing is requested yet. The records of its sessions are kept in folder.
func NewRemote(server dsl.RemoteServer, folder string) (drivers.Driver, error) {
	sessions, err := remote.New(remote.Of(server, folder))
	if err != nil {
		return nil, err
	}
	return &remoteDriver{server: server, sessions: sessions}, nil
}

// Platform is Android.
func (d *remoteDriver) Platform() dsl.Platform { return dsl.Android }

// Devices lists the places for sessions, once the server has responded. It opens none.
func (d *remoteDriver) Devices(ctx context.Context) ([]drivers.Info, error) {
	if err := d.sessions.Status(ctx); err != nil {
		return nil, err
	}
	return d.Places(), nil
}

// Places lists the places for sessions without a request.
func (d *remoteDriver) Places() (list []drivers.Info) {
	for _, id := range d.sessions.Devices() {
		list = append(list, d.info(id))
	}
	return list
}

// info is what is known of the phone of a place: by the one that was opened last, otherwise by the capabilities.
func (d *remoteDriver) info(id string) drivers.Info {
	d.mu.Lock()
	defer d.mu.Unlock()
	info := d.last
	if info.Model == "" {
		if info.Model, _ = d.server.Capabilities["appium:deviceName"].(string); info.Model == "" {
			info.Model = "phone"
		}
		info.Model += " at " + d.server.Name
	}
	if info.OSVersion == "" {
		info.OSVersion, _ = d.server.Capabilities["appium:platformVersion"].(string)
	}
	info.ID, info.Remote, info.Platform, info.State = id, d.server.Name, dsl.Android, drivers.Ready
	return info
}

// Open opens a session, or takes one that another test has left, for a device. It may wait for a free phone.
func (d *remoteDriver) Open(ctx context.Context, id string) (drivers.Device, error) {
	if err := d.sessions.Knows(id); err != nil {
		return nil, err
	}
	lease, err := d.sessions.Take(ctx, remoteCapabilities(d.server))
	if err != nil {
		return nil, err
	}
	dev := appium.Open(appium.Opening{Lease: lease, Info: d.info(id), Remote: d.server.Name, URL: d.server.URL})
	opened := dev.Info()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = drivers.Info{Model: opened.Model, Manufacturer: opened.Manufacturer, OSVersion: opened.OSVersion,
		APILevel: opened.APILevel, Width: opened.Width, Height: opened.Height}
	return dev, nil
}

// Close ends the sessions. It returns once they are gone.
func (d *remoteDriver) Close() error { return d.sessions.Close() }

// remoteCapabilities are those of a session: the user's, and where these say nothing, those with which the driver
// neither resets an app nor waits for an idle screen, and reads all windows. An app of the remote is installed even if
// the phone has one of the same version.
func remoteCapabilities(server dsl.RemoteServer) map[string]any {
	wanted := server.Capabilities
	all := map[string]any{
		"platformName":                                "Android",
		"appium:automationName":                       "UiAutomator2",
		"appium:noReset":                              true,
		"appium:autoLaunch":                           false,
		"appium:disableWindowAnimation":               true,
		"appium:settings[waitForIdleTimeout]":         0,
		"appium:settings[enableMultiWindows]":         true,
		"appium:settings[snapshotMaxDepth]":           appium.Depth,
		"appium:settings[enableNotificationListener]": true,
	}
	if server.App != "" {
		all["appium:enforceAppInstall"] = true
	}
	if reset, given := wanted["appium:fullReset"]; given && reset == true {
		delete(all, "appium:noReset") // they exclude each other
	}
	for name := range wanted {
		for own := range all {
			if strings.EqualFold(name, own) {
				delete(all, own)
			}
		}
	}
	maps.Copy(all, wanted)
	return all
}

// Usable reports whether sessions can be opened, as far as that is known without one.
func (d *remoteDriver) Usable(ctx context.Context) error { return d.Status(ctx) }

// Status reports whether the server is there.
func (d *remoteDriver) Status(ctx context.Context) error { return d.sessions.Status(ctx) }

// Try opens a session, reads the screen in it, and ends it. It touches nothing.
func (d *remoteDriver) Try(ctx context.Context, calls *remote.Calls) (phone string) {
	var dev *appium.Device
	if !calls.Do("open a session", func() error {
		opened, err := d.Open(ctx, d.sessions.Devices()[0])
		if err == nil {
			dev = opened.(*appium.Device)
		}
		return err
	}) {
		return ""
	}
	info := dev.Info()
	calls.Do("read the screen", func() error { _, err := dev.Tree(ctx); return err })
	calls.Do("take a screenshot", func() error {
		img, err := dev.Screenshot(ctx)
		if size := image.Pt(info.Width, info.Height); err == nil && size != (image.Point{}) &&
			img.Bounds().Size() != size && img.Bounds().Size() != image.Pt(size.Y, size.X) {
			err = fmt.Errorf("the screenshot has %v pixels, and the screen %v", img.Bounds().Size(), size)
		}
		return err
	})
	calls.Do("read the log", func() error { return dev.ReadLog(ctx) })
	calls.Do("end the session", dev.End)
	return strings.TrimSpace(info.Manufacturer + " " + info.Model + ", Android " + info.OSVersion)
}
