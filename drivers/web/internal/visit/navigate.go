package visit

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// Navigator moves the current page to addresses, and waits for what it loads.
type Navigator struct{ slot *pages.Slot }

// NewNavigator returns the navigator of a slot.
func NewNavigator(slot *pages.Slot) *Navigator { return &Navigator{slot: slot} }

// Navigate goes to address in the page that is open, or back, forward or reload. "/path", "?query" and "#fragment" are
// of the site, or page, that is open. A page with a first URL that did not open may be sent to another one, or
// reloaded.
func (n *Navigator) Navigate(ctx context.Context, address string, timeout time.Duration) error {
	s, page, err := n.slot.Page()
	again := err != nil && s != nil && s.TryAgain(address)
	if again {
		page, err = s.Current()
	}
	if err != nil {
		return err
	}
	err = travel(ctx, s, page, address, timeout)
	if again && err != nil {
		s.FailToOpen(err)
	}
	return err
}

// travel goes to an address from a page that may be used.
func travel(
	ctx context.Context,
	s *pages.BrowserContext,
	page playwright.Page,
	address string,
	timeout time.Duration,
) error {
	if timeout <= 0 {
		timeout = loadTimeout
	}
	call, err := journey(s, page, address, timeout)
	if err != nil {
		return err
	}
	defer s.Dialogs.Refusing()()
	depart(s)
	err = pages.ActFor(ctx, s.Slot, timeout+2*time.Second, func(page playwright.Page) error {
		began := time.Now()
		answer, err := goTo(s, page, timeout, call)
		arrive(s, page, answer, err, timeout-time.Since(began))
		if err != nil && !browser.IsKind(err) {
			err = s.PageError(address, err, timeout)
		}
		return err
	})
	if err != nil && drivers.AppIsWrong(err) {
		return fmt.Errorf("go to %s: %w", phrase.LimitRunes(address, 99), err)
	}
	return err
}

// errorPageLimit: Chromium reports a URL that does not open before it shows its own page about that, which
// interrupts who goes elsewhere in between. It starts a process for that page, which takes a busy machine seconds. None
// comes when the page has gone elsewhere by itself.
const errorPageLimit = 10 * time.Second

// goTo makes a call that goes to an address, and waits for the browser's own page when it does not open; left is the
// time for both. A call that such a page of another address has interrupted is made again.
func goTo(
	s *pages.BrowserContext,
	page playwright.Page,
	left time.Duration,
	depart func() (playwright.Response, error),
) (
	playwright.Response, error) {
	if !s.Browser.Brand.Devtools {
		return depart()
	}
	began := time.Now()
	var failed atomic.Bool
	shown := make(chan struct{}, 1)
	watch := func(f playwright.Frame) {
		if f.ParentFrame() == nil && (failed.Load() || dom.FailedDocument(f.URL())) {
			select {
			case shown <- struct{}{}:
			default:
			}
		}
	}
	page.OnFrameNavigated(watch)
	defer page.RemoveListener("framenavigated", watch)
	answer, err := depart()
	if interruptedByFailure(err) && time.Since(began) < left {
		select {
		case <-shown: // it was the other address's
		default:
		}
		answer, err = depart()
	}
	if err != nil {
		failed.Store(true)
		if code := browser.NetCode(err); code != "" && code != "ERR_ABORTED" {
			browser.WaitFor(shown, min(max(left-time.Since(began), time.Second), errorPageLimit))
		}
	}
	return answer, err
}

// interruptedByFailure reports whether the browser showed its own page about an address that did not open while another
// one was gone to.
func interruptedByFailure(err error) bool {
	if err == nil {
		return false
	}
	_, by, ok := strings.Cut(err.Error(), `is interrupted by another navigation to "`)
	return ok && dom.FailedDocument(by)
}

