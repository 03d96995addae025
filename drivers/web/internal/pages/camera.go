package pages

import (
	"context"
	"encoding/base64"
	"errors"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
)

// MuteLimit is how long a screenshot is attempted of a page that did not respond before.
const MuteLimit = 2 * time.Second

// captureLimit is how long a screenshot is attempted while the browser changes from one page to another.
const captureLimit = 5 * time.Second

// Capture takes the viewport as a PNG: the fast way where there is one, else, or when that fails, by Playwright.
func (s *BrowserContext) Capture(ctx context.Context, page playwright.Page, limit time.Duration) ([]byte, error) {
	began := time.Now()
	if s.cameras != nil && !s.Mute.Load() {
		if raw, err := s.cameras.shoot(page, limit/2); err == nil {
			return raw, nil
		}
	}
	for {
		raw, err := page.Screenshot(playwright.PageScreenshotOptions{
			Type: playwright.ScreenshotTypePng, Caret: playwright.ScreenshotCaretInitial, Scale: playwright.ScreenshotScaleCss,
			Timeout: browser.Milliseconds(limit - time.Since(began)),
		})
		if err == nil || !browser.ContainsAny(err.Error(), browser.NoCapture) || time.Since(began) > captureLimit ||
			browser.Pause(ctx, LookPause) != nil {
			return raw, err
		}
	}
}

// cameras request screenshots from Chromium itself, one for each page, which takes half the time: Playwright waits for
// fonts, and queries the page's size first. They return pixels of the window, so that they suit only where those are
// the page's.
type cameras struct {
	context playwright.BrowserContext

	mu     sync.Mutex
	ofPage map[playwright.Page]playwright.CDPSession
}

// newCameras returns nil where screenshots must be taken by Playwright.
func newCameras(b *browser.Browser, made playwright.BrowserContext, e *Emulation) *cameras {
	scale := e.Options.DeviceScaleFactor
	if !b.Brand.Devtools || b.Attached || e.Mobile || scale == nil || *scale != 1 {
		return nil
	}
	return &cameras{context: made, ofPage: map[playwright.Page]playwright.CDPSession{}}
}

var errSlowCapture = errors.New("the browser returned no screenshot in time")

// shoot takes a screenshot. One that comes too late is abandoned: the call ends with the page.
func (c *cameras) shoot(page playwright.Page, limit time.Duration) ([]byte, error) {
	done := make(chan browser.Outcome[[]byte], 1)
	go func() {
		raw, err := c.ask(page)
		done <- browser.Outcome[[]byte]{Value: raw, Err: err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case p := <-done:
		return p.Value, p.Err
	case <-timer.C:
		return nil, errSlowCapture
	}
}

func (c *cameras) ask(page playwright.Page) ([]byte, error) {
	camera, err := c.camera(page)
	if err != nil {
		return nil, err
	}
	answer, err := camera.Send("Page.captureScreenshot", map[string]any{"format": "png", "optimizeForSpeed": true})
	if err != nil {
		return nil, err
	}
	fields, _ := answer.(map[string]any)
	data, _ := fields["data"].(string)
	if data == "" {
		return nil, errors.New("a screenshot was requested, and the response holds none")
	}
	return base64.StdEncoding.DecodeString(data)
}

// camera returns the page's, which lasts as long as the page.
func (c *cameras) camera(page playwright.Page) (playwright.CDPSession, error) {
	c.mu.Lock()
	camera := c.ofPage[page]
	c.mu.Unlock()
	if camera != nil {
		return camera, nil
	}
	camera, err := c.context.NewCDPSession(page)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ofPage[page] = camera
	return camera, nil
}

// forget lets the camera of a closed page go.
func (c *cameras) forget(page playwright.Page) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ofPage, page)
}
