package web

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// loadTimeout is how long a page may take to load when nothing else is said.
const loadTimeout = 30 * time.Second

// OpenPage opens address in a fresh context and waits until it has loaded. Pages that were open before are closed.
func (d *Device) OpenPage(ctx context.Context, address string, opts drivers.PageOptions) error {
	if err := checkAddress(address); err != nil {
		return err
	}
	if err := d.dropSession(); err != nil {
		return err
	}
	b, err := d.driver.browser(ctx, opts.Headed)
	if err != nil {
		return err
	}
	e, err := d.emulate(ctx, opts)
	if err != nil {
		return err
	}
	s, err := d.newSession(ctx, b, e)
	if err != nil {
		return err
	}
	return s.open(ctx, address, opts)
}

func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("%w: %s is not an address", drivers.ErrPage, drivers.Quote(address))
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return fmt.Errorf("%w: %s names no host", drivers.ErrPage, drivers.Quote(address))
		}
	case "file", "data", "about":
	case "":
		return fmt.Errorf("%w: %s does not say how to reach it: begin with https:// or http://", drivers.ErrPage,
			drivers.Quote(address))
	default:
		return fmt.Errorf("%w: %s: only http, https, file, data and about addresses can be opened", drivers.ErrPage,
			drivers.Quote(address))
	}
	return nil
}

// dropSession closes what was open.
func (d *Device) dropSession() error {
	d.mu.Lock()
	closed, s := d.closed, d.session
	d.session, d.dialogs = nil, nil
	d.mu.Unlock()
	if closed {
		return fmt.Errorf("%w: %s is closed", drivers.ErrDeviceLost, d.info.ID)
	}
	if s != nil {
		s.close()
	}
	return nil
}

// newSession makes a context and its first page. When ctx ends meanwhile, what was made is closed again.
func (d *Device) newSession(ctx context.Context, b *browser, e *emulation) (*session, error) {
	said := d.takePending(e)
	done := start(d, func() (*session, error) {
		made, err := b.NewContext(e.options)
		if err != nil {
			return nil, err
		}
		s := newSession(d, b, made, e)
		for _, r := range said.routes {
			err = errors.Join(err, s.route(r))
		}
		if err == nil {
			_, err = made.NewPage()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && !d.adopt(s) {
			err = fmt.Errorf("%w: %s is closed", drivers.ErrDeviceLost, d.info.ID)
		}
		if err != nil {
			s.close()
			return nil, err
		}
		return s, nil
	})
	timer := time.NewTimer(callLimit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, sessionError(b, r.err)
	case <-b.lost:
		return nil, errBrowserLost
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, fmt.Errorf("%w: the browser did not open a page within %s", drivers.ErrDeviceLost, callLimit)
	}
}

// takePending adds what was said before there was a page.
func (d *Device) takePending(e *emulation) pending {
	d.mu.Lock()
	defer d.mu.Unlock()
	said := d.pending
	d.pending = pending{}
	if d.filming != nil {
		e.options.RecordVideo = &playwright.RecordVideo{Dir: d.filming.dir, Size: e.options.Viewport}
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
	case containsAny(strings.ToLower(err.Error()), "timezone", "locale", "cookie", "storage state"):
		return fmt.Errorf("%w: %s", drivers.ErrPage, plain(err))
	}
	return fmt.Errorf("%w: the browser did not open a page: %s", drivers.ErrDeviceLost, plain(err))
}

// adopt makes s the device's session, unless the device was closed meanwhile.
func (d *Device) adopt(s *session) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.session = s
	return true
}

// open navigates the first page.
func (s *session) open(ctx context.Context, address string, opts drivers.PageOptions) error {
	page := s.any()
	if page == nil {
		return errBrowserLost
	}
	limit := opts.Timeout
	if limit <= 0 {
		limit = loadTimeout
	}
	done := start(s.device, func() (struct{}, error) {
		_, err := page.Goto(address, playwright.PageGotoOptions{
			Timeout: milliseconds(limit), WaitUntil: playwright.WaitUntilStateLoad,
		})
		return struct{}{}, err
	})
	timer := time.NewTimer(limit + 2*time.Second)
	defer timer.Stop()
	var err error
	select {
	case r := <-done:
		err = s.pageError(r.err, limit)
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
		err = fmt.Errorf("open %s: %w", shortAddress(address), err)
		s.fail(err)
	}
	return err
}

// pageError says in plain words why a page did not open.
func (s *session) pageError(err error, limit time.Duration) error {
	if processDied(err) {
		s.browser.gone()
	}
	switch {
	case err == nil:
		return nil
	case !s.browser.alive():
		return errBrowserLost
	case s.crashed():
		return errCrashed
	case errors.Is(err, playwright.ErrTimeout):
		return fmt.Errorf("%w: it did not load within %s", drivers.ErrPage, limit)
	case strings.Contains(err.Error(), "Download is starting"):
		return fmt.Errorf("%w: the address is a download, not a page", drivers.ErrPage)
	case disconnected(err):
		return fmt.Errorf("%w: the page closed itself while it was loading", drivers.ErrPage)
	}
	if m := netError.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%w: %s", drivers.ErrPage, netWords(m[1]))
	}
	return fmt.Errorf("%w: %s", drivers.ErrPage, plain(err))
}

// shortAddress keeps an error readable; data: addresses hold whole pages.
func shortAddress(address string) string {
	if r := []rune(address); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return address
}

func milliseconds(d time.Duration) *float64 {
	// 0 means "for ever" to Playwright.
	return playwright.Float(max(float64(d)/float64(time.Millisecond), 1))
}

func (d *Device) noteDialog(kind, message string) {
	d.mu.Lock()
	if len(d.dialogs) < 20 {
		d.dialogs = append(d.dialogs, fmt.Sprintf("dismissed %s dialog %s", kind, drivers.Quote(message)))
	}
	d.mu.Unlock()
	d.logLine("dialog", fmt.Sprintf("%s %s was dismissed", kind, drivers.Quote(message)))
}

// Dialogs tells the dialogs that the pages of the current context opened, all of which were dismissed.
func (d *Device) Dialogs() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.dialogs...)
}
