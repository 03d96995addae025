// Package pool leases devices to cases. The code is in runner/internal/pool; this is what other folders need of it.
package pool

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// LeaseDir is the folder of lock files: $XDG_RUNTIME_DIR/taproot, otherwise a folder of this user in the temporary
// directory.
func LeaseDir(getenv func(string) string) string {
	return pool.LeaseDir(getenv)
}

// Sleep waits a moment between two attempts to lease.
func Sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	return pool.Sleep(ctx, d, wake)
}

// Pool leases devices to one case at a time each, across processes. Safe for concurrent use.
type Pool = pool.Pool

// NoDeviceError says why no device can run a case.
type NoDeviceError = pool.NoDeviceError

// New makes a pool over the drivers; Close closes them.
func New(list []drivers.Driver, o pool.Options) *Pool {
	return pool.New(list, o)
}

// Reservation is the right to lease a device from one time to another. It is kept in a file, which all processes of the
// user respect, and outlasts them.
type Reservation = pool.Reservation

// ReservedError says that a device has another reservation, now or too soon.
type ReservedError = pool.ReservedError

// ErrManyReserved says that a device has as many reservations as it may have.
var ErrManyReserved = pool.ErrManyReserved

// BusyError says who leases a device that was requested.
type BusyError = pool.BusyError

// UnknownDeviceError says that no device has that id, or that it cannot be used.
type UnknownDeviceError = pool.UnknownDeviceError
