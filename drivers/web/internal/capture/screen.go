// Package capture takes screenshots and a live stream of what a browser draws.
package capture

import (
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// Screen shows what a browser draws of the current page.
type Screen struct {
	slot  *pages.Slot
	taken drivers.ImageCache // the newest screenshot
}

// NewScreen shows the current page of a slot.
func NewScreen(slot *pages.Slot) *Screen { return &Screen{slot: slot} }

// maxPixels caps a screenshot.
const maxPixels = 64 << 20

// Screenshot returns the viewport's pixels, also those of the browser's own error page when a page could not be opened.
func (c *Screen) Screenshot(ctx context.Context) (image.Image, error) {
	s, _ := c.slot.Opened()
	var page playwright.Page
	if s != nil && s.Browser.Alive() && !s.Crashed() {
		page = s.Tabs.Any()
	}
	if page == nil {
		_, _, err := c.slot.Page()
		return nil, err
	}
	if s.Dialogs.IsOpen() {
		return nil, fmt.Errorf("%w: an open dialog stops the page", drivers.ErrNotReady)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.Gone() {
		return nil, s.ClosedError()
	}
	limit := browser.CallLimit - browser.CallLimit/10
	if s.Mute.Load() { // it did not answer when it was asked last
		limit = pages.MuteLimit
	}
	done := pages.Start(c.slot, func() (image.Image, error) {
		raw, err := s.Capture(ctx, page, limit)
		if err != nil {
			return nil, err
		}
		picture, err := c.taken.Of(raw, maxPixels)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", drivers.ErrNotReady, err)
		}
		return picture, nil
	})
	r, err := pages.OutcomeOf(ctx, s, done, nil)
	if err != nil {
		return nil, err
	}
	return r.Value, s.Explain(r.Err)
}

const (
	castLook    = 50 * time.Millisecond  // how often the cast looks which page is the current one
	castSlow    = 300 * time.Millisecond // between two images of a browser that sends none by itself
	castQuality = 80
)

// Screencast shows the current page, whichever it is. Chromium sends images by itself; of other browsers one is taken
// now and then.
func (c *Screen) Screencast(_ context.Context, show func(drivers.Frame)) (stop func() error, err error) {
	if c.slot.IsClosed() {
		return nil, c.slot.ClosedError()
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	c.slot.Calls.Go(func() { defer close(done); defer cancel(); c.cast(ctx, show) })
	return func() error { cancel(); <-done; return nil }, nil
}

func (c *Screen) cast(ctx context.Context, show func(drivers.Frame)) {
	var now *screencast
	defer func() { now.end() }()
	for !c.slot.IsClosed() {
		s, page := c.shown()
		if page != nil && (now == nil || now.page != page) {
			now.end()
			now = startCast(s, page)
		}
		switch {
		case page == nil:
			now.end()
			now = nil
		case !now.sends:
			now.take(ctx, show)
		}
		if now.wait(ctx, show) != nil {
			return
		}
	}
}

// shown returns the page that is to be seen, nil while there is none.
func (c *Screen) shown() (*pages.BrowserContext, playwright.Page) {
	s, _ := c.slot.Opened()
	if s == nil || s.Gone() || !s.Browser.Alive() || s.Crashed() {
		return nil, nil
	}
	return s, s.Tabs.Any()
}

// screencast is the stream of images of one page.
type screencast struct {
	session *pages.BrowserContext
	page    playwright.Page
	cdp     playwright.CDPSession
	sends   bool           // Chromium sends images; else they are taken one by one
	frames  chan castFrame // the newest that was not shown
	acks    sync.WaitGroup
	last    image.Image
	taken   time.Time
}

// castFrame is an image as Chromium sends it.
type castFrame struct {
	data string
	id   any // to be acknowledged: then the next one may come
	at   time.Time
}

// screencast starts the stream of a page.
func startCast(s *pages.BrowserContext, page playwright.Page) *screencast {
	c := &screencast{session: s, page: page, frames: make(chan castFrame, 1)}
	if !s.Browser.Brand.Devtools {
		return c
	}
	if cdp, err := s.Context.NewCDPSession(page); err == nil {
		c.start(cdp)
	}
	return c
}

// start makes Chromium send images. The first ones may come before it has responded.
func (c *screencast) start(cdp playwright.CDPSession) {
	c.cdp = cdp
	cdp.On("Page.screencastFrame", c.note)
	_, err := cdp.Send("Page.startScreencast", map[string]any{"format": "jpeg", "quality": castQuality,
		"maxWidth": c.session.Size.X, "maxHeight": c.session.Size.Y})
	c.sends = err == nil
}

// note keeps the newest image. It runs on playwright-go's event loop, so it must not wait.
func (c *screencast) note(event any) {
	fields, _ := event.(map[string]any)
	data, _ := fields["data"].(string)
	f := castFrame{data: data, id: fields["sessionId"], at: time.Now()}
	for {
		select {
		case c.frames <- f:
			return
		default:
		}
		select {
		case old := <-c.frames:
			c.acknowledge(old)
		default:
		}
	}
}

// acknowledge requests the next image. It fails when the page is gone.
func (c *screencast) acknowledge(f castFrame) {
	c.acks.Go(func() { _, _ = c.cdp.Send("Page.screencastFrameAck", map[string]any{"sessionId": f.id}) })
}

// wait shows what comes until it is time to look for another page.
func (c *screencast) wait(ctx context.Context, show func(drivers.Frame)) error {
	timer := time.NewTimer(castLook)
	defer timer.Stop()
	var frames chan castFrame
	if c != nil {
		frames = c.frames
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case f := <-frames:
			if raw, err := base64.StdEncoding.DecodeString(f.data); err == nil && len(raw) > 0 {
				show(drivers.Frame{JPEG: raw, Size: c.session.Size, At: f.at})
			}
			c.acknowledge(f)
		}
	}
}

// take takes one screenshot, where it is time for it, and shows it when it differs from the one before.
func (c *screencast) take(ctx context.Context, show func(drivers.Frame)) {
	if time.Since(c.taken) < castSlow || c.session.Mute.Load() {
		return
	}
	c.taken = time.Now()
	raw, err := c.session.Capture(ctx, c.page, pages.MuteLimit)
	if err != nil {
		return
	}
	picture, err := drivers.NewImage(raw, maxPixels)
	if err != nil || c.last != nil && drivers.SamePixels(c.last, picture) {
		return
	}
	if frame, err := drivers.NewFrame(picture, c.taken); err == nil && ctx.Err() == nil {
		c.last, frame.Size = picture, c.session.Size
		show(frame)
	}
}

// end lets go of the page.
func (c *screencast) end() {
	if c == nil || c.cdp == nil {
		return
	}
	c.acks.Wait()
	_ = c.cdp.Detach() // fails when the page is gone; it ends the stream
}
