package host

import (
	"context"
	"fmt"
	"net"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
)

// Inspectable is a host that reaches the Web Inspector of its device.
type Inspectable interface {
	Inspect(ctx context.Context) (WebInspector, error)
}

// WebInspector is the Web Inspector of a device, however it is reached.
type WebInspector interface {
	Pages(ctx context.Context, of inspector.App) ([]inspector.Page, error)
	Open(ctx context.Context, p inspector.Page) (*inspector.Connection, error)
	Expect()
	Err() error
	Close() error
}

// The Web Inspector of an iPhone is a service that is reached through usbmuxd, or the tunnel of newer systems. Of the
// programs that offer it, ios_webkit_debug_proxy passes on what pages say as it is. go-ios has a server of its own
// (`ios webinspector cdp`), which does not report when a page has gone to another site, nor of which app a page is, and
// passes the responses to one client to another.

func (h muxHost) Inspect(ctx context.Context) (WebInspector, error)   { return h.proxied(ctx, h.udid) }
func (h appleHost) Inspect(ctx context.Context) (WebInspector, error) { return h.proxied(ctx, h.udid) }

// proxied starts ios_webkit_debug_proxy for an iPhone.
func (t Tools) proxied(ctx context.Context, udid string) (WebInspector, error) {
	if t.Webkit == "" {
		return nil, fmt.Errorf(
			"%w: the Web Inspector of an iPhone is reached with ios_webkit_debug_proxy, which is not "+
				"installed", drivers.ErrUnsupported)
	}
	ports, err := drivers.FreePorts(1)
	if err != nil {
		return nil, err
	}
	b, err := t.Start(Command{Name: "ios_webkit_debug_proxy", Path: t.Webkit, Args: []string{"--no-frontend", "-c",
		udid + ":" + ports[0]}}, nil)
	if err != nil {
		return nil, err
	}
	if err := AwaitPort(ctx, b, ports[0]); err != nil {
		b.Stop(StopGrace)
		return nil, err
	}
	ended := func() error {
		select {
		case <-b.Done:
			return b.Ended()
		default:
			return nil
		}
	}
	return inspector.NewProxy(net.JoinHostPort("127.0.0.1", ports[0]), ended, func() { b.Stop(StopGrace) }), nil
}

// AwaitPort waits until a program has opened a port of this machine: a recording that is requested before is refused.
func AwaitPort(ctx context.Context, b *Process, port string) error {
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			return conn.Close()
		}
		select {
		case <-b.Done:
			return b.Ended()
		default:
		}
		if paused := drivers.Pause(ctx, listenPoll); paused != nil {
			return fmt.Errorf("%w; %s does not listen on port %s: %w", paused, b.Name, port, err)
		}
	}
}
