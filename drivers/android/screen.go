package android

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	screenshotBytes = 160 << 20 // an 8K screen in raw pixels
	screenshotSide  = 16384
)

// Screenshot reads raw pixels, which most phones give several times faster than a PNG, and a PNG where they cannot be read. What
// an app protects from screenshots is black in it.
func (d *Device) Screenshot(ctx context.Context) (image.Image, error) {
	img, err := d.rawScreenshot(ctx)
	if errors.Is(err, errPixels) {
		d.log.Debug("raw screenshot cannot be read, taking a PNG", "error", err)
		img, err = d.pngScreenshot(ctx)
	}
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.shot = img.Bounds().Size()
	d.mu.Unlock()
	return img, nil
}

// errPixels marks raw pixels that we cannot read: PNG is the way out.
var errPixels = errors.New("raw pixels")

func (d *Device) rawScreenshot(ctx context.Context) (image.Image, error) {
	d.mu.Lock()
	bad, hint := d.rawBad, d.shotLen
	d.mu.Unlock()
	if bad {
		return nil, errPixels
	}
	o, err := d.run(ctx, command{name: "screencap", line: "screencap", max: screenshotBytes, hint: hint})
	if err != nil {
		return nil, err
	}
	if o.code != 0 && len(o.out) < 12 {
		return nil, fmt.Errorf("device %s: %w: screencap: %s", d.link.serial, drivers.ErrNotReady, o.reason())
	}
	img, err := decodeRaw(o.out)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.rawBad = errors.Is(err, errFormat)
		return nil, err
	}
	d.shotLen = len(o.out)
	return img, nil
}

func (d *Device) pngScreenshot(ctx context.Context) (image.Image, error) {
	o, err := d.run(ctx, command{name: "screencap -p", line: "screencap -p", max: screenshotBytes})
	if err != nil {
		return nil, err
	}
	img, err := decodePNG(o.out)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w: screencap -p: %w (%s)", d.link.serial, drivers.ErrNotReady, err, output{errs: o.errs, code: o.code}.reason())
	}
	return img, nil
}

// The pixel formats of Android's graphics.h that a screen is read in.
const (
	formatRGBA = 1
	formatRGBX = 2
	formatRGB  = 3
	formatRGB5 = 4
	formatBGRA = 5
)

// errFormat is a raw format that this device will give every time.
var errFormat = fmt.Errorf("%w in a format that is not known", errPixels)

// decodeRaw reads what screencap gives without -p: width, height and format, from Android 9 on the colour space too, then the
// rows. Which header it is follows from the length alone. Four-byte pixels are used where they lie.
func decodeRaw(raw []byte) (*image.RGBA, error) {
	if len(raw) < 12 {
		return nil, fmt.Errorf("%w: only %d bytes", errPixels, len(raw))
	}
	w, h := int(binary.LittleEndian.Uint32(raw)), int(binary.LittleEndian.Uint32(raw[4:]))
	if w < 1 || h < 1 || w > screenshotSide || h > screenshotSide {
		return nil, fmt.Errorf("%w of %dx%d", errPixels, w, h)
	}
	format := binary.LittleEndian.Uint32(raw[8:])
	bpp := map[uint32]int{formatRGBA: 4, formatRGBX: 4, formatRGB: 3, formatRGB5: 2, formatBGRA: 4}[format]
	if bpp == 0 {
		return nil, fmt.Errorf("%w: %d", errFormat, format)
	}
	head := len(raw) - w*h*bpp
	if head != 12 && head != 16 {
		return nil, fmt.Errorf("%w: %d bytes for %dx%d", errPixels, len(raw), w, h)
	}
	pix := raw[head:]
	switch format {
	case formatRGB:
		pix = widen(pix, bpp, func(p []byte) (r, g, b byte) { return p[0], p[1], p[2] })
	case formatRGB5:
		pix = widen(pix, bpp, func(p []byte) (r, g, b byte) {
			v := binary.LittleEndian.Uint16(p)
			r, g, b = byte(v>>11), byte(v>>5&0x3f), byte(v&0x1f)
			return r<<3 | r>>2, g<<2 | g>>4, b<<3 | b>>2
		})
	case formatBGRA:
		for i := 0; i < len(pix); i += 4 {
			pix[i], pix[i+2] = pix[i+2], pix[i]
		}
	}
	for i := 3; i < len(pix); i += 4 {
		pix[i] = 255 // a screen has nothing behind it, whatever its top layer says
	}
	return &image.RGBA{Pix: pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}, nil
}

func widen(pix []byte, bpp int, colour func(p []byte) (r, g, b byte)) []byte {
	wide := make([]byte, len(pix)/bpp*4)
	for i := range len(pix) / bpp {
		wide[4*i], wide[4*i+1], wide[4*i+2] = colour(pix[i*bpp:])
	}
	return wide
}

var pngMagic = []byte("\x89PNG\r\n\x1a\n")

// decodePNG finds the picture behind what devices with several displays write in front of it.
func decodePNG(data []byte) (image.Image, error) {
	at := bytes.Index(data, pngMagic)
	if at < 0 {
		return nil, fmt.Errorf("no PNG in %d bytes", len(data))
	}
	data = data[at:]
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if config.Width > screenshotSide || config.Height > screenshotSide || config.Width*config.Height > screenshotBytes/4 {
		return nil, fmt.Errorf("a PNG of %dx%d", config.Width, config.Height)
	}
	return png.Decode(bytes.NewReader(data))
}
