package web

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	// loadGrace is how long a page that can be used may still load before the test goes on without the rest.
	loadGrace = 2 * time.Second
	// drawLimit is for a page to draw its first picture.
	drawLimit = 500
)

// maxLoading caps what is told of that a page still loads.
const maxLoading = 10

// drawn waits for two pictures of a page, though not for ever: a page that nobody sees draws none.
const drawn = `limit => new Promise(done => { setTimeout(done, limit); requestAnimationFrame(() => requestAnimationFrame(done)) })`

// arrive waits until a page that was gone to is drawn, and a moment for what it still loads; it notes how the page came.
func (s *session) arrive(page playwright.Page, answer playwright.Response, err error, left time.Duration) {
	var opening drivers.WebOpening
	if answer != nil {
		opening.Status, opening.StatusText, opening.URL = answer.Status(), answer.StatusText(), answer.URL()
	}
	if err == nil {
		waiting := playwright.PageWaitForLoadStateOptions{State: playwright.LoadStateLoad, Timeout: milliseconds(min(loadGrace, left))}
		if page.WaitForLoadState(waiting) != nil { // it loads on, or has gone on elsewhere
			opening.Loading = s.traffic.loading()
		}
		_, _ = page.Evaluate(drawn, drawLimit) // of a page that has gone on elsewhere nobody asks
	}
	s.mu.Lock()
	s.opening = opening
	s.mu.Unlock()
}

// Opening tells how the page came that was opened, or gone to, last.
func (d *Device) Opening(ctx context.Context) (drivers.WebOpening, error) {
	s, _, err := d.page()
	if err != nil {
		return drivers.WebOpening{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opening, ctx.Err()
}

// depart begins anew: another page is gone to.
func (s *session) depart() {
	s.mu.Lock()
	s.opening = drivers.WebOpening{}
	s.mu.Unlock()
	s.traffic.mu.Lock()
	s.traffic.open = nil
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

// loading gives the addresses of what is still on its way.
func (t *traffic) loading() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, r := range t.open {
		if address := r.URL(); !strings.HasPrefix(address, "data:") && len(list) < maxLoading {
			list = append(list, shortAddress(address))
		}
	}
	return list
}
