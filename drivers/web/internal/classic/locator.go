package classic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// unused are the methods of a locator that nothing here calls.
type unused = playwright.Locator

// Locator is of what a selector of Playwright picks, in frames too. Its actions wait as Playwright's do: until the one
// element is there and ready, or the time has ended.
type Locator struct {
	unused
	page     *Page
	selector string
}

// Page returns the page of the locator.
func (l *Locator) Page() (playwright.Page, error) { return l.page, nil }

// Locator is of what is in the elements.
func (l *Locator) Locator(of any, _ ...playwright.LocatorLocatorOptions) playwright.Locator {
	selector, _ := of.(string)
	return &Locator{page: l.page, selector: l.selector + " >> " + selector}
}

// Or is of what either picks, in the frame of the first.
func (l *Locator) Or(other playwright.Locator) playwright.Locator {
	selector := ""
	if o, ok := other.(*Locator); ok {
		selector = o.selector
	}
	literal, _ := json.Marshal(selector) // a text can always be encoded
	return &Locator{page: l.page, selector: l.selector + " >> internal:or=" + string(literal)}
}

// chunks separates the selectors of the frames from that of the element.
func (l *Locator) chunks() (frames []string, selector string) {
	parts := strings.Split(l.selector, enterFrame)
	return parts[:len(parts)-1], parts[len(parts)-1]
}

// reply is what a command says of an element: "done", or why not yet.
type reply struct {
	R       string
	Place   int
	Text    string
	Visible bool
	Is      bool
	X, Y    float64
	Width   float64
	Height  float64
}

// until calls f in the frame of the locator until it is done, or the time has ended.
func (l *Locator) until(timeout *float64, f func(ctx context.Context, selector string, attempt int) (reply, error)) (
	last reply, err error) {
	deadline := time.Now().Add(limitOf(timeout))
	frames, selector := l.chunks()
	for attempt := 0; ; attempt++ {
		left := time.Until(deadline)
		if attempt > 0 && left <= 0 {
			return last, fmt.Errorf("%w: %s: %s", playwright.ErrTimeout, l.selector, last.R)
		}
		err := l.page.context.do(l.page, max(left, 0)+callLimit, func(ctx context.Context) error {
			if err := l.page.enter(ctx, frames); err != nil {
				return err
			}
			last, err = f(ctx, selector, attempt)
			return err
		})
		switch {
		case errors.Is(err, errNone):
			last = reply{R: "none"}
		case err != nil && strings.Contains(err.Error(), "Execution context was destroyed"):
			last = reply{R: "the page is being replaced"}
		case err != nil:
			return last, err
		case last.R == "done":
			return last, nil
		}
		if err := pause(l.page.context.life, attempt); err != nil {
			return last, l.page.context.explain(l.page, err)
		}
	}
}

// ask is until for one command of script/page.js.
func (l *Locator) ask(timeout *float64, command string, argument func(selector string, attempt int) any) (reply,
	error) {
	return l.until(timeout, func(ctx context.Context, selector string, attempt int) (r reply, err error) {
		err = l.page.ask(ctx, command, argument(selector, attempt), &r)
		return r, err
	})
}

func alone(selector string, _ int) any { return selector }

// TextContent returns the text of the element.
func (l *Locator) TextContent(options ...playwright.LocatorTextContentOptions) (string, error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	r, err := l.ask(timeout, "text", func(selector string, _ int) any {
		return map[string]any{"selector": selector, "framed": l.page.context.browser.traits.Live && readsPage(selector)}
	})
	return r.Text, err
}

// readsPage reports whether a selector is a command of package dom that reads elements of the page.
func readsPage(selector string) bool {
	return strings.Contains(selector, "taproot=tree.") || strings.Contains(selector, "taproot=report.")
}

// WaitFor waits until the element is there, or visible.
func (l *Locator) WaitFor(options ...playwright.LocatorWaitForOptions) error {
	var o playwright.LocatorWaitForOptions
	if len(options) > 0 {
		o = options[0]
	}
	attached := o.State != nil && *o.State == *playwright.WaitForSelectorStateAttached
	_, err := l.until(o.Timeout, func(ctx context.Context, selector string, _ int) (r reply, err error) {
		if err = l.page.ask(ctx, "seen", selector, &r); err == nil && r.R == "done" && !attached && !r.Visible {
			r.R = "not visible"
		}
		return r, err
	})
	return err
}

func (l *Locator) is(timeout *float64, state string) (bool, error) {
	r, err := l.ask(timeout, "is", func(selector string, _ int) any {
		return map[string]any{"selector": selector, "state": state}
	})
	return r.Is, err
}

// IsEnabled reports whether the element is not disabled.
func (l *Locator) IsEnabled(options ...playwright.LocatorIsEnabledOptions) (bool, error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	return l.is(timeout, "enabled")
}

