package pages

import (
	"image"
	"slices"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/drivers/web/internal/network"
)

// fetchSpell is how long after a file was offered a new empty tab is taken for the one that fetched it.
const fetchSpell = 3 * time.Second

// Tabs are the open pages of a session, and which of them is the current one.
type Tabs struct {
	health    *Health
	context   playwright.BrowserContext
	journal   *journal.Journal
	traffic   *network.Traffic
	acting    *acting
	tasks     *drivers.Lifetime
	size      image.Point
	closed    func(playwright.Page)    // called for each page that has closed
	Downloads chan playwright.Download // the newest that was not fetched

	mu      sync.Mutex
	pages   []playwright.Page // open ones, the newest last
	ended   map[playwright.Page]bool
	front   playwright.Page         // that the test chose; nil: the newest
	scheme  *playwright.ColorScheme // of pages to come, when the test changed it
	reels   []pageFilm
	fetched time.Time         // when the page offered a file last
	hiding  int               // pages of our own are being opened
	met     []playwright.Page // meanwhile
}

// Ours reports whether a page belongs to the session: all of a context of our own do, and of a browser that runs
// already those that the session opened.
func (t *Tabs) Ours(page playwright.Page) bool {
	if !t.health.Browser.Attached {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return page != nil && slices.Contains(t.pages, page)
}

// All returns the open pages, the newest last.
func (t *Tabs) All() []playwright.Page {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.pages)
}

// SetFront makes a page the current one.
func (t *Tabs) SetFront(page playwright.Page) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.front = page
}

// SetScheme sets the colour scheme of pages to come, and returns those that are open.
func (t *Tabs) SetScheme(scheme *playwright.ColorScheme) []playwright.Page {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scheme = scheme
	return slices.Clone(t.pages)
}

// openings returns when each page was opened, the first one first.
func (t *Tabs) openings() []pageFilm {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.reels)
}

// opens deals with a page that the context has opened.
func (t *Tabs) opens(page playwright.Page) {
	page.OnClose(t.Remove) // here, before its end can be missed
	t.mu.Lock()
	hiding := t.hiding > 0
	if hiding {
		t.met = append(t.met, page)
	}
	t.mu.Unlock()
	switch {
	case hiding:
	case t.health.Browser.Attached:
		_ = t.tasks.Go(func() {
			opener, err := page.Opener()
			if err != nil || opener == nil || !t.Ours(opener) {
				return
			}
			_ = page.SetViewportSize(t.size.X, t.size.Y) // fails when it is gone
			t.Follow(page)
		})
	default:
		t.Follow(page)
	}
}

// Follow makes a page the current one. A tab that was opened only to fetch a file stays empty: Chromium closes it, its
// headless shell does not. It is followed when it gets a page after all.
func (t *Tabs) Follow(page playwright.Page) {
	// Not in followNow: Playwright's client holds a lock while it calls the handlers of an event, so that a handler of
	// framenavigated must not add another one.
	page.OnFrameNavigated(func(playwright.Frame) { t.acting.frame() })
	t.mu.Lock()
	fetched := time.Since(t.fetched) < fetchSpell
	t.mu.Unlock()
	if fetched && isBlank(page) {
		t.followLater(page)
		return
	}
	t.followNow(page)
}

func (t *Tabs) followLater(page playwright.Page) {
	now := sync.OnceFunc(func() { t.followNow(page) })
	page.OnFrameNavigated(func(f playwright.Frame) {
		if f == page.MainFrame() && !isBlank(page) {
			now()
		}
	})
	if !isBlank(page) {
		now()
	}
}

func isBlank(page playwright.Page) bool { return page.URL() == "" || page.URL() == "about:blank" }

// leaveEmpty steps back from tabs that were opened for the file that was just offered.
func (t *Tabs) leaveEmpty() {
	t.mu.Lock()
	t.fetched = time.Now()
	var empty []playwright.Page
	for _, r := range t.reels[min(1, len(t.reels)):] {
		if slices.Contains(t.pages, r.page) && time.Since(r.start) < fetchSpell && isBlank(r.page) {
			empty = append(empty, r.page)
		}
	}
	t.pages = slices.DeleteFunc(t.pages, func(p playwright.Page) bool { return slices.Contains(empty, p) })
	if slices.Contains(empty, t.front) {
		t.front = nil
	}
	t.mu.Unlock()
	for _, page := range empty {
		t.followLater(page)
	}
}

func (t *Tabs) followNow(page playwright.Page) {
	t.mu.Lock()
	if t.ended[page] {
		t.mu.Unlock()
		return
	}
	left := slices.ContainsFunc(t.reels, func(r pageFilm) bool { return r.page == page }) // for a moment
	if len(t.pages) > 0 && !left {
		t.journal.Add(journal.PageEvent{Kind: drivers.TabOpened, Page: page})
	}
	if !t.journal.KeepsFront() {
		t.front = nil
	} else if t.front == nil && len(t.pages) > 0 {
		t.front = t.pages[len(t.pages)-1]
	}
	t.pages = append(t.pages, page)
	if left {
		t.mu.Unlock()
		return
	}
	t.reels = append(t.reels, pageFilm{page, time.Now().UTC()})
	scheme := t.scheme
	t.mu.Unlock()
	if scheme != nil {
		_ = t.tasks.Go(func() { // fails when the page is gone
			_ = page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme})
		})
	}
	page.OnWebSocket(func(playwright.WebSocket) { t.traffic.Receives() })
	page.OnCrash(func(playwright.Page) { t.health.crashOnce() })
	page.OnDownload(func(file playwright.Download) {
		t.leaveEmpty()
		t.journal.Add(journal.PageEvent{Kind: drivers.TabDownload, Page: page, Text: file.SuggestedFilename()})
		for {
			select {
			case t.Downloads <- file:
				return
			case <-t.Downloads: // the newest counts
			}
		}
	})
}

func (t *Tabs) Remove(page playwright.Page) {
	t.closed(page)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended[page] && !t.health.Gone() && slices.Contains(t.pages, page) {
		t.journal.Add(journal.PageEvent{Kind: drivers.TabClosed, Page: page})
	}
	t.ended[page] = true
	t.pages = slices.DeleteFunc(t.pages, func(p playwright.Page) bool { return p == page })
	if t.front == page {
		t.front = nil
	}
}

// Any returns the current page even when it could not be loaded, for screenshots of what went wrong.
func (t *Tabs) Any() playwright.Page {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.pages) == 0:
		return nil
	case t.front != nil:
		return t.front
	}
	return t.pages[len(t.pages)-1]
}

// HiddenPage opens a page that does not become the current one.
func (t *Tabs) HiddenPage() (playwright.Page, error) {
	t.mu.Lock()
	t.hiding++
	t.mu.Unlock()
	page, err := t.context.NewPage()
	t.mu.Lock()
	t.hiding--
	met := t.met
	if t.hiding == 0 {
		t.met = nil
	}
	t.mu.Unlock()
	for _, p := range met {
		if p != page {
			t.Follow(p) // one that a page opened meanwhile
		}
	}
	return page, err
}
