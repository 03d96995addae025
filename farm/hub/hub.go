// Package hub is the part of a farm that clients talk to: it decides which hosts may join, tracks which are online,
// and connects to them. The code is in farm/internal/hub; this is what other folders need of it.
package hub

import (
	"context"

	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/internal/store"
)

// The values of Device.Use.
const (
	Free    = hub.Free
	Busy    = hub.Busy   // in use by a call, a run or another process
	Leased  = hub.Leased // leased or reserved by a client
	Blocked = hub.Blocked
)

// Device is a device of a host, as a project sees it.
type Device = hub.Device

// Target identifies a device by its host and its id.
type Target = hub.Target

// ErrAmbiguous means that several hosts have a device with the same id.
var ErrAmbiguous = hub.ErrAmbiguous

// Options are the dependencies and settings of a hub. Those without a default are required.
type Options = hub.Options

// Refusal is an action that was refused.
type Refusal = hub.Refusal

// Hub tracks the hosts of a farm. Safe for concurrent use. Close does not close the database or the broker.
type Hub = hub.Hub

// Host is a host that has joined.
type Host = hub.Host

// Open starts a hub.
func Open(ctx context.Context, o Options) (*Hub, error) {
	return hub.Open(ctx, o)
}

var (
	// ErrToken means that a token is invalid: it is wrong, was used, or has expired. The wrapping error explains which.
	ErrToken = hub.ErrToken
	// ErrRejoin means that a host cannot rejoin with its key.
	ErrRejoin = hub.ErrRejoin
	// ErrRevoked means that a host was revoked. It is sent with a proof.
	ErrRevoked = hub.ErrRevoked
	// ErrClock means that the clocks of hub and host differ too much.
	ErrClock = hub.ErrClock
)

// HostPlacement is the pool, the labels and the project of a host's devices.
type HostPlacement = hub.HostPlacement

// NewToken makes a token by which one host can join, within a day. Only its hash is stored.
func NewToken(ctx context.Context, db *store.DB, p HostPlacement) (string, error) {
	return hub.NewToken(ctx, db, p)
}

// Revoke revokes a host. Running hubs notice within two seconds and end its connections.
func Revoke(ctx context.Context, db *store.DB, host string) error {
	return hub.Revoke(ctx, db, host)
}
