package web

import (
	"fmt"
	"image"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// session is one browser context with its pages, from OpenPage to the next OpenPage or Close.
type session struct {
	device  *Device
	browser *browser
	context playwright.BrowserContext
	size    image.Point // of the viewport
	touch   bool        // a touch screen is emulated
	mobile  bool        // the page may be zoomed
	traffic traffic
	acting  acting
	dialogs *dialogs
	cameras *cameras // nil: screenshots are taken by Playwright

	evidence *evidence // nil: nothing is recorded
	unseen   unseenRoots
	traced   bool

	downloads chan playwright.Download // the newest that was not fetched

	mu        sync.Mutex
	pages     []playwright.Page // open ones, the newest last
	ended     map[playwright.Page]bool
	front     playwright.Page         // that the test chose; nil: the newest
	scheme    *playwright.ColorScheme // of pages to come, when the test changed it
	films     []pageFilm
	filmed    bool
	devtools  map[playwright.Page]*devtoolsClient
	fetched   time.Time                  // when the page offered a file last
	opening   drivers.WebOpening         // of the page that was gone to last
	errors    []string                   // of the console
	frames    map[string]bool            // CSS of the frames that were on its pages, as in drivers.WebTarget
	answers   map[playwright.Page]answer // to the requests for the pages themselves, the newest of each
	hiding    int                        // pages of our own are being opened
	met       []playwright.Page          // meanwhile
	broken    error                      // why there is no page to use, though one may be open
	unopened  bool                       // that is because the first address did not open: another one may
	crash     chan struct{}              // closed when a page's renderer crashed
	crashOnce func()
	tasks     *drivers.Lifetime // what events ask for; those that come while it closes are too late
	closing   atomic.Bool
	mute      atomic.Bool // it did not answer when it was asked last
	offline   atomic.Bool
	ending    chan struct{} // closed when closing starts
	closed    chan struct{}
}

// fetchSpell is how long after a file was offered a new empty tab is taken for the one that fetched it.
const fetchSpell = 3 * time.Second

// watch follows the pages and dialogs of the context. Its handlers run on playwright-go's event loop, where a call that
// waits for an answer would wait for ever: they take notes, and what needs an answer goes to a goroutine.
func (s *session) watch() {
	s.context.OnPage(func(page playwright.Page) {
		page.OnClose(s.remove) // here, before its end can be missed
		s.mu.Lock()
		hiding := s.hiding > 0
		if hiding {
			s.met = append(s.met, page)
		}
		s.mu.Unlock()
		switch {
		case hiding:
		case s.browser.attached:
			_ = s.tasks.Go(func() {
				opener, err := page.Opener()
				if err != nil || opener == nil || !s.ours(opener) {
					return
				}
				_ = page.SetViewportSize(s.size.X, s.size.Y) // fails when it is gone
				s.follow(page)
			})
		default:
			s.follow(page)
		}
	})
	s.context.OnDialog(func(dialog playwright.Dialog) {
		if s.ours(dialog.Page()) {
			_ = s.tasks.Go(func() { s.meet(dialog) })
		}
	})
}

// follow makes a page the current one. A tab that was opened only to fetch a file stays empty: Chromium closes it, its
// headless shell does not. It is followed when it gets a page after all.
func (s *session) follow(page playwright.Page) {
	// Not in followNow: Playwright's client holds a lock while it calls the handlers of an event, so that a handler of
	// framenavigated must not add another one.
	page.OnFrameNavigated(func(playwright.Frame) { s.acting.frame() })
	s.mu.Lock()
	fetched := time.Since(s.fetched) < fetchSpell
	s.mu.Unlock()
	if fetched && isBlank(page) {
		s.followLater(page)
		return
	}
	s.followNow(page)
}

func (s *session) followLater(page playwright.Page) {
	now := sync.OnceFunc(func() { s.followNow(page) })
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
func (s *session) leaveEmpty() {
	s.mu.Lock()
	s.fetched = time.Now()
	var empty []playwright.Page
	for _, r := range s.films[min(1, len(s.films)):] {
		if slices.Contains(s.pages, r.page) && time.Since(r.start) < fetchSpell && isBlank(r.page) {
			empty = append(empty, r.page)
		}
	}
	s.pages = slices.DeleteFunc(s.pages, func(p playwright.Page) bool { return slices.Contains(empty, p) })
	if slices.Contains(empty, s.front) {
		s.front = nil
	}
	s.mu.Unlock()
	for _, page := range empty {
		s.followLater(page)
	}
}

func (s *session) followNow(page playwright.Page) {
	s.mu.Lock()
	if s.ended[page] {
		s.mu.Unlock()
		return
	}
	left := slices.ContainsFunc(s.films, func(r pageFilm) bool { return r.page == page }) // for a moment
	if len(s.pages) > 0 && !left {
		s.device.events.add(pageEvent{kind: drivers.TabOpened, page: page})
	}
	if !s.device.events.keepsFront() {
		s.front = nil
	} else if s.front == nil && len(s.pages) > 0 {
		s.front = s.pages[len(s.pages)-1]
	}
	s.pages = append(s.pages, page)
	if left {
		s.mu.Unlock()
		return
	}
	s.films = append(s.films, pageFilm{page, time.Now().UTC()})
	scheme := s.scheme
	s.mu.Unlock()
	if scheme != nil {
		_ = s.tasks.Go(func() { // fails when the page is gone
			_ = page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme})
		})
	}
	page.OnWebSocket(func(playwright.WebSocket) { s.traffic.receives() })
	page.OnCrash(func(playwright.Page) { s.crashOnce() })
	page.OnDownload(func(file playwright.Download) {
		s.leaveEmpty()
		s.device.events.add(pageEvent{kind: drivers.TabDownload, page: page, text: file.SuggestedFilename()})
		for {
			select {
			case s.downloads <- file:
				return
			case <-s.downloads: // the newest counts
			}
		}
	})
}

