package drivers

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"time"

	"golang.org/x/image/draw"
)

// Screencaster is a Device that shows its screen while it changes.
type Screencaster interface {
	// Screencast calls show with an image of the screen, and with a newer one whenever it has changed, until stop is
	// called or the device is closed. It continues during other calls; what cannot be captured just now is left out. show
	// is not called twice at a time, and its slowness costs images, never the device. stop waits for the last call of
	// show. An ErrUnsupported means that Screenshot is all there is.
	Screencast(ctx context.Context, show func(Frame)) (stop func() error, err error)
}

// Frame is one image of a live screen.
type Frame struct {
	JPEG []byte
	Size image.Point // of the screenshot that it is made of: pixels of trees and taps
	At   time.Time   // when it was taken
}

const (
	castSide    = 1280 // the longer side of a frame that is made here: what a window next to an editor shows
	castQuality = 75
)

// NewFrame makes a frame of a screenshot that was taken at a time, smaller where it is large.
func NewFrame(img image.Image, at time.Time) (Frame, error) {
	size := img.Bounds().Size()
	if p, ok := img.(*Image); ok {
		img = p.Decoded()
	}
	if long := max(size.X, size.Y); long > castSide {
		small := image.NewRGBA(image.Rect(0, 0, max(1, size.X*castSide/long), max(1, size.Y*castSide/long)))
		draw.ApproxBiLinear.Scale(small, small.Rect, img, img.Bounds(), draw.Src, nil)
		img = small
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: castQuality}); err != nil {
		return Frame{}, err
	}
	return Frame{JPEG: out.Bytes(), Size: size, At: at}, nil
}

// Pace is how long to wait between two images of a device that sends none by itself: Fast after one that shows
// something new, and for as long as Keep after it, then longer by half after each that shows nothing new, up to Slow.
type Pace struct {
	Fast, Slow, Keep time.Duration

	next  time.Duration
	still time.Duration // waited since something was new
}

// Pause returns the wait after an image that differed from the one before, or did not.
func (p *Pace) Pause(differs bool) time.Duration {
	switch {
	case differs:
		p.next, p.still = p.Fast, 0
	case p.still >= p.Keep:
		p.next = max(p.Fast, min(p.next*3/2, p.Slow))
	}
	p.still += p.next
	return p.next
}

// SamePixels reports whether two screenshots are equal, quickly where they are of the kind that phones return.
func SamePixels(a, b image.Image) bool {
	switch x := a.(type) {
	case *image.RGBA:
		y, ok := b.(*image.RGBA)
		return ok && x.Rect == y.Rect && x.Stride == y.Stride && bytes.Equal(x.Pix, y.Pix)
	case *Image:
		y, ok := b.(*Image)
		return ok && bytes.Equal(x.PNG(), y.PNG())
	}
	return false
}
