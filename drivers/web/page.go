package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// loadTimeout is how long a page may take to load by default.
const loadTimeout = 30 * time.Second

// pageLimit is for the browser to make a page, with nothing in it.
const pageLimit = 45 * time.Second

// Opener opens pages in a slot, and keeps what was said before there was one.
type Opener struct {
	slot     *Slot
	launcher *Launcher
	journal  *Journal
	recorder *Recorder

	mu      sync.Mutex
	info    drivers.Info
	browser string // of pages that name none; "": the driver's
	pending pending
}

// OpenPage opens address in a fresh context and waits until it can be used. Pages that were open before are closed.
func (o *Opener) OpenPage(ctx context.Context, address string, opts drivers.PageOptions) error {
	if err := o.launcher.options().checkAddress(address); err != nil {
		return err
	}
	if opts.Connect != "" {
		opts.Browser = cmp.Or(opts.Browser, dsl.Chromium)
	}
	o.mu.Lock()
	opts.Browser = cmp.Or(opts.Browser, o.browser)
	o.mu.Unlock()
	br, err := o.launcher.brandFor(opts)
	if err != nil {
		return err
	}
	if err := br.refuse(opts); err != nil {
		return err
	}
	if err := o.dropSession(); err != nil {
		return err
	}
	b, err := o.launcher.browserFor(ctx, opts)
	if err != nil {
		return err
	}
	e, err := o.emulate(ctx, b.brand, address, opts)
	if err != nil {
		b.letGo()
		return err
	}
	s, err := o.newSession(ctx, b, e)
	if err != nil {
		b.letGo()
		return err
	}
	return load(ctx, s, address, opts)
}

// refusedByShell: of permissions, Chromium's headless shell grants only some; notifications stay denied.
func refusedByShell(permission string) bool {
	return !slices.Contains([]string{"geolocation", "clipboard-read", "clipboard-write"}, permission)
}

// checkAddress checks a URL, and whether it may be opened.
func (o Options) checkAddress(address string) error {
	if err := checkAddress(address); err != nil {
		return err
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil // checkAddress has read it
	}
	guarded := o.Policy != nil && !o.Policy.IsOpen() || o.restricted()
	switch {
	case strings.EqualFold(u.Scheme, "file"):
		return o.allowsFile(address)
	case strings.EqualFold(u.Scheme, "about") && guarded && !strings.EqualFold(u.Opaque, "blank"):
		return fmt.Errorf("%w: %s is a page of the browser itself, which may not be opened here", drivers.ErrPage,
			screen.Quote(address))
	}
	return nil
}

func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%w: %s is not an address", drivers.ErrPage, screen.Quote(address))
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return fmt.Errorf("%w: %s names no host", drivers.ErrPage, screen.Quote(address))
		}
	case "file", "data", "about":
	case "":
		return fmt.Errorf("%w: %s does not say how to reach it: start with https:// or http://", drivers.ErrPage,
			screen.Quote(address))
	default:
		return fmt.Errorf("%w: %s: only http, https, file, data and about addresses can be opened", drivers.ErrPage,
			screen.Quote(address))
	}
	return nil
}

// dropSession closes what was open.
func (o *Opener) dropSession() error {
	s, closed := o.slot.take()
	o.journal.forgetDialogs()
	if closed {
		return o.slot.closedError()
	}
	if s != nil {
		s.close()
	}
	return nil
}

