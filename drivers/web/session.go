package web

import (
	"fmt"
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

	mu      sync.Mutex
	pages   []playwright.Page // open ones, the newest last
	films   []reel
	filmed  bool
	broken  error          // why there is no page to use, though one may be open
	crash   chan struct{}  // closed when a page's renderer crashed
	tasks   sync.WaitGroup // answers to dialogs
	closing atomic.Bool
	closed  chan struct{}
}

// watch follows the pages and dialogs of the context. Its handlers run on playwright-go's event loop, where a call that waits for
// an answer would wait for ever: they take notes, and what needs an answer goes to a goroutine.
func (s *session) watch() {
	crashed := sync.OnceFunc(func() { close(s.crash) })
	s.context.OnPage(func(page playwright.Page) {
		s.mu.Lock()
		s.pages = append(s.pages, page)
		s.films = append(s.films, reel{page, time.Now().UTC()})
		s.mu.Unlock()
		page.OnClose(func(playwright.Page) { s.remove(page) })
		page.OnCrash(func(playwright.Page) { crashed() })
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

func (s *session) remove(page playwright.Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = slices.DeleteFunc(s.pages, func(p playwright.Page) bool { return p == page })
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
	within(stopLimit, func() {
		defer close(s.closed)
		_ = s.context.Close() // fails only when it is gone
		s.tasks.Wait()
		s.device.keepFilms(s)
	})
}
