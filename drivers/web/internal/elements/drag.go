package elements

import (
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"mime"
	"os"
	"path/filepath"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/drivers/web/internal/read"
	"github.com/taproot-dev/taproot/drivers/web/internal/touch"
)

// Drags drags elements that selectors pick.
type Drags struct{ actor *Actor }

// NewDrags drags the elements on which actor acts.
func NewDrags(actor *Actor) *Drags { return &Drags{actor: actor} }

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
	s, err := dr.actor.hand.OnScreen(from, from.Add(by))
	if err != nil {
		return err
	}
	if done, err := touch.DragByEvents(s, page, touch.DragPoint(from), touch.DragPoint(from.Add(by))); done || err != nil {
		return err
	}
	if err := page.Mouse().Move(float64(from.X), float64(from.Y)); err != nil {
		return err
	}
	if err := page.Mouse().Down(); err != nil {
		return err
	}
	err = touch.EachStep(ctx, from, from.Add(by), 0, func(p image.Point) error {
		return page.Mouse().Move(float64(p.X), float64(p.Y))
	})
	return touch.OrElse(err, page.Mouse().Up())
}

// dragElement drags one element onto another by events, when it is draggable by HTML.
func (dr *Drags) dragElement(ctx context.Context, page playwright.Page, element, to playwright.Locator,
	timeout *float64) (bool, error) {
	s, _, err := dr.actor.slot.Page()
	if err != nil || !s.Browser.Brand.ScriptDrags {
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
	done, err := touch.DragByEvents(s, page, boxes[0], boxes[1])
	if err == nil {
		err = ctx.Err()
	}
	return done, err
}

// DragOnto drags an element onto another one of the same frame.
func (dr *Drags) DragOnto(ctx context.Context, at drivers.WebTarget, to string) error {
	drag := func(trial bool) touch.Call {
		return func(element playwright.Locator, timeout *float64) error {
			page, err := element.Page()
			if err != nil {
				return err
			}
			if !trial {
				if err := droppable(at, to, page, timeout); err != nil {
					return err
				}
				onto := page.Locator(read.Scoped(at.Frame, to))
				if done, err := dr.dragElement(ctx, page, element, onto, timeout); done || err != nil {
					return err
				}
			}
			return element.DragTo(page.Locator(read.Scoped(at.Frame, to)), playwright.LocatorDragToOptions{
				Trial: playwright.Bool(trial), Timeout: timeout})
		}
	}
	ctx = withDeadline(ctx, at)
	err := dr.actor.once(ctx, at, singleAction{try: drag(true), do: drag(false)})
	if err != nil && drivers.AppIsWrong(err) {
		return dr.noTarget(ctx, drivers.WebTarget{Selector: to, Frame: at.Frame, Timeout: at.Timeout}, err)
	}
	return err
}

// droppable waits until there is something to be seen onto which can be dropped: what was picked up before that would
// stay in the hand.
func droppable(at drivers.WebTarget, to string, page playwright.Page, timeout *float64) error {
	err := page.Locator(read.Scoped(at.Frame, to)).WaitFor(playwright.LocatorWaitForOptions{
		State: playwright.WaitForSelectorStateVisible, Timeout: timeout})
	if errors.Is(err, playwright.ErrTimeout) {
		return fmt.Errorf("%w: %s should be dragged onto %s, which is not to be seen (waited %s)", drivers.ErrNotActionable,
			naming(at), screen.Quote(to),
			pages.Wait(at.Timeout))
	}
	return err
}

// noTarget blames the element that was to be dropped on, when it is that one.
func (dr *Drags) noTarget(ctx context.Context, to drivers.WebTarget, err error) error {
	r, e := dr.actor.reader.LookIn(ctx, to.Frame, to.Selector)
	switch {
	case e == nil && r.Count == 0:
		return fmt.Errorf("%w: nothing on the page matches the selector %s, onto which it should be dragged (waited %s)",
			screen.ErrNotFound, naming(to),
			pages.Wait(to.Timeout))
	case e == nil && r.Count > 1:
		return dr.actor.several(ctx, to, r)
	}
	return err
}

// maxDropped caps the files that a script passes to a page.
const maxDropped = 50 << 20

// dropScript watches a drop, and makes one where the browser cannot be made to.
//
//go:embed script/drop.js
var dropScript string

// dropped is what became of a drop.
type dropped struct{ Came, Taken bool }

// DropFiles drops files on an element, as they are dragged from a folder.
func (fs *Files) DropFiles(ctx context.Context, at drivers.WebTarget, files []string) error {
	paths, err := fs.uploads(files)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%w: no file was given to drop on %s", drivers.ErrNotActionable, naming(at))
	}
	s, _, err := fs.actor.slot.Page()
	if err != nil {
		return err
	}
	var become dropped
	err = fs.actor.once(ctx, at, singleAction{
		try: func(zone playwright.Locator, timeout *float64) error {
			return zone.WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateVisible,
				Timeout: timeout})
		},
		do: func(zone playwright.Locator, timeout *float64) (err error) {
			if err := zone.ScrollIntoViewIfNeeded(playwright.LocatorScrollIntoViewIfNeededOptions{
				Timeout: timeout}); err != nil {
				return err
			}
			if s.Browser.Brand.Devtools {
				become, err = dropByDevtools(s, zone, paths, timeout)
			} else {
				become, err = dropByEvents(zone, paths, timeout)
			}
			return err
		},
	})
	if err == nil && !become.Taken {
		err = fmt.Errorf("%w: %s takes no files: the page does not answer dragover and drop there with preventDefault",
			drivers.ErrNotActionable, naming(at))
	}
	return err
}

