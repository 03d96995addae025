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
	*Health
	slot     *Slot
	journal  *Journal
	recorder *Recorder
	opts     Options
	context  playwright.BrowserContext
	size     image.Point // of the viewport
	touch    bool        // a touch screen is emulated
	mobile   bool        // the page may be zoomed
	filmed   bool
	traced   bool

	tabs    *Tabs
	dialogs *dialogs
	clients *Clients
	router  *Router
	cameras *cameras // nil: screenshots are taken by Playwright
	console *Console
	traffic *traffic
	acting  *acting
	answers Answers
	frames  KnownFrames
	unseen  unseenRoots

	evidence *evidence         // nil: nothing is recorded
	tasks    *drivers.Lifetime // what events ask for; those that come while it closes are too late

	mu      sync.Mutex
	opening drivers.WebOpening // of the page that was gone to last
}

// Health is whether the pages of a session can be used, and why not.
type Health struct {
	browser *browser
	crash   chan struct{} // closed when a page's renderer crashed
	ending  chan struct{} // closed when closing starts
	closed  chan struct{}
	closing atomic.Bool
	mute    atomic.Bool // it did not answer when it was asked last

	mu       sync.Mutex
	broken   error // why there is no page to use, though one may be open
	unopened bool  // that is because the first address did not open: another one may

	crashOnce func()
}

// NewHealth returns that of a session which is about to open.
func NewHealth(b *browser) *Health {
	h := &Health{browser: b, crash: make(chan struct{}), ending: make(chan struct{}), closed: make(chan struct{})}
	h.crashOnce = sync.OnceFunc(func() { close(h.crash) })
	return h
}

// usable returns why the pages cannot be used, nil if they can.
func (h *Health) usable() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.browser.alive():
		return errBrowserLost
	case h.crashed():
		return errCrashed
	}
	return h.broken
}

// Tabs are the open pages of a session, and which of them is the current one.
type Tabs struct {
	health    *Health
	context   playwright.BrowserContext
	journal   *Journal
	traffic   *traffic
	acting    *acting
	tasks     *drivers.Lifetime
	size      image.Point
	closed    func(playwright.Page)    // called for each page that has closed
	downloads chan playwright.Download // the newest that was not fetched

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

// all returns the open pages, the newest last.
func (t *Tabs) all() []playwright.Page {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.pages)
}

// setFront makes a page the current one.
func (t *Tabs) setFront(page playwright.Page) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.front = page
}

// setScheme sets the colour scheme of pages to come, and returns those that are open.
func (t *Tabs) setScheme(scheme *playwright.ColorScheme) []playwright.Page {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scheme = scheme
	return slices.Clone(t.pages)
}

// films returns when each page was opened, the first one first.
func (t *Tabs) films() []pageFilm {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.reels)
}

// opens deals with a page that the context has opened.
func (t *Tabs) opens(page playwright.Page) {
	page.OnClose(t.remove) // here, before its end can be missed
	t.mu.Lock()
	hiding := t.hiding > 0
	if hiding {
		t.met = append(t.met, page)
	}
	t.mu.Unlock()
	switch {
	case hiding:
	case t.health.browser.attached:
		_ = t.tasks.Go(func() {
			opener, err := page.Opener()
			if err != nil || opener == nil || !t.ours(opener) {
				return
			}
			_ = page.SetViewportSize(t.size.X, t.size.Y) // fails when it is gone
			t.follow(page)
		})
	default:
		t.follow(page)
	}
}

// fetchSpell is how long after a file was offered a new empty tab is taken for the one that fetched it.
const fetchSpell = 3 * time.Second

// watch follows the pages and dialogs of the context. Its handlers run on playwright-go's event loop, where a call that
// waits for an answer would wait for ever: they take notes, and what needs an answer goes to a goroutine.
func (s *session) watch() {
	s.context.OnPage(s.tabs.opens)
	s.context.OnDialog(func(dialog playwright.Dialog) {
		if s.tabs.ours(dialog.Page()) {
			_ = s.tasks.Go(func() { s.dialogs.meet(dialog) })
		}
	})
}

