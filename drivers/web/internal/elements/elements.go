// Package elements acts on elements that selectors pick: it waits until they are ready, acts once, and checks what they
// keep.
package elements

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/field"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/drivers/web/internal/read"
	"github.com/taproot-dev/taproot/drivers/web/internal/touch"
)

// maxFiles caps an upload.
const maxFiles = 1000

// Elements fills, clicks and waits for elements that selectors pick.
type Elements struct {
	actor    *Actor
	controls *Controls
	typist   *field.Typist
}

// New returns the elements on which actor acts.
func New(actor *Actor, typist *field.Typist) *Elements {
	return &Elements{actor: actor, controls: &Controls{slot: actor.slot, reader: actor.reader}, typist: typist}
}

// Fill waits until the one element that selector picks is a visible, enabled, editable field, and replaces its text.
func (el *Elements) Fill(ctx context.Context, selector, text string, timeout time.Duration) error {
	return el.FillIn(ctx, drivers.WebTarget{Selector: selector, Timeout: timeout}, text)
}

// FillIn is Fill, in frames too.
func (el *Elements) FillIn(ctx context.Context, at drivers.WebTarget, text string) error {
	ctx = withDeadline(ctx, at)
	c, err := el.controls.enabled(ctx, at)
	if err != nil {
		return err
	}
	if c.Color {
		text = strings.ToLower(text)
	}
	s, _, err := el.actor.slot.Page()
	if err != nil {
		return err
	}
	fill := func(field playwright.Locator, timeout *float64) error {
		if c.Editor { // an editor that moves its selection when it receives the focus does so before all of it is selected
			if err := field.Focus(playwright.LocatorFocusOptions{Timeout: timeout}); err != nil {
				return err
			}
		}
		return field.Fill(text, playwright.LocatorFillOptions{Timeout: timeout})
	}
	if s.Browser.Brand.FillsByKeys {
		err = el.actor.once(ctx, at, singleAction{try: editable, do: fill})
	} else {
		err = el.actor.again(ctx, at, fill)
	}
	if err != nil {
		return err
	}
	return el.controls.keeps(ctx, at, text)
}

// editable waits until a field can be filled.
func editable(field playwright.Locator, timeout *float64) error {
	if err := field.WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateVisible,
		Timeout: timeout}); err != nil {
		return err
	}
	yes, err := field.IsEditable(playwright.LocatorIsEditableOptions{Timeout: timeout})
	if err == nil && !yes {
		err = playwright.ErrTimeout
	}
	return err
}

// ClickOn clicks an element. It returns once a navigation that the click started has got a response.
func (el *Elements) ClickOn(ctx context.Context, at drivers.WebTarget, how drivers.WebClick) error {
	return el.click(ctx, at, how, false)
}

// click waits for what a click leads to, or, with clickOnly, for the click alone: a download keeps the page from
// responding.
func (el *Elements) click(ctx context.Context, at drivers.WebTarget, how drivers.WebClick, clickOnly bool) error {
	button, ok := touch.MouseButtons()[how.Button]
	if !ok || how.Count < 0 || how.Count > 100 {
		return fmt.Errorf("%w: a mouse cannot click %d times with the button %s", drivers.ErrUnsupported, how.Count,
			screen.Quote(how.Button))
	}
	count := playwright.Int(max(how.Count, 1))
	held, err := touch.Modifiers(how.Modifiers)
	if err != nil {
		return err
	}
	return el.actor.once(ctx, at, singleAction{
		try: func(element playwright.Locator, timeout *float64) error {
			return element.Click(playwright.LocatorClickOptions{Trial: playwright.Bool(true), Button: button, Modifiers: held,
				Timeout: timeout})
		},
		do: func(element playwright.Locator, timeout *float64) error {
			err := element.Click(playwright.LocatorClickOptions{Button: button, ClickCount: count, Modifiers: held,
				Timeout: timeout,
				//lint:ignore SA1019 deprecated because its effect becomes the default: until then a click must ask for it
				NoWaitAfter: playwright.Bool(clickOnly)})
			if err != nil || clickOnly || *count > 1 {
				return err
			}
			return el.actor.hand.GivesClick(element, at)
		},
	})
}

// PressOn focuses an element and presses a key in it, or a combination: "Control+A".
func (el *Elements) PressOn(ctx context.Context, at drivers.WebTarget, key string) error {
	keys := field.SplitKeys(key)
	if at.Selector == "" {
		return el.typist.Press(ctx, keys)
	}
	names, err := field.Combine(keys)
	if err != nil {
		return err
	}
	s, _, err := el.actor.slot.Page()
	if err != nil {
		return err
	}
	return el.actor.once(ctx, at, singleAction{
		try: func(element playwright.Locator, timeout *float64) error {
			return element.Focus(playwright.LocatorFocusOptions{Timeout: timeout})
		},
		do: func(element playwright.Locator, timeout *float64) error {
			page, err := element.Page()
			if err == nil {
				err = element.Focus(playwright.LocatorFocusOptions{Timeout: timeout})
			}
			if err != nil {
				return err
			}
			return field.NewKeyboard(s, page).PressTogether(names)
		},
	})
}

