package drivers

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"sync"
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
