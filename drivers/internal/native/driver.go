package native

import (
	"context"
	"fmt"
	"image"
	"maps"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/dsl"
)

// Phone is a device behind an Appium server.
type Phone interface {
	drivers.Device
	// End restores what was changed, and ends the session.
	End() error
}

// LogReader is a Phone that knows of crashes by the log of the server.
type LogReader interface {
	// ReadLog fetches what the log has.
	ReadLog(ctx context.Context) error
}

// Kind is what distinguishes the drivers of two platforms.
type Kind struct {
	Platform dsl.Platform
	System   string // "Android"
	// Capabilities are those of a session where the user's say nothing.
	Capabilities map[string]any
	// Open uses a session for one test.
	Open func(ctx context.Context, s *Session, info drivers.Info) (Phone, error)
}

// Driver opens phones at an Appium server of others. Its devices, NAME-1 to NAME-N, are leased across the processes of
// this machine.
type Driver struct {
	server   dsl.RemoteServer
	kind     Kind
	sessions *remote.Sessions

	mu   sync.Mutex
	last drivers.Info // of the phone that was opened last
}

var _ remote.Driver = (*Driver)(nil)

// NewDriver makes a driver of a remote. Nothing is requested yet. The records of its sessions are kept in folder.
func NewDriver(server dsl.RemoteServer, folder string, kind Kind) (*Driver, error) {
	sessions, err := remote.New(remote.Of(server, folder))
	if err != nil {
		return nil, err
	}
	kind.Capabilities = merged(kind.Capabilities, server.Capabilities)
	return &Driver{server: server, kind: kind, sessions: sessions}, nil
}

// merged are the user's capabilities, and our own where these say nothing.
func merged(own, wanted map[string]any) map[string]any {
	all := maps.Clone(own)
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

// Platform is that of the phones.
func (d *Driver) Platform() dsl.Platform { return d.kind.Platform }

// Devices lists the places for sessions, once the server has responded. It opens none.
func (d *Driver) Devices(ctx context.Context) ([]drivers.Info, error) {
	if err := d.sessions.Status(ctx); err != nil {
		return nil, err
	}
	return d.Places(), nil
}

// Places lists the places for sessions without a request.
func (d *Driver) Places() (list []drivers.Info) {
	for _, id := range d.sessions.Devices() {
		list = append(list, d.info(id))
	}
	return list
}

// info is what is known of the phone of a place: by the one that was opened last, otherwise by the capabilities.
func (d *Driver) info(id string) drivers.Info {
	d.mu.Lock()
	defer d.mu.Unlock()
	info := d.last
	if info.Model == "" {
		if info.Model, _ = d.server.Capabilities["appium:deviceName"].(string); info.Model == "" {
			info.Model = "phone"
		}
	}
	if info.OSVersion == "" {
		info.OSVersion, _ = d.server.Capabilities["appium:platformVersion"].(string)
	}
	info.ID, info.Remote, info.Platform, info.State = id, d.server.Name, d.kind.Platform, drivers.Ready
	return info
}

// Open opens a session, or takes one that another test has left, for a device. It may wait for a free phone.
func (d *Driver) Open(ctx context.Context, id string) (drivers.Device, error) {
	dev, err := d.open(ctx, id)
	if err != nil {
		return nil, err // not a Phone that is nil
	}
	return dev, nil
}

func (d *Driver) open(ctx context.Context, id string) (Phone, error) {
	if err := d.sessions.Knows(id); err != nil {
		return nil, err
	}
	lease, err := d.sessions.Take(ctx, d.kind.Capabilities)
	if err != nil {
		return nil, err
	}
	s := &Session{Lease: lease, Device: id, Remote: d.server.Name, Life: drivers.NewLifetime()}
	dev, err := d.kind.Open(ctx, s, d.info(id))
	if err != nil {
		s.Life.End()
		_ = lease.End() // the phone cannot be used in it
		return nil, err
	}
	opened := dev.Info()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = drivers.Info{Model: opened.Model, Manufacturer: opened.Manufacturer, OSVersion: opened.OSVersion,
		APILevel: opened.APILevel, Width: opened.Width, Height: opened.Height}
	return dev, nil
}

// Close ends the sessions. It returns once they are gone.
func (d *Driver) Close() error { return d.sessions.Close() }

// Usable reports whether sessions can be opened, as far as that is known without one.
func (d *Driver) Usable(ctx context.Context) error { return d.Status(ctx) }

// Status reports whether the server is there.
func (d *Driver) Status(ctx context.Context) error { return d.sessions.Status(ctx) }

// Try opens a session, reads the screen in it, and ends it. It touches nothing.
func (d *Driver) Try(ctx context.Context, calls *remote.Calls) (phone string) {
	var dev Phone
	if !calls.Do("open a session", func() (err error) {
		dev, err = d.open(ctx, d.sessions.Devices()[0])
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
	if l, ok := dev.(LogReader); ok {
		calls.Do("read the log", func() error { return l.ReadLog(ctx) })
	}
	calls.Do("end the session", dev.End)
	return strings.TrimSpace(info.Manufacturer + " " + info.Model + ", " + d.kind.System + " " + info.OSVersion)
}
