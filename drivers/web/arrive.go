package web

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// loadGrace is how long a page that can be used may still load before the test continues without the rest; drawLimit is
// for its first frames: an invisible page draws none.
const (
	loadGrace = 2 * time.Second
	drawLimit = 500 * time.Millisecond
)

// maxLoading caps what is reported of what a page still loads.
const maxLoading = 10

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
func arrive(s *session, page playwright.Page, answer playwright.Response, err error, left time.Duration) {
	var opening drivers.WebOpening
	if answer != nil {
		opening.Status, opening.StatusText, opening.URL = answer.Status(), answer.StatusText(), answer.URL()
	}
	if err == nil {
		grace := min(loadGrace, max(left, 0))
		loading := make(chan []string, 1)
		began := time.Now()
		within(grace+2*drawLimit, func() { // a page that is busy does not answer
			for {
				rest := grace - time.Since(began)
				// an int64 would be undefined there
				loaded, err := page.Evaluate(arrived, []any{max(rest, 0).Seconds() * 1000, drawLimit.Seconds() * 1000})
				switch {
				case err != nil && passing(err) && rest > 0: // it has gone elsewhere: that page is waited for
					continue
				case err != nil:
				case loaded == true:
					loading <- nil
				default:
					loading <- s.traffic.loading()
				}
				return
			}
		})
		select {
		case opening.Loading = <-loading:
		default:
			opening.Loading = s.traffic.loading()
		}
	}
	s.mu.Lock()
	s.opening = opening
	s.mu.Unlock()
}

// Opening reports how the page came that was opened, or gone to, last.
func (n *Navigator) Opening(ctx context.Context) (drivers.WebOpening, error) {
	s, _, err := n.slot.page()
	if err != nil {
		return drivers.WebOpening{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opening, ctx.Err()
}

// depart starts again: another page is gone to.
func depart(s *session) {
	s.mu.Lock()
	s.opening = drivers.WebOpening{}
	s.mu.Unlock()
	s.traffic.mu.Lock()
	s.traffic.open = nil
	clear(s.traffic.calls)
	s.traffic.mu.Unlock()
}

// asked notes a request that has not ended; over that it has.
func (t *traffic) asked(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) < maxTraffic {
		t.open = append(t.open, r)
	}
}

func (t *traffic) over(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = slices.DeleteFunc(t.open, func(o playwright.Request) bool { return o == r })
}

// loading returns the URLs of what is still loading.
func (t *traffic) loading() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, r := range t.open {
		if address := r.URL(); !strings.HasPrefix(address, "data:") && len(list) < maxLoading {
			list = append(list, shorten.Runes(address, 99))
		}
	}
	return list
}