// SelectIn chooses from a <select>; it waits until the options are there.
func (el *Elements) SelectIn(ctx context.Context, at drivers.WebTarget, choice drivers.WebChoice) error {
	if len(entries(choice)) == 0 {
		return fmt.Errorf("%w: nothing was given to be chosen in %s", drivers.ErrNotActionable, naming(at))
	}
	ctx = withDeadline(ctx, at)
	list, err := el.controls.choosable(ctx, at, choice)
	if err != nil {
		return err
	}
	spelled, err := list.spelled(at, choice)
	if err != nil {
		return err
	}
	values := valuesOf(spelled)
	err = el.actor.again(ctx, at, func(field playwright.Locator, timeout *float64) error {
		// as by a user who opens the list, the element that had the focus loses it, and an equal choice changes nothing
		err := field.Focus(playwright.LocatorFocusOptions{Timeout: timeout})
		if err == nil && (list.Options == nil || !list.isChosen(choice)) {
			_, err = field.SelectOption(values, playwright.LocatorSelectOptionOptions{Timeout: timeout})
		}
		return err
	})
	if err != nil && errors.Is(err, drivers.ErrNotActionable) && strings.Contains(err.Error(), "did not become ready") {
		return el.noOption(ctx, at, choice, err)
	}
	if err != nil {
		return err
	}
	return el.controls.keepsChoice(ctx, at, choice)
}

// valuesOf returns a choice as Playwright takes it.
func valuesOf(choice drivers.WebChoice) (values playwright.SelectOptionValues) {
	switch {
	case len(choice.Values) > 0:
		values.Values = &choice.Values
	case len(choice.Labels) > 0:
		values.Labels = &choice.Labels
	default:
		values.Indexes = &choice.Indexes
	}
	return values
}

// noOption says which options there are when the one that is wanted did not come.
func (el *Elements) noOption(ctx context.Context, at drivers.WebTarget, choice drivers.WebChoice, err error) error {
	at.Selector += " >> option"
	r, e := el.actor.reader.LookIn(ctx, at.Frame, at.Selector)
	if e != nil {
		return err
	}
	wanted := slices.Concat(choice.Values, choice.Labels, []string{fmt.Sprint(choice.Indexes)})[0]
	for _, one := range entries(choice) {
		if len(indexes(len(r.Options), func(i int) bool {
			return wants(one, i, choosable{Value: r.Options[i].Value, Label: r.Options[i].Label})
		})) == 0 {
			wanted = slices.Concat(one.Values, one.Labels, []string{fmt.Sprint(one.Indexes)})[0]
			break
		}
	}
	return fmt.Errorf("%w: there is no option %s; there are %s", err, screen.Quote(wanted), strings.Join(r.What, ", "))
}

// Check makes a checkbox, radio button or switch checked or not. A native one that the page hides, because it draws
// another one itself, is touched by its label.
func (el *Elements) Check(ctx context.Context, at drivers.WebTarget, checked bool) error {
	ctx = withDeadline(ctx, at)
	box := at
	at, err := el.byLabel(ctx, at)
	if err != nil {
		return err
	}
	c, err := el.controls.enabled(ctx, at)
	if err != nil {
		return err
	}
	set := func(trial bool) touch.Call {
		return func(element playwright.Locator, timeout *float64) error {
			options := playwright.LocatorSetCheckedOptions{Trial: playwright.Bool(trial), Timeout: timeout}
			if c.Label {
				options.Position = ownPlace(element, timeout)
			}
			return element.SetChecked(checked, options)
		}
	}
	if err = el.actor.once(ctx, at, singleAction{try: set(true), do: set(false)}); err != nil {
		return err
	}
	return el.controls.keepsChecked(ctx, box, checked)
}

// ofLabel picks the label of what a selector before it picks.
const ofLabel = " >> " + browser.TypingName + "=label"

// byLabel waits until something is there, and returns its label instead if it is a hidden box of which the label can be
// seen.
func (el *Elements) byLabel(ctx context.Context, at drivers.WebTarget) (drivers.WebTarget, error) {
	for deadline := deadlineOf(ctx, at); ; {
		r, err := el.actor.reader.LookIn(ctx, at.Frame, at.Selector)
		switch {
		case err == nil && r.Count == 1 && r.Visible == 0:
			label := at
			label.Selector += ofLabel
			if r, err = el.actor.reader.LookIn(ctx, at.Frame, label.Selector); err == nil && r.Visible == 1 {
				return label, nil
			}
			return at, ctx.Err()
		case err == nil && r.Count > 0, err != nil && !mayPass(err), time.Until(deadline) <= 0:
			return at, ctx.Err() // what is wrong is reported by the action itself
		}
		if err := browser.Pause(ctx, pages.LookPause); err != nil {
			return at, err
		}
	}
}

