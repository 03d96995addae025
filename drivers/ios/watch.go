package ios

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// watchAsk is how often the programs are queried again: none of Xcode's reports by itself which devices come and go.
const watchAsk = 3 * time.Second

var _ drivers.Watcher = (*Driver)(nil)

// Watch lists the devices again and again. Only what keeps the first list from being had is an error.
func (d *Driver) Watch(ctx context.Context, seen func([]drivers.Info)) error {
	look, err := drivers.Changes(ctx, d.Devices, seen)
	if err != nil {
		return err
	}
	for drivers.Pause(ctx, d.watchAsk) == nil {
		if err := look(); err != nil {
			d.log.Warn("the iOS devices could not be listed", "error", err)
		}
	}
	return nil
}
