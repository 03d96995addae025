package web

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"unicode/utf8"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// longText is inserted at once instead of key by key.
const longText = 500

// maxPixels caps a screenshot.
const maxPixels = 64 << 20

// Tap clicks at a point of the viewport, or taps where a touch screen is emulated.
func (d *Device) Tap(ctx context.Context, p image.Point) error {
	s, err := d.onScreen(p)
	if err != nil {
		return err
	}
	return act(ctx, d, func(page playwright.Page) error {
		z, err := s.zoom(page)
		if err != nil {
			return err
		}
		x, y := z.onPage(p)
		if s.touch {
			return page.Touchscreen().Tap(clamp(math.Round(x)), clamp(math.Round(y)))
		}
		return page.Mouse().Click(x, y)
	})
}

// onScreen checks that points lie in the viewport, and gives the session to which that belongs.
func (d *Device) onScreen(points ...image.Point) (*session, error) {
	s, _, err := d.page()
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

// Type presses the keys of text where the focus is, after what is there. A new line is the Enter key.
func (d *Device) Type(ctx context.Context, text string) error {
	return act(ctx, d, func(page playwright.Page) error {
		if _, err := focusEnd(page); err != nil {
			return err
		}
		if utf8.RuneCountInString(text) > longText {
			return page.Keyboard().InsertText(text)
		}
		return page.Keyboard().Type(text)
	})
}

// focusedField is the field that has the focus.
type focusedField struct {
	chain  []string // the frames around it
	length int      // of its text, characters
}

// focusEnd checks that something editable has the focus and puts the caret behind its text.
func focusEnd(page playwright.Page) (field focusedField, err error) {
	for range maxDepth {
		var focus struct {
			Frame  bool
			What   string
			Able   bool
			Placed bool
			Length int
		}
		if err := ask(page, field.chain, "focus", &focus); err != nil {
			return field, err
		}
		field.length = focus.Length
		switch {
		case focus.Frame:
			field.chain = append(field.chain, "ref.focus.0")
			continue
		case focus.What == "":
			return field, fmt.Errorf("%w: no field has the focus: tap one first", drivers.ErrNotActionable)
		case !focus.Able:
			return field, fmt.Errorf("%w: %s has the focus, and it takes no text", drivers.ErrNotActionable, focus.What)
		case !focus.Placed:
			return field, page.Keyboard().Press("End")
		}
		return field, nil
	}
	return field, fmt.Errorf("%w: the focus is in too many frames", drivers.ErrNotActionable)
}

// Screenshot gives the viewport's pixels, also those of the browser's own error page when a page could not be opened.
func (d *Device) Screenshot(ctx context.Context) (image.Image, error) {
	d.mu.Lock()
	s := d.session
	d.mu.Unlock()
	var page playwright.Page
	if s != nil && s.browser.alive() && !s.crashed() {
		page = s.any()
	}
	if page == nil {
		_, _, err := d.page()
		return nil, err
	}
	return readPage(ctx, s, page, func(page playwright.Page) (image.Image, error) {
		raw, err := page.Screenshot(playwright.PageScreenshotOptions{
			Type: playwright.ScreenshotTypePng, Caret: playwright.ScreenshotCaretInitial, Scale: playwright.ScreenshotScaleCss,
			Timeout: milliseconds(callLimit - callLimit/10),
		})
		if err != nil {
			return nil, err
		}
		config, err := png.DecodeConfig(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("%w: the screenshot cannot be read: %w", drivers.ErrNotReady, err)
		}
		if config.Width*config.Height > maxPixels {
			return nil, fmt.Errorf("the screenshot is too large: %d × %d", config.Width, config.Height)
		}
		picture, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("%w: the screenshot cannot be read: %w", drivers.ErrNotReady, err)
		}
		return picture, nil
	})
}