func (s *session) remove(page playwright.Page) {
	s.cameras.forget(page)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended[page] && !s.gone() && slices.Contains(s.pages, page) {
		s.device.events.add(pageEvent{kind: drivers.TabClosed, page: page})
	}
	s.ended[page] = true
	delete(s.devtools, page)
	s.pages = slices.DeleteFunc(s.pages, func(p playwright.Page) bool { return p == page })
	if s.front == page {
		s.front = nil
	}
}

func newSession(d *Device, b *browser, made playwright.BrowserContext, e *emulation) *session {
	s := &session{device: d, browser: b, context: made, size: e.size, touch: e.touch,
		mobile: e.mobile, filmed: e.options.RecordVideo != nil, dialogs: newDialogs(), cameras: newCameras(b, made, e),
		evidence:  d.recording(),
		downloads: make(chan playwright.Download, 1), frames: map[string]bool{}, ended: map[playwright.Page]bool{},
		devtools: map[playwright.Page]*devtoolsClient{}, crash: make(chan struct{}), ending: make(chan struct{}),
		tasks: drivers.NewLifetime(), closed: make(chan struct{})}
	s.crashOnce = sync.OnceFunc(func() { close(s.crash) })
	s.watch()
	s.listen()
	s.record(s.evidence)
	return s
}

func (s *session) crashed() bool {
	select {
	case <-s.crash:
		return true
	default:
		return false
	}
}

// gone reports whether we closed the context ourselves.
func (s *session) gone() bool { return s.closing.Load() }

// current returns the page that the test chose, or else the newest that is open.
func (s *session) current() (playwright.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.browser.alive():
		return nil, errBrowserLost
	case s.crashed():
		return nil, errCrashed
	case s.broken != nil:
		return nil, s.broken
	case len(s.pages) == 0:
		return nil, errNoPage
	case s.front != nil:
		return s.front, nil
	}
	return s.pages[len(s.pages)-1], nil
}

// errNoPage says that all pages of a context were closed, by the test or by themselves.
var errNoPage = drivers.NoPage("no page is open any more: it was closed, or closed itself")

// any returns the current page even when it could not be loaded, for screenshots of what went wrong.
func (s *session) any() playwright.Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.pages) == 0:
		return nil
	case s.front != nil:
		return s.front
	}
	return s.pages[len(s.pages)-1]
}

// fail makes every later call give err, until the next OpenPage.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
}

// failToOpen is fail for a page with a URL that did not open: only Navigate may try again, the same or another.
func (s *session) failToOpen(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken, s.unopened = err, true
	}
}

// tryAgain lets a page that did not open go to an address after all, and reports whether it is such a page.
func (s *session) tryAgain(address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unopened || address == "back" || address == "forward" {
		return false
	}
	s.unopened, s.broken = false, nil
	return true
}

// abandon closes the context without waiting for it: a call that hangs returns then.
func (s *session) abandon(why string) {
	s.fail(fmt.Errorf("%w: the page is gone: %s", drivers.ErrDeviceLost, why))
	s.mute.Store(true)
	s.device.calls.Go(func() { s.close() })
}

// close closes the pages and waits for it, though not for ever: a browser that hangs is ended by the driver.
func (s *session) close() {
	if s.closing.Swap(true) {
		waitFor(s.closed, traceLimit)
		return
	}
	close(s.ending)
	limit := stopLimit
	hung := s.mute.Load()
	switch {
	case hung:
		limit = hardLimit
	case s.traced:
		limit = traceLimit
	}
	over := within(limit, func() {
		defer close(s.closed)
		if s.traced && !hung && s.browser.alive() && !s.crashed() {
			s.evidence.endTrace(s)
		}
		if s.browser.attached {
			s.leave()
		} else {
			_ = s.context.Close() // fails only when it is gone
		}
		s.tasks.End()
		s.device.keepFilms(s)
	})
	if !over && hung && !s.browser.attached {
		s.browser.kill() // whatever else is open in it ends as well: a page that cannot be closed would hold it for ever
	}
}

// hardLimit is how long a page that does not answer may take to close before its browser is ended.
const hardLimit = 5 * time.Second
