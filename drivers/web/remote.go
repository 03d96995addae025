package web

import (
	"context"
	"fmt"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/dsl"
)

// remoteDriver opens pages in the browsers of a WebDriver server of others. Its devices, NAME-1 to NAME-N, are leased
// across the processes of this machine.
type remoteDriver struct {
	opts     Options
	server   dsl.RemoteServer
	sessions *remote.Sessions

	mu    sync.Mutex
	found bool // this machine has what pages need
}

var _ remote.Driver = (*remoteDriver)(nil)

// NewRemote makes a driver of a remote. Nothing is asked yet. The records of its sessions are kept in folder.
func NewRemote(opts Options, server dsl.RemoteServer, folder string) (drivers.Driver, error) {
	return newRemote(opts, server, folder)
}

func newRemote(opts Options, server dsl.RemoteServer, folder string) (*remoteDriver, error) {
	sessions, err := remote.New(remote.Of(server, folder))
	if err != nil {
		return nil, err
	}
	return &remoteDriver{opts: opts, server: server, sessions: sessions}, nil
}

// Platform is web.
func (d *remoteDriver) Platform() dsl.Platform { return dsl.Web }

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
		list = append(list, d.device(id).info())
	}
	return list
}

// Open opens a session, or takes one that another test has left, for a device. It may wait for a free browser.
func (d *remoteDriver) Open(ctx context.Context, id string) (drivers.Device, error) {
	if err := d.sessions.Knows(id); err != nil {
		return nil, err
	}
	dev := d.device(id)
	if err := dev.launcher.Find(ctx); err != nil {
		return nil, err
	}
	if err := dev.remote.Prepare(ctx); err != nil {
		return nil, err
	}
	dev.device = newDevice(dev.launcher, dev.info())
	return dev, nil
}

// Close ends the sessions. It returns once they are gone.
func (d *remoteDriver) Close() error { return d.sessions.Close() }

// device is one that has no session yet.
func (d *remoteDriver) device(id string) *remoteDevice {
	r := &browser.Remote{RemoteServer: d.server, Sessions: d.sessions}
	opts := d.opts
	opts.Remote, opts.Slots, opts.Browser = r, 1, ""
	return &remoteDevice{id: id, launcher: browser.NewLauncher(opts), remote: r}
}

// remoteDevice has the sessions that its pages are opened in, and no other device uses.
type remoteDevice struct {
	*device
	id       string
	launcher *browser.Launcher
	remote   *browser.Remote
}

var _ drivers.CloudSession = (*remoteDevice)(nil)

func (d *remoteDevice) info() drivers.Info {
	opts := d.launcher.Options()
	model, version := d.remote.Model()
	if screen := d.remote.Screen(); screen.X > 0 {
		opts.Width, opts.Height = screen.X, screen.Y
	}
	return drivers.Info{ID: d.id, Remote: d.remote.Name, Platform: dsl.Web, State: drivers.Ready, Model: model,
		OSVersion: version, Width: opts.Width, Height: opts.Height}
}

// SessionURL is the page of the session at the cloud.
func (d *remoteDevice) SessionURL() string { return d.remote.Page() }

// ReportResult sends the cloud the result of the test.
func (d *remoteDevice) ReportResult(ctx context.Context, passed bool, reason string) error {
	return d.remote.Report(ctx, passed, reason)
}

// CheckActions returns an ErrUnsupported that names what the session lacks for one of the actions of a test, or for one
// of their options. It touches nothing.
func (d *remoteDevice) CheckActions(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := d.remote.Lacks(ctx, name); err != nil {
			return fmt.Errorf("device %s: %s: %w", d.id, name, err)
		}
	}
	return nil
}

// Close closes the pages, and ends or releases the sessions.
func (d *remoteDevice) Close() error {
	err := d.device.Close()
	if ended := d.launcher.Close(); err == nil {
		err = ended
	}
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

// Usable reports whether sessions can be opened, as far as that is known without one: also this machine must have what
// finds elements in their pages.
func (d *remoteDriver) Usable(ctx context.Context) error {
	d.mu.Lock()
	found := d.found
	d.mu.Unlock()
	if !found {
		if err := d.device("").launcher.Find(ctx); err != nil {
			return err
		}
		d.mu.Lock()
		d.found = true
		d.mu.Unlock()
	}
	return d.Status(ctx)
}

// Status reports whether the server is there.
func (d *remoteDriver) Status(ctx context.Context) error { return d.sessions.Status(ctx) }

// Try opens a session, reads a page in it, and ends it.
func (d *remoteDriver) Try(ctx context.Context, calls *remote.Calls) (browser string) {
	r := d.device(d.sessions.Devices()[0]).remote
	if !calls.Do("open a session", func() error { return r.Prepare(ctx) }) {
		return ""
	}
	lease := r.Claim()
	model, version := r.Model()
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
			list = append(list, remote.Of(s, folder))
		}
		return list
	})
}
