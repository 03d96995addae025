package web

import (
	"context"
	"fmt"
	"slices"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// attach connects to a browser that runs already. Each page has a connection of its own, which ends with it.
func (l *Launcher) attach(ctx context.Context, address string) (*browser, error) {
	if p := l.opts.Policy; p != nil && !p.IsOpen() || l.opts.restricted() {
		return nil, fmt.Errorf("%w: a browser that runs already cannot be used here: what it reaches cannot be limited",
			drivers.ErrUnsupported)
	}
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	done := l.startAside(ctx, func(ctx context.Context) (*browser, error) { return l.connect(ctx, address) })
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		l.work.Go(func() {
			if r := <-done; r.value != nil {
				r.value.letGo()
			}
		})
		return nil, ctx.Err()
	}
}

// connect needs the lock.
func (l *Launcher) connect(ctx context.Context, address string) (*browser, error) {
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	b, err := l.withProcess(func(pw *playwright.Playwright) (*browser, error) {
		made, err := pw.Chromium.ConnectOverCDP(address, playwright.BrowserTypeConnectOverCDPOptions{
			Timeout: milliseconds(callLimit)})
		if err != nil {
			return nil, err
		}
		b := watched(made, brands()[0])
		b.attached = true
		for _, own := range made.Contexts() {
			if err := registerEngine(own); err != nil {
				b.letGo()
				return nil, err
			}
		}
		return b, nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: no browser can be reached at %s (start it with --remote-debugging-port): %s",
			drivers.ErrDeviceLost,
			shorten.Runes(address, 99), plain(err))
	}
	return b, nil
}

// letGo ends the connection to a browser that is not ours; one of ours continues.
func (b *browser) letGo() {
	if b.attached {
		b.close()
	}
}

// newContext returns a fresh context; of a browser that runs already, its own.
func newContext(b *browser, e *emulation) (playwright.BrowserContext, error) {
	if b.attached {
		if own := b.Contexts(); len(own) > 0 {
			return own[0], nil
		}
	}
	return b.NewContext(e.options)
}

// firstPage opens the page of the session. In a browser that runs already it is a tab, which takes over what a tab can.
func firstPage(s *session, e *emulation) error {
	page, err := s.context.NewPage()
	if err != nil || !s.browser.attached {
		return err
	}
	s.tabs.follow(page)
	if err := page.SetViewportSize(e.size.X, e.size.Y); err != nil {
		return err
	}
	if e.options.ColorScheme != nil {
		if err := page.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: e.options.ColorScheme}); err != nil {
			return err
		}
	}
	if len(e.options.ExtraHttpHeaders) > 0 {
		return page.SetExtraHTTPHeaders(e.options.ExtraHttpHeaders)
	}
	return nil
}

// ours reports whether a page belongs to the session: all of a context of our own do, and of a browser that runs
// already those that the session opened.
func (t *Tabs) ours(page playwright.Page) bool {
	if !t.health.browser.attached {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return page != nil && slices.Contains(t.pages, page)
}

// leave closes the session's own tabs and ends the connection.
func (s *session) leave() {
	for _, page := range s.tabs.all() {
		_ = page.Close() // fails only when it is gone
	}
	s.browser.letGo()
}
