package read

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/network"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// Look waits until the elements that selector picks satisfy want. Every read is one evaluation of the page, so that
// number, visibility and text belong to one moment; the wait is ours because which text counts as shown is decided by
// TextShows.
func (rd *Reader) Look(ctx context.Context, selector string, want drivers.WebCondition, timeout time.Duration) (
	drivers.WebObservation, error) {
	deadline := time.Now().Add(pages.Wait(timeout))
	w, err := newWanted(selector, want)
	if err != nil {
		return drivers.WebObservation{}, err
	}
	var last drivers.WebObservation
	var unread error
	for {
		seen, err := rd.see(ctx, w)
		switch {
		case err == nil:
			last, unread = seen, nil
			if last.Met || len(last.ConsoleErrors) > 0 && want.NoConsoleErrors {
				return last, nil // what was logged stays logged
			}
		case errors.Is(err, drivers.ErrNotReady) || errors.Is(err, ErrNoFrame):
			unread = err
		default:
			return last, err
		}
		if time.Until(deadline) <= 0 {
			return last, unread
		}
		if err := browser.Pause(ctx, min(pages.LookPause, time.Until(deadline))); err != nil {
			return last, err
		}
	}
}

// wanted is a want that was checked.
type wanted struct {
	drivers.WebCondition
	selector string
	url      *regexp.Regexp
	title    *regexp.Regexp // nil: TextShows
}

func newWanted(selector string, want drivers.WebCondition) (w wanted, err error) {
	w = wanted{WebCondition: want, selector: selector}
	ofPage := want.URL != nil || want.Title != nil || want.NoConsoleErrors
	if selector == "" && (!ofPage || want.Hidden || want.Text != nil || want.Value != nil || want.Count != nil) {
		return w, fmt.Errorf("%w: there is no selector", screen.ErrNotFound)
	}
	if want.URL != nil {
		if w.url, err = network.Compile(*want.URL); err != nil {
			return w, err
		}
	}
	if want.Title == nil {
		return w, nil
	}
	if inner, ok := network.Slashed(*want.Title); ok {
		if w.title, err = regexp.Compile(inner); err != nil {
			return w, fmt.Errorf("%w: the regular expression %s is not valid: %w", screen.ErrNotFound, screen.Quote(inner), err)
		}
	}
	return w, nil
}

// see reads all that is wanted once.
func (rd *Reader) see(ctx context.Context, w wanted) (drivers.WebObservation, error) {
	selector := w.selector
	if selector == "" {
		selector = "html" // the read still shows an error page, and whether the page responds
	}
	look := func() (*Report, error) { return rd.LookDrawn(ctx, w.Frame, selector, w.Drawn) }
	r, warning, err := rd.LookOrGone(ctx, look, func(r *Report) bool { return r.meets(w.WebCondition) })
	if err != nil {
		return drivers.WebObservation{}, err
	}
	var seen drivers.WebObservation
	met := true
	if w.selector != "" {
		seen, met = r.seen(), r.meets(w.WebCondition)
	}
	seen.Warning = warning
	if err := rd.seePage(ctx, w, &seen); err != nil {
		return seen, err
	}
	switch {
	case w.url != nil && !w.url.MatchString(seen.URL):
		met = false
	case w.title != nil:
		met = met && w.title.MatchString(seen.Title)
	case w.Title != nil:
		met = met && screen.TextShows(seen.Title, *w.Title)
	}
	if w.NoConsoleErrors {
		met = met && len(seen.ConsoleErrors) == 0 && r.Loaded
	}
	seen.Met, seen.Rest = met, r.Rest
	return seen, nil
}

// settler is a page that reports its console and its requests on another way than all else: the report is waited for.
type settler interface {
	Settle(ctx context.Context) error
}

// SettleLog returns when all that the page has written to its console until now is in the log.
func (rd *Reader) SettleLog(ctx context.Context) error {
	s, page, err := rd.slot.Page() // without one nothing writes to the console
	if p, ok := page.(settler); ok && err == nil {
		if err := s.Refuses("assertLog"); err != nil {
			return err
		}
		if err := p.Settle(ctx); err != nil {
			return err
		}
	}
	opened, _ := rd.slot.Opened()
	if errors.Is(err, drivers.ErrDeviceLost) && opened != nil && opened.Browser.Brand.Remote {
		return err // what is in the log is not all
	}
	return rd.journal.Flush(ctx)
}

// seePage adds what is wanted of the page as a whole.
func (rd *Reader) seePage(ctx context.Context, w wanted, seen *drivers.WebObservation) error {
	s, page, err := rd.slot.Page()
	if err != nil {
		return err
	}
	seen.URL = page.URL()
	if w.NoConsoleErrors {
		if err := s.Refuses("webAssert.noConsoleErrors"); err != nil {
			return err
		}
		if p, ok := page.(settler); ok {
			if err := p.Settle(ctx); err != nil {
				return err
			}
		}
		seen.ConsoleErrors = s.Console.ConsoleErrors()
	}
	if w.Title == nil {
		return nil
	}
	seen.Title, err = pages.ReadPage(ctx, s, page, func(page playwright.Page) (string, error) { return page.Title() })
	return err
}

