package appium

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/capture"
)

// unableToCapture is the driver's error when Android returns no screenshot, as of a window that forbids them.
const unableToCapture = "unable to capture screen"

// Protected requests the windows of which apps forbid screenshots, by the shell. On a server without one that is not
// known, and the report has a warning.
func (u *Screen) Protected(ctx context.Context) ([]drivers.Protected, error) {
	said, code, err := u.command(ctx, capture.Windows)
	switch {
	case errors.Is(err, drivers.ErrUnsupported):
		u.WarnOnce("parts of a screenshot are black: whether an app forbids screenshots of them is unknown, since the " +
			"Appium server runs no commands (--allow-insecure uiautomator2:adb_shell)")
		return nil, nil
	case err != nil:
		return nil, err
	case code != 0:
		return nil, fmt.Errorf("device %s: %w: the windows cannot be listed", u.Device, drivers.ErrNotReady)
	}
	return capture.ParseProtected(said), nil
}

// whyNoScreenshot distinguishes a screenshot that an app forbids from one that could not be taken. A server without a
// shell does not: then the app is taken to forbid it, which makes everything unknown that only pixels show.
func (u *Screen) whyNoScreenshot(ctx context.Context, err error) error {
	said, code, failed := u.command(ctx, capture.Windows)
	parts := []drivers.Protected{{Window: "in the foreground"}}
	switch {
	case errors.Is(failed, drivers.ErrUnsupported):
	case failed != nil || code != 0:
		return err
	default:
		if parts = capture.ParseProtected(said); len(parts) == 0 {
			return err
		}
	}
	for i := range parts { // there is no screenshot at all
		parts[i].Bounds = image.Rectangle{}
	}
	return &drivers.ProtectedError{Device: u.Device, Parts: parts}
}
