package vocabulary

import (
	"context"
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// fakeVision reads what a cell says, in every screenshot. What the real one reads is a matter of package vision.
type fakeVision struct{ lines []drivers.TextLine }

func (e fakeVision) OCR(context.Context, image.Image) ([]drivers.TextLine, error) {
	return e.lines, nil
}

func (e fakeVision) FindImage(context.Context, image.Image, image.Image) ([]drivers.Sighting, error) {
	var found []drivers.Sighting
	for _, line := range e.lines {
		found = append(found, drivers.Sighting{Bounds: line.Bounds, Score: 1})
	}
	return found, nil
}

// Judge says yes to what starts with it, and to the example of the reference.
func (e fakeVision) Judge(_ context.Context, _ image.Image, prompt string, votes int) (drivers.Judgement, error) {
	if strings.HasPrefix(prompt, "yes") || strings.HasPrefix(prompt, "The cart is empty") {
		return drivers.Judgement{Passed: true, Reason: "it says yes", For: votes}, nil
	}
	return drivers.Judgement{Reason: "it says no", Against: votes}, nil
}

func (e fakeVision) ExtractText(_ context.Context, _ image.Image, prompt string) (drivers.Extraction, error) {
	return drivers.Extraction{Text: prompt}, nil
}

func (e fakeVision) Locate(_ context.Context, _ image.Image, description string) (drivers.Located, error) {
	if len(e.lines) == 0 {
		return drivers.Located{}, fmt.Errorf("%s: %w", description, screen.ErrNotFound)
	}
	return drivers.Located{Bounds: e.lines[0].Bounds, Reason: "it is there"}, nil
}
