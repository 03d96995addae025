package web

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// PickPage waits for a page that fits, and makes it the current one.
func (tp *TabPicker) PickPage(ctx context.Context, which drivers.WebTabSelector, timeout time.Duration) error {
	fits, what, err := pageFilter(which)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(wait(timeout))
	for {
		s, _, err := tp.slot.page()
		if err != nil && !errors.Is(err, errNoPage) {
			return err
		}
		found, err := pickTab(ctx, s, fits)
		if err != nil {
			return err
		}
		if found != nil {
			return tp.bringToFront(ctx, s, found, deadline)
		}
		if time.Until(deadline) <= 0 {
			return fmt.Errorf("%w: no page %s came within %s; open are %s", screen.ErrNotFound, what, wait(timeout),
				listed(ctx, s))
		}
		if err := pause(ctx, lookPause); err != nil {
			return err
		}
	}
}

// pageTest reports whether the page at place i of n, with this URL and title, is the chosen one.
type pageTest func(i, n int, page playwright.Page, title func() string) bool

func pageFilter(which drivers.WebTabSelector) (pageTest, string, error) {
	switch {
	case which.URL != "":
		re, err := compile(which.URL)
		if err != nil {
			return nil, "", err
		}
		return func(_, _ int, page playwright.Page, _ func() string) bool { return re.MatchString(page.URL()) },
			"with the address " + screen.Quote(which.URL), nil
	case which.Title != "":
		shows := func(title string) bool { return screen.TextShows(title, which.Title) }
		if inner, ok := slashed(which.Title); ok {
			re, err := regexp.Compile(inner)
			if err != nil {
				return nil, "", fmt.Errorf("%w: the regular expression %s is not valid: %w", screen.ErrNotFound,
					screen.Quote(inner), err)
			}
			shows = re.MatchString
		}
		return func(_, _ int, _ playwright.Page, title func() string) bool { return shows(title()) },
			"with the title " + screen.Quote(which.Title), nil
	case which.Index != nil:
		at := *which.Index
		return func(i, n int, _ playwright.Page, _ func() string) bool { return i == at || i-n == at },
			fmt.Sprintf("number %d", at), nil
	}
	return nil, "", fmt.Errorf("%w: it names no page", drivers.ErrUnsupported)
}

// pickTab returns the newest page that fits, nil when none does.
func pickTab(ctx context.Context, s *session, fits pageTest) (playwright.Page, error) {
	if s == nil {
		return nil, errNoPage
	}
	pages := s.tabs.all()
	for i, page := range slices.Backward(pages) {
		title := func() string { return title(ctx, s, page, fillSlice) }
		if fits(i, len(pages), page, title) {
			return page, nil
		}
	}
	return nil, ctx.Err()
}

// title is "" of a page that does not return it within limit.
func title(ctx context.Context, s *session, page playwright.Page, limit time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	title, err := readPage(ctx, s, page, func(page playwright.Page) (string, error) { return page.Title() })
	if err != nil {
		return ""
	}
	return title
}

// listed names the pages that are open, for an error: they have more time to return their titles than where the next
// read follows.
func listed(ctx context.Context, s *session) string {
	pages := s.tabs.all()
	ctx, cancel := context.WithTimeout(ctx, frameLimit)
	defer cancel()
	list := make([]string, 0, len(pages))
	for _, page := range pages[:min(len(pages), 10)] {
		list = append(list, fmt.Sprintf("%s %s", shorten.Runes(page.URL(), 99), screen.Quote(title(ctx, s, page, frameLimit))))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (tp *TabPicker) bringToFront(ctx context.Context, s *session, page playwright.Page, deadline time.Time) error {
	s.tabs.setFront(page)
	if err := act(ctx, tp.slot, func(page playwright.Page) error { return page.BringToFront() }); err != nil {
		return err
	}
	return tp.nav.waitLoad(ctx, "domcontentloaded", deadline)
}

// CloseTab closes the current page.
func (tp *TabPicker) CloseTab(ctx context.Context) error {
	s, page, err := tp.slot.page()
	if err != nil {
		return err
	}
	err = act(ctx, tp.slot, func(page playwright.Page) error { return page.Close() })
	if err == nil {
		s.tabs.remove(page) // the event may come later
	}
	return err
}
