package web

import (
	"strings"
	"sync"
	"time"
)

const (
	// blockedScript starts what Chromium writes to the console when a document that may not run scripts (a sandboxed
	// frame) should run one. A listener is one: those of Taproot and Playwright are called by the events of every touch
	// and key.
	blockedScript = "Blocked script execution in '"
	// consoleLate is how long after an action a message of the console may come that the action caused.
	consoleLate = 500 * time.Millisecond
)

// acting keeps when Taproot acts on the pages of a session. The zero value is ready.
type acting struct {
	mu           sync.Mutex
	running      int
	began, ended time.Time
	framed       time.Time // when a frame got a document last
}

// start is called at the start of an action; the result when it ends.
func (a *acting) start() (end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running++; a.running == 1 {
		a.began = time.Now()
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.running--
		a.ended = time.Now()
	}
}

// frame is called when a frame has got another document.
func (a *acting) frame() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.framed = time.Now()
}

// causedConsole reports whether a message of the console was caused by Taproot's own scripts or Playwright's, instead
// of by the page. Scripts that are put into a page have no URL. Their listeners are reported at the URL of the
// document, like the page's own scripts: those are blocked when a document comes, ours when an action reaches a
// document that was there before.
func (a *acting) causedConsole(text, url string) bool {
	if !strings.HasPrefix(text, blockedScript) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	acts := a.running > 0 || time.Since(a.ended) < consoleLate
	return url == "" || acts && a.framed.Before(a.began)
}
