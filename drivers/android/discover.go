package android

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

const (
	describeLimit  = 6 * time.Second // one phone that hangs must not keep the list waiting
	describeAtOnce = 16
)

// Devices lists every device that the adb server knows, in whatever state, with what to do about those that are not
// ready.
func (d *Driver) Devices(ctx context.Context) ([]drivers.Info, error) {
	attached, err := d.srv.attached(ctx)
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
func (d *Driver) record(ctx context.Context, a attachment) drivers.Info {
	info := drivers.Info{ID: a.id, Platform: dsl.Android, State: a.state, Model: a.model,
		Emulator: isEmulator(a.serial, nil)}
	if a.state != drivers.Ready {
		info.Problem = remedy(a.id, a.state)
		return info
	}
	ctx, cancel := context.WithTimeout(ctx, describeLimit)
	defer cancel()
	p, err := describe(ctx, d.srv.device(a.id))
	if err == nil {
		return p.info(a)
	}
	d.log.Warn("device does not describe itself", "device", a.id, "error", err)
	info.State = unresponsive
	if !errors.Is(err, context.DeadlineExceeded) && errors.Is(err, drivers.ErrDeviceLost) {
		info.State = "offline"
	}
	info.Problem = remedy(a.id, info.State)
	return info
}
