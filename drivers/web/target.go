package web

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const enterFrame = " >> internal:control=enter-frame >> "

// naming is how errors speak of an element.
func naming(at drivers.WebTarget) string {
	if at.Frame == "" {
		return screen.Quote(at.Selector)
	}
	return screen.Quote(at.Selector) + " in the frame " + screen.Quote(at.Frame)
}

// call is one of Playwright's actions on an element, with its own waiting.
type call func(element playwright.Locator, timeout *float64) error

// Actor acts on elements that selectors pick, once they can be acted on.
type Actor struct {
	slot   *Slot
	reader *Reader
	hand   *Hand
}

// again makes an action that does no harm when it is made twice. Playwright waits in slices, so that a cancelled call
// ends within a second and its page lives on; a page that is too slow for one slice gets longer ones.
func (a *Actor) again(ctx context.Context, at drivers.WebTarget, do call) error {
	deadline := deadlineOf(ctx, at)
	for limit := fillSlice; ; {
		err := a.slice(ctx, at, limit, do)
		switch {
		case err == nil || !errors.Is(err, drivers.ErrNotReady):
			return err
		case time.Until(deadline) <= 0:
			return a.diagnose(ctx, at)
		case errors.Is(err, errSlice):
			if r, e := a.reader.lookIn(ctx, at.Frame, at.Selector); e == nil && r.Able || errors.Is(e, errSlice) {
				limit = max(min(2*limit, time.Until(deadline)), fillSlice)
			}
		default:
			if err := pause(ctx, lookPause); err != nil {
				return err
			}
		}
	}
}

// slice makes one attempt. errSlice: it ended without success.
func (a *Actor) slice(ctx context.Context, at drivers.WebTarget, limit time.Duration, do call) error {
	err := actFor(ctx, a.slot, limit+callLimit, func(page playwright.Page) error { return attempt(page, at, limit, do) })
	if err == nil && at.Frame != "" {
		a.reader.entered(at.Frame)
	}
	return a.refusal(ctx, at, err)
}

// trial is slice for what changes nothing (Playwright moves the mouse, and keeps it from the page): when ctx ends,
// it need not be waited for.
func (a *Actor) trial(ctx context.Context, at drivers.WebTarget, limit time.Duration, try call) error {
	s, _, err := a.slot.page()
	if err != nil {
		return err
	}
	defer s.acting.start()()
	try = a.hand.inTurn(ctx, try)
	_, err = read(ctx, a.slot, func(page playwright.Page) (struct{}, error) {
		return struct{}{},
			attempt(page, at, limit, try)
	})
	return a.refusal(ctx, at, err)
}

func attempt(page playwright.Page, at drivers.WebTarget, limit time.Duration, do call) error {
	err := do(page.Locator(scoped(at.Frame, at.Selector)), milliseconds(limit))
	if errors.Is(err, playwright.ErrTimeout) {
		return errSlice
	}
	return judge(at, err)
}

// singleAction is an action that must not be made twice.
type singleAction struct {
	try call // waits until do could be made, without making it
	do  call
}

// once makes an action once. When one read says that the element is ready, Playwright acts, with all the time
// that is left; otherwise it waits in slices first, so that a cancelled wait leaves the page alive.
func (a *Actor) once(ctx context.Context, at drivers.WebTarget, what singleAction) error {
	deadline, slice := deadlineOf(ctx, at), fillSlice
	for {
		left := time.Until(deadline)
		r, err := a.reader.lookIn(ctx, at.Frame, at.Selector)
		switch {
		case err == nil && r.Count > 1:
			return a.several(ctx, at, r)
		case err != nil && !errors.Is(err, drivers.ErrNotReady) && !errors.Is(err, errNoFrame):
			return err
		case err == nil && !r.Able:
			err = a.trial(ctx, at, min(left, slice), what.try)
			slice *= 2 // the page may be too slow for one
		}
		if err == nil {
			return a.perform(ctx, at, max(time.Until(deadline), fillSlice), what.do)
		}
		if !errors.Is(err, drivers.ErrNotReady) && !errors.Is(err, errNoFrame) {
			return err
		}
		if time.Until(deadline) <= 0 {
			return a.diagnose(ctx, at)
		}
		if !errors.Is(err, errSlice) {
			if err := pause(ctx, lookPause); err != nil {
				return err
			}
		}
	}
}

