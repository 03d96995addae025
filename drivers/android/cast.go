package android

import (
	"context"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	castPause   = 40 * time.Millisecond  // between two pictures of a screen that moves
	castIdle    = 150 * time.Millisecond // of one that stands still
	castMoving  = 2 * time.Second        // for so long after a change a screen counts as moving
	castFailing = time.Second            // after a picture that could not be taken
)

var _ drivers.Caster = (*Device)(nil)

// Cast takes one raw picture after the other, on connections of its own, and shows those that differ from the one before.
func (d *Device) Cast(_ context.Context, show func(drivers.Frame)) (stop func() error, err error) {
	ctx, cancel := context.WithCancel(d.life)
	done := make(chan struct{})
	if err := d.life.Go(func() { defer close(done); d.cast(ctx, show) }); err != nil {
		cancel()
		return nil, err
	}
	return func() error { cancel(); <-done; return nil }, nil
}

func (d *Device) cast(ctx context.Context, show func(drivers.Frame)) {
	var last image.Image
	var changed time.Time
	for ctx.Err() == nil {
		pause := castFailing
		img, err := d.picture(ctx)
		at := time.Now()
		if err == nil {
			img = d.overridden(img)
			if last == nil || !drivers.SamePixels(last, img) {
				if frame, err := drivers.NewFrame(img, at); err == nil && ctx.Err() == nil {
					show(frame)
				}
				last, changed = img, at
			}
			pause = castIdle
			if at.Sub(changed) < castMoving {
				pause = castPause
			}
		}
		_ = drivers.Pause(ctx, pause) // ends with ctx, which the loop sees
	}
}
