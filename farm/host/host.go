// Package host is the part of a farm on the machine with the devices. The code is in farm/internal/host; this is what
// other folders need of it.
package host

import (
	"context"

	"github.com/taproot-dev/taproot/farm/internal/host"
)

// Clock is the hub's clock, when a host has received its time.
type Clock = host.Clock

// Options are the settings of a host.
type Options = host.Options

// Member is a host that has joined. It is connected, or reconnects.
type Member = host.Member

// Drain requests the host with a data folder to accept no new work, and to end when none of its devices is in use.
func Drain(dir string) error {
	return host.Drain(dir)
}

// Run joins if necessary, and serves until the context ends. While the hub cannot be reached it retries without a
// limit, or for ten seconds if it has not joined yet. It returns ErrRevoked when the hub has revoked the host.
func Run(ctx context.Context, o Options, s host.Server) (err error) {
	return host.Run(ctx, o, s)
}

// ErrNoToken means that a host has not joined yet, and has no token.
var ErrNoToken = host.ErrNoToken

// ErrHub means that the URL of the hub cannot be used.
var ErrHub = host.ErrHub

// RefusedError is the reason why the hub refuses a host.
type RefusedError = host.RefusedError

// ErrRevoked means that the hub has revoked the host, with a proof that it is this hub.
var ErrRevoked = host.ErrRevoked
