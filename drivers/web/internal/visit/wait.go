package visit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/network"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// WaitPage waits for what event says.
func (n *Navigator) WaitPage(ctx context.Context, event drivers.WebEvent, timeout time.Duration) error {
	switch {
	case event.URL != "":
		return n.waitAddress(ctx, event.URL, pages.Wait(timeout))
	case event.Load != "":
		return n.waitLoad(ctx, event.Load, time.Now().Add(pages.Wait(timeout)))
	case event.Request != "":
		return n.waitTraffic(ctx, event.Request, false, pages.Wait(timeout))
	case event.Response != "":
		return n.waitTraffic(ctx, event.Response, true, pages.Wait(timeout))
	}
	return fmt.Errorf("%w: there is nothing to wait for", drivers.ErrUnsupported)
}

// waitAddress waits until the page is at a fitting address, and has loaded.
func (n *Navigator) waitAddress(ctx context.Context, pattern string, timeout time.Duration) error {
	fits, err := network.Compile(pattern)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(timeout)
	for {
		_, page, err := n.slot.Page()
		if err != nil {
			return err
		}
		at := page.URL()
		if fits.MatchString(at) {
			return n.waitLoad(ctx, "load", deadline)
		}
		if time.Until(deadline) <= 0 {
			return fmt.Errorf("%w: the page did not come to %s within %s: it is at %s", screen.ErrNotFound,
				screen.Quote(pattern), timeout, phrase.LimitRunes(at, 99))
		}
		if err := browser.Pause(ctx, pages.LookPause); err != nil {
			return err
		}
	}
}

func (n *Navigator) waitLoad(ctx context.Context, state string, deadline time.Time) error {
	states := map[string]*playwright.LoadState{
		"load": playwright.LoadStateLoad, "domcontentloaded": playwright.LoadStateDomcontentloaded,
		"networkidle": playwright.LoadStateNetworkidle,
	}
	if states[state] == nil {
		return fmt.Errorf("%w: a page cannot reach the state %s", drivers.ErrUnsupported, screen.Quote(state))
	}
	for {
		_, err := pages.Read(ctx, n.slot, func(page playwright.Page) (struct{}, error) {
			limit := browser.Milliseconds(max(min(time.Until(deadline), pages.FillSlice), time.Millisecond))
			err := page.WaitForLoadState(playwright.PageWaitForLoadStateOptions{State: states[state], Timeout: limit})
			if errors.Is(err, playwright.ErrTimeout) {
				return struct{}{}, pages.ErrSlice
			}
			return struct{}{}, err
		})
		switch {
		case err == nil || !errors.Is(err, drivers.ErrNotReady):
			return err
		case time.Until(deadline) <= 0:
			return fmt.Errorf("%w: the page did not reach the state %s in time", screen.ErrNotFound, state)
		case !errors.Is(err, pages.ErrSlice):
			if err := browser.Pause(ctx, pages.LookPause); err != nil {
				return err
			}
		}
	}
}

// settler is a page that reports its requests on another way than all else. One that has lost it does not settle.
type settler interface {
	Settle(ctx context.Context) error
}

func (n *Navigator) waitTraffic(ctx context.Context, pattern string, answer bool, timeout time.Duration) error {
	fits, err := network.Compile(pattern)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(timeout)
	for {
		s, page, err := n.slot.Page()
		if err == nil {
			err = s.Refuses("webWait.request")
		}
		if p, ok := page.(settler); ok && err == nil {
			err = p.Settle(ctx)
		}
		if err != nil {
			return err
		}
		if s.Traffic.Has(fits, answer) {
			return nil
		}
		if time.Until(deadline) <= 0 {
			what := "request was sent to"
			if answer {
				what = "answer came from"
			}
			return fmt.Errorf("%w: no %s %s within %s: %s", screen.ErrNotFound, what, screen.Quote(pattern), timeout,
				s.Traffic.Newest(answer))
		}
		if err := browser.Pause(ctx, pages.LookPause/2); err != nil {
			return err
		}
	}
}

// loadGrace is how long a page that can be used may still load before the test continues without the rest; drawLimit is
// for its first frames: an invisible page draws none.
const (
	loadGrace = 2 * time.Second
	drawLimit = 500 * time.Millisecond
)

// arrived waits for the end of loading, though not for ever, and for two frames; it reports whether the page has
// loaded. One that is left while it loads says that it is complete, and never gets its load event; one that has loaded
// may have asked for another page in its place. It leaves no timer behind: the page would count as busy until it ends.
const arrived = `([grace, draw]) => new Promise(done => {
	let came, left = false, over = false;
	const timers = [];
	try { [came] = performance.getEntriesByType('navigation') } catch {} // the page has a performance of its own
	const leave = () => { left = true };
	const loaded = () => !left && document.readyState === 'complete' && !(came && came.loadEventStart === 0);
	const later = (what, delay) => { timers.push(setTimeout(what, delay)) };
	const end = () => {
		if (left && !over) return;
		removeEventListener('beforeunload', leave);
		removeEventListener('load', shown);
		timers.forEach(id => clearTimeout(id));
		done(loaded());
	};
	const shown = () => { later(end, draw); requestAnimationFrame(() => requestAnimationFrame(end)) };
	if (matchMedia('(scripting: none)').matches && loaded()) return done(true); // no listener is called, and no timer ends
	addEventListener('beforeunload', leave);
	addEventListener('load', shown, {once: true});
	later(() => { over = true; shown() }, grace);
	if (loaded()) shown();
})`

// arrive waits until a page that was gone to is drawn, and a moment for what it still loads; it notes how the page
// came.
func arrive(s *pages.BrowserContext, page playwright.Page, answer playwright.Response, err error, left time.Duration) {
	var opening drivers.WebOpening
	if answer != nil {
		opening.Status, opening.StatusText, opening.URL = answer.Status(), answer.StatusText(), answer.URL()
	}
	if err == nil {
		grace := min(loadGrace, max(left, 0))
		loading := make(chan []string, 1)
		began := time.Now()
		browser.Within(grace+2*drawLimit, func() { // a page that is busy does not answer
			for {
				rest := grace - time.Since(began)
				// an int64 would be undefined there
				loaded, err := page.Evaluate(arrived, []any{max(rest, 0).Seconds() * 1000, drawLimit.Seconds() * 1000})
				switch {
				case err != nil && browser.Passing(err) && rest > 0: // it has gone elsewhere: that page is waited for
					continue
				case err != nil:
				case loaded == true:
					loading <- nil
				default:
					loading <- s.Traffic.Loading()
				}
				return
			}
		})
		select {
		case opening.Loading = <-loading:
		default:
			opening.Loading = s.Traffic.Loading()
		}
	}
	s.SetOpening(opening)
}

// depart starts again: another page is gone to.
func depart(s *pages.BrowserContext) {
	s.SetOpening(drivers.WebOpening{})
	s.Traffic.Forget()
}