// newSession makes a context and its first page. When ctx ends meanwhile, what was made is closed again.
func (o *Opener) newSession(ctx context.Context, b *browser, e *emulation) (*session, error) {
	said := o.takePending(e)
	done := start(o.slot, func() (*session, error) {
		made, err := newContext(b, e)
		if err != nil {
			return nil, err
		}
		s := newSession(o, b, made, e)
		s.dialogs.set(said.answer)
		err = fence(s)
		switch proof := s.evidence; {
		case err != nil || proof == nil || !proof.how.Trace || b.attached:
		case e.options.HttpCredentials != nil:
			proof.noTrace(errors.New("there is no trace of the page: it was opened with a password, which a trace would show"))
		default:
			err = proof.trace(made, !s.filmed)
			s.traced = err == nil
		}
		for _, r := range said.routes {
			err = errors.Join(err, s.router.route(r))
		}
		if err == nil {
			err = watchPages(s)
		}
		if err == nil {
			err = hearCopies(s)
		}
		if err == nil {
			err = firstPage(s, e)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && !o.slot.adopt(s) {
			err = o.slot.closedError()
		}
		if err != nil {
			s.close()
			return nil, err
		}
		return s, nil
	})
	timer := time.NewTimer(pageLimit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, sessionError(b, r.err)
	case <-b.lost:
		return nil, errBrowserLost
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, fmt.Errorf("%w: the browser did not open a page within %s", drivers.ErrDeviceLost, pageLimit)
	}
}

// takePending adds what was set before there was a page.
func (o *Opener) takePending(e *emulation) pending {
	o.mu.Lock()
	defer o.mu.Unlock()
	said := o.pending
	o.pending = pending{}
	if dir := o.recorder.filmDir(); dir != "" {
		// At Playwright's own size, within 800 x 800: a video of the whole viewport doubles the time of a test.
		e.options.RecordVideo = &playwright.RecordVideo{Dir: dir}
	}
	if said.state != nil && e.options.StorageState == nil {
		e.options.StorageState = optional(said.state)
	}
	return said
}

func sessionError(b *browser, err error) error {
	if processDied(err) {
		b.gone()
	}
	switch {
	case err == nil || isKind(err):
		return err
	case !b.alive() || disconnected(err):
		return errBrowserLost
	case containsAny(strings.ToLower(err.Error()), "timezone", "locale", "cookie", "storage state", "permission",
		"latitude", "longitude"):
		return fmt.Errorf("%w: %s", drivers.ErrPage, plain(err))
	}
	return fmt.Errorf("%w: the browser did not open a page: %s", drivers.ErrDeviceLost, plain(err))
}

// adopt makes s the device's session, unless the device was closed meanwhile.
func (sl *Slot) adopt(s *session) bool {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	if sl.closed {
		return false
	}
	sl.session = s
	return true
}

// load navigates the first page.
func load(ctx context.Context, s *session, address string, opts drivers.PageOptions) error {
	page := s.tabs.any()
	if page == nil {
		return errBrowserLost
	}
	limit := opts.Timeout
	if limit <= 0 {
		limit = loadTimeout
	}
	if s.evidence != nil {
		s.evidence.har.page(address)
	}
	defer s.dialogs.refusing()()
	depart(s)
	done := start(s.slot, func() (struct{}, error) {
		began := time.Now()
		answer, err := goTo(s, page, limit, func() (playwright.Response, error) {
			return page.Goto(address, playwright.PageGotoOptions{Timeout: milliseconds(limit),
				WaitUntil: playwright.WaitUntilStateDomcontentloaded})
		})
		arrive(s, page, answer, err, limit-time.Since(began))
		if err == nil && opts.Offline {
			err = s.router.setOffline(true)
		}
		return struct{}{}, err
	})
	timer := time.NewTimer(limit + 2*time.Second)
	defer timer.Stop()
	var err error
	fail := s.fail
	select {
	case r := <-done:
		if err = s.pageError(address, r.err, limit); !opts.Offline && drivers.AppIsWrong(err) {
			fail = s.failToOpen
		}
	case <-s.browser.lost:
		err = errBrowserLost
	case <-s.crash:
		err = errCrashed
	case <-timer.C:
		err = fmt.Errorf("%w: it did not load within %s", drivers.ErrPage, limit)
	case <-ctx.Done():
		s.abandon("it was closed because its opening was cancelled")
		return ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("open %s: %w", shorten.Runes(address, 99), err)
		fail(err)
	}
	return err
}

// pageError says in plain words why a page did not open.
func (h *Health) pageError(address string, err error, limit time.Duration) error {
	if processDied(err) {
		h.browser.gone()
	}
	switch {
	case err == nil:
		return nil
	case !h.browser.alive():
		return errBrowserLost
	case h.crashed():
		return errCrashed
	case errors.Is(err, playwright.ErrTimeout):
		return fmt.Errorf("%w: it did not load within %s", drivers.ErrPage, limit)
	case strings.Contains(err.Error(), "Download is starting"):
		return fmt.Errorf("%w: the address is a download, not a page", drivers.ErrPage)
	case disconnected(err):
		return fmt.Errorf("%w: the page closed itself while it was loading", drivers.ErrPage)
	}
	if refused := h.browser.guard.why(address); refused != nil {
		return fmt.Errorf("%w: %w", drivers.ErrPage, refused)
	}
	return fmt.Errorf("%w: %s", drivers.ErrPage, loadReason(err))
}

func milliseconds(d time.Duration) *float64 {
	// 0 means "for ever" to Playwright.
	return playwright.Float(max(float64(d)/float64(time.Millisecond), 1))
}
