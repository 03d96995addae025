package touch

import (
	"context"
	_ "embed"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// swipeWithMouse drags the mouse where the page listens to that, and touches where it listens to touches alone.
func (h *Hand) swipeWithMouse(ctx context.Context, a, b image.Point, dur time.Duration) error {
	s, _, err := h.slot.Page()
	if err != nil {
		return err
	}
	if err := s.Refuses("swipe"); err != nil {
		return err
	}
	heard, err := pages.Read(ctx, h.slot, func(page playwright.Page) ([]string, error) { return heardAt(s, page, a) })
	if err != nil {
		return err
	}
	hears := func(kinds ...string) bool {
		return slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(heard, kind) })
	}
	switch {
	case hears("pointerdown", "mousedown", "dragstart", "mousemove", "pointermove"):
		return h.gesture(ctx, dur, []image.Point{a, b}, func(f finger) error { return f.swipe(ctx, a, b, dur) })
	case hears("touchstart", "touchmove"):
		return h.touchSwipe(ctx, a, b, dur)
	}
	return fmt.Errorf(
		"%w: nothing at %d,%d listens to a finger or a dragged mouse: use scroll to move the content, drag to move an "+
			"element, "+
			"or open the page with a device that has a touch screen", drivers.ErrNotActionable, a.X, a.Y)
}

// touchSwipe moves a finger although the page has a mouse.
func (h *Hand) touchSwipe(ctx context.Context, a, b image.Point, dur time.Duration) error {
	s, err := h.OnScreen(a, b)
	if err != nil {
		return err
	}
	return h.touch(ctx, max(dur, 0)+h.slot.Limit, func(page playwright.Page) error {
		cdp, err := s.Context.NewCDPSession(page)
		if err != nil {
			return err
		}
		defer func() { _ = cdp.Detach() }() // it ends with the page otherwise
		return fingertip{page.Touchscreen(), cdp, dom.Zoom{}}.swipe(ctx, a, b, dur)
	})
}

// under returns the elements at a point, from the innermost out to the body, frames of the same site included.
const under = `(() => {
	let x = %d, y = %d, el = document.elementFromPoint(x, y);
	for (let inner; el;) {
		if (el.shadowRoot && (inner = el.shadowRoot.elementFromPoint(x, y)) && inner !== el) { el = inner; continue; }
		let page = null;
		try { page = el.localName === 'iframe' ? el.contentDocument : null } catch {}
		if (!page) break;
		const r = el.getBoundingClientRect();
		x -= r.left + el.clientLeft; y -= r.top + el.clientTop;
		if (!(inner = page.elementFromPoint(x, y))) break;
		el = inner;
	}
	const list = [];
	for (let n = el; n && list.length < 40; n = n.parentNode || n.host) if (n.nodeType === 1 && n.localName !== 'html') ` +
	`list.push(n);
	return list;
})()`

// handled returns which of these events frameworks handle that listen at the root of the page.
const handled = `function() {
	const names = {onPointerDown: 'pointerdown', onMouseDown: 'mousedown', onMouseMove: 'mousemove', onPointerMove: ` +
	`'pointermove', onDragStart: 'dragstart',
		onTouchStart: 'touchstart', onTouchMove: 'touchmove'};
	const found = [];
	for (const n of this) {
		if (n.draggable && n.localName !== 'img' && n.localName !== 'a') found.push('dragstart');
		for (const key of Object.keys(n)) {
			if (key.startsWith('__reactProps$')) for (const name in names) if (n[key] && n[key][name]) found.push(names[name]);
		}
	}
	return found.join();
}`

// heardAt lists the events that the page listens to at a point, on the elements there. Listeners of the whole page
// count for nothing: statistics and focus rings have them as well.
func heardAt(s *pages.BrowserContext, page playwright.Page, p image.Point) ([]string, error) {
	cdp, err := s.Context.NewCDPSession(page)
	if err != nil {
		return nil, err
	}
	defer func() { _ = cdp.Detach() }() // it ends with the page otherwise
	ask := func(method string, args map[string]any) (map[string]any, error) {
		answer, err := cdp.Send(method, args)
		m, _ := answer.(map[string]any)
		return m, err
	}
	list, err := ask("Runtime.evaluate", map[string]any{"expression": fmt.Sprintf(under, p.X, p.Y)})
	if err != nil {
		return nil, err
	}
	id := at(list, "result", "objectId")
	props, err := ask("Runtime.getProperties", map[string]any{"objectId": id, "ownProperties": true})
	if err != nil {
		return nil, err
	}
	var heard []string
	entries, _ := props["result"].([]any)
	for _, entry := range entries {
		element := at(entry, "value", "objectId")
		if element == nil || at(entry, "value", "subtype") != "node" {
			continue
		}
		answer, err := ask("DOMDebugger.getEventListeners", map[string]any{"objectId": element})
		if err != nil {
			return nil, err
		}
		listeners, _ := answer["listeners"].([]any)
		for _, l := range listeners {
			if kind, ok := at(l, "type").(string); ok {
				heard = append(heard, kind)
			}
		}
	}
	answer, err := ask("Runtime.callFunctionOn", map[string]any{"objectId": id, "functionDeclaration": handled})
	if err != nil {
		return nil, err
	}
	if more, ok := at(answer, "result", "value").(string); ok && more != "" {
		heard = append(heard, strings.Split(more, ",")...)
	}
	return heard, nil
}

// at goes down an answer of the browser by its keys; nil where it does not have one.
func at(answer any, keys ...string) any {
	for _, key := range keys {
		m, _ := answer.(map[string]any)
		answer = m[key]
	}
	return answer
}

// dragScript makes the events of a drag of HTML.
//
//go:embed script/drag.js
var dragScript string

// dragged is what became of a drag by events.
type dragged string

// The results of dragScript.
const (
	nothingDraggable dragged = ""
	byThePage        dragged = "own" // which has prevented the drag of HTML, and makes it of the mouse
	dropped          dragged = "dropped"
	notTaken         dragged = "not taken"
)

// done reports whether the drag was made; otherwise the mouse is for it.
func (d dragged) done() bool { return d == dropped || d == notTaken }

// dragByEvents makes a drag of HTML where the browser cannot be made to.
func dragByEvents(s *pages.BrowserContext, page playwright.Page, a, b image.Point) (dragged, error) {
	if !s.Browser.Brand.ScriptDrags {
		return byThePage, nil
	}
	again, err := dom.Scripted(pages.NewAsker(page, aimLimit), a.X, a.Y)
	if err != nil {
		return nothingDraggable, err
	}
	became, err := runDrag(s, page, a, b, false)
	if err == nil && !became.done() {
		again()
	}
	return became, err
}

// dragHeld is dragByEvents with what is draggable only since the button was pressed. The page does not learn of the
// release.
func dragHeld(s *pages.BrowserContext, page playwright.Page, a, b image.Point) (dragged, error) {
	became, err := runDrag(s, page, a, b, true)
	if err != nil && browser.Passing(err) { // the press has led the page elsewhere
		return nothingDraggable, nil
	}
	return became, err
}

func runDrag(s *pages.BrowserContext, page playwright.Page, a, b image.Point, held bool) (dragged, error) {
	script := dragScript[strings.Index(dragScript, "async"):]
	said, err := page.Evaluate(script, []any{a.X, a.Y, b.X, b.Y, held})
	if err != nil {
		return nothingDraggable, err
	}
	text, _ := said.(string)
	if dragged(text) == notTaken {
		s.Journal.LogLine("drag", "what was dragged was dropped where the page takes nothing")
	}
	return dragged(text), nil
}
