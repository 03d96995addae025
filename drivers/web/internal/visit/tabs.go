package visit

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
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/drivers/web/internal/network"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// TabPicker lists the tabs of a session, and chooses among them.
type TabPicker struct {
	slot    *pages.Slot
	nav     *Navigator
	journal *journal.Journal
}

// NewTabPicker lists the tabs of a slot.
func NewTabPicker(slot *pages.Slot, nav *Navigator, journal *journal.Journal) *TabPicker {
	return &TabPicker{slot: slot, nav: nav, journal: journal}
}

// PickPage waits for a page that fits, and makes it the current one.
func (tp *TabPicker) PickPage(ctx context.Context, which drivers.WebTabSelector, timeout time.Duration) error {
	fits, what, err := pageFilter(which)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(pages.Wait(timeout))
	for {
		s, _, err := tp.slot.Page()
		if err != nil && !errors.Is(err, pages.ErrNoPage) {
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
			return fmt.Errorf("%w: no page %s came within %s; open are %s", screen.ErrNotFound, what, pages.Wait(timeout),
				listed(ctx, s))
		}
		if err := browser.Pause(ctx, pages.LookPause); err != nil {
			return err
		}
	}
}

// pageTest reports whether the page at place i of n, with this URL and title, is the chosen one.
type pageTest func(i, n int, page playwright.Page, title func() string) bool

func pageFilter(which drivers.WebTabSelector) (pageTest, string, error) {
	switch {
	case which.URL != "":
		re, err := network.Compile(which.URL)
		if err != nil {
			return nil, "", err
		}
		return func(_, _ int, page playwright.Page, _ func() string) bool { return re.MatchString(page.URL()) },
			"with the address " + screen.Quote(which.URL), nil
	case which.Title != "":
		shows := func(title string) bool { return screen.TextShows(title, which.Title) }
		if inner, ok := network.Slashed(which.Title); ok {
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
func pickTab(ctx context.Context, s *pages.BrowserContext, fits pageTest) (playwright.Page, error) {
	if s == nil {
		return nil, pages.ErrNoPage
	}
	open := s.Tabs.All()
	for i, page := range slices.Backward(open) {
		title := func() string { return title(ctx, s, page, pages.FillSlice) }
		if fits(i, len(open), page, title) {
			return page, nil
		}
	}
	return nil, ctx.Err()
}

// title is "" of a page that does not return it within limit.
func title(ctx context.Context, s *pages.BrowserContext, page playwright.Page, limit time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	title, err := pages.ReadPage(ctx, s, page, func(page playwright.Page) (string, error) { return page.Title() })
	if err != nil {
		return ""
	}
	return title
}

// listed names the pages that are open, for an error: they have more time to return their titles than where the next
// read follows.
func listed(ctx context.Context, s *pages.BrowserContext) string {
	open := s.Tabs.All()
	ctx, cancel := context.WithTimeout(ctx, pages.FrameLimit)
	defer cancel()
	list := make([]string, 0, len(open))
	for _, page := range open[:min(len(open), 10)] {
		name := screen.Quote(title(ctx, s, page, pages.FrameLimit))
		list = append(list, fmt.Sprintf("%s %s", phrase.LimitRunes(page.URL(), 99), name))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (tp *TabPicker) bringToFront(ctx context.Context, s *pages.BrowserContext, page playwright.Page,
	deadline time.Time) error {
	s.Tabs.SetFront(page)
	if err := pages.Act(ctx, tp.slot, func(page playwright.Page) error { return page.BringToFront() }); err != nil {
		return err
	}
	return tp.nav.waitLoad(ctx, "domcontentloaded", deadline)
}

// CloseTab closes the current page.
func (tp *TabPicker) CloseTab(ctx context.Context) error {
	s, page, err := tp.slot.Page()
	if err != nil {
		return err
	}
	err = pages.Act(ctx, tp.slot, func(page playwright.Page) error { return page.Close() })
	if err == nil {
		s.Tabs.Remove(page) // the event may come later
	}
	return err
}

// PageEvents returns what happened since the last call.
func (tp *TabPicker) PageEvents() ([]drivers.WebPageEvent, int) {
	_, front, _ := tp.slot.Page()
	list, more := tp.journal.News()
	var told []drivers.WebPageEvent
	for _, h := range list {
		w := drivers.WebPageEvent{Kind: h.Kind, Text: h.Text, Status: h.Status}
		if h.Page != nil {
			w.URL, w.Front = h.Page.URL(), h.Page == front
		}
		told = append(told, w)
	}
	return told, more
}

// Tabs lists the pages that are open.
func (tp *TabPicker) Tabs(ctx context.Context) ([]drivers.WebTab, error) {
	s, front, err := tp.slot.Page()
	if err != nil {
		return nil, err
	}
	open := s.Tabs.All()
	list := make([]drivers.WebTab, 0, len(open))
	for _, page := range open {
		tab := drivers.WebTab{URL: page.URL(), Front: page == front}
		if !s.Dialogs.IsOpen() { // no page responds then
			tab.Title = title(ctx, s, page, pages.FillSlice)
		}
		list = append(list, tab)
	}
	return list, ctx.Err()
}
