package visit

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// errorShown is a page that shows the browser's own page about a failure on request.
type errorShown struct {
	playwright.Page
	heard func(playwright.Frame)
}

func (p *errorShown) OnFrameNavigated(f func(playwright.Frame)) { p.heard = f }

func (p *errorShown) RemoveListener(string, any) { p.heard = nil }

func (p *errorShown) shows(address string) { p.heard(&mainFrame{address: address}) }

type mainFrame struct {
	playwright.Frame
	address string
}

func (f *mainFrame) URL() string { return f.address }

func (f *mainFrame) ParentFrame() playwright.Frame { return nil }

// TestTheBrowsersOwnPageIsAwaited: after an address that does not open, the browser's page about that comes late on a
// busy machine, and must not come over the next address; where it does all the same, that address is gone to again.
func TestTheBrowsersOwnPageIsAwaited(t *testing.T) {
	refused := errors.New("net::ERR_CONNECTION_REFUSED at http://a/")
	late := errors.New(`Navigation to "http://b/" is interrupted by another navigation to "chrome-error://chromewebdata/"`)
	const left = 30 * time.Second
	for name, c := range map[string]struct {
		says  []error // of one call after the other
		after time.Duration
		shown string
		took  time.Duration
		calls int
	}{
		"it opens": {says: []error{nil}, calls: 1},
		"its own page is late": {says: []error{refused}, after: 3 * time.Second, shown: "chrome-error://chromewebdata/",
			took: 3 * time.Second, calls: 1},
		"the page goes on": {says: []error{refused}, after: 3 * time.Second, shown: "http://c/", took: 3 * time.Second,
			calls: 1},
		"none comes":          {says: []error{refused}, took: errorPageLimit, calls: 1},
		"a download":          {says: []error{errors.New("net::ERR_ABORTED at http://a/")}, calls: 1},
		"that of another one": {says: []error{late, nil}, calls: 2},
		"and this does not open": {says: []error{late, refused}, after: time.Second, shown: "chrome-error://chromewebdata/",
			took: time.Second, calls: 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			health := pages.NewHealth(&browser.Browser{Brand: browser.Brand{Devtools: true}})
			page, s := &errorShown{}, &pages.BrowserContext{Health: health}
			calls, began := 0, time.Now()
			_, err := goTo(s, page, left, func() (playwright.Response, error) {
				said := c.says[calls]
				if calls++; calls == len(c.says) && c.after > 0 {
					time.AfterFunc(c.after, func() { page.shows(c.shown) })
				}
				return nil, said
			})
			if took := time.Since(began); !errors.Is(err, c.says[len(c.says)-1]) || calls != c.calls || took != c.took {
				t.Errorf("%s: %v after %s and %d calls", name, err, took, calls)
			}
		})
	}
}