// IsEditable reports whether a text can be put into the element.
func (l *Locator) IsEditable(options ...playwright.LocatorIsEditableOptions) (bool, error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	return l.is(timeout, "editable")
}

// BoundingBox returns the place of an element in its document.
func (l *Locator) BoundingBox(options ...playwright.LocatorBoundingBoxOptions) (*playwright.Rect, error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	r, err := l.ask(timeout, "box", alone)
	if err != nil {
		return nil, err
	}
	return &playwright.Rect{X: r.X, Y: r.Y, Width: r.Width, Height: r.Height}, nil
}

// ScrollIntoViewIfNeeded scrolls the element into view.
func (l *Locator) ScrollIntoViewIfNeeded(options ...playwright.LocatorScrollIntoViewIfNeededOptions) error {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	_, err := l.ask(timeout, "scroll", func(selector string, attempt int) any {
		return map[string]any{"selector": selector, "attempt": attempt}
	})
	return err
}

// Focus moves the focus to the element.
func (l *Locator) Focus(options ...playwright.LocatorFocusOptions) error {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	_, err := l.ask(timeout, "focus", alone)
	return err
}

// Fill replaces the text of a field.
func (l *Locator) Fill(value string, options ...playwright.LocatorFillOptions) error {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	return l.changes(timeout, "fill", map[string]any{"value": value})
}

// changes is ask for a command that changes the element.
func (l *Locator) changes(timeout *float64, command string, with map[string]any) error {
	_, err := l.until(timeout, func(ctx context.Context, selector string, _ int) (r reply, err error) {
		with["selector"] = selector
		if err = l.page.ask(ctx, command, with, &r); err == nil && r.R == "done" {
			err = l.page.context.settle(ctx)
		}
		return r, err
	})
	return err
}

// SelectOption chooses options of a list.
func (l *Locator) SelectOption(values playwright.SelectOptionValues, options ...playwright.LocatorSelectOptionOptions) (
	[]string, error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	wanted := []map[string]any{}
	add := func(key string, value any) { wanted = append(wanted, map[string]any{key: value}) }
	if values.Values != nil {
		for _, v := range *values.Values {
			add("value", v)
		}
	}
	if values.Labels != nil {
		for _, v := range *values.Labels {
			add("label", v)
		}
	}
	if values.Indexes != nil {
		for _, v := range *values.Indexes {
			add("index", v)
		}
	}
	return nil, l.changes(timeout, "select", map[string]any{"options": wanted})
}

// SetInputFiles puts files into a file field, by their paths. An empty list of any type empties it.
func (l *Locator) SetInputFiles(files any, options ...playwright.LocatorSetInputFilesOptions) error {
	paths, ok := files.([]string)
	if list, is := files.([]playwright.InputFile); !ok && (!is || len(list) > 0) {
		return fmt.Errorf("files of the type %T cannot be uploaded", files)
	}
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	c := l.page.context
	_, err := l.until(timeout, func(ctx context.Context, selector string, _ int) (r reply, err error) {
		err = l.page.ask(ctx, "files", map[string]any{"selector": selector, "several": len(paths) > 1,
			"none": len(paths) == 0}, &r)
		if err != nil || r.R != "done" || len(paths) == 0 {
			return r, err
		}
		field, err := l.page.element(ctx)
		if err != nil {
			return r, err
		}
		there := paths
		if u, far := c.opened.(Uploader); far {
			if there, err = u.Upload(ctx, paths); err != nil {
				return r, err
			}
		}
		err = c.command(ctx, func() error { return c.session.SendTo(ctx, field, strings.Join(there, "\n")) })
		if err != nil {
			return r, err
		}
		return r, c.settle(ctx)
	})
	return err
}

// Evaluate calls a function with the element.
func (l *Locator) Evaluate(expression string, arg any, options ...playwright.LocatorEvaluateOptions) (value any,
	err error) {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	_, err = l.until(timeout, func(ctx context.Context, selector string, _ int) (r reply, err error) {
		value, err = l.page.run(ctx, expression, run{Selector: &selector, Argument: arg})
		return reply{R: "done"}, err
	})
	return value, err
}

// touch is how an element is touched.
type touch struct {
	states    []string
	kind      string // of script/page.js: mouse or hover
	trial     bool
	modifiers []playwright.KeyboardModifier
	actions   func(x, y float64) []webdriver.Action
}

