package elements

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/drivers/web/internal/read"
	"github.com/taproot-dev/taproot/drivers/web/internal/touch"
)

// Actor acts on elements that selectors pick, once they can be acted on.
type Actor struct {
	slot   *pages.Slot
	reader *read.Reader
	hand   *touch.Hand
}

// NewActor acts on elements of the current page of a slot.
func NewActor(slot *pages.Slot, reader *read.Reader, hand *touch.Hand) *Actor {
	return &Actor{slot: slot, reader: reader, hand: hand}
}

// naming is how errors speak of an element.
func naming(at drivers.WebTarget) string {
	selector := screen.Quote(strings.TrimSuffix(at.Selector, ofLabel))
	if at.Frame == "" {
		return selector
	}
	return selector + " in the frame " + screen.Quote(at.Frame)
}

// mayPass reports whether a read failed because the page, or the frame that is meant, is not there yet.
func mayPass(err error) bool {
	return errors.Is(err, drivers.ErrNotReady) || errors.Is(err, read.ErrNoFrame)
}

// again makes an action that does no harm when it is made twice. Playwright waits in slices, so that a cancelled call
// ends within a second and its page lives on; a page that is too slow for one slice gets longer ones.
func (a *Actor) again(ctx context.Context, at drivers.WebTarget, do touch.Call) error {
	deadline := deadlineOf(ctx, at)
	for limit := pages.FillSlice; ; {
		err := a.slice(ctx, at, limit, do)
		switch {
		case err == nil || !errors.Is(err, drivers.ErrNotReady):
			return err
		case time.Until(deadline) <= 0:
			return a.diagnose(ctx, at)
		case errors.Is(err, pages.ErrSlice):
			if r, e := a.reader.LookIn(ctx, at.Frame, at.Selector); e == nil && r.Able || errors.Is(e, pages.ErrSlice) {
				limit = max(min(2*limit, time.Until(deadline)), pages.FillSlice)
			}
		default:
			if err := browser.Pause(ctx, pages.LookPause); err != nil {
				return err
			}
		}
	}
}

// slice makes one attempt. ErrSlice: it ended without success.
func (a *Actor) slice(ctx context.Context, at drivers.WebTarget, limit time.Duration, do touch.Call) error {
	err := pages.ActFor(ctx, a.slot, limit+browser.CallLimit, func(page playwright.Page) error {
		return attempt(page, at, limit, do)
	})
	if err == nil && at.Frame != "" {
		a.reader.Entered(at.Frame)
	}
	return a.refusal(ctx, at, err)
}

// trial is slice for what changes nothing (Playwright moves the mouse, and keeps it from the page): when ctx ends,
// it need not be waited for.
func (a *Actor) trial(ctx context.Context, at drivers.WebTarget, limit time.Duration, try touch.Call) error {
	s, _, err := a.slot.Page()
	if err != nil {
		return err
	}
	defer s.Acting.Start()()
	try = a.hand.InTurn(ctx, try)
	_, err = pages.Read(ctx, a.slot, func(page playwright.Page) (struct{}, error) {
		return struct{}{},
			attempt(page, at, limit, try)
	})
	return a.refusal(ctx, at, err)
}

func attempt(page playwright.Page, at drivers.WebTarget, limit time.Duration, do touch.Call) error {
	err := do(page.Locator(read.Scoped(at.Frame, at.Selector)), browser.Milliseconds(limit))
	if errors.Is(err, playwright.ErrTimeout) {
		return pages.ErrSlice
	}
	return judge(at, err)
}

// singleAction is an action that must not be made twice.
type singleAction struct {
	try touch.Call // waits until do could be made, without making it
	do  touch.Call
}

