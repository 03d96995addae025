package web

import (
	"context"
	"fmt"
	"image"
	"math"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/dom"
)

// longText is inserted at once instead of key by key.
const longText = 500

// maxPixels caps a screenshot.
const maxPixels = 64 << 20

// Tap clicks at a point of the viewport, or taps where a touch screen is emulated.
func (h *Hand) Tap(ctx context.Context, p image.Point) error {
	s, err := h.onScreen(p)
	if err != nil {
		return err
	}
	return h.press(ctx, h.slot.limit, func(page playwright.Page) error {
		z, err := s.zoom(page)
		if err != nil {
			return err
		}
		x, y := z.OnPage(p)
		if s.touch {
			return s.made(page, page.Touchscreen().Tap(dom.Clamp(math.Round(x)), dom.Clamp(math.Round(y))))
		}
		return s.made(page, page.Mouse().Click(x, y))
	})
}

// closeEvent is how long the news that a page has closed may come after the error of a call into it.
const closeEvent = time.Second

// made says that an action which closed its own page was made: asked again, it would meet the page behind.
func (h *Health) made(page playwright.Page, err error) error {
	if !disconnected(err) || processDied(err) {
		return err
	}
	for end := time.Now().Add(closeEvent); !page.IsClosed() && time.Now().Before(end); {
		_ = pause(context.Background(), lookPause)
	}
	if page.IsClosed() && h.browser.alive() && !h.crashed() && !h.gone() {
		return nil
	}
	return err
}

// onScreen checks that points are in the viewport, and returns the session to which that belongs.
func (h *Hand) onScreen(points ...image.Point) (*session, error) {
	s, _, err := h.slot.page()
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		if !p.In(image.Rectangle{Max: s.size}) {
			return nil, fmt.Errorf("%w: the point %d,%d is outside the page's %d × %d", drivers.ErrNotActionable, p.X, p.Y,
				s.size.X, s.size.Y)
		}
	}
	return s, nil
}

// Screen shows what a browser draws of the current page.
type Screen struct {
	slot  *Slot
	taken drivers.ImageCache // the newest screenshot
}

// Screenshot returns the viewport's pixels, also those of the browser's own error page when a page could not be opened.
func (c *Screen) Screenshot(ctx context.Context) (image.Image, error) {
	s, _ := c.slot.opened()
	var page playwright.Page
	if s != nil && s.browser.alive() && !s.crashed() {
		page = s.tabs.any()
	}
	if page == nil {
		_, _, err := c.slot.page()
		return nil, err
	}
	if s.dialogs.isOpen() {
		return nil, fmt.Errorf("%w: an open dialog stops the page", drivers.ErrNotReady)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.gone() {
		return nil, s.closedError()
	}
	limit := callLimit - callLimit/10
	if s.mute.Load() { // it did not answer when it was asked last
		limit = muteLimit
	}
	done := start(c.slot, func() (image.Image, error) {
		raw, err := s.capture(ctx, page, limit)
		if err != nil {
			return nil, err
		}
		picture, err := c.taken.Of(raw, maxPixels)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", drivers.ErrNotReady, err)
		}
		return picture, nil
	})
	select {
	case r := <-done:
		return r.value, s.explain(r.err)
	case <-s.dialogs.onDialog():
		return nil, fmt.Errorf("%w: an open dialog stops the page", drivers.ErrNotReady)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.ending:
		return nil, s.closedError()
	case <-s.browser.lost:
		return nil, errBrowserLost
	case <-s.crash:
		return nil, errCrashed
	}
}
