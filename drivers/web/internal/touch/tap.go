package touch

import (
	"context"
	"fmt"
	"image"
	"math"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// Tap clicks at a point of the viewport, or taps where a touch screen is emulated.
func (h *Hand) Tap(ctx context.Context, p image.Point) error {
	s, err := h.OnScreen(p)
	if err != nil {
		return err
	}
	return h.press(ctx, h.slot.Limit, func(page playwright.Page) error {
		z, err := s.Zoom(page)
		if err != nil {
			return err
		}
		x, y := z.OnPage(p)
		if s.Touch {
			return s.Made(page, page.Touchscreen().Tap(dom.Clamp(math.Round(x)), dom.Clamp(math.Round(y))))
		}
		return s.Made(page, page.Mouse().Click(x, y))
	})
}

// MouseButtons are the buttons of drivers.WebClick.
func MouseButtons() map[string]*playwright.MouseButton {
	return map[string]*playwright.MouseButton{
		"": playwright.MouseButtonLeft, "left": playwright.MouseButtonLeft, "right": playwright.MouseButtonRight,
		"middle": playwright.MouseButtonMiddle,
	}
}

// Modifiers are keys that are held during a click.
func Modifiers(keys []string) ([]playwright.KeyboardModifier, error) {
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
	s, err := h.OnScreen(p)
	if err != nil {
		return err
	}
	button, ok := MouseButtons()[how.Button]
	held, err := Modifiers(how.Modifiers)
	switch {
	case err != nil:
		return err
	case !ok || how.Count < 0:
		return fmt.Errorf("%w: a mouse has no button %s", drivers.ErrUnsupported, screen.Quote(how.Button))
	case s.Touch:
		return fmt.Errorf(
			"%w: the page is open on a device with a touch screen, which has no mouse and no keys: open it without "+
				"device", drivers.ErrUnsupported)
	}
	return h.press(ctx, h.slot.Limit, func(page playwright.Page) (err error) {
		z, err := s.Zoom(page)
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
			if err := s.Made(page, page.Mouse().Click(math.Round(x), math.Round(y), playwright.MouseClickOptions{
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

// shakes sends the events of a device that is moved to and fro: apart from these, a browser on a desk feels nothing.
const shakes = `async () => {
	if (matchMedia('(scripting: none)').matches) return; // nothing in it can listen, and no timer ends
	const pause = () => new Promise(next => setTimeout(next, 40));
	const send = (x) => {
		const moved = {acceleration: {x, y: 0, z: 0}, accelerationIncludingGravity: {x, y: 9.81, z: 0},
			rotationRate: {alpha: 0, beta: 0, gamma: 0}, interval: 40};
		// Pages that are not secure lack the constructor.
		window.dispatchEvent(typeof DeviceMotionEvent === 'function' ? new DeviceMotionEvent('devicemotion', moved)
			: Object.assign(new Event('devicemotion'), moved));
	};
	for (let i = 0; i < 8; i++) {
		send(i % 2 === 0 ? 25 : -25);
		await pause();
	}
	send(0);
}`

// Shake sends devicemotion events to the page and to every frame in it.
func (h *Hand) Shake(ctx context.Context) error {
	return pages.Act(ctx, h.slot, func(page playwright.Page) error {
		for _, frame := range browser.FramesUnder(page.MainFrame()) {
			if _, err := frame.Evaluate(shakes); err != nil && (frame == page.MainFrame() || !frame.IsDetached()) {
				return err
			}
		}
		return nil
	})
}

// mousePoll is how often it is checked whether a click has started to load a page.
const mousePoll = 30 * time.Millisecond

// TakeMouse is holdMouse for the page that the device has.
func (h *Hand) TakeMouse(ctx context.Context) (s *pages.BrowserContext, release func(), err error) {
	if s, _, err = h.slot.Page(); err != nil {
		return nil, nil, err
	}
	release, err = holdMouse(ctx, s)
	return s, release, err
}

// holdMouse reserves for this page the mouse of its browser until release is called, which may be called again. The
// pages of a browser that has one mouse for all of them take turns, touch by touch: else a button that one page pressed
// would be released in another. Others need no turn.
func holdMouse(ctx context.Context, s *pages.BrowserContext) (release func(), err error) {
	if !s.Browser.Brand.OneMouse {
		return func() {}, nil
	}
	select {
	case s.Browser.Mouse <- struct{}{}:
		return sync.OnceFunc(func() { <-s.Browser.Mouse }), nil
	case <-s.Browser.Lost:
		return nil, s.Browser.LostError()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// InTurn makes a call that moves the mouse wait for its turn, no longer than it may take itself.
func (h *Hand) InTurn(ctx context.Context, do Call) Call {
	return func(element playwright.Locator, timeout *float64) error {
		turn, cancel := context.WithTimeout(ctx, time.Duration(*timeout*float64(time.Millisecond)))
		defer cancel()
		_, release, err := h.TakeMouse(turn)
		if err != nil && ctx.Err() == nil && turn.Err() != nil {
			return playwright.ErrTimeout
		}
		if err != nil {
			return err
		}
		defer release()
		return do(element, timeout)
	}
}

// UntilItLoads calls release as soon as the page starts to load another one: the mouse has done its part, while
// Playwright's click waits for the server's answer. To be ended when the click has returned.
func UntilItLoads(s *pages.BrowserContext, release func()) (end func()) {
	if !s.Browser.Brand.OneMouse || s.Traffic.Navigating() {
		return func() {}
	}
	over := make(chan struct{})
	s.Slot.Calls.Go(func() {
		tick := time.NewTicker(mousePoll)
		defer tick.Stop()
		for !s.Traffic.Navigating() {
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
		release()
	})
	return func() { close(over) }
}

// Call is one of Playwright's actions on an element, with its own waiting.
type Call func(element playwright.Locator, timeout *float64) error
