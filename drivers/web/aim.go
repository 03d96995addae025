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

// aimLimit is how long a page that was just touched is asked what the touch has met. One that does not answer has something to do: the
// touch has reached it.
const aimLimit = 2 * time.Second

// Aim says what the next touch is meant for.
func (d *Device) Aim(n *screen.Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.aimed = n
}

// touch is actFor for what touches the page: when an element was aimed at, that or nothing.
func (d *Device) touch(ctx context.Context, limit time.Duration, do func(page playwright.Page) error) error {
	d.mu.Lock()
	at := d.aimed
	d.aimed, d.met, d.caret = nil, "", caretEnd
	d.mu.Unlock()
	if at == nil {
		return actFor(ctx, d, limit, do)
	}
	gen, path, err := dom.ParseRef(at.Ref)
	if err != nil {
		return err
	}
	return actFor(ctx, d, limit, func(page playwright.Page) error {
		// Each document on the way is told, so that what lies over a frame does not get the touch either.
		for i, chain := range dom.Chains(gen, path) {
			var nothing struct{}
			err := ask(page, chain, fmt.Sprintf("aim.%s.%d", gen, path[i]), &nothing)
			if err != nil && passing(err) {
				return fmt.Errorf("%w: the page changed", drivers.ErrMissed)
			}
			if err != nil {
				return err
			}
		}
		if err := do(page); err != nil {
			return err
		}
		met, err := judgeTouch(page, dom.Chains(gen, path))
		d.mu.Lock()
		d.met = met
		d.mu.Unlock()
		return err
	})
}

// TouchMet names what the last touch that was aimed has met; of one that led the page elsewhere that is not known.
func (d *Device) TouchMet() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.met
}

// judgeTouch tells what a touch has met, in the innermost document that knows, and of one that was held back. Of one that led the page
// elsewhere nobody can ask, and it has met something.
func judgeTouch(page playwright.Page, chains [][]string) (met string, err error) {
	for _, chain := range chains {
		var touch struct{ Verdict, Met string }
		if err := askFor(page, chain, "aimed", &touch, aimLimit); err != nil {
			return "", nil
		}
		if touch.Verdict == "missed" {
			return "", fmt.Errorf("%w: %s", drivers.ErrMissed, touch.Met)
		}
		if touch.Met != "" { // the innermost document says it last
			met = touch.Met
		}
	}
	return met, nil
}