// journey returns the call that goes to an address.
func journey(s *pages.BrowserContext, page playwright.Page, address string, timeout time.Duration) (
	func() (playwright.Response, error), error) {
	limit, until := browser.Milliseconds(timeout), playwright.WaitUntilStateDomcontentloaded
	switch address {
	case "back":
		return func() (playwright.Response, error) {
			if err := canGo(s, page, -1); err != nil {
				return nil, err
			}
			answer, err := page.GoBack(playwright.PageGoBackOptions{Timeout: limit, WaitUntil: until})
			return answer, historyError(err, -1)
		}, nil
	case "forward":
		return func() (playwright.Response, error) {
			if err := canGo(s, page, +1); err != nil {
				return nil, err
			}
			answer, err := page.GoForward(playwright.PageGoForwardOptions{Timeout: limit, WaitUntil: until})
			return answer, historyError(err, +1)
		}, nil
	case "reload":
		return func() (playwright.Response, error) {
			return page.Reload(playwright.PageReloadOptions{Timeout: limit, WaitUntil: until})
		}, nil
	}
	if strings.HasPrefix(address, "/") || strings.HasPrefix(address, "?") || strings.HasPrefix(address, "#") {
		if dom.FailedDocument(page.URL()) {
			return nil, fmt.Errorf(
				"%w: %s is a part of an address, and no page is open that has the rest: give the whole "+
					"address", drivers.ErrPage, screen.Quote(address))
		}
		base, err := url.Parse(page.URL())
		if err == nil {
			var to *url.URL
			if to, err = base.Parse(address); err == nil {
				address = to.String()
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s is not an address", drivers.ErrPage, screen.Quote(address))
		}
	}
	if err := s.Opts.CheckAddress(address); err != nil {
		return nil, err
	}
	return func() (playwright.Response, error) {
		return page.Goto(address, playwright.PageGotoOptions{Timeout: limit, WaitUntil: until})
	}, nil
}

// canGo queries the browser whether there is a page before or after this one; Playwright itself would stay where it is
// without a word, or leave for the empty page with which every page starts.
func canGo(s *pages.BrowserContext, page playwright.Page, by int) error {
	if !s.Browser.Brand.Devtools {
		return nil // it says so when it is asked to go
	}
	cdp, err := s.Context.NewCDPSession(page)
	if err != nil {
		return err
	}
	defer func() { _ = cdp.Detach() }() // it ends with the page otherwise
	answer, err := cdp.Send("Page.getNavigationHistory", map[string]any{})
	if err != nil {
		return err
	}
	history, _ := answer.(map[string]any)
	entries, _ := history["entries"].([]any)
	current, _ := history["currentIndex"].(float64)
	to := int(current) + by
	if to >= 0 && to < len(entries) {
		entry, _ := entries[to].(map[string]any)
		if to > 0 || entry["url"] != "about:blank" {
			return nil
		}
	}
	return noPage(by)
}

// historyError is the browser's word that there is no such page.
func historyError(err error, by int) error {
	if err != nil && strings.Contains(err.Error(), browser.NoEntry) {
		return noPage(by)
	}
	return err
}

func noPage(by int) error {
	if by < 0 {
		return fmt.Errorf("%w: there is no page to go back to", drivers.ErrNotActionable)
	}
	return fmt.Errorf("%w: there is no page to go forward to", drivers.ErrNotActionable)
}

// Location returns the URL and the title of the page.
func (n *Navigator) Location(ctx context.Context) (address, title string, err error) {
	type place struct{ address, title string }
	at, err := pages.Read(ctx, n.slot, func(page playwright.Page) (place, error) {
		title, err := page.Title()
		return place{page.URL(), title}, err
	})
	return at.address, at.title, err
}

// PageAnswer returns the response of the open page; 0 for one that came from no server, or with a site that it has
// left since.
func (n *Navigator) PageAnswer() (status int, address string) {
	s, page, err := n.slot.Page()
	if err != nil {
		return 0, ""
	}
	return s.Responses.Of(page)
}

// Opening reports how the page came that was opened, or gone to, last.
func (n *Navigator) Opening(ctx context.Context) (drivers.WebOpening, error) {
	s, _, err := n.slot.Page()
	if err != nil {
		return drivers.WebOpening{}, err
	}
	return s.LastOpening(), ctx.Err()
}

// Visit returns the entry of the browser's history that the foreground page shows.
func (n *Navigator) Visit(ctx context.Context) (drivers.WebHistoryEntry, error) {
	return pages.Read(ctx, n.slot, func(page playwright.Page) (v drivers.WebHistoryEntry, err error) {
		s, _, err := n.slot.Page()
		if err != nil {
			return v, err
		}
		if !s.Browser.Brand.Devtools {
			return v, fmt.Errorf("the history of this browser: %w", drivers.ErrUnsupported)
		}
		cdp, err := s.Context.NewCDPSession(page)
		if err != nil {
			return v, err
		}
		defer func() { _ = cdp.Detach() }() // it ends with the page otherwise
		answer, err := cdp.Send("Page.getNavigationHistory", map[string]any{})
		if err != nil {
			return v, err
		}
		history, _ := answer.(map[string]any)
		entries, _ := history["entries"].([]any)
		current, _ := history["currentIndex"].(float64)
		if v.Index = int(current); v.Index < 0 || v.Index >= len(entries) {
			return v, fmt.Errorf("the history of this page: %w", drivers.ErrNotReady)
		}
		var all []drivers.WebHistoryEntry
		for i, e := range entries {
			all = append(all, visitOf(i, e))
		}
		v = all[v.Index]
		v.All = all
		return v, nil
	})
}

// visitOf reads an entry of the history.
func visitOf(index int, entry any) drivers.WebHistoryEntry {
	v := drivers.WebHistoryEntry{Index: index}
	said, _ := entry.(map[string]any)
	id, _ := said["id"].(float64)
	v.ID = int(id)
	v.URL, _ = said["userTypedURL"].(string)
	if address, _ := said["url"].(string); address != "" {
		v.URL = address
	}
	how, _ := said["transitionType"].(string)
	switch how {
	case "typed", "address_bar", "auto_bookmark", "keyword", "generated":
		v.Typed = true
	}
	return v
}
