package web

import (
	"context"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"
)

// mousePoll is how often it is checked whether a click has started to load a page.
const mousePoll = 30 * time.Millisecond

// takeMouse is holdMouse for the page that the device has.
func (h *Hand) takeMouse(ctx context.Context) (s *session, release func(), err error) {
	if s, _, err = h.slot.page(); err != nil {
		return nil, nil, err
	}
	release, err = holdMouse(ctx, s)
	return s, release, err
}

// holdMouse reserves for this page the mouse of its browser until release is called, which may be called again. The
// pages of a browser that has one mouse for all of them take turns, touch by touch: else a button that one page pressed
// would be released in another. Others need no turn.
func holdMouse(ctx context.Context, s *session) (release func(), err error) {
	if !s.browser.brand.oneMouse {
		return func() {}, nil
	}
	select {
	case s.browser.mouse <- struct{}{}:
		return sync.OnceFunc(func() { <-s.browser.mouse }), nil
	case <-s.browser.lost:
		return nil, errBrowserLost
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inTurn makes a call that moves the mouse wait for its turn, no longer than it may take itself.
func (h *Hand) inTurn(ctx context.Context, do call) call {
	return func(element playwright.Locator, timeout *float64) error {
		turn, cancel := context.WithTimeout(ctx, time.Duration(*timeout*float64(time.Millisecond)))
		defer cancel()
		_, release, err := h.takeMouse(turn)
		if err != nil && ctx.Err() == nil && turn.Err() != nil {
			return playwright.ErrTimeout
		}
		if err != nil {
			return err
		}
		defer release()
		return do(element, timeout)
	}
}

// untilItLoads calls release as soon as the page starts to load another one: the mouse has done its part, while
// Playwright's click waits for the server's answer. To be ended when the click has returned.
func untilItLoads(s *session, release func()) (end func()) {
	if !s.browser.brand.oneMouse || s.traffic.navigating() {
		return func() {}
	}
	over := make(chan struct{})
	s.slot.calls.Go(func() {
		tick := time.NewTicker(mousePoll)
		defer tick.Stop()
		for !s.traffic.navigating() {
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
		release()
	})
	return func() { close(over) }
}
