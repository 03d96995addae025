package android

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/dsl"
)

const (
	describeLimit  = 6 * time.Second // one phone that hangs must not keep the list waiting
	describeAtOnce = 16
)

// Devices lists every device that the adb server knows, in whatever state, with what to do about those that are not
// ready.
func (d *Driver) Devices(ctx context.Context) ([]drivers.Info, error) {
	attached, err := d.srv.Attached(ctx)
	if err != nil {
		return nil, fmt.Errorf("list Android devices: %w", err)
	}
	infos := make([]drivers.Info, len(attached))
	var group errgroup.Group
	group.SetLimit(describeAtOnce)
	for i, a := range attached {
		group.Go(func() error {
			infos[i] = d.record(ctx, a)
			return nil
		})
	}
	_ = group.Wait() // what is wrong with one device is in its record
	if ctx.Err() != nil {
		return nil, fmt.Errorf("list Android devices: %w", context.Cause(ctx))
	}
	slices.SortFunc(infos, func(a, b drivers.Info) int { return strings.Compare(a.ID, b.ID) })
	return infos, nil
}

// record describes one device as far as it lets itself be described.
func (d *Driver) record(ctx context.Context, a adb.Attachment) drivers.Info {
	info := drivers.Info{ID: a.ID, Platform: dsl.Android, State: a.State, Model: a.Model,
		Emulator: adb.IsEmulator(a.Serial, nil)}
	if a.State != drivers.Ready {
		info.Problem = adb.Remedy(a.ID, a.State)
		return info
	}
	ctx, cancel := context.WithTimeout(ctx, describeLimit)
	defer cancel()
	p, err := phone.Describe(ctx, d.srv.Device(a.ID))
	if err == nil {
		return p.Info(a)
	}
	d.log.Warn("device does not describe itself", "device", a.ID, "error", err)
	info.State = adb.Unresponsive
	if !errors.Is(err, context.DeadlineExceeded) && errors.Is(err, drivers.ErrDeviceLost) {
		info.State = "offline"
	}
	info.Problem = adb.Remedy(a.ID, info.State)
	return info
}

// OpenService opens a service of a phone. The connection lives no longer than ctx.
func (d *Driver) OpenService(ctx context.Context, id, name string) (io.ReadWriteCloser, error) {
	c, err := d.srv.Device(id).Service(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open %s of %s: %w", adb.Label(name), id, err)
	}
	return c, nil
}

// Features are those that the adbd of a phone offers.
func (d *Driver) Features(ctx context.Context, id string) ([]string, error) {
	answer, err := d.srv.Device(id).Query(ctx, "features")
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", id, err)
	}
	return strings.Split(strings.TrimSpace(answer), ","), nil
}
