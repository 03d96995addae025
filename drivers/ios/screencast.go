package ios

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// castAgain is how long a stream of images that broke off is left alone.
const castAgain = time.Second

var _ drivers.Screencaster = (*Device)(nil)

// Screencast shows the images that WebDriverAgent sends.
func (d *Device) Screencast(ctx context.Context, show func(drivers.Frame)) (stop func() error, err error) {
	if d.film == "" {
		return nil, d.unsupported("the address of WebDriverAgent's images is not known")
	}
	life, cancel := context.WithCancel(d.life)
	untie := context.AfterFunc(ctx, cancel)
	parts, end, err := d.imageStream(life)
	if err == nil && !untie() {
		end()
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		return nil, d.unsupported(fmt.Sprintf("WebDriverAgent sends no images: %v", err))
	}
	done := make(chan struct{})
	if err := d.life.Go(func() { defer close(done); d.cast(life, parts, end, show) }); err != nil {
		end()
		cancel()
		return nil, err
	}
	return func() error { cancel(); <-done; return nil }, nil
}

// cast shows a stream, and the next one when it broke off: WebDriverAgent may be starting again.
func (d *Device) cast(ctx context.Context, parts *frames, end func(), show func(drivers.Frame)) {
	var last []byte
	for {
		for {
			frame, err := parts.next()
			if err != nil || ctx.Err() != nil {
				break
			}
			config, err := jpeg.DecodeConfig(bytes.NewReader(frame))
			if err != nil || bytes.Equal(frame, last) {
				continue
			}
			last = frame
			show(drivers.Frame{JPEG: frame, Size: d.measure(image.Pt(config.Width, config.Height)), At: time.Now()})
		}
		end()
		for again := true; again; {
			if drivers.Pause(ctx, castAgain) != nil {
				return
			}
			var err error
			parts, end, err = d.imageStream(ctx)
			again = err != nil
		}
	}
}

// measure is the size of the screenshot that an image of the stream shows: the stream may be scaled.
func (d *Device) measure(picture image.Point) image.Point {
	d.mu.Lock()
	defer d.mu.Unlock()
	if (d.shot.X > d.shot.Y) == (picture.X > picture.Y) {
		return d.shot
	}
	return image.Pt(d.shot.Y, d.shot.X)
}

// imageStream requests the stream of WebDriverAgent; end must be called.
func (d *Device) imageStream(ctx context.Context) (parts *frames, end func(), err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.film, nil)
	if err != nil {
		return nil, nil, err
	}
	res, err := d.wda.http.Do(req)
	if err != nil {
		return nil, nil, err
	}
	if parts, err = newFrames(res); err != nil {
		_ = res.Body.Close()
		return nil, nil, err
	}
	return parts, func() { _ = res.Body.Close() }, nil
}