// Report is one read of the elements that a selector picks.
type Report struct {
	dom.State
	Count   int
	Visible int
	Texts   []string // of the visible ones
	Values  []value  // of those of them that are fields
	Options []option // those of them that are options
	Rest    screen.Activity
	Loaded  bool     `json:"-"` // the page has, and is not on its way to another one
	What    []string // the first elements, described
	Gen     string   // of the tree to which Refs belong
	Refs    []int
	Canvas  bool // may draw something of the elements that is not decided yet
	// These are of the element if there is one only.
	Able    bool   // it is visible, enabled and not covered
	Covered string // by what
	Field   bool   // text can be typed into it
}

// value is what a field holds.
type value struct {
	Value  string `json:"v"`
	Secret bool   `json:"s"`
}

// option is an option of a <select>.
type option struct {
	Value    string `json:"v"`
	Label    string `json:"l"`
	Disabled bool   `json:"d"`
}

func (r *Report) seen() drivers.WebObservation {
	seen := drivers.WebObservation{Count: r.Count, Visible: r.Visible, Texts: r.Texts[:min(len(r.Texts), 10)]}
	for _, v := range r.Values[:min(len(r.Values), 10)] {
		if v.Secret {
			v.Value = strings.Repeat("•", min(len(v.Value), 64))
		}
		seen.Values = append(seen.Values, v.Value)
	}
	return seen
}

// meets reports whether the read satisfies what is wanted of elements. That nothing is there proves nothing before the
// page has loaded.
func (r *Report) meets(want drivers.WebCondition) bool {
	if want.Count != nil && (r.Count != *want.Count || r.Count == 0 && !r.Loaded) {
		return false
	}
	if want.Hidden {
		return r.Visible == 0 && r.Loaded
	}
	if r.Visible == 0 {
		return want.Count != nil && want.Text == nil && want.Value == nil
	}
	if want.Value != nil &&
		!slices.ContainsFunc(r.Values, func(v value) bool { return screen.SameValue(v.Value, *want.Value) }) {
		return false
	}
	return want.Text == nil ||
		slices.ContainsFunc(r.Texts, func(have string) bool { return screen.TextShows(have, *want.Text) })
}

// look takes one fresh look. Inside a frame, which may not be there, it waits for a slice only.
func (rd *Reader) look(ctx context.Context, selector string, framed bool) (*Report, error) {
	limit := browser.CallLimit - time.Second
	if framed {
		limit = pages.FillSlice
	}
	return rd.lookFor(ctx, limit, selector, framed)
}

func (rd *Reader) lookFor(ctx context.Context, limit time.Duration, selector string, framed bool) (*Report, error) {
	return rd.lookProven(ctx, limit, selector, framed, proof{})
}

// lookProven is lookFor with what the canvases of the document draw.
func (rd *Reader) lookProven(ctx context.Context, limit time.Duration, selector string, framed bool, by proof) (*Report,
	error) {
	return pages.Read(ctx, rd.slot, func(page playwright.Page) (*Report, error) {
		nonce := rd.Nonce()
		// The union makes Playwright evaluate "look" on each match and then "report" on the document, at once and in one
		// world.
		matches := page.Locator(selector + " >> taproot=look." + nonce)
		var r Report
		report := "taproot=report." + nonce
		if by.gen != "" {
			report += "." + by.gen + "." + strings.Join(by.drawn, ",")
		}
		err := pages.AskSelector(matches.Or(page.Locator(report)), &r, limit)
		switch {
		case framed && errors.Is(err, playwright.ErrTimeout):
			return nil, pages.ErrSlice
		case err != nil:
			return nil, selectorError(selector, err)
		case r.Failed() && !framed:
			return nil, errorPage()
		}
		r.Rest, r.Loaded = rd.Rest(ctx, page, r.Rest), r.Ready == "complete" && !rd.leaving(page)
		return &r, nil
	})
}

// selectorError distinguishes a selector that cannot be understood from a page that cannot be read.
func selectorError(selector string, err error) error {
	if browser.Disconnected(err) || browser.Passing(err) || errors.Is(err, playwright.ErrTimeout) || browser.IsKind(err) {
		return err
	}
	selector = strings.ReplaceAll(selector, pages.EnterFrame, " >> ")
	if strings.Contains(err.Error(), "strict mode violation") {
		return &screen.AmbiguousError{What: "the frame of " + screen.Quote(selector), Candidates: StrictMatches(err)}
	}
	reason := browser.Plain(err)
	if i := strings.Index(reason, " >> taproot="); i >= 0 {
		reason = reason[:i]
	}
	return fmt.Errorf("%w: the selector %s is not valid: %s", screen.ErrNotFound, screen.Quote(selector), reason)
}

// ErrNoFrame says that the frame is not there.
var ErrNoFrame = fmt.Errorf("%w: the frame is not there", screen.ErrNotFound)

// StrictMatches takes the list of elements out of a strict mode violation.
func StrictMatches(err error) []string {
	var list []string
	for line := range strings.Lines(browser.Ansi.ReplaceAllString(err.Error(), "")) {
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
