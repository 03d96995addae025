package drivers

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"sync"
	"time"

	"golang.org/x/image/draw"
)

// Image is a PNG file as a device returned it. Its pixels are decoded when they are needed: most screenshots are only
// kept, as the file that they are. One with pixels that cannot be read is black, as its size says. Safe for concurrent
// use.
type Image struct {
	file   []byte
	size   image.Point
	pixels func() image.Image
}

var _ image.RGBA64Image = (*Image)(nil)

// NewImage takes a PNG file of at most so many pixels; the caller must not change it any more.
func NewImage(file []byte, maxPixels int) (*Image, error) {
	config, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("the image cannot be read: %w", err)
	}
	if config.Width <= 0 || config.Height <= 0 || config.Width > maxPixels/config.Height {
		return nil, fmt.Errorf("the image is too large: %d × %d", config.Width, config.Height)
	}
	p := &Image{file: file, size: image.Pt(config.Width, config.Height)}
	p.pixels = sync.OnceValue(func() image.Image {
		img, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			return image.NewRGBA(p.Bounds())
		}
		return img
	})
	return p, nil
}

// PNG returns the file.
func (p *Image) PNG() []byte { return p.file }

// Bounds returns bounds that start at (0,0).
func (p *Image) Bounds() image.Rectangle { return image.Rectangle{Max: p.size} }

// ColorModel is that of the pixels.
func (p *Image) ColorModel() color.Model { return p.pixels().ColorModel() }

// At returns a pixel.
func (p *Image) At(x, y int) color.Color { return p.pixels().At(x, y) }

// RGBA64At returns a pixel faster.
func (p *Image) RGBA64At(x, y int) color.RGBA64 {
	if fast, ok := p.pixels().(image.RGBA64Image); ok {
		return fast.RGBA64At(x, y)
	}
	r, g, b, a := p.At(x, y).RGBA()
	return color.RGBA64{R: uint16(r), G: uint16(g), B: uint16(b), A: uint16(a)}
}

// Decoded returns the pixels as png.Decode does, for callers that read many.
func (p *Image) Decoded() image.Image { return p.pixels() }

// ImageCache makes ImageCache of the files that one screen returns, one after the other. A file that is equal to the
// one before returns the same Image, so that the pixels of a screen that rests are read once. The zero value is
// ready; safe for concurrent use.
type ImageCache struct {
	mu   sync.Mutex
	last *Image
}

// Of is NewImage.
func (p *ImageCache) Of(file []byte, maxPixels int) (*Image, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil && bytes.Equal(p.last.file, file) {
		return p.last, nil
	}
	made, err := NewImage(file, maxPixels)
	if err == nil {
		p.last = made
	}
	return made, err
}

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

// Protected is a window, or a part of one, of which its app allows no screenshots: FLAG_SECURE on Android.
type Protected struct {
	Window string          // as the device calls it
	Bounds image.Rectangle // pixels of the screenshot; empty: not known, it may be all of the screen
}

// Protector is a Device with apps that can forbid screenshots of their windows. A screenshot of such a screen is black
// there or cannot be had, and shows nothing; the elements can be read and touched all the same.
type Protector interface {
	// Protected returns what of the screen screenshots do not show now, the topmost first; nil: they show all of it.
	Protected(ctx context.Context) ([]Protected, error)
}

// ProtectedError says that what pixels alone could show is unknown, because an app forbids screenshots. It is an
// ErrNotReady: what is on the screen next may be allowed.
type ProtectedError struct {
	Device string // its id
	Parts  []Protected
}

func (e *ProtectedError) Error() string {
	name := "what is on the screen"
	if len(e.Parts) > 0 {
		name = "the window " + e.Parts[0].Window
	}
	return fmt.Sprintf(
		"device %s: the app forbids screenshots of %s (FLAG_SECURE): what its pixels show is unknown; its elements can be "+
			"looked for", e.Device, name)
}

// Is makes it an ErrNotReady.
func (e *ProtectedError) Is(target error) bool { return target == ErrNotReady }

// Whole reports whether a screenshot of these bounds shows almost nothing of the screen.
func (e *ProtectedError) Whole(b image.Rectangle) bool {
	for _, p := range e.Parts {
		if part := p.Bounds.Intersect(b); p.Bounds.Empty() || part.Dx()*part.Dy()*10 >= b.Dx()*b.Dy()*9 {
			return true
		}
	}
	return false
}

// At reports whether nothing is known of the pixels of a part of the screen.
func (e *ProtectedError) At(part image.Rectangle) bool {
	for _, p := range e.Parts {
		if p.Bounds.Empty() || p.Bounds.Overlaps(part) {
			return true
		}
	}
	return false
}
