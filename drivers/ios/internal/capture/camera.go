package capture

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // WebDriverAgent before 2019, and some that others build
	_ "image/png"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/geometry"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

const maxPixels = 80 << 20

// Camera takes the screenshots of one device, by WebDriverAgent or, where that cannot, by simctl. Its methods are
// called one at a time.
type Camera struct {
	link     *wda.Link
	host     host.Host
	geometry *geometry.Screen

	taken drivers.ImageCache // the newest screenshot
}

// NewCamera returns a Camera, which keeps g informed of the size of its screenshots.
func NewCamera(l *wda.Link, h host.Host, g *geometry.Screen) *Camera {
	return &Camera{link: l, host: h, geometry: g}
}

// Screenshot returns the screen the way up in which the app is.
func (c *Camera) Screenshot(ctx context.Context) (image.Image, error) {
	img, err := c.takeScreenshot(ctx)
	if err != nil {
		return nil, err
	}
	size := img.Bounds().Size()
	if !c.geometry.Upright(size) {
		if img, err = c.turned(ctx, img); err != nil {
			return nil, err
		}
	}
	c.geometry.Took(img.Bounds().Size())
	return img, nil
}

// takeScreenshot takes a screenshot; where WebDriverAgent cannot, simctl may.
func (c *Camera) takeScreenshot(ctx context.Context) (image.Image, error) {
	ctx, cancel := drivers.Bound(ctx, c.link.Life)
	defer cancel()
	data, err := c.capture(ctx)
	if shooter, ok := c.host.(host.Shooter); ok && errors.Is(err, drivers.ErrNotReady) {
		var shotErr error
		if data, shotErr = shooter.Screenshot(ctx); shotErr != nil {
			return nil, errors.Join(err, shotErr)
		}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return c.decode(data)
}

// capture requests from WebDriverAgent a screenshot.
func (c *Camera) capture(ctx context.Context) ([]byte, error) {
	var text *string // null as well as empty: there is none yet
	if err := c.link.Agent.Call(ctx, wda.Get("a screenshot", "/screenshot"), &text); err != nil {
		return nil, err
	}
	if text == nil {
		text = new(string)
	}
	data, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		return nil, fmt.Errorf("%w: device %s: the screenshot is not base64: %w", drivers.ErrDeviceLost, c.link.ID, err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: device %s: the screenshot is empty", drivers.ErrNotReady, c.link.ID)
	}
	return data, nil
}

// decode makes an image of a file. The pixels of a whole PNG are decoded when they are needed, and those of a
// screen that has not changed only once.
func (c *Camera) decode(data []byte) (img image.Image, err error) {
	if bytes.HasSuffix(data, pngEnd) {
		img, err = c.taken.Of(data, maxPixels)
	} else {
		img, err = decodeAll(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: device %s: the screenshot is not an image: %w", drivers.ErrDeviceLost, c.link.ID, err)
	}
	return img, nil
}

// pngEnd is the last part of a PNG file: one that was cut is without it.
var pngEnd = []byte("\x00\x00\x00\x00IEND\xaeB`\x82")

// decodeAll reads an image of any kind.
func decodeAll(data []byte) (image.Image, error) {
	head, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if head.Width*head.Height > maxPixels {
		return nil, fmt.Errorf("it has %dx%d pixels", head.Width, head.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	return img, err
}

// turned queries the orientation of the app and rotates an image with another one: some systems return the screen as it
// is built into the phone.
func (c *Camera) turned(ctx context.Context, img image.Image) (image.Image, error) {
	var window struct{ Width, Height float64 }
	if err := c.link.Do(ctx, wda.Get("the size of the window", "/window/size"), &window); err != nil {
		return nil, err
	}
	size := img.Bounds().Size()
	points, err := c.link.WholeScreen(ctx, image.Rect(0, 0, source.Whole(window.Width), source.Whole(window.Height)), size)
	if err != nil {
		return nil, err
	}
	c.geometry.SawWindow(points, size)
	if (size.X > size.Y) == (points.X > points.Y) {
		return img, nil
	}
	clockwise, err := c.link.LiesRight(ctx)
	if err != nil {
		return nil, err
	}
	return geometry.Turn(img, clockwise), nil
}
