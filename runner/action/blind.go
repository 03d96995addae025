package action

import (
	"context"
	"errors"
	"image"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// BlindError says that pictures could not be read, or that a model gave no answer that can be trusted. Nothing is wrong with the device.
type BlindError struct{ Err error }

func (e *BlindError) Error() string { return e.Err.Error() }
func (e *BlindError) Unwrap() error { return e.Err }

// blind marks an error of eyes, unless it says what the screen does not show.
func blind[T any](seen T, err error) (T, error) {
	if err != nil && !errors.Is(err, screen.ErrNotFound) {
		err = &BlindError{err}
	}
	return seen, err
}

// seeing are eyes whose errors blame no device.
type seeing struct{ eyes drivers.Eyes }

var _ drivers.Eyes = seeing{}

func (s seeing) OCR(ctx context.Context, img image.Image) ([]drivers.TextLine, error) {
	return blind(s.eyes.OCR(ctx, img))
}

func (s seeing) FindImage(ctx context.Context, img, template image.Image) ([]drivers.Sighting, error) {
	return blind(s.eyes.FindImage(ctx, img, template))
}

func (s seeing) Judge(ctx context.Context, img image.Image, prompt string, votes int) (drivers.Judgement, error) {
	return blind(s.eyes.Judge(ctx, img, prompt, votes))
}

func (s seeing) ExtractText(ctx context.Context, img image.Image, prompt string) (drivers.Extraction, error) {
	return blind(s.eyes.ExtractText(ctx, img, prompt))
}

func (s seeing) Locate(ctx context.Context, img image.Image, description string) (drivers.Spot, error) {
	return blind(s.eyes.Locate(ctx, img, description))
}
