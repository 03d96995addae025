package action

import (
	"context"
	"image"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/observe"
)

// judgeable makes a screenshot that shows nothing of what it is judged by an error.
func judgeable(ctx context.Context, s *Session, img image.Image) error {
	p, err := observe.Protection(ctx, s.Device, img)
	if err == nil && p != nil {
		err = p
	}
	return err
}

// Unseen says in a sentence, for the report, why a screenshot of the device is black; "" when it is not, or shows what
// there is.
func Unseen(ctx context.Context, dev drivers.Device, img image.Image) string {
	if p, err := observe.Protection(ctx, dev, img); err == nil && p != nil {
		return "the screenshot is black where the window " + p.Parts[0].Window +
			" is: its app forbids screenshots of it (FLAG_SECURE)"
	}
	return ""
}