// perform makes the action itself. When Playwright runs out of time, it does not report whether it has acted; that the
// page loads another or does not answer any more says so.
func (a *Actor) perform(ctx context.Context, at drivers.WebTarget, limit time.Duration, do call) error {
	s, release, err := a.hand.takeMouse(ctx)
	if err != nil {
		return err
	}
	end := untilItLoads(s, release)
	err = actFor(ctx, a.slot, limit+callLimit, func(page playwright.Page) error {
		return s.made(page, attempt(page, at, limit, do))
	})
	end()
	release()
	if !errors.Is(err, errSlice) {
		return a.refusal(ctx, at, err)
	}
	if s.traffic.navigating() {
		return nil
	}
	// a page on a busy machine responds late, and has received nothing
	limited, cancel := context.WithTimeout(ctx, frameLimit)
	defer cancel()
	if _, err := a.reader.lookIn(limited, at.Frame, at.Selector); limited.Err() != nil && ctx.Err() == nil ||
		errors.Is(err, drivers.ErrNotReady) {
		return nil
	}
	return a.diagnose(ctx, at)
}

// errSlice says that one slice of a wait ended without success; errNoFrame that the frame is not there.
var (
	errSlice   = fmt.Errorf("%w: still waiting", drivers.ErrNotReady)
	errNoFrame = fmt.Errorf("%w: the frame is not there", screen.ErrNotFound)
)

// withDeadline sets the end of an action's time: what it waits for one after the other does not add up.
func withDeadline(ctx context.Context, at drivers.WebTarget) context.Context {
	return drivers.WithStepDeadline(ctx, deadlineOf(ctx, at))
}

// deadlineOf is when the time of an action ends.
func deadlineOf(ctx context.Context, at drivers.WebTarget) time.Time {
	deadline := time.Now().Add(wait(at.Timeout))
	if end, ok := drivers.StepDeadline(ctx); ok && end.Before(deadline) {
		return end
	}
	return deadline
}

func wait(timeout time.Duration) time.Duration {
	if timeout <= 0 {
		return defaultWait
	}
	return timeout
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
	case err == nil || disconnected(err) || passing(err) || isKind(err):
		return err
	case strings.Contains(err.Error(), "strict mode violation"):
		return &screen.AmbiguousError{What: "the selector " + naming(at), Candidates: strictMatches(err)}
	}
	return &refused{naming(at), strings.TrimPrefix(plain(err), "Error: ")}
}

// refusal looks whether an action was refused because the selector is not valid, or because the page is an error page.
func (a *Actor) refusal(ctx context.Context, at drivers.WebTarget, err error) error {
	var no *refused
	if !errors.As(err, &no) {
		return a.proposing(ctx, at, err)
	}
	if _, e := a.reader.lookIn(ctx, at.Frame, at.Selector); e != nil && !errors.Is(e, drivers.ErrNotReady) {
		return e
	}
	return err
}

// strictMatches takes the list of elements out of a strict mode violation.
func strictMatches(err error) []string {
	var list []string
	for line := range strings.Lines(ansi.ReplaceAllString(err.Error(), "")) {
		line = strings.TrimSpace(line)
		number, rest, ok := strings.Cut(line, ") ")
		if _, e := strconv.Atoi(number); !ok || e != nil || len(list) == 10 {
			continue
		}
		rest, _, _ = strings.Cut(rest, " aka ")
		list = append(list, rest)
	}
	return list
}

// diagnose says why an element could not be acted on in time.
func (a *Actor) diagnose(ctx context.Context, at drivers.WebTarget) error {
	waited := wait(at.Timeout)
	seen, err := a.reader.lookIn(ctx, at.Frame, at.Selector)
	switch {
	case errors.Is(err, errNoFrame):
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
func (a *Actor) why(ctx context.Context, at drivers.WebTarget, seen *report) string {
	why, err := read(ctx, a.slot, func(page playwright.Page) (string, error) {
		element, limit := page.Locator(scoped(at.Frame, at.Selector)), milliseconds(callLimit/3)
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
