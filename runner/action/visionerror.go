package action

import (
	"context"
	"errors"
	"image"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// VisionError says that screenshots could not be read, or that a model returned no response that can be trusted.
// Nothing is wrong with the device.
type VisionError struct{ Err error }

func (e *VisionError) Error() string { return e.Err.Error() }
func (e *VisionError) Unwrap() error { return e.Err }

// asVisionError marks an error of vision, unless it says what the screen does not show.
func asVisionError[T any](seen T, err error) (T, error) {
	if err != nil && !errors.Is(err, screen.ErrNotFound) {
		err = &VisionError{err}
	}
	return seen, err
}

// visionErrors is vision with errors that blame no device.
type visionErrors struct{ vision drivers.Vision }

var _ drivers.Vision = visionErrors{}

func (s visionErrors) OCR(ctx context.Context, img image.Image) ([]drivers.TextLine, error) {
	return asVisionError(s.vision.OCR(ctx, img))
}

func (s visionErrors) FindImage(ctx context.Context, img, template image.Image) ([]drivers.Sighting, error) {
	return asVisionError(s.vision.FindImage(ctx, img, template))
}

func (s visionErrors) Judge(ctx context.Context, img image.Image, prompt string, votes int) (drivers.Judgement, error) {
	return asVisionError(s.vision.Judge(ctx, img, prompt, votes))
}

func (s visionErrors) ExtractText(ctx context.Context, img image.Image, prompt string) (drivers.Extraction, error) {
	return asVisionError(s.vision.ExtractText(ctx, img, prompt))
}

func (s visionErrors) Locate(ctx context.Context, img image.Image, description string) (drivers.Located, error) {
	return asVisionError(s.vision.Locate(ctx, img, description))
}
