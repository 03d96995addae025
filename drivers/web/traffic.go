package web

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// maxTraffic caps the addresses that are kept between two actions.
const maxTraffic = 2000

// exchange is a request, or the answer to one.
type exchange struct {
	url    string
	said   string // GET, or 404 GET
	answer bool
}

// traffic is what the pages asked the network for since the last action on them.
type traffic struct {
	mu    sync.Mutex
	list  []exchange
	pages map[playwright.Request]bool // asked for and not yet answered
	open  []playwright.Request        // of any kind, not yet ended

	calls   map[playwright.Request]time.Time // that scripts made and that have not ended, and when they were made
	endedAt time.Time                        // when the last of them ended
	streams bool                             // a page receives from the network without a request
}

// started notes that a page was requested; ended that the response starts, or that there is none.
func (t *traffic) started(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pages == nil {
		t.pages = map[playwright.Request]bool{}
	}
	if len(t.pages) < maxTraffic {
		t.pages[r] = true
	}
}

func (t *traffic) ended(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.pages, r)
}

// navigating reports whether a page, or a frame of one, waits for its response.
func (t *traffic) navigating() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.pages) > 0
}

// leaving reports whether another page was requested in place of one, and has no response yet.
func (t *traffic) leaving(page playwright.Page) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.pages {
		if f := r.Frame(); f != nil && f == page.MainFrame() {
			return true
		}
	}
	return false
}

// mark starts again: an action is about to be made.
func (t *traffic) mark() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = nil
}

func (t *traffic) add(e exchange) {
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

// called notes a request of a script, or for the page of a frame; calledBack that it has ended.
func (t *traffic) called(r playwright.Request) {
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

func (t *traffic) waitFor(r playwright.Request) {
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

// receives notes that a page receives from the network without a request.
func (t *traffic) receives() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams = true
}

func (t *traffic) calledBack(r playwright.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.calls[r]; known {
		delete(t.calls, r)
		t.endedAt = time.Now()
	}
}

// rest reports whether the responses to calls are on their way.
func (t *traffic) rest() screen.Activity {
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

func (t *traffic) has(fits *regexp.Regexp, answer bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.list, func(e exchange) bool { return e.answer == answer && fits.MatchString(e.url) })
}

// newest returns the last exchanges, the newest first.
func (t *traffic) newest(answer bool) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, e := range slices.Backward(t.list) {
		if e.answer == answer && len(list) < 5 {
			list = append(list, fmt.Sprintf("%s %s", e.said, shorten.Runes(e.url, 99)))
		}
	}
	if len(list) == 0 {
		return "there was none at all"
	}
	return "the newest were " + strings.Join(list, ", ")
}
