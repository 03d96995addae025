package ios

import (
	"context"
	"fmt"
	"net"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/inspector"
)

// The Web Inspector of an iPhone is a service that is reached through usbmuxd, or the tunnel of newer systems. Of the
// programs that offer it, ios_webkit_debug_proxy passes on what pages say as it is. go-ios has a server of its own
// (`ios webinspector cdp`), which does not report when a page has gone to another site, nor of which app a page is, and
// passes the responses to one client to another.

func (h muxHost) inspect(ctx context.Context) (webInspector, error)   { return h.proxied(ctx, h.udid) }
func (h appleHost) inspect(ctx context.Context) (webInspector, error) { return h.proxied(ctx, h.udid) }

// proxied starts ios_webkit_debug_proxy for an iPhone.
func (t tools) proxied(ctx context.Context, udid string) (webInspector, error) {
	if t.webkit == "" {
		return nil, fmt.Errorf(
			"%w: the Web Inspector of an iPhone is reached with ios_webkit_debug_proxy, which is not "+
				"installed", drivers.ErrUnsupported)
	}
	ports, err := drivers.FreePorts(1)
	if err != nil {
		return nil, err
	}
	b, err := t.start(command{name: "ios_webkit_debug_proxy", path: t.webkit, args: []string{"--no-frontend", "-c",
		udid + ":" + ports[0]}}, nil)
	if err != nil {
		return nil, err
	}
	if err := listens(ctx, b, ports[0]); err != nil {
		b.stop(agentGrace)
		return nil, err
	}
	ended := func() error {
		select {
		case <-b.done:
			return b.ended()
		default:
			return nil
		}
	}
	return inspector.NewProxy(net.JoinHostPort("127.0.0.1", ports[0]), ended, func() { b.stop(agentGrace) }), nil
}
