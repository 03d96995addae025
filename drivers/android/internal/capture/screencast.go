package capture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/screenimage"
)

// Caster shows the screen while it changes.
type Caster struct {
	Phone  *phone.Phone
	Camera *Camera
	Agent  *agent.Agent
}

const (
	castMoving  = 40 * time.Millisecond  // between two screenshots of a screen that moves
	castKept    = 2 * time.Second        // and for so long after it has moved
	castStill   = 150 * time.Millisecond // of one that does not move
	castFailing = time.Second            // after a screenshot that could not be taken

	// StreamPort is of the phone: the agent sends images there, ten per second, to each client that sent a request
	StreamPort    = "tcp:7810"
	agentBoundary = "BoundaryString"
	agentSilence  = 3 * time.Second // of the agent, after which screenshots are taken without it
	agentAgain    = 5 * time.Second // after which it is asked once more
)

// Screencast shows the images that the agent sends, where one runs. Where none does, or none arrives, it takes one raw
// screenshot after the other. Of both, on connections of their own, it shows those that differ from the one before.
func (c *Caster) Screencast(_ context.Context, show func(drivers.Frame)) (stop func() error, err error) {
	ctx, cancel := context.WithCancel(c.Phone.Life)
	done := make(chan struct{})
	if err := c.Phone.Life.Go(func() { defer close(done); c.cast(ctx, show) }); err != nil {
		cancel()
		return nil, err
	}
	return func() error { cancel(); <-done; return nil }, nil
}

func (c *Caster) cast(ctx context.Context, show func(drivers.Frame)) {
	for ctx.Err() == nil {
		until := time.Time{}
		if c.Agent.Running() {
			c.Phone.Log.Debug("the agent's images end", "error", c.castByAgent(ctx, show))
			until = time.Now().Add(agentAgain)
		}
		c.castRaw(ctx, until, show)
	}
}

// castByAgent shows what the agent sends until that ends, or no longer looks like this screen: a raw screenshot shows
// what it looks like.
func (c *Caster) castByAgent(ctx context.Context, show func(drivers.Frame)) error {
	img, err := c.Camera.takeScreenshot(ctx, nil)
	if err != nil {
		return err
	}
	size := c.Camera.overridden(img).Bounds().Size()
	conn, err := c.Phone.Link.Service(ctx, StreamPort)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET / HTTP/1.0\r\n\r\n")); err != nil {
		return err
	}
	var last []byte
	for sent := screenimage.NewMJPEG(conn, agentBoundary); ; {
		if c.Agent.Shell.HasEnded() {
			return errors.New("the agent has ended")
		}
		if err := conn.SetReadDeadline(time.Now().Add(agentSilence)); err != nil {
			return err
		}
		frame, err := sent.Next()
		if err != nil {
			return err
		}
		if bytes.Equal(frame, last) {
			continue
		}
		config, err := jpeg.DecodeConfig(bytes.NewReader(frame))
		if err != nil {
			continue // one that is broken
		}
		turned, ok := shows(size, image.Pt(config.Width, config.Height))
		if !ok {
			return errors.New("the screen has another shape now")
		}
		if last = frame; ctx.Err() == nil {
			show(drivers.Frame{JPEG: frame, Size: turned, At: time.Now()})
		}
	}
}

// shows returns the size of the screen that an image shows, which may be scaled down, and the screen rotated.
func shows(screen, picture image.Point) (image.Point, bool) {
	if (screen.X > screen.Y) != (picture.X > picture.Y) {
		screen = image.Pt(screen.Y, screen.X)
	}
	const within = 2 // pixels by which the smaller side may be rounded
	off := screen.X*picture.Y - screen.Y*picture.X
	return screen, max(off, -off) <= within*max(screen.X, screen.Y)
}

// castRaw takes screenshots until a time, or without end where there is none, and makes frames of those that differ.
func (c *Caster) castRaw(ctx context.Context, until time.Time, show func(drivers.Frame)) {
	var last image.Image
	pace := drivers.Pace{Fast: castMoving, Slow: castStill, Keep: castKept}
	for ctx.Err() == nil && (until.IsZero() || time.Now().Before(until)) {
		pause := castFailing
		img, err := c.Camera.takeScreenshot(ctx, nil)
		if err == nil {
			at := time.Now()
			differs := last == nil || !drivers.SamePixels(last, img)
			if last = img; differs {
				if frame, err := drivers.NewFrame(c.Camera.overridden(img), at); err == nil && ctx.Err() == nil {
					show(frame)
				}
			}
			pause = pace.Pause(differs)
		}
		_ = drivers.Pause(ctx, pause) // ends with ctx, which the loop sees
	}
}
