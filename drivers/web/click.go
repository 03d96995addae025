package web

import (
	"context"
	"fmt"
	"image"
	"math"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// mouseButtons are the buttons of drivers.WebClick.
func mouseButtons() map[string]*playwright.MouseButton {
	return map[string]*playwright.MouseButton{
		"": playwright.MouseButtonLeft, "left": playwright.MouseButtonLeft, "right": playwright.MouseButtonRight,
		"middle": playwright.MouseButtonMiddle,
	}
}

// modifiers are keys that are held during a click.
func modifiers(keys []string) ([]playwright.KeyboardModifier, error) {
	known := map[string]*playwright.KeyboardModifier{"control": playwright.KeyboardModifierControl,
		"shift": playwright.KeyboardModifierShift,
		"alt":   playwright.KeyboardModifierAlt, "meta": playwright.KeyboardModifierMeta}
	var held []playwright.KeyboardModifier
	for _, key := range keys {
		if known[key] == nil {
			return nil, fmt.Errorf("%w: the key %s cannot be held during a click", drivers.ErrUnsupported, screen.Quote(key))
		}
		held = append(held, *known[key])
	}
	return held, nil
}

// Click clicks at a point of the viewport with a certain button, or with keys held. A touch screen has neither.
func (h *Hand) Click(ctx context.Context, p image.Point, how drivers.WebClick) error {
	s, err := h.onScreen(p)
	if err != nil {
		return err
	}
	button, ok := mouseButtons()[how.Button]
	held, err := modifiers(how.Modifiers)
	switch {
	case err != nil:
		return err
	case !ok || how.Count < 0:
		return fmt.Errorf("%w: a mouse has no button %s", drivers.ErrUnsupported, screen.Quote(how.Button))
	case s.touch:
		return fmt.Errorf(
			"%w: the page is open on a device with a touch screen, which has no mouse and no keys: open it without "+
				"device", drivers.ErrUnsupported)
	}
	return h.press(ctx, h.slot.limit, func(page playwright.Page) (err error) {
		z, err := s.zoom(page)
		if err != nil {
			return err
		}
		for i, key := range held {
			if err := page.Keyboard().Down(string(key)); err != nil {
				release(page, held[:i])
				return err
			}
		}
		defer release(page, held) // nothing stays pressed
		x, y := z.OnPage(p)
		for range max(how.Count, 1) {
			if err := s.made(page, page.Mouse().Click(math.Round(x), math.Round(y), playwright.MouseClickOptions{
				Button: button})); err != nil {
				return err
			}
		}
		return nil
	})
}

// release lets keys go, the last one first. A page that has closed holds none.
func release(page playwright.Page, held []playwright.KeyboardModifier) {
	for i := len(held) - 1; i >= 0; i-- {
		_ = page.Keyboard().Up(string(held[i]))
	}
}