// ownPlace returns a place in a label that belongs to no link and no other control in it; nil: its middle will do, or
// there is none.
func ownPlace(label playwright.Locator, timeout *float64) *playwright.Position {
	_ = label.ScrollIntoViewIfNeeded(playwright.LocatorScrollIntoViewIfNeededOptions{Timeout: timeout})
	said, err := label.Evaluate(`label => {
		const box = label.getBoundingClientRect(), steps = [.5, .25, .75, .1, .9, .03, .97];
		const free = ([x, y]) => {
			const hit = label.getRootNode().elementFromPoint(x, y);
			const own = hit && hit.closest('label, a[href], button, input, select, textarea, summary, [role], [tabindex]');
			return hit && label.contains(hit) && (own === label || own === label.control);
		};
		const lines = [...label.getClientRects()].map(r => r.top + r.height / 2);
		const rows = [...steps.map(s => box.top + s * box.height), ...lines];
		const spot = rows.flatMap(y => steps.map(s => [box.left + s * box.width, y])).find(free);
		return spot && [spot[0] - box.left - label.clientLeft, spot[1] - box.top - label.clientTop];
	}`, nil, playwright.LocatorEvaluateOptions{Timeout: timeout})
	spot, _ := said.([]any)
	if err != nil || len(spot) != 2 {
		return nil
	}
	number := func(v any) float64 {
		switch n := v.(type) {
		case int:
			return float64(n)
		case float64:
			return n
		}
		return 0
	}
	return &playwright.Position{X: number(spot[0]), Y: number(spot[1])}
}

// Hover moves the pointer over an element.
func (el *Elements) Hover(ctx context.Context, at drivers.WebTarget) error {
	return el.actor.again(ctx, at, el.actor.hand.InTurn(ctx, func(element playwright.Locator, timeout *float64) error {
		return element.Hover(playwright.LocatorHoverOptions{Timeout: timeout})
	}))
}

// TextOf waits for one visible element and returns what it shows.
func (el *Elements) TextOf(ctx context.Context, at drivers.WebTarget) (string, error) {
	deadline := deadlineOf(ctx, at)
	for {
		r, err := el.actor.reader.LookDrawn(ctx, at.Frame, at.Selector, at.Drawn)
		switch {
		case err == nil && r.Count > 1:
			return "", el.actor.several(ctx, at, r)
		case err == nil && r.Visible == 1 && len(r.Texts) == 1:
			return r.Texts[0], nil
		case err != nil && !mayPass(err):
			return "", err
		case time.Until(deadline) <= 0:
			return "", el.actor.diagnose(ctx, at)
		}
		if err := browser.Pause(ctx, pages.LookPause); err != nil {
			return "", err
		}
	}
}

// WaitElement waits until an element is visible, hidden, attached or detached.
func (el *Elements) WaitElement(ctx context.Context, at drivers.WebTarget, state string) error {
	meets := map[string]func(*read.Report) bool{
		"visible":  func(r *read.Report) bool { return r.Visible > 0 },
		"attached": func(r *read.Report) bool { return r.Count > 0 },
		"hidden":   func(r *read.Report) bool { return r.Visible == 0 && r.Loaded },
		"detached": func(r *read.Report) bool { return r.Count == 0 && r.Loaded },
	}[state]
	if meets == nil {
		return fmt.Errorf("%w: an element cannot be %s", drivers.ErrUnsupported, screen.Quote(state))
	}
	deadline := deadlineOf(ctx, at)
	look := func() (*read.Report, error) {
		if state == "visible" || state == "hidden" {
			return el.actor.reader.LookDrawn(ctx, at.Frame, at.Selector, at.Drawn)
		}
		return el.actor.reader.LookIn(ctx, at.Frame, at.Selector)
	}
	for {
		r, warning, err := el.actor.reader.LookOrGone(ctx, look, meets)
		switch {
		case err == nil && meets(r):
			at.Warn(warning)
			return nil
		case err != nil && !mayPass(err):
			return err
		case time.Until(deadline) <= 0 && err != nil:
			return err
		case time.Until(deadline) <= 0:
			return fmt.Errorf("%w: %s did not become %s within %s: %d on the page, %d visible", stateKind(state),
				naming(at), state,
				pages.Wait(at.Timeout), r.Count, r.Visible)
		}
		if err := browser.Pause(ctx, pages.LookPause); err != nil {
			return err
		}
	}
}

// stateKind: what did not appear was not found; what did not go was found well enough.
func stateKind(state string) error {
	if state == "hidden" || state == "detached" {
		return drivers.ErrNotActionable
	}
	return screen.ErrNotFound
}
