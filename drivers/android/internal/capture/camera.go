package capture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"sync"
	"time"

	"golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Camera takes screenshots.
type Camera struct {
	Phone *phone.Phone
	Shots Costs

	mu      sync.Mutex
	shotLen int    // bytes of the last screenshot, to read the next one in one piece
	display string // screencap's name of the display, where there are several; "" is its first one
	chosen  bool   // the display was looked for
	rawBad  bool   // this phone's raw screenshots cannot be read
}

const (
	screenshotBytes = 160 << 20 // an 8K screen in raw pixels
	screenshotSide  = 16384
)

// Screenshot reads raw pixels, which most phones give several times faster than a PNG, and a PNG where they cannot be
// read or where the connection is too slow for ten megabytes. What an app protects from screenshots is black in it, or
// makes it a *drivers.ProtectedError: see Protected.
func (c *Camera) Screenshot(ctx context.Context) (image.Image, error) { return c.Capture(ctx, nil) }

// Capture is Screenshot; captured is called when the first pixels arrive, because screencap writes them once it has
// captured the screen. A first screenshot, which may be repeated as a PNG, does not call it.
func (c *Camera) Capture(ctx context.Context, captured func()) (image.Image, error) {
	img, err := c.takeScreenshot(ctx, captured)
	if err != nil {
		return nil, c.whyNoScreenshot(ctx, err)
	}
	img = c.overridden(img)
	c.Phone.SetShot(img.Bounds().Size())
	return img, nil
}

// takeScreenshot takes a screenshot of the kind that costs less over this connection.
func (c *Camera) takeScreenshot(ctx context.Context, captured func()) (image.Image, error) {
	began := time.Now()
	if !c.Shots.takesPNG() {
		img, err := c.rawScreenshot(ctx, captured)
		if err == nil {
			c.Shots.TookRaw(time.Since(began))
			return img, nil
		}
		if !errors.Is(err, errPixels) && !errors.Is(err, errSlowPixels) || errors.Is(err, errLate) {
			return nil, err
		}
		c.Phone.Log.Debug("no raw screenshot, taking a PNG", "reason", err)
	}
	began = time.Now()
	img, err := c.pngScreenshot(ctx)
	if err == nil {
		c.Shots.tookPNG(time.Since(began))
	}
	return img, err
}

// overridden scales the screenshot of the whole panel, which old Androids take, to the size that was set over it (`wm
// size 720x1600`): trees and taps go by that.
func (c *Camera) overridden(img image.Image) image.Image {
	size, glass := image.Pt(c.Phone.Info.Width, c.Phone.Info.Height), c.Phone.Glass
	if got := img.Bounds().Size(); got == image.Pt(glass.Y, glass.X) && got != glass {
		size, glass = image.Pt(size.Y, size.X), got
	}
	if size == glass || size == (image.Point{}) || img.Bounds().Size() != glass {
		return img
	}
	scaled := image.NewRGBA(image.Rectangle{Max: size})
	draw.ApproxBiLinear.Scale(scaled, scaled.Rect, img, img.Bounds(), draw.Src, nil)
	return scaled
}

// errPixels marks raw pixels that we cannot read: PNG is the way out.
var errPixels = errors.New("raw pixels")

// errLate marks a screenshot that failed after it was reported as captured: another one would show a later screen.
var errLate = errors.New("the screen was captured, and its pixels did not arrive")

// pixelsArrive is how many bytes of a raw screenshot are more than what the tool may print before it.
const pixelsArrive = 4096

// firstPixels adds to a watch of arriving bytes that captured is called with the first pixels.
func firstPixels(seen func(int) error, captured func()) func(int) error {
	called := false
	return func(bytes int) error {
		if bytes > pixelsArrive && !called {
			called = true
			captured()
		}
		err := seen(bytes)
		if err != nil && called {
			err = fmt.Errorf("%w: %w", errLate, err)
		}
		return err
	}
}

