package web

import (
	"context"
	"fmt"
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

// Aim says what the next touch is meant for.
func (d *Device) Aim(n *screen.Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.aimed = n
}

// touch is actFor for what touches the page: when an element was aimed at, that or nothing.
func (d *Device) touch(ctx context.Context, limit time.Duration, do func(page playwright.Page) error) error {
	return d.touchFor(ctx, limit, do, false)
}

// press is touch for what clicks: the element that was aimed at must get the click.
func (d *Device) press(ctx context.Context, limit time.Duration, do func(page playwright.Page) error) error {
	return d.touchFor(ctx, limit, do, true)
}

func (d *Device) touchFor(ctx context.Context, limit time.Duration, do func(page playwright.Page) error,
	clicks bool) error {
	d.mu.Lock()
	at := d.aimed
	d.aimed, d.met, d.caret = nil, "", caretEnd
	d.mu.Unlock()
	_, release, err := d.takeMouse(ctx)
	if err != nil {
		return err
	}
	defer release()
	if at == nil {
		return actFor(ctx, d, limit, do)
	}
	return actFor(ctx, d, limit, func(page playwright.Page) error {
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
		d.mu.Lock()
		d.met = met
		d.mu.Unlock()
		if lost := aimed.Lost(); err == nil && clicks && lost.What != "" {
			return d.lostPress(page, way(lost.Chain), lost)
		}
		return err
	})
}

// TouchMet names what the last touch that was aimed has met; of one that led the page elsewhere that is not known.
func (d *Device) TouchMet() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.met
}
