package web

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
)

const (
	// fillSlice is how long one of Playwright's own waits lasts: between two, the context is looked at, so that a cancelled
	// Fill ends within a second and its page lives on.
	fillSlice = 500 * time.Millisecond
	// lookPause is between two looks at a page that does not yet show what is wanted.
	lookPause = 60 * time.Millisecond
	// defaultWait is for callers that give no timeout.
	defaultWait = 10 * time.Second
)

// Fill waits until the one element that selector picks is a visible, enabled, editable field, and replaces its text.
func (d *Device) Fill(ctx context.Context, selector, text string, timeout time.Duration) error {
	deadline := time.Now().Add(wait(timeout))
	for {
		if _, err := d.look(ctx, selector); err != nil && !errors.Is(err, drivers.ErrNotReady) {
			return err // among others: the selector is not valid
		}
		left := time.Until(deadline)
		err := act(ctx, d, func(page playwright.Page) error {
			err := page.Locator(selector).Fill(text, playwright.LocatorFillOptions{Timeout: milliseconds(min(left, fillSlice))})
			if errors.Is(err, playwright.ErrTimeout) {
				return errSlice
			}
			return fillError(selector, err)
		})
		switch {
		case err == nil || !errors.Is(err, errSlice) && !errors.Is(err, drivers.ErrNotReady):
			return err
		case time.Until(deadline) <= 0:
			return d.diagnose(ctx, selector, wait(timeout))
		}
		if errors.Is(err, drivers.ErrNotReady) {
			if err := pause(ctx, lookPause); err != nil {
				return err
			}
		}
	}
}

// errSlice says that one slice of a wait ended without success.
var errSlice = fmt.Errorf("%w: still waiting", drivers.ErrNotReady)

func wait(timeout time.Duration) time.Duration {
	if timeout <= 0 {
		return defaultWait
	}
	return timeout
}

// fillError tells what Playwright refuses at once, because no waiting would help.
func fillError(selector string, err error) error {
	switch {
	case err == nil || disconnected(err) || passing(err):
		return err
	case strings.Contains(err.Error(), "strict mode violation"):
		return &drivers.AmbiguousError{What: "the selector " + drivers.Quote(selector), Candidates: strictMatches(err)}
	}
	return fmt.Errorf("%w: the selector %s picks something that cannot be filled: %s", drivers.ErrNotActionable,
		drivers.Quote(selector), strings.TrimPrefix(plain(err), "Error: "))
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

// diagnose says why a field could not be filled in time.
func (d *Device) diagnose(ctx context.Context, selector string, waited time.Duration) error {
	seen, err := d.look(ctx, selector)
	if err != nil {
		return err
	}
	quoted := drivers.Quote(selector)
	switch {
	case seen.Count == 0:
		return fmt.Errorf("%w: nothing on the page matches the selector %s (waited %s)", drivers.ErrNotFound, quoted, waited)
	case seen.Count > 1:
		return &drivers.AmbiguousError{What: "the selector " + quoted, Candidates: seen.What}
	case seen.Visible == 0:
		return fmt.Errorf("%w: %s is hidden (waited %s)", drivers.ErrNotActionable, quoted, waited)
	}
	why, err := read(ctx, d, func(page playwright.Page) (string, error) {
		field, limit := page.Locator(selector), milliseconds(fillSlice)
		if on, err := field.IsEnabled(playwright.LocatorIsEnabledOptions{Timeout: limit}); err != nil || !on {
			return "is disabled", err
		}
		if can, err := field.IsEditable(playwright.LocatorIsEditableOptions{Timeout: limit}); err != nil || !can {
			return "is read-only", err
		}
		return "did not become ready", nil
	})
	if err != nil {
		why = "did not become ready"
	}
	return fmt.Errorf("%w: %s %s (waited %s)", drivers.ErrNotActionable, quoted, why, waited)
}

// Look waits until the elements that selector picks satisfy want. Every look is one evaluation of the page, so that number,
// visibility and text belong to one moment; the wait is ours because which text counts as shown is decided by TextShows.
func (d *Device) Look(ctx context.Context, selector string, want drivers.WebWant, timeout time.Duration) (drivers.Seen, error) {
	deadline := time.Now().Add(wait(timeout))
	var last drivers.Seen
	var unread error
	for {
		seen, err := d.look(ctx, selector)
		switch {
		case err == nil:
			last, unread = seen.seen(), nil
			last.Met = seen.meets(want)
			if last.Met {
				return last, nil
			}
		case errors.Is(err, drivers.ErrNotReady):
			unread = err
		default:
			return last, err
		}
		if time.Until(deadline) <= 0 {
			return last, unread
		}
		if err := pause(ctx, min(lookPause, time.Until(deadline))); err != nil {
			return last, err
		}
	}
}

// report is one look at the elements that a selector picks.
type report struct {
	documentState
	Count   int
	Visible int
	Texts   []string // of the visible ones
	What    []string // the first elements, described
	Gen     string   // of the tree to which Refs belong
	Refs    []int
}

func (r *report) seen() drivers.Seen {
	return drivers.Seen{Count: r.Count, Visible: r.Visible, Texts: r.Texts[:min(len(r.Texts), 10)]}
}

// meets tells whether the look satisfies want. That nothing is there proves nothing before the page has loaded.
func (r *report) meets(want drivers.WebWant) bool {
	if want.Hidden {
		return r.Visible == 0 && r.Ready == "complete"
	}
	if r.Visible == 0 {
		return false
	}
	return want.Text == nil || slices.ContainsFunc(r.Texts, func(have string) bool { return drivers.TextShows(have, *want.Text) })
}

// look takes one fresh look.
func (d *Device) look(ctx context.Context, selector string) (*report, error) {
	return read(ctx, d, func(page playwright.Page) (*report, error) {
		nonce := strconv.FormatInt(d.gen.Add(1), 36)
		// The union makes Playwright evaluate "look" on each match and then "report" on the document, at once and in one world.
		matches := page.Locator(selector + " >> taproot=look." + nonce)
		var r report
		err := askSelector(matches.Or(page.Locator("taproot=report."+nonce)), &r, callLimit-time.Second)
		if err != nil {
			return nil, selectorError(selector, err)
		}
		if r.failed() {
			return nil, errorPage()
		}
		return &r, nil
	})
}

// selectorError tells a selector that cannot be understood from a page that cannot be read.
func selectorError(selector string, err error) error {
	if disconnected(err) || passing(err) || errors.Is(err, playwright.ErrTimeout) || isKind(err) {
		return err
	}
	reason := plain(err)
	if i := strings.Index(reason, " >> taproot="); i >= 0 {
		reason = reason[:i]
	}
	return fmt.Errorf("%w: the selector %s is not valid: %s", drivers.ErrNotFound, drivers.Quote(selector), reason)
}

// Matched tells which elements of a tree a CSS or Playwright selector picks, in the main document. The tree must be the last one
// that was read.
func (d *Device) Matched(ctx context.Context, t *drivers.Tree, selector string) (map[*drivers.Node]bool, error) {
	r, err := d.look(ctx, selector)
	if err != nil {
		return nil, err
	}
	refs := make(map[string]bool, len(r.Refs))
	for _, number := range r.Refs {
		refs[r.Gen+"/"+strconv.Itoa(number)] = true
	}
	found := map[*drivers.Node]bool{}
	for n := range t.All {
		if refs[n.Ref] {
			found[n] = true
		}
	}
	return found, nil
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
