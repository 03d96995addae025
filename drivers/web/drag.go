package web

import (
	"context"
	_ "embed" // the script
	"fmt"
	"image"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/dom"
)

// dragScript makes the events of a drag of HTML.
//
//go:embed script/drag.js
var dragScript string

// dragByEvents makes a drag of HTML where the browser cannot be made to. done reports whether there was anything
// draggable; where not, the mouse is for it.
func dragByEvents(s *session, page playwright.Page, a, b playwright.Rect) (done bool, err error) {
	if !s.browser.brand.scriptDrags {
		return false, nil
	}
	x, y := a.X+a.Width/2, a.Y+a.Height/2
	again, err := dom.Scripted(asker{page, aimLimit}, int(x), int(y))
	if err != nil {
		return false, err
	}
	script := dragScript[strings.Index(dragScript, "async"):]
	said, err := page.Evaluate(script, []any{x, y, b.X + b.Width/2, b.Y + b.Height/2})
	if err != nil {
		return false, err
	}
	if said == "" {
		again()
	}
	if said == "not taken" {
		s.journal.logLine("drag", "what was dragged was dropped where the page takes nothing")
	}
	return said != "", nil
}

// dragPoint is a place without a size.
func dragPoint(p image.Point) playwright.Rect {
	return playwright.Rect{X: float64(p.X), Y: float64(p.Y)}
}

// Drags drags elements that selectors pick.
type Drags struct{ actor *Actor }

// DragBy drags an element so far to the right and down.
func (dr *Drags) DragBy(ctx context.Context, at drivers.WebTarget, by image.Point) error {
	return dr.actor.once(ctx, at, singleAction{
		try: func(element playwright.Locator, timeout *float64) error {
			return element.Hover(playwright.LocatorHoverOptions{Trial: playwright.Bool(true), Timeout: timeout})
		},
		do: func(element playwright.Locator, timeout *float64) error {
			if err := element.Hover(playwright.LocatorHoverOptions{Timeout: timeout}); err != nil {
				return err
			}
			box, err := element.BoundingBox(playwright.LocatorBoundingBoxOptions{Timeout: timeout})
			if err != nil {
				return err
			}
			if box == nil {
				return fmt.Errorf("%w: what is dragged went away", drivers.ErrNotReady)
			}
			return dr.dragFrom(ctx, element, image.Pt(int(box.X+box.Width/2), int(box.Y+box.Height/2)), by)
		},
	})
}

// dragFrom moves the mouse with its button down.
func (dr *Drags) dragFrom(ctx context.Context, element playwright.Locator, from, by image.Point) error {
	page, err := element.Page()
	if err != nil {
		return err
	}
	s, err := dr.actor.hand.onScreen(from, from.Add(by))
	if err != nil {
		return err
	}
	if done, err := dragByEvents(s, page, dragPoint(from), dragPoint(from.Add(by))); done || err != nil {
		return err
	}
	if err := page.Mouse().Move(float64(from.X), float64(from.Y)); err != nil {
		return err
	}
	if err := page.Mouse().Down(); err != nil {
		return err
	}
	err = eachStep(ctx, from, from.Add(by), 0, func(p image.Point) error {
		return page.Mouse().Move(float64(p.X), float64(p.Y))
	})
	return orElse(err, page.Mouse().Up())
}

// dragElement drags one element onto another by events, when it is draggable by HTML.
func (dr *Drags) dragElement(ctx context.Context, page playwright.Page, element, to playwright.Locator,
	timeout *float64) (bool, error) {
	s, _, err := dr.actor.slot.page()
	if err != nil || !s.browser.brand.scriptDrags {
		return false, err
	}
	var boxes [2]playwright.Rect
	for _, l := range []playwright.Locator{element, to} {
		if err := l.ScrollIntoViewIfNeeded(playwright.LocatorScrollIntoViewIfNeededOptions{Timeout: timeout}); err != nil {
			return false, err
		}
	}
	for i, l := range []playwright.Locator{element, to} {
		box, err := l.BoundingBox(playwright.LocatorBoundingBoxOptions{Timeout: timeout})
		if err != nil {
			return false, err
		}
		if box == nil {
			return false, fmt.Errorf("%w: what is dragged, or what it is dragged onto, went away", drivers.ErrNotReady)
		}
		boxes[i] = *box
	}
	done, err := dragByEvents(s, page, boxes[0], boxes[1])
	if err == nil {
		err = ctx.Err()
	}
	return done, err
}
