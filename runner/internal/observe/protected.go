package observe

import (
	"context"
	"image"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/pixels"
)

// Protection reports whether an app has forbidden a screenshot that was just taken, or a part of it: nil when it shows
// what is on the screen. A screenshot of a window of which the app forbids screenshots is black, or there is none;
// nothing that only pixels show follows from it.
func Protection(ctx context.Context, dev drivers.Device, img image.Image) (*drivers.ProtectedError, error) {
	d, ok := dev.(drivers.Protector)
	if !ok || img == nil || !pixels.MayHideWindow(img) {
		return nil, nil
	}
	parts, err := d.Protected(ctx)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	return &drivers.ProtectedError{Device: dev.Info().ID, Parts: parts}, nil
}
