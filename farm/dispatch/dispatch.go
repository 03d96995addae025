// Package dispatch runs cases on the hosts of a hub: it assigns waiting cases to free devices, sends them to the
// hosts, receives the packs, and informs the clients. The code is in farm/internal/dispatch; this is what other
// folders need of it.
package dispatch

import (
	"context"

	"github.com/taproot-dev/taproot/farm/internal/dispatch"
)

// CenterOptions are the settings of a hub. Those without a default are required.
type CenterOptions = dispatch.CenterOptions

// Center is a running hub: the NATS server, the hub that tracks hosts, and the dispatcher.
type Center = dispatch.Center

// OpenCenter starts a hub, which runs until Close, even after ctx has ended. A *net.OpError with "listen" means that
// the address for hosts cannot be listened on.
func OpenCenter(ctx context.Context, o CenterOptions) (c *Center, err error) {
	return dispatch.OpenCenter(ctx, o)
}

// Dispatcher runs cases on the hosts of a hub. Safe for concurrent use.
type Dispatcher = dispatch.Dispatcher
