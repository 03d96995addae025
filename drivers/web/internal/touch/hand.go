package touch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/field"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	// aimLimit is the limit of one query to a page that was just touched.
	aimLimit = 2 * time.Second
	// attachedLimit is how long a frame that was just touched, and does not respond, may take to be found.
	attachedLimit = 500 * time.Millisecond
	// touchPatience is how long a touch that the browser has made may take to the page.
	touchPatience = 500 * time.Millisecond
)

// Hand touches the current page: with a mouse, or with fingers where a touch screen is emulated.
type Hand struct {
	slot     *pages.Slot
	caret    *field.Caret
	warnings phrase.Warnings

	mu    sync.Mutex
	aimed *screen.Node // what the next touch is meant for
	met   string       // what the last touch that was aimed has met
}

// NewHand touches the current page of a slot, which moves the caret.
func NewHand(slot *pages.Slot, caret *field.Caret) *Hand { return &Hand{slot: slot, caret: caret} }

// Aim says what the next touch is meant for.
func (h *Hand) Aim(n *screen.Node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.aimed = n
}

// touch is ActFor for what touches the page: when an element was aimed at, that or nothing.
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
	h.caret.Touched()
	_, release, err := h.TakeMouse(ctx)
	if err != nil {
		return err
	}
	defer release()
	if at == nil {
		return pages.ActFor(ctx, h.slot, limit, do)
	}
	return pages.ActFor(ctx, h.slot, limit, func(page playwright.Page) error {
		last := time.Now().Add(limit - 3*aimLimit) // of the queries to a page that does not respond
		aimed, err := dom.Aim(pages.NewAsker(page, browser.CallLimit-time.Second), at.Ref)
		if err != nil && browser.Passing(err) {
			return fmt.Errorf("%w: the page changed", drivers.ErrMissed)
		}
		if err != nil {
			return err
		}
		if err := do(page); err != nil {
			return err
		}
		asker := pages.NewAsker(page, aimLimit)
		met, err := aimed.Met(asker, touchPatience)
		for err == nil && unresponsive(page, aimed) {
			if time.Now().After(last) {
				h.warnings.AddOnce(dom.UnknownTouch(at, "the page has not responded since"))
				break
			}
			met, err = aimed.Met(asker, touchPatience)
		}
		h.mu.Lock()
		h.met = met
		h.mu.Unlock()
		if lost := aimed.Lost(); err == nil && clicks && lost.What != "" {
			return h.lostPress(page, pages.Way(lost.Chain), lost)
		}
		return err
	})
}

// unresponsive reports whether a document that was touched has not responded in time although it is still there: it is
// busy, and what the touch has met is not known yet. One that a touch has replaced or removed never responds.
func unresponsive(page playwright.Page, aimed *dom.Aimed) bool {
	chain, err := aimed.Unasked()
	if !errors.Is(err, playwright.ErrTimeout) {
		return false
	}
	var answer struct{}
	if err := pages.AskFor(page, nil, "aimed", &answer, aimLimit); err != nil || len(chain) == 0 {
		return err == nil || errors.Is(err, playwright.ErrTimeout)
	}
	last := len(chain) - 1
	return page.Locator(pages.Way(chain[:last])+"taproot="+chain[last]).WaitFor(playwright.LocatorWaitForOptions{
		State: playwright.WaitForSelectorStateAttached, Timeout: browser.Milliseconds(attachedLimit)}) == nil
}

// TakeWarnings returns what came up since the last call.
func (h *Hand) TakeWarnings() []string { return h.warnings.Take() }

// TouchMet names what the last touch that was aimed has met; of one that led the page elsewhere that is not known.
func (h *Hand) TouchMet() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.met
}

// OnScreen checks that points are in the viewport, and returns the session to which that belongs.
func (h *Hand) OnScreen(points ...image.Point) (*pages.BrowserContext, error) {
	s, _, err := h.slot.Page()
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		if !p.In(image.Rectangle{Max: s.Size}) {
			return nil, fmt.Errorf("%w: the point %d,%d is outside the page's %d × %d", drivers.ErrNotActionable, p.X, p.Y,
				s.Size.X, s.Size.Y)
		}
	}
	return s, nil
}