// once makes an action once. When one read says that the element is ready, Playwright acts, with all the time
// that is left; otherwise it waits in slices first, so that a cancelled wait leaves the page alive.
func (a *Actor) once(ctx context.Context, at drivers.WebTarget, what singleAction) error {
	deadline, slice := deadlineOf(ctx, at), pages.FillSlice
	for {
		left := time.Until(deadline)
		r, err := a.reader.LookIn(ctx, at.Frame, at.Selector)
		switch {
		case err == nil && r.Count > 1:
			return a.several(ctx, at, r)
		case err != nil && !mayPass(err):
			return err
		case err == nil && !r.Able:
			err = a.trial(ctx, at, min(left, slice), what.try)
			slice *= 2 // the page may be too slow for one
		}
		if err == nil {
			return a.perform(ctx, at, max(time.Until(deadline), pages.FillSlice), what.do)
		}
		if !mayPass(err) {
			return err
		}
		if time.Until(deadline) <= 0 {
			return a.diagnose(ctx, at)
		}
		if !errors.Is(err, pages.ErrSlice) {
			if err := browser.Pause(ctx, pages.LookPause); err != nil {
				return err
			}
		}
	}
}

// perform makes the action itself. When Playwright runs out of time, it does not report whether it has acted; that the
// page loads another or does not answer any more says so.
func (a *Actor) perform(ctx context.Context, at drivers.WebTarget, limit time.Duration, do touch.Call) error {
	s, release, err := a.hand.TakeMouse(ctx)
	if err != nil {
		return err
	}
	end := touch.UntilItLoads(s, release)
	err = pages.ActFor(ctx, a.slot, limit+browser.CallLimit, func(page playwright.Page) error {
		return s.Made(page, attempt(page, at, limit, do))
	})
	end()
	release()
	if !errors.Is(err, pages.ErrSlice) {
		return a.refusal(ctx, at, err)
	}
	if s.Traffic.Navigating() {
		return nil
	}
	// a page on a busy machine responds late, and has received nothing
	limited, cancel := context.WithTimeout(ctx, pages.FrameLimit)
	defer cancel()
	if _, err := a.reader.LookIn(limited, at.Frame, at.Selector); limited.Err() != nil && ctx.Err() == nil ||
		errors.Is(err, drivers.ErrNotReady) {
		return nil
	}
	return a.diagnose(ctx, at)
}

// withDeadline sets the end of an action's time: what it waits for one after the other does not add up.
func withDeadline(ctx context.Context, at drivers.WebTarget) context.Context {
	return drivers.WithStepDeadline(ctx, deadlineOf(ctx, at))
}

// deadlineOf is when the time of an action ends.
func deadlineOf(ctx context.Context, at drivers.WebTarget) time.Time {
	deadline := time.Now().Add(pages.Wait(at.Timeout))
	if end, ok := drivers.StepDeadline(ctx); ok && end.Before(deadline) {
		return end
	}
	return deadline
}

// refused is an action that Playwright refuses at once, because no waiting would help.
type refused struct{ what, reason string }

func (e *refused) Error() string {
	return fmt.Sprintf("%v: the selector %s picks something with which this cannot be done: %s", drivers.ErrNotActionable,
		e.what,
		e.reason)
}

func (e *refused) Unwrap() error { return drivers.ErrNotActionable }

// judge classifies what Playwright says about an element.
func judge(at drivers.WebTarget, err error) error {
	switch {
	case err == nil || browser.Disconnected(err) || browser.Passing(err) || browser.IsKind(err) ||
		browser.OfServer(err) != nil: // Explain classifies it
		return err
	case strings.Contains(err.Error(), "strict mode violation"):
		return &screen.AmbiguousError{What: "the selector " + naming(at), Candidates: read.StrictMatches(err)}
	}
	return &refused{naming(at), strings.TrimPrefix(browser.Plain(err), "Error: ")}
}

// refusal looks whether an action was refused because the selector is not valid, or because the page is an error page.
func (a *Actor) refusal(ctx context.Context, at drivers.WebTarget, err error) error {
	var no *refused
	if !errors.As(err, &no) {
		return a.proposing(ctx, at, err)
	}
	if _, e := a.reader.LookIn(ctx, at.Frame, at.Selector); e != nil && !errors.Is(e, drivers.ErrNotReady) {
		return e
	}
	return err
}

