package observe

import (
	"context"
	"image"
	"time"
)

// Capturer is a Device with screenshots that come by another way than its trees, so that both can be read at the same
// time.
type Capturer interface {
	// Capture is Screenshot. It calls captured, once, from any goroutine, when the device has captured the screen: what
	// changes afterwards is not in the image, which is still on its way. Where that is not known, it does not call it.
	Capture(ctx context.Context, captured func()) (image.Image, error)
}

// Capture is a screenshot that is taken while the elements are read by another way.
type Capture struct {
	taken chan struct{} // closed when the screen is captured
	done  chan struct{}
	at    time.Time // the screen was captured; read after taken
	img   image.Image
	err   error
}

// StartCapture starts to take a screenshot: take returns it, and calls captured when the screen is captured, or not at
// all. Image must be called.
func StartCapture(take func(captured func()) (image.Image, error)) *Capture {
	c := &Capture{taken: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		captured := false
		mark := func() {
			if !captured {
				captured, c.at = true, time.Now()
				close(c.taken)
			}
		}
		defer mark()
		c.img, c.err = take(mark)
	}()
	return c
}

// Captured waits until the screen is captured: from then on it may change.
func (c *Capture) Captured() { <-c.taken }

// Image waits for the image; at is when the screen was captured.
func (c *Capture) Image() (img image.Image, at time.Time, err error) {
	<-c.done
	return c.img, c.at, c.err
}
