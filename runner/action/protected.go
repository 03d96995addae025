package action

import (
	"context"
	"errors"
	"image"

	"github.com/taproot-dev/taproot/drivers"
)

// A screenshot of a window of which the app forbids screenshots is black, or there is none. Nothing that only pixels
// show follows from it.

const (
	blackStep = 8   // every so many pixels, in both directions, one is looked at
	blackPart = 100 // a screenshot of which less than one part in so many is black needs no question
)

// black reports whether a screenshot has so much of pure black that a window may have been left out of it.
func black(img image.Image) bool {
	b := img.Bounds()
	seen, all := 0, 0
	for y := b.Min.Y; y < b.Max.Y; y += blackStep {
		for x := b.Min.X; x < b.Max.X; x += blackStep {
			all++
			if pureBlack(img, x, y) {
				seen++
			}
		}
	}
	return seen > 0 && seen*blackPart >= all
}

func pureBlack(img image.Image, x, y int) bool {
	if p, ok := img.(*image.RGBA); ok {
		at := p.PixOffset(x, y)
		return p.Pix[at] == 0 && p.Pix[at+1] == 0 && p.Pix[at+2] == 0
	}
	r, g, b, _ := img.At(x, y).RGBA()
	return r|g|b == 0
}

// protection reports whether an app has forbidden a screenshot that was just taken, or a part of it: nil when it shows
// what is on the screen.
func protection(ctx context.Context, dev drivers.Device, img image.Image) (*drivers.ProtectedError, error) {
	d, ok := dev.(drivers.Protector)
	if !ok || img == nil || !black(img) {
		return nil, nil
	}
	parts, err := d.Protected(ctx)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	return &drivers.ProtectedError{Device: dev.Info().ID, Parts: parts}, nil
}

// judgeable makes a screenshot that shows nothing of what it is judged by an error.
func (s *Session) judgeable(ctx context.Context, img image.Image) error {
	p, err := protection(ctx, s.Device, img)
	if err == nil && p != nil {
		err = p
	}
	return err
}

// Unseen says in a sentence, for the report, why a screenshot of the device is black; "" when it is not, or shows what
// there is.
func Unseen(ctx context.Context, dev drivers.Device, img image.Image) string {
	if p, err := protection(ctx, dev, img); err == nil && p != nil {
		return "the screenshot is black where the window " + p.Parts[0].Window +
			" is: its app forbids screenshots of it (FLAG_SECURE)"
	}
	return ""
}

// tryPixels takes a screenshot where the search can do without: of a window of which none may be taken, the trees alone
// have it.
func (w *screenReader) tryPixels(ctx context.Context) error {
	err := w.takeScreenshot(ctx)
	var p *drivers.ProtectedError
	if errors.As(err, &p) {
		w.pixels = false
		w.s.noteOnce("the app forbids screenshots of the window %s: its elements alone were looked at", p.Parts[0].Window)
		return nil
	}
	return err
}
