package web

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/dom"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const (
	// aimLimit is how long a page that was just touched is asked what the touch has met. One that does not answer has
	// something to do: the touch has reached it.
	aimLimit = 2 * time.Second
	// touchPatience is how long a touch that the browser has made may take to the page.
	touchPatience = 500 * time.Millisecond
)

// Hand touches the current page: with a mouse, or with fingers where a touch screen is emulated.
type Hand struct {
	slot  *Slot
	caret *Caret

	mu    sync.Mutex
	aimed *screen.Node // what the next touch is meant for
	met   string       // what the last touch that was aimed has met
}

// Aim says what the next touch is meant for.
func (h *Hand) Aim(n *screen.Node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.aimed = n
}

// touch is actFor for what touches the page: when an element was aimed at, that or nothing.
func (h *Hand) touch(ctx context.Context, limit time.Duration, do func(page playwright.Page) error) error {
	return h.touchFor(ctx, limit, do, false)
}

// press is touch for what clicks: the element that was aimed at must get the click.
func (h *Hand) press(ctx context.Context, limit time.Duration, do func(page playwright.Page) error) error {
	return h.touchFor(ctx, limit, do, true)
}

func (h *Hand) touchFor(ctx context.Context, limit time.Duration, do func(page playwright.Page) error,
	clicks bool) error {
	h.mu.Lock()
	at := h.aimed
	h.aimed, h.met = nil, ""
	h.mu.Unlock()
	h.caret.touched()
	_, release, err := h.takeMouse(ctx)
	if err != nil {
		return err
	}
	defer release()
	if at == nil {
		return actFor(ctx, h.slot, limit, do)
	}
	return actFor(ctx, h.slot, limit, func(page playwright.Page) error {
		aimed, err := dom.Aim(asker{page, callLimit - time.Second}, at.Ref)
		if err != nil && passing(err) {
			return fmt.Errorf("%w: the page changed", drivers.ErrMissed)
		}
		if err != nil {
			return err
		}
		if err := do(page); err != nil {
			return err
		}
		met, err := aimed.Met(asker{page, aimLimit}, touchPatience)
		h.mu.Lock()
		h.met = met
		h.mu.Unlock()
		if lost := aimed.Lost(); err == nil && clicks && lost.What != "" {
			return h.lostPress(page, way(lost.Chain), lost)
		}
		return err
	})
}

// TouchMet names what the last touch that was aimed has met; of one that led the page elsewhere that is not known.
func (h *Hand) TouchMet() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.met
}
