package touch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/drivers/web/internal/read"
)

// GivesClick returns an error when the click that was made on an element had no effect, because the element moved away
// between press and release. A document that does not answer has something else to do, or has gone.
func (h *Hand) GivesClick(element playwright.Locator, at drivers.WebTarget) error {
	page, err := element.Page()
	if err != nil {
		return nil
	}
	var lost dom.LostPress
	if err := pages.AskSelector(page.Locator(read.Scoped(at.Frame, "taproot=pressed")), &lost, aimLimit); err != nil ||
		lost.What == "" {
		return nil
	}
	return h.lostPress(page, read.Scoped(at.Frame, ""), lost)
}

// lostPress is the error of a press without a click, nil for something that acts when it is pressed: it needs no click.
// Firefox reports no listeners: there only handlers in properties count. Way leads to its document.
func (h *Hand) lostPress(page playwright.Page, way string, lost dom.LostPress) error {
	if lost.Sure && !lost.Replaced {
		return lost.Err()
	}
	said, err := page.Locator(way+"taproot=pressed-element").Evaluate(strings.Replace(reactions, "SURROUNDINGS",
		surroundings, 1), nil,
		playwright.LocatorEvaluateOptions{Timeout: browser.Milliseconds(aimLimit)})
	if err != nil {
		return nil // the document has gone, and with it what was pressed
	}
	own, around := reactionsOf(said)
	known := false
	if s, _, err := h.slot.Page(); err == nil && s.Browser.Brand.Devtools {
		if p := s.Clients.DevtoolsOf(page); p != nil {
			moreOwn, moreAround := listening(p)
			own, around, known = own.and(moreOwn), around.and(moreAround), true
		}
	}
	switch {
	case !lost.Sure && !own.clicks && (own.presses || around.presses && !around.clicks):
		return nil
	case lost.Replaced && known && !own.presses && !around.presses: // the press had no effect: it can be made again
		return fmt.Errorf("%w: the page replaced %s between press and release", drivers.ErrMissed, lost.What)
	}
	return lost.Err()
}

// reaction is whether an element, or what it is in, listens to presses and to clicks.
type reaction struct{ presses, clicks bool }

func (r reaction) and(other reaction) reaction {
	return reaction{r.presses || other.presses, r.clicks || other.clicks}
}

// pressEvents are the events of a press before it is a click.
func pressEvents() []string { return []string{"pointerdown", "mousedown", "touchstart"} }

// reactions reads the handlers that a page or its framework keeps in properties of an element and what it is in:
// onclick, __reactProps$…, __click, $$click.
const reactions = `el => {
	const kinds = [['pointerdown', 'mousedown', 'touchstart'], ['click']];
	const plain = name => name.toLowerCase().replace(/^(on|__|\$\$)|capture$/g, '');
	const listens = (n, names) => names.some(name => n['on' + name]) || Object.keys(n).some(key =>
		/^(__|\$\$)[a-z]+$/.test(key) && names.includes(plain(key)) && n[key] ||
		key.startsWith('__reactProps$') && Object.keys(n[key] || {}).some(prop => names.includes(plain(prop))));
	const [, ...around] = (SURROUNDINGS).call(el);
	return [...kinds.map(names => listens(el, names)), ...kinds.map(names => around.some(n => listens(n, names)))];
}`

// reactionsOf decodes the answer of reactions.
func reactionsOf(said any) (own, around reaction) {
	list, _ := said.([]any)
	if len(list) != 4 {
		return own, around
	}
	is := func(i int) bool { yes, _ := list[i].(bool); return yes }
	return reaction{is(0), is(1)}, reaction{is(2), is(3)}
}

// listening queries the browser for the listeners of what was pressed. The listeners of our own scripts, and of
// Playwright's, do not count.
func listening(p *pages.DevtoolsClient) (own, around reaction) {
	type listener struct{ Type, ScriptID string }
	var all [][]listener
	ours := map[string]bool{}
	for _, object := range pressed(p) {
		var answer struct{ Listeners []listener }
		p.Send("DOMDebugger.getEventListeners", map[string]any{"objectId": object}, &answer)
		all = append(all, answer.Listeners)
		for _, l := range answer.Listeners {
			ours[l.ScriptID] = ours[l.ScriptID] || dom.IsOwn(l.Type) || strings.HasPrefix(l.Type, "__playwright")
		}
	}
	for i, list := range all {
		for _, l := range list {
			heard := reaction{slices.Contains(pressEvents(), l.Type), l.Type == "click"}
			switch {
			case ours[l.ScriptID]:
			case i == 0:
				own = own.and(heard)
			default:
				around = around.and(heard)
			}
		}
	}
	return own, around
}

// pressed returns what was pressed, what that is in, its document and its window, as objects of the page itself: the
// browser lists the listeners of one world only.
func pressed(p *pages.DevtoolsClient) []string {
	for _, world := range p.Worlds() {
		var about struct{ Node struct{ BackendNodeID int } }
		var resolved struct{ Object pages.Object }
		var list struct{ Result pages.Object }
		found := p.Elements(world, "taprootPressed || []")
		if len(found) > 0 && p.Send("DOM.describeNode", map[string]any{"objectId": found[0], "depth": 0}, &about) &&
			p.Send("DOM.resolveNode", map[string]any{"backendNodeId": about.Node.BackendNodeID}, &resolved) &&
			p.Send("Runtime.callFunctionOn", map[string]any{"objectId": resolved.Object.ObjectID,
				"functionDeclaration": surroundings}, &list) {
			return p.Items(list.Result.ObjectID)
		}
	}
	return nil
}

// surroundings are an element, what it is in, its document and its window.
const surroundings = `function() {
	const list = [];
	for (let n = this; n && list.length < 50; n = n.parentElement || n.getRootNode().host) list.push(n);
	return [...list, document, window];
}`
