package web

import (
	"context"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/dsl"
)

// remoteDriver opens pages in the browsers of a WebDriver server of others. Its devices, NAME-1 to NAME-N, are leased
// across the processes of this machine.
type remoteDriver struct {
	launcher *browser.Launcher
	remote   *browser.Remote
}

var _ remote.Driver = (*remoteDriver)(nil)

// NewRemote makes a driver of a remote. Nothing is asked yet. The records of its sessions are kept in folder.
func NewRemote(opts Options, server dsl.RemoteServer, folder string) (drivers.Driver, error) {
	return newRemote(opts, server, folder)
}

func newRemote(opts Options, server dsl.RemoteServer, folder string) (*remoteDriver, error) {
	sessions, err := remote.New(remoteServer(server, folder))
	if err != nil {
		return nil, err
	}
	r := &browser.Remote{RemoteServer: server, Sessions: sessions}
	opts.Remote, opts.Slots, opts.Browser = r, server.Sessions, ""
	return &remoteDriver{launcher: browser.NewLauncher(opts), remote: r}, nil
}

func remoteServer(server dsl.RemoteServer, folder string) remote.Server {
	return remote.Server{Name: server.Name, URL: server.URL, User: server.User, Key: server.Key,
		Sessions: server.Sessions, Folder: folder}
}

// Platform is web.
func (d *remoteDriver) Platform() dsl.Platform { return dsl.Web }

// Devices lists the places for sessions, once the server has responded. It opens none.
func (d *remoteDriver) Devices(ctx context.Context) ([]drivers.Info, error) {
	if err := d.remote.Sessions.Status(ctx); err != nil {
		return nil, err
	}
	list := make([]drivers.Info, d.remote.RemoteServer.Sessions)
	for i := range list {
		list[i] = d.info(i)
	}
	return list, nil
}

func (d *remoteDriver) info(i int) drivers.Info {
	opts := d.launcher.Options()
	model, version := d.remote.Model()
	return drivers.Info{ID: fmt.Sprintf("%s-%d", d.remote.Name, i+1), Platform: dsl.Web, State: drivers.Ready,
		Model: model, OSVersion: version, Width: opts.Width, Height: opts.Height}
}

// Open opens a session, or takes one that another test has left, for a device. It may wait for a free browser.
func (d *remoteDriver) Open(ctx context.Context, id string) (drivers.Device, error) {
	for i := range d.remote.RemoteServer.Sessions {
		info := d.info(i)
		if info.ID != id {
			continue
		}
		if err := d.launcher.Find(ctx); err != nil {
			return nil, err
		}
		if err := d.remote.Prepare(ctx); err != nil {
			return nil, err
		}
		info.Model, info.OSVersion = d.remote.Model()
		return &remoteDevice{device: newDevice(d.launcher, info), remote: d.remote}, nil
	}
	return nil, fmt.Errorf("open device %s: there are %s-1 to %s-%d", id, d.remote.Name, d.remote.Name,
		d.remote.RemoteServer.Sessions)
}

// Close ends the sessions. It returns once they are gone.
func (d *remoteDriver) Close() error {
	d.remote.Withdraw()
	err := d.launcher.Close()
	if ended := d.remote.Sessions.Close(); err == nil {
		err = ended
	}
	return err
}

// remoteDevice releases a session in which no page was opened.
type remoteDevice struct {
	*device
	remote *browser.Remote
}

// Close closes the pages.
func (d *remoteDevice) Close() error {
	err := d.device.Close()
	d.remote.Withdraw()
	return err
}

// RemoteCall is one call of CheckRemote.
type RemoteCall = remote.Call

// CheckRemote opens a session of a driver of remotes, reads in it, ends it, closes the driver, and returns how long
// each call took. It touches nothing. Unmade is why there is no driver.
func CheckRemote(ctx context.Context, d drivers.Driver, unmade error) (list []RemoteCall, what string) {
	checked, is := d.(remote.Driver)
	if unmade != nil || !is {
		var calls remote.Calls
		calls.Do("status", func() error { return unmade })
		return calls, ""
	}
	return remote.Check(ctx, checked)
}

// Status reports whether the server is there.
func (d *remoteDriver) Status(ctx context.Context) error { return d.remote.Sessions.Status(ctx) }

// Try opens a session, reads a page in it, and ends it.
func (d *remoteDriver) Try(ctx context.Context, calls *remote.Calls) (browser string) {
	if !calls.Do("open a session", func() error { return d.remote.Prepare(ctx) }) {
		return ""
	}
	lease := d.remote.Claim()
	model, version := d.remote.Model()
	calls.Do("read the URL", func() error { _, err := lease.URL(ctx, 0); return err })
	calls.Do("run a script", func() error {
		return lease.Execute(ctx, "return document.readyState", nil, new(string), 0)
	})
	calls.Do("take a screenshot", func() error { _, err := lease.Screenshot(ctx, 0); return err })
	calls.Do("end the session", lease.End)
	return model + " " + version
}

// EndSessions ends the sessions that killed processes have left at remotes, and returns how they are called. It calls
// servers for the keys only where there is one.
func EndSessions(ctx context.Context, folder string, servers func() []dsl.RemoteServer) ([]string, error) {
	return remote.EndLeft(ctx, folder, func() (list []remote.Server) {
		for _, s := range servers() {
			list = append(list, remoteServer(s, folder))
		}
		return list
	})
}