// diagnose says why an element could not be acted on in time.
func (a *Actor) diagnose(ctx context.Context, at drivers.WebTarget) error {
	waited := pages.Wait(at.Timeout)
	seen, err := a.reader.LookIn(ctx, at.Frame, at.Selector)
	switch {
	case errors.Is(err, read.ErrNoFrame):
		return fmt.Errorf("%w (waited %s)", err, waited)
	case err != nil:
		return err
	case seen.Count == 0:
		return fmt.Errorf("%w: nothing on the page matches the selector %s (waited %s)", screen.ErrNotFound, naming(at),
			waited)
	case seen.Count > 1:
		return a.several(ctx, at, seen)
	case seen.Visible == 0:
		return fmt.Errorf("%w: %s is hidden (waited %s)", drivers.ErrNotActionable, naming(at), waited)
	}
	return fmt.Errorf("%w: %s %s (waited %s)", drivers.ErrNotActionable, naming(at), a.why(ctx, at, seen), waited)
}

// why queries what keeps a visible element from being used.
func (a *Actor) why(ctx context.Context, at drivers.WebTarget, seen *read.Report) string {
	why, err := pages.Read(ctx, a.slot, func(page playwright.Page) (string, error) {
		element, limit := page.Locator(read.Scoped(at.Frame, at.Selector)), browser.Milliseconds(browser.CallLimit/3)
		if on, err := element.IsEnabled(playwright.LocatorIsEnabledOptions{Timeout: limit}); err != nil || !on {
			return "is disabled", err
		}
		if seen.Covered != "" {
			return "is covered by " + seen.Covered, nil
		}
		if !seen.Field {
			return "did not become ready", nil
		}
		if can, err := element.IsEditable(playwright.LocatorIsEditableOptions{Timeout: limit}); err != nil || !can {
			return "is read-only", err
		}
		return "did not become ready", nil
	})
	if err != nil {
		return "did not become ready"
	}
	return why
}

// maxChoices is how many of the elements that a selector picks are reported with a selector for each.
const maxChoices = 4

// several is the error of a selector that picks more than one element, with selectors that were seen to pick one of
// them each.
func (a *Actor) several(ctx context.Context, at drivers.WebTarget, r *read.Report) error {
	var choices []string
	for i, what := range r.What[:min(len(r.What), maxChoices)] {
		choices = append(choices, a.choice(ctx, at, i, what))
	}
	return &screen.AmbiguousError{What: "the selector " + naming(at), Candidates: candidates(r), Choices: func() []string {
		return choices
	}}
}

// candidates are all elements of a report, of which it describes the first.
func candidates(r *read.Report) []string {
	return slices.Concat(r.What, slices.Repeat([]string{"another"}, max(r.Count-len(r.What), 0)))
}

// choice returns a selector for the i-th element that a selector picks: by its id, by what it shows, else by its
// number.
func (a *Actor) choice(ctx context.Context, at drivers.WebTarget, i int, what string) string {
	list := []string{at.Selector + " >> nth=" + strconv.Itoa(i)}
	if text := shownText(what); text != "" && plainCSS(at.Selector) {
		list = append([]string{at.Selector + ":text-is('" + text + "')"}, list...)
	}
	if _, id, ok := strings.Cut(strings.SplitN(what, " ", 2)[0], "#"); ok {
		list = append([]string{"#" + id}, list...)
	}
	for _, selector := range list {
		r, err := a.reader.LookIn(ctx, at.Frame, selector)
		if err == nil && r.Count == 1 && len(r.What) == 1 && r.What[0] == what {
			return screen.Quote(selector)
		}
	}
	return ""
}

// plainCSS reports whether a selector is one compound of CSS, behind which another condition can be written.
func plainCSS(selector string) bool {
	return !strings.ContainsAny(selector, ",=") && !strings.HasPrefix(selector, "/") && !strings.HasPrefix(selector, "(")
}

// shownText takes the text out of the description of an element, "" when it is cut or has none.
func shownText(what string) string {
	i := strings.Index(what, ` "`)
	if i < 0 {
		return ""
	}
	text, err := strconv.Unquote(what[i+1:])
	if err != nil || len([]rune(text)) > 40 || strings.ContainsAny(text, "'\\\n") {
		return ""
	}
	return text
}

// proposing adds to the error of an element that Playwright refused, because there are several, what would choose one.
func (a *Actor) proposing(ctx context.Context, at drivers.WebTarget, err error) error {
	var strict *screen.AmbiguousError
	if !errors.As(err, &strict) || strict.Choices != nil {
		return err
	}
	if r, e := a.reader.LookIn(ctx, at.Frame, at.Selector); e == nil && r.Count > 1 {
		return a.several(ctx, at, r)
	}
	return err
}