// follow makes a page the current one. A tab that was opened only to fetch a file stays empty: Chromium closes it, its
// headless shell does not. It is followed when it gets a page after all.
func (t *Tabs) follow(page playwright.Page) {
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
		t.journal.add(pageEvent{kind: drivers.TabOpened, page: page})
	}
	if !t.journal.keepsFront() {
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
	page.OnWebSocket(func(playwright.WebSocket) { t.traffic.receives() })
	page.OnCrash(func(playwright.Page) { t.health.crashOnce() })
	page.OnDownload(func(file playwright.Download) {
		t.leaveEmpty()
		t.journal.add(pageEvent{kind: drivers.TabDownload, page: page, text: file.SuggestedFilename()})
		for {
			select {
			case t.downloads <- file:
				return
			case <-t.downloads: // the newest counts
			}
		}
	})
}

func (t *Tabs) remove(page playwright.Page) {
	t.closed(page)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended[page] && !t.health.gone() && slices.Contains(t.pages, page) {
		t.journal.add(pageEvent{kind: drivers.TabClosed, page: page})
	}
	t.ended[page] = true
	t.pages = slices.DeleteFunc(t.pages, func(p playwright.Page) bool { return p == page })
	if t.front == page {
		t.front = nil
	}
}

// newSession puts the parts of a session together. Its context has no page yet.
func newSession(o *Opener, b *browser, made playwright.BrowserContext, e *emulation) *session {
	health, console, cameras := NewHealth(b), &Console{}, newCameras(b, made, e)
	clients := &Clients{context: made, devtools: map[playwright.Page]*devtoolsClient{}, ended: map[playwright.Page]bool{}}
	s := &session{Health: health, slot: o.slot, journal: o.journal, recorder: o.recorder, opts: o.launcher.options(),
		context: made, size: e.size, touch: e.touch, mobile: e.mobile, filmed: e.options.RecordVideo != nil,
		dialogs: newDialogs(health, o.slot, o.journal), clients: clients, cameras: cameras, console: console,
		router:  NewRouter(made, health.ending, o.journal.Log, console),
		traffic: &traffic{}, acting: &acting{}, evidence: o.recorder.recording(), tasks: drivers.NewLifetime()}
	s.tabs = &Tabs{health: health, context: made, journal: o.journal, traffic: s.traffic, acting: s.acting, tasks: s.tasks,
		size: e.size, downloads: make(chan playwright.Download, 1), ended: map[playwright.Page]bool{},
		closed: func(page playwright.Page) { cameras.forget(page); clients.forget(page) }}
	s.watch()
	s.listen()
	s.record()
	return s
}

func (h *Health) crashed() bool {
	select {
	case <-h.crash:
		return true
	default:
		return false
	}
}

// gone reports whether we closed the context ourselves.
func (h *Health) gone() bool { return h.closing.Load() }

// current returns the page that the test chose, or else the newest that is open.
func (s *session) current() (playwright.Page, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if page := s.tabs.any(); page != nil {
		return page, nil
	}
	return nil, errNoPage
}

// errNoPage says that all pages of a context were closed, by the test or by themselves.
var errNoPage = drivers.NoPage("no page is open any more: it was closed, or closed itself")

// any returns the current page even when it could not be loaded, for screenshots of what went wrong.
func (t *Tabs) any() playwright.Page {
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

// fail makes every later call give err, until the next OpenPage.
func (h *Health) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken == nil {
		h.broken = err
	}
}

// failToOpen is fail for a page with a URL that did not open: only Navigate may try again, the same or another.
func (h *Health) failToOpen(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken == nil {
		h.broken, h.unopened = err, true
	}
}

// tryAgain lets a page that did not open go to an address after all, and reports whether it is such a page.
func (h *Health) tryAgain(address string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.unopened || address == "back" || address == "forward" {
		return false
	}
	h.unopened, h.broken = false, nil
	return true
}

// abandon closes the context without waiting for it: a call that hangs returns then.
func (s *session) abandon(why string) {
	s.fail(fmt.Errorf("%w: the page is gone: %s", drivers.ErrDeviceLost, why))
	s.mute.Store(true)
	s.slot.calls.Go(func() { s.close() })
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
			s.evidence.endTrace(s.context)
		}
		if s.browser.attached {
			s.leave()
		} else {
			_ = s.context.Close() // fails only when it is gone
		}
		s.tasks.End()
		if s.filmed {
			s.recorder.keepFilms(s.tabs.films())
		}
	})
	if !over && hung && !s.browser.attached {
		s.browser.kill() // whatever else is open in it ends as well: a page that cannot be closed would hold it for ever
	}
}

// hardLimit is how long a page that does not answer may take to close before its browser is ended.
const hardLimit = 5 * time.Second
