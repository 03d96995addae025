package action

import (
	"context"
	"errors"
	"image"

	"github.com/taproot-dev/taproot/drivers"
)

// A picture of a window of which the app forbids pictures is black, or there is none. Nothing that only pixels tell
// follows from it.

const (
	blackStep = 8   // every so many pixels, in both directions, one is looked at
	blackPart = 100 // a picture of which less than one part in so many is black needs no question
)

// black tells whether a picture has so much of pure black that a window may have been left out of it.
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

// protection tells whether an app has forbidden a picture that was just taken, or a part of it: nil when it shows what
// is on the screen.
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

// judgeable makes a picture that shows nothing of what it is judged by an error.
func (s *Session) judgeable(ctx context.Context, img image.Image) error {
	p, err := protection(ctx, s.Device, img)
	if err == nil && p != nil {
		err = p
	}
	return err
}

// Unseen says in a sentence, for the report, why a picture of the device is black; "" when it is not, or shows what
// there is.
func Unseen(ctx context.Context, dev drivers.Device, img image.Image) string {
	if p, err := protection(ctx, dev, img); err == nil && p != nil {
		return "the picture is black where the window " + p.Parts[0].Window +
			" is: its app forbids pictures of it (FLAG_SECURE)"
	}
	return ""
}

// tryPixels takes a picture where the look can do without: of a window of which none may be taken, the trees alone
// tell.
func (w *screenReader) tryPixels(ctx context.Context) error {
	err := w.picture(ctx)
	var p *drivers.ProtectedError
	if errors.As(err, &p) {
		w.pixels = false
		w.s.noteOnce("the app forbids pictures of the window %s: its elements alone were looked at", p.Parts[0].Window)
		return nil
	}
	return err
}