// dropByDevtools has Chromium drop the files themselves.
func dropByDevtools(s *pages.BrowserContext, zone playwright.Locator, paths []string, timeout *float64) (become dropped,
	err error) {
	page, err := zone.Page()
	if err != nil {
		return become, err
	}
	watch, err := zone.EvaluateHandle(dropScript, nil, playwright.LocatorEvaluateHandleOptions{Timeout: timeout})
	if err != nil {
		return become, err
	}
	box, err := zone.BoundingBox(playwright.LocatorBoundingBoxOptions{Timeout: timeout})
	if err != nil {
		return become, err
	}
	if box == nil {
		return become, fmt.Errorf("%w: the element went away", drivers.ErrNotReady)
	}
	cdp, err := s.Context.NewCDPSession(page)
	if err != nil {
		return become, err
	}
	defer func() { _ = cdp.Detach() }() // it ends with the page otherwise
	list := make([]any, len(paths))
	for i, path := range paths {
		list[i] = path
	}
	data := map[string]any{"items": []any{}, "files": list, "dragOperationsMask": 1}
	send := func(kind string) error {
		_, err := cdp.Send("Input.dispatchDragEvent", map[string]any{"type": kind, "x": dom.Clamp(box.X + box.Width/2),
			"y": dom.Clamp(box.Y + box.Height/2), "data": data})
		return err
	}
	for _, kind := range []string{"dragEnter", "dragOver", "dragOver"} {
		if err := send(kind); err != nil {
			return become, err
		}
	}
	last := "drop"
	if accepted, err := watch.Evaluate("watch => watch.accepts()"); err != nil {
		return become, err
	} else if accepted != true {
		last = "dragCancel" // the browser would open the files in place of the page
	}
	if err := send(last); err != nil {
		return become, err
	}
	return becomeOf(watch.Evaluate("watch => watch.end()"))
}

// dropByEvents has the page get the events of a drop, with copies of the files.
func dropByEvents(zone playwright.Locator, paths []string, timeout *float64) (become dropped, err error) {
	var files []any
	size := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return become, fmt.Errorf("%w: %w", screen.ErrNotFound, err)
		}
		if size += len(data); size > maxDropped {
			return become, fmt.Errorf("%w: the files are too large to be dropped: more than %d MB", drivers.ErrNotActionable,
				maxDropped>>20)
		}
		files = append(files, map[string]any{"name": filepath.Base(path), "type": mime.TypeByExtension(filepath.Ext(path)),
			"data": base64.StdEncoding.EncodeToString(data)})
	}
	return becomeOf(zone.Evaluate(dropScript, files, playwright.LocatorEvaluateOptions{Timeout: timeout}))
}

func becomeOf(said any, err error) (dropped, error) {
	answer, _ := said.(map[string]any)
	came, _ := answer["came"].(bool)
	taken, _ := answer["taken"].(bool)
	return dropped{Came: came, Taken: taken}, err
}
