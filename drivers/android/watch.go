package android

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/internal/fleet"
)

var _ drivers.Watcher = (*Driver)(nil)

const (
	// watchSettle gathers the reports of one change: adb reports a phone that is plugged in three times.
	watchSettle = 150 * time.Millisecond
	// watchAsk is how often the server is queried in addition: it reports a dropped network connection only after ten
	// seconds.
	watchAsk   = 3 * time.Second
	watchAgain = time.Second // until a server that went away is looked for again
)

// Watch receives from the adb server (track-devices) which devices come, go and change their state, and queries it from
// time to time. A server that ends is started again. Only what keeps the first list from being had is an error.
func (d *Driver) Watch(ctx context.Context, seen func([]drivers.Info)) error {
	look, err := fleet.Changes(ctx, d.Devices, seen)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		c, err := d.srv.Track(ctx)
		if err != nil {
			d.log.Warn("the adb server cannot be listened to", "error", err)
			if drivers.Pause(ctx, watchAgain) == nil {
				_ = look()
			}
			continue
		}
		listen(ctx, c, look)
	}
	return nil
}

// listen reads the list whenever the server reports a change, until the stream ends.
func listen(ctx context.Context, c *adb.Conn, look func() error) {
	defer c.Close()
	frames, ended := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, err := c.Counted(); err != nil {
				return
			}
			select {
			case frames <- struct{}{}:
			default:
			}
		}
	}()
	tick := time.NewTicker(watchAsk)
	defer tick.Stop()
	defer func() { c.Close(); <-ended }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			_ = look()
			_ = drivers.Pause(ctx, watchSettle)
			return
		case <-frames:
			if drivers.Pause(ctx, watchSettle) != nil {
				return
			}
		case <-tick.C:
		}
		_ = look()
	}
}
