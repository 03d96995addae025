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

	downloads chan playwright.Download // the newest that was not fetched

	mu        sync.Mutex
	pages     []playwright.Page // open ones, the newest last
	films     []reel
	filmed    bool
	errors    []string          // of the console
	hiding    int               // pages of our own are being opened
	met       []playwright.Page // meanwhile
	broken    error             // why there is no page to use, though one may be open
	crash     chan struct{}     // closed when a page's renderer crashed
	crashOnce func()
	tasks     sync.WaitGroup // answers to dialogs
	closing   atomic.Bool
	ending    chan struct{} // closed when closing begins
	closed    chan struct{}
}

// watch follows the pages and dialogs of the context. Its handlers run on playwright-go's event loop, where a call that waits for
// an answer would wait for ever: they take notes, and what needs an answer goes to a goroutine.
func (s *session) watch() {
	s.context.OnPage(func(page playwright.Page) {
		s.mu.Lock()
		hiding := s.hiding > 0
		if hiding {
			s.met = append(s.met, page)
		}
		s.mu.Unlock()
		if !hiding {
			s.follow(page)
		}
	})
	s.context.OnDialog(func(dialog playwright.Dialog) {
		kind, message := dialog.Type(), dialog.Message()
		s.tasks.Go(func() {
			if kind == "beforeunload" {
				_ = dialog.Accept() // the page is gone already when this fails
				return
			}
			_ = dialog.Dismiss()
		})
		if kind != "beforeunload" {
			s.device.noteDialog(kind, message)
		}
	})
}

// follow makes a page the current one.
func (s *session) follow(page playwright.Page) {
	s.mu.Lock()
	s.pages = append(s.pages, page)
	s.films = append(s.films, reel{page, time.Now().UTC()})
	s.mu.Unlock()
	page.OnClose(func(playwright.Page) { s.remove(page) })
	page.OnCrash(func(playwright.Page) { s.crashOnce() })
	page.OnDownload(func(file playwright.Download) {
		for {
			select {
			case s.downloads <- file:
				return
			case <-s.downloads: // the newest counts
			}
		}
	})
	if page.IsClosed() {
		s.remove(page)
	}
}

func (s *session) remove(page playwright.Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = slices.DeleteFunc(s.pages, func(p playwright.Page) bool { return p == page })
}

func newSession(d *Device, b *browser, made playwright.BrowserContext, e *emulation) *session {
	s := &session{device: d, browser: b, context: made, size: e.size, touch: e.touch,
		mobile: e.mobile, filmed: e.options.RecordVideo != nil,
		downloads: make(chan playwright.Download, 1), crash: make(chan struct{}), ending: make(chan struct{}),
		closed: make(chan struct{})}
	s.crashOnce = sync.OnceFunc(func() { close(s.crash) })
	s.watch()
	s.listen()
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

// gone tells whether we closed the context ourselves.
func (s *session) gone() bool { return s.closing.Load() }

// current gives the newest page that is open.
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
		return nil, fmt.Errorf("%w: no page is open any more: the page closed itself", drivers.ErrPage)
	}
	return s.pages[len(s.pages)-1], nil
}

// any gives the newest page even when it could not be loaded, for pictures of what went wrong.
func (s *session) any() playwright.Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pages) == 0 {
		return nil
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

// abandon closes the context without waiting for it: a call that hangs returns then.
func (s *session) abandon(why string) {
	s.fail(fmt.Errorf("%w: the page is gone: %s", drivers.ErrDeviceLost, why))
	s.device.calls.Go(func() { s.close() })
}

// close closes the pages and waits for it, though not for ever: a browser that hangs is ended by the driver.
func (s *session) close() {
	if s.closing.Swap(true) {
		waitFor(s.closed, stopLimit)
		return
	}
	close(s.ending)
	within(stopLimit, func() {
		defer close(s.closed)
		_ = s.context.Close() // fails only when it is gone
		s.tasks.Wait()
		s.device.keepFilms(s)
	})
}
