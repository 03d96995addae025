package web

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// Navigate goes to address in the page that is open, or back, forward or reload. "/path", "?query" and "#fragment" are of the
// site, or page, that is open.
func (d *Device) Navigate(ctx context.Context, address string, timeout time.Duration) error {
	s, page, err := d.page()
	if err != nil {
		return err
	}
	if timeout <= 0 {
		timeout = loadTimeout
	}
	depart, err := s.journey(page, address, timeout)
	if err != nil {
		return err
	}
	defer s.dialogs.refusing()()
	err = actFor(ctx, d, timeout+2*time.Second, func(playwright.Page) error {
		err := depart()
		if err != nil && !isKind(err) {
			err = s.pageError(address, err, timeout)
		}
		return err
	})
	if err != nil && drivers.AppIsWrong(err) {
		return fmt.Errorf("go to %s: %w", shortAddress(address), err)
	}
	return err
}

// journey gives the call that goes to an address.
func (s *session) journey(page playwright.Page, address string, timeout time.Duration) (func() error, error) {
	limit, until := milliseconds(timeout), playwright.WaitUntilStateLoad
	switch address {
	case "back":
		return func() error {
			if err := s.canGo(page, -1); err != nil {
				return err
			}
			_, err := page.GoBack(playwright.PageGoBackOptions{Timeout: limit, WaitUntil: until})
			return err
		}, nil
	case "forward":
		return func() error {
			if err := s.canGo(page, +1); err != nil {
				return err
			}
			_, err := page.GoForward(playwright.PageGoForwardOptions{Timeout: limit, WaitUntil: until})
			return err
		}, nil
	case "reload":
		return func() error {
			_, err := page.Reload(playwright.PageReloadOptions{Timeout: limit, WaitUntil: until})
			return err
		}, nil
	}
	if strings.HasPrefix(address, "/") || strings.HasPrefix(address, "?") || strings.HasPrefix(address, "#") {
		base, err := url.Parse(page.URL())
		if err == nil {
			var to *url.URL
			if to, err = base.Parse(address); err == nil {
				address = to.String()
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s is not an address", drivers.ErrPage, drivers.Quote(address))
		}
	}
	if err := s.device.checkAddress(address); err != nil {
		return nil, err
	}
	return func() error {
		_, err := page.Goto(address, playwright.PageGotoOptions{Timeout: limit, WaitUntil: until})
		return err
	}, nil
}

// canGo asks the browser whether there is a page before or after this one; Playwright itself would stay where it is without a
// word, or leave for the empty page with which every page begins.
func (s *session) canGo(page playwright.Page, by int) error {
	cdp, err := s.context.NewCDPSession(page)
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
	if by < 0 {
		return fmt.Errorf("%w: there is no page to go back to", drivers.ErrNotActionable)
	}
	return fmt.Errorf("%w: there is no page to go forward to", drivers.ErrNotActionable)
}

// Location gives the address and the title of the page.
func (d *Device) Location(ctx context.Context) (address, title string, err error) {
	type place struct{ address, title string }
	at, err := read(ctx, d, func(page playwright.Page) (place, error) {
		title, err := page.Title()
		return place{page.URL(), title}, err
	})
	return at.address, at.title, err
}