// perform touches the element once it is ready, and what a touch at its place meets. A touch that was sent is not sent
// again, unless the page has received none of it.
func (l *Locator) perform(timeout *float64, how touch) error {
	frames, _ := l.chunks()
	_, err := l.until(timeout, func(ctx context.Context, selector string, attempt int) (r reply, err error) {
		p, c := l.page, l.page.context
		err = p.ask(ctx, "point", map[string]any{"selector": selector, "states": how.states, "kind": how.kind,
			"trial": how.trial, "attempt": attempt}, &r)
		if err != nil || r.R != "done" {
			return r, err
		}
		at, err := l.onPage(ctx, frames, r)
		if err == nil && at.R == "done" && !how.trial {
			if err = l.send(ctx, how, at); webdriver.PageChanged(err) {
				err = fmt.Errorf("%w: the touch may have been made, and is not made again: %w", drivers.ErrDeviceLost, err)
			}
		}
		if err != nil {
			return r, err
		}
		var met reply
		if len(frames) > 0 {
			if err := p.enter(ctx, frames); err != nil {
				return reply{R: "done"}, ignoreGone(err)
			}
		}
		if err := p.ask(ctx, "met", nil, &met); err != nil {
			return reply{R: "done"}, ignoreGone(err)
		}
		if at.R != "done" {
			return at, nil
		}
		if err := c.settle(ctx); err != nil {
			return met, ignoreGone(err)
		}
		return met, nil
	})
	return err
}

// ignoreGone forgives that the page was left, or closed, by the touch that was made.
func ignoreGone(err error) error {
	if webdriver.PageChanged(err) || webdriver.Is(err, webdriver.NoSuchWindow) || errors.Is(err, errNone) ||
		strings.Contains(err.Error(), "Execution context was destroyed") {
		return nil
	}
	return err
}

// onPage converts a point in frames to one of the page itself, which is chosen then.
func (l *Locator) onPage(ctx context.Context, frames []string, at reply) (reply, error) {
	for i := len(frames) - 1; i >= 0; i-- {
		if err := l.page.context.leaveFrames(ctx); err != nil {
			return at, err
		}
		if err := l.page.enter(ctx, frames[:i]); err != nil {
			return at, err
		}
		var outer reply
		err := l.page.ask(ctx, "around", map[string]any{"selector": frames[i], "x": at.X, "y": at.Y}, &outer)
		if err != nil || outer.R != "done" {
			return outer, err
		}
		at = outer
	}
	return at, l.page.context.leaveFrames(ctx)
}

// send sends the touch itself.
func (l *Locator) send(ctx context.Context, how touch, at reply) error {
	c := l.page.context
	var down, up []webdriver.Action
	for _, name := range how.modifiers {
		down = append(down, webdriver.KeyDown(webdriver.Key(string(name))))
		up = append([]webdriver.Action{webdriver.KeyUp(webdriver.Key(string(name)))}, up...)
	}
	if len(down) > 0 {
		if err := c.session.Keys(ctx, down...); err != nil {
			return err
		}
	}
	err := c.session.Mouse(ctx, how.actions(at.X, at.Y)...)
	if len(up) > 0 {
		if released := c.command(ctx, func() error { return c.session.Keys(ctx, up...) }); err == nil && released != nil {
			err = ignoreGone(released)
		}
	}
	return err
}

// Click clicks the element.
func (l *Locator) Click(options ...playwright.LocatorClickOptions) error {
	var o playwright.LocatorClickOptions
	if len(options) > 0 {
		o = options[0]
	}
	count := 1
	if o.ClickCount != nil {
		count = *o.ClickCount
	}
	button, err := l.page.context.browser.button(o.Button)
	if err != nil {
		return err
	}
	return l.perform(o.Timeout, touch{states: []string{"visible", "enabled", "stable"}, kind: "mouse",
		trial: o.Trial != nil && *o.Trial, modifiers: o.Modifiers,
		actions: func(x, y float64) []webdriver.Action { return clicks(x, y, button, count) }})
}

func clicks(x, y float64, button, count int) []webdriver.Action {
	actions := []webdriver.Action{webdriver.Move(x, y)}
	for range count {
		actions = append(actions, webdriver.Press(button), webdriver.Release(button))
	}
	return actions
}

// Hover moves the mouse over the element.
func (l *Locator) Hover(options ...playwright.LocatorHoverOptions) error {
	var timeout *float64
	if len(options) > 0 {
		timeout = options[0].Timeout
	}
	return l.perform(timeout, touch{states: []string{"visible", "stable"}, kind: "hover",
		actions: func(x, y float64) []webdriver.Action { return []webdriver.Action{webdriver.Move(x, y)} }})
}

// SetChecked makes a box checked, or not.
func (l *Locator) SetChecked(checked bool, options ...playwright.LocatorSetCheckedOptions) error {
	var o playwright.LocatorSetCheckedOptions
	if len(options) > 0 {
		o = options[0]
	}
	now, err := l.is(o.Timeout, "checked")
	if err != nil || now == checked {
		return err
	}
	trial := o.Trial != nil && *o.Trial
	if err := l.Click(playwright.LocatorClickOptions{Timeout: o.Timeout, Trial: o.Trial}); err != nil || trial {
		return err
	}
	now, err = l.is(o.Timeout, "checked")
	if err == nil && now != checked {
		return thrown("Clicking the checkbox did not change its state")
	}
	return err
}
