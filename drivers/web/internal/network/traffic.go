package network

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// maxTraffic caps the addresses that are kept between two actions.
const maxTraffic = 2000

// Exchange is a request, or the answer to one.
type Exchange struct {
	Url    string
	Said   string // GET, or 404 GET
	Answer bool
}

// Traffic is what the pages asked the network for since the last action on them.
type Traffic struct {
	mu    sync.Mutex
	list  []Exchange
	pages map[playwright.Request]bool // asked for and not yet answered
	open  []playwright.Request        // of any kind, not yet ended

	calls   map[playwright.Request]time.Time // that scripts made and that have not ended, and when they were made
	endedAt time.Time                        // when the last of them ended
	streams bool                             // a page receives from the network without a request
}

// Started notes that a page was requested; ended that the response starts, or that there is none.
func (t *Traffic) Started(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pages == nil {
		t.pages = map[playwright.Request]bool{}
	}
	if len(t.pages) < maxTraffic {
		t.pages[r] = true
	}
}

func (t *Traffic) Ended(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.pages, r)
}

// Navigating reports whether a page, or a frame of one, waits for its response.
func (t *Traffic) Navigating() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.pages) > 0
}

// Leaving reports whether another page was requested in place of one, and has no response yet.
func (t *Traffic) Leaving(page playwright.Page) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.pages {
		if f := r.Frame(); f != nil && f == page.MainFrame() {
			return true
		}
	}
	return false
}

// Mark starts again: an action is about to be made.
func (t *Traffic) Mark() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = nil
}

func (t *Traffic) Add(e Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.list) < maxTraffic {
		t.list = append(t.list, e)
	}
}

// A call of a script counts for callsFor, so that one which waits for news is not awaited; what its answer brings about
// is drawn callsAfter.
const (
	callsFor   = 1500 * time.Millisecond
	callsAfter = 50 * time.Millisecond
)

// Called notes a request of a script, or for the page of a frame; CalledBack that it has ended.
func (t *Traffic) Called(r playwright.Request) {
	kind := r.ResourceType()
	t.mu.Lock()
	defer t.mu.Unlock()
	switch kind {
	case "eventsource", "websocket":
		t.streams = true
	case "document":
		if fromFrame(r) {
			t.waitFor(r)
		}
	case "fetch", "xhr", "script":
		t.waitFor(r)
	}
}

func (t *Traffic) waitFor(r playwright.Request) {
	if t.calls == nil {
		t.calls = map[playwright.Request]time.Time{}
	}
	if len(t.calls) < maxTraffic {
		t.calls[r] = time.Now()
	}
}

// fromFrame reports whether a request comes from a frame of a page. Of one for a page itself the frame may not be
// known.
func fromFrame(r playwright.Request) bool {
	frame := r.Frame()
	return frame != nil && frame.ParentFrame() != nil
}

// Receives notes that a page receives from the network without a request.
func (t *Traffic) Receives() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams = true
}

func (t *Traffic) CalledBack(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.calls[r]; known {
		delete(t.calls, r)
		t.endedAt = time.Now()
	}
}

// Rest reports whether the responses to calls are on their way.
func (t *Traffic) Rest() screen.Activity {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, at := range t.calls {
		if time.Since(at) < callsFor {
			return screen.Busy
		}
	}
	switch {
	case time.Since(t.endedAt) < callsAfter:
		return screen.Busy
	case t.streams, len(t.open) > 0:
		return screen.Unknown
	}
	return screen.Quiet
}

func (t *Traffic) Has(fits *regexp.Regexp, answer bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.list, func(e Exchange) bool { return e.Answer == answer && fits.MatchString(e.Url) })
}

// Newest returns the last exchanges, the newest first.
func (t *Traffic) Newest(answer bool) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, e := range slices.Backward(t.list) {
		if e.Answer == answer && len(list) < 5 {
			list = append(list, fmt.Sprintf("%s %s", e.Said, phrase.LimitRunes(e.Url, 99)))
		}
	}
	if len(list) == 0 {
		return "there was none at all"
	}
	return "the newest were " + strings.Join(list, ", ")
}

// maxLoading caps what is reported of what a page still loads.
const maxLoading = 10

// Forget starts again: what the page that is left has asked for does not count.
func (t *Traffic) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = nil
	clear(t.calls)
}

// Asked notes a request that has not ended; over that it has.
func (t *Traffic) Asked(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) < maxTraffic {
		t.open = append(t.open, r)
	}
}

func (t *Traffic) Over(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = slices.DeleteFunc(t.open, func(o playwright.Request) bool { return o == r })
}

// Loading returns the URLs of what is still loading.
func (t *Traffic) Loading() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, r := range t.open {
		if address := r.URL(); !strings.HasPrefix(address, "data:") && len(list) < maxLoading {
			list = append(list, phrase.LimitRunes(address, 99))
		}
	}
	return list
}

// answer is how the site answered when it was asked for a page.
type answer struct {
	status  int
	address string
}

// Responses holds the responses to the requests for the pages of a session themselves, the newest of each. The zero
// value is ready.
type Responses struct {
	mu      sync.Mutex
	answers map[playwright.Page]answer
}

// Of returns the response of a page; 0 for one that came from no server, or with a site that it has left since.
func (a *Responses) Of(page playwright.Page) (status int, address string) {
	a.mu.Lock()
	last := a.answers[page]
	a.mu.Unlock()
	if !sameSite(last.address, page.URL()) {
		return 0, ""
	}
	return last.status, last.address
}

// Answered keeps the answer to a request for a page as a whole, and returns that page; nil for any other answer.
func (a *Responses) Answered(r playwright.Response) playwright.Page {
	if !r.Request().IsNavigationRequest() {
		return nil
	}
	frame := r.Frame()
	if frame == nil || frame.ParentFrame() != nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answers == nil {
		a.answers = map[playwright.Page]answer{}
	}
	a.answers[frame.Page()] = answer{r.Status(), r.URL()}
	return frame.Page()
}

func sameSite(a, b string) bool {
	x, err := url.Parse(a)
	if err != nil {
		return false
	}
	y, err := url.Parse(b)
	return err == nil && x.Scheme == y.Scheme && x.Host == y.Host
}
