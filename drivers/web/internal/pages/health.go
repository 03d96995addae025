package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
)

// Health is whether the pages of a session can be used, and why not.
type Health struct {
	Browser *browser.Browser
	Crash   chan struct{} // closed when a page's renderer crashed
	Ending  chan struct{} // closed when closing starts
	closed  chan struct{}
	closing atomic.Bool
	Mute    atomic.Bool // it did not answer when it was asked last

	mu       sync.Mutex
	broken   error // why there is no page to use, though one may be open
	unopened bool  // that is because the first address did not open: another one may

	crashOnce func()
	waited    atomic.Bool // for the end of the browser, once its pages had closed
}

// NewHealth returns that of a session which is about to open.
func NewHealth(b *browser.Browser) *Health {
	h := &Health{Browser: b, Crash: make(chan struct{}), Ending: make(chan struct{}), closed: make(chan struct{})}
	h.crashOnce = sync.OnceFunc(func() { close(h.Crash) })
	return h
}

// unresponsiveError is the error of a page that does not answer.
func (h *Health) unresponsiveError(limit time.Duration) error {
	if !h.Browser.Alive() {
		return h.Browser.LostError()
	}
	h.Mute.Store(true)
	return fmt.Errorf("%w: the page did not answer within %s; its scripts may be busy", drivers.ErrNotReady,
		limit.Round(100*time.Millisecond))
}

// ClosedError is the error of a call on a page that we close ourselves.
func (h *Health) ClosedError() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		return h.broken
	}
	return fmt.Errorf("%w: the page was closed during the call", drivers.ErrDeviceLost)
}

// Explain sets for a Playwright error the kind on which results depend.
func (h *Health) Explain(err error) error {
	if browser.ProcessDied(err) {
		h.Browser.Gone()
	}
	switch {
	case err == nil:
		return nil
	case !h.Browser.Alive():
		return h.Browser.LostError()
	case h.Crashed():
		return h.Browser.CrashError()
	case browser.IsKind(err):
		return err
	case browser.TellsOfACrash(err):
		h.crashOnce()
		return h.Browser.CrashError()
	case browser.Disconnected(err):
		if h.Gone() {
			return fmt.Errorf("%w: the page was closed during the call", drivers.ErrDeviceLost)
		}
		return fmt.Errorf("%w: the page closed itself just now", drivers.ErrNotReady)
	case errors.Is(err, playwright.ErrTimeout):
		return fmt.Errorf("%w: the page does not answer; its scripts may be busy", drivers.ErrNotReady)
	case browser.Passing(err):
		return fmt.Errorf("%w: the page changed while it was read: %s", drivers.ErrNotReady, browser.Plain(err))
	}
	return cmp.Or(browser.OfServer(err), fmt.Errorf("the browser reports: %s", browser.Plain(err)))
}

// closeEvent is how long the news that a page has closed may come after the error of a call into it.
const closeEvent = time.Second

// Made says that an action which closed its own page was made: asked again, it would meet the page behind.
func (h *Health) Made(page playwright.Page, err error) error {
	if !browser.Disconnected(err) || browser.ProcessDied(err) {
		return err
	}
	for end := time.Now().Add(closeEvent); !page.IsClosed() && time.Now().Before(end); {
		_ = browser.Pause(context.Background(), LookPause)
	}
	if page.IsClosed() && h.Browser.Alive() && !h.Crashed() && !h.Gone() {
		return nil
	}
	return err
}

// PageError says in plain words why a page did not open.
func (h *Health) PageError(address string, err error, limit time.Duration) error {
	if browser.ProcessDied(err) {
		h.Browser.Gone()
	}
	switch {
	case err == nil:
		return nil
	case !h.Browser.Alive():
		return h.Browser.LostError()
	case h.Crashed():
		return h.Browser.CrashError()
	case errors.Is(err, drivers.ErrUnsupported), errors.Is(err, drivers.ErrDeviceLost):
		return err
	case errors.Is(err, playwright.ErrTimeout):
		return fmt.Errorf("%w: it did not load within %s", drivers.ErrPage, limit)
	case strings.Contains(err.Error(), "Download is starting"):
		return fmt.Errorf("%w: the address is a download, not a page", drivers.ErrPage)
	case browser.Disconnected(err):
		return fmt.Errorf("%w: the page closed itself while it was loading", drivers.ErrPage)
	}
	if refused := h.Browser.Guard.Why(address); refused != nil {
		return fmt.Errorf("%w: %w", drivers.ErrPage, refused)
	}
	if failed := browser.OfServer(err); failed != nil {
		return failed
	}
	return fmt.Errorf("%w: %s", drivers.ErrPage, browser.LoadReason(err))
}

// Usable returns why the pages cannot be used, nil if they can.
func (h *Health) Usable() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.Browser.Alive():
		return h.Browser.LostError()
	case h.Crashed():
		return h.Browser.CrashError()
	}
	return h.broken
}

func (h *Health) Crashed() bool {
	select {
	case <-h.Crash:
		return true
	default:
		return false
	}
}

// Gone reports whether we closed the context ourselves.
func (h *Health) Gone() bool { return h.closing.Load() }

// ErrNoPage says that all pages of a context were closed, by the test or by themselves.
var ErrNoPage = drivers.NoPage("no page is open any more: it was closed, or closed itself")

// noPage is why there is no page. The pages of a browser that ends close before its end is known, for which it waits a
// moment once.
func (h *Health) noPage() error {
	if h.waited.CompareAndSwap(false, true) {
		select {
		case <-h.Browser.Lost:
		case <-h.Crash:
		case <-time.After(closeEvent):
		}
	}
	return cmp.Or(h.Usable(), ErrNoPage)
}

// Fail makes every later call give err, until the next OpenPage.
func (h *Health) Fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken == nil {
		h.broken = err
	}
}

// FailToOpen is fail for a page with a URL that did not open: only Navigate may try again, the same or another.
func (h *Health) FailToOpen(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken == nil {
		h.broken, h.unopened = err, true
	}
}

// TryAgain lets a page that did not open go to an address after all, and reports whether it is such a page.
func (h *Health) TryAgain(address string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.unopened || address == "back" || address == "forward" {
		return false
	}
	h.unopened, h.broken = false, nil
	return true
}
