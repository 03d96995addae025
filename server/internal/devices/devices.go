package devices

import (
	"context"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// Devices are the devices of a project, as its callers use them. It is made of parts by subject, which share a desk.
type Devices struct {
	*desk
	*records
	*screens
	*files
	*shells
	*recorder
	*lessor
	*actor
	*inputs
}

// New creates the devices of a project. It opens none.
func New(o Options) (*Devices, error) {
	d, err := newDesk(o)
	if err != nil {
		return nil, err
	}
	videos, acts := &recordings{base: o.Streams}, &actor{d}
	return &Devices{desk: d, records: &records{d, videos}, screens: &screens{d}, files: &files{d}, shells: &shells{d},
		recorder: &recorder{d, videos}, lessor: &lessor{d}, actor: acts, inputs: &inputs{acts, o.Studio}}, nil
}

// Pool returns the pool of the devices. It is valid until ClosePool.
func (d *Devices) Pool() *pool.Pool { return d.pool }

// Live returns the devices that are open between calls.
func (d *Devices) Live() *live.Devices { return d.devices }

// Problems returns what converts the errors of the devices to responses.
func (d *Devices) Problems() *rest.Problems { return d.problems }

// IsOpen reports whether a device is open for calls.
func (d *Devices) IsOpen(id string) bool {
	_, open := d.opened()[id]
	return open
}

// StopRecordings ends all recordings. Options.Streams must have ended.
func (d *Devices) StopRecordings() { d.recorder.recordings.close() }

// ForHubs lists the devices of this machine for hubs.
func (d *Devices) ForHubs(ctx context.Context) ([]wire.Device, error) {
	infos, err := d.devices.List(ctx)
	list := []wire.Device{}
	for _, info := range infos {
		if info.Platform == dsl.Web { // pages belong to one project
			continue
		}
		one := wire.Device{Info: info}
		if h, busy := d.pool.Busy(info.ID); busy {
			since := d.pool.There(h.Since).UTC()
			one.LeasedSince = &since
		}
		for _, r := range d.pool.Reservations(info.ID) {
			one.Reserved = append(one.Reserved, wire.Lease{Project: r.Project, Holder: r.Who, Why: r.Why, ID: reservationID(r),
				By: r.By, Since: r.From, Until: r.Until})
		}
		list = append(list, one)
	}
	return list, err
}