func (c *Camera) rawScreenshot(ctx context.Context, captured func()) (image.Image, error) {
	c.mu.Lock()
	bad, hint := c.rawBad, c.shotLen
	c.mu.Unlock()
	if bad {
		return nil, errPixels
	}
	expect := hint
	if expect == 0 {
		expect = 4 * c.Phone.Info.Width * c.Phone.Info.Height
	}
	o, err := c.screencap(ctx, adb.Command{Name: "screencap", Hint: cmp.Or(hint, expect+16)}, func() func(int) error {
		seen := c.Shots.patience(expect)
		if captured == nil || hint == 0 {
			return seen
		}
		return firstPixels(seen, captured)
	})
	if err != nil {
		return nil, err
	}
	if o.Code != 0 && len(o.Out) < 12 {
		return nil, fmt.Errorf("device %s: %w: screencap: %s", c.Phone.Link.Serial, drivers.ErrNotReady, o.Reason())
	}
	img, err := decodeRaw(o.Out)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.rawBad = errors.Is(err, errFormat)
		return nil, err
	}
	c.shotLen = len(o.Out)
	return img, nil
}

func (c *Camera) pngScreenshot(ctx context.Context) (image.Image, error) {
	o, err := c.screencap(ctx, adb.Command{Name: "screencap -p"}, nil)
	if err != nil {
		return nil, err
	}
	img, err := DecodePNG(o.Out)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w: screencap -p: %w (%s)", c.Phone.Link.Serial, drivers.ErrNotReady, err,
			adb.Output{Errs: o.Errs, Code: o.Code}.Reason())
	}
	return img, nil
}

// screencap runs the tool for the display that trees and taps mean. A phone with several says that it takes the first
// one, which on one that is folded is the dark one inside. Each attempt gets a watch of its own: what the wrong display
// took says nothing of the right one.
func (c *Camera) screencap(ctx context.Context, cmd adb.Command, watch func() func(bytes int) error) (adb.Output,
	error) {
	cmd.ReadOnly, cmd.Max = true, screenshotBytes
	for {
		c.mu.Lock()
		display, chosen := c.display, c.chosen
		c.mu.Unlock()
		cmd.Line = cmd.Name
		if watch != nil {
			cmd.Seen = watch()
		}
		if display != "" {
			cmd.Line += " -d " + display
		}
		o, err := c.Phone.Run(ctx, cmd)
		switch {
		case err != nil:
			return o, err
		case display != "" && o.Code != 0 && len(o.Out) == 0: // it is gone
			c.choose("")
		case !chosen && bytes.Contains(append(o.Errs, o.Out[:min(len(o.Out), 1024)]...),
			[]byte("Multiple displays were found")):
			if display, err = c.mainDisplay(ctx); err != nil {
				return o, err
			}
			c.choose(display)
		default:
			return o, nil
		}
	}
}

func (c *Camera) choose(display string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.display, c.chosen = display, true
}

// chosenDisplay is screencap's name of the display that is meant, "" for its first one.
func (c *Camera) chosenDisplay() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.display
}

// mainDisplay returns which panel shows Android's display 0 now, "" where that is not reported.
func (c *Camera) mainDisplay(ctx context.Context) (string, error) {
	for _, line := range []string{"cmd display get-displays", "dumpsys display"} {
		o, err := c.Phone.Run(ctx, adb.Command{Name: line, ReadOnly: true, Line: line})
		if err != nil {
			return "", err
		}
		if m := displayZero.FindSubmatch(o.Out); m != nil {
			return string(m[1]), nil
		}
	}
	return "", nil
}

var displayZero = lazyregexp.New(`DisplayInfo\{[^\n]*?\bdisplayId 0\b[^\n]*?\buniqueId "local:(\d+)"`)

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

// decodeRaw reads what screencap writes without -p: width, height and format, from Android 9 on the colour space too,
// then the rows. Which header it is follows from the length alone. Four-byte pixels are used where they lie.
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

// DecodePNG finds the image behind what devices with several displays write ahead of it.
func DecodePNG(data []byte) (image.Image, error) {
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
