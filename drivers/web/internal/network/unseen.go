package network

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// UnseenRoots records which documents declare closed shadow roots in their HTML. A browser without DevTools shows such
// roots to no script: they exist before any script of the page runs. So the HTML is searched, as the browser received
// it; nothing is requested a second time. Documents are known by the URL that they were loaded from: a document may
// change its own URL, and one that comes from the cache of whole pages has no response.
type UnseenRoots struct {
	mu       sync.Mutex
	declared map[string]bool             // URLs of which the newest response declares some, without fragments
	newest   map[string]chan struct{}    // the reads that have not ended, by URL; closed when they end
	until    map[chan struct{}]time.Time // how long a tree waits for each of them
}

const (
	// unseenWait is how long after its headers trees wait for the HTML of a document.
	unseenWait = 5 * time.Second
	// unseenAsk is how long a frame may take to report the URL that its document was loaded from.
	unseenAsk = time.Second
)

// UnseenNote reports in a tree that something of the page is not in it.
func UnseenNote(browser string) string {
	return fmt.Sprintf("the page's HTML declares closed shadow roots, and %s does not report their content: "+
		"use Chromium, or open shadow roots in test builds", browser)
}

var (
	closedTemplate = lazyregexp.New(`(?i)<template\s[^>]*\bshadowrootmode\s*=\s*["']?closed\b`)
	noMarkup       = lazyregexp.New(`(?is)<!--.*?-->|<script\b.*?</script|<style\b.*?</style|` +
		`<textarea\b.*?</textarea|<title\b.*?</title`)
)

// DeclaresClosedRoots reports whether HTML declares a closed shadow root outside of comments, scripts and texts.
func DeclaresClosedRoots(html string) bool {
	if !strings.Contains(strings.ToLower(html), "shadowrootmode") { // expressions take long on large pages
		return false
	}
	return closedTemplate.MatchString(html) && closedTemplate.MatchString(noMarkup.ReplaceAllString(html, ""))
}

// Answered searches the HTML of a document that arrives, in the background.
func (u *UnseenRoots) Answered(r playwright.Response, background func(func()) error) {
	kind := strings.ToLower(r.Headers()["content-type"])
	if !r.Request().IsNavigationRequest() || r.Status() == 204 || r.Status() >= 300 && r.Status() < 400 ||
		kind != "" && !strings.HasPrefix(kind, "text/html") {
		return
	}
	of, read := withoutFragment(r.URL()), make(chan struct{})
	u.mu.Lock()
	if u.declared == nil {
		u.declared, u.newest = map[string]bool{}, map[string]chan struct{}{}
		u.until = map[chan struct{}]time.Time{}
	}
	u.newest[of], u.until[read] = read, time.Now().Add(unseenWait)
	u.mu.Unlock()
	search := func() (declares, known bool) {
		text, err := r.Text() // fails if the page was left, or if the browser has not kept the response
		return err == nil && DeclaresClosedRoots(text), err == nil
	}
	if background(func() { u.ended(of, read, search) }) != nil {
		u.ended(of, read, func() (bool, bool) { return false, false })
	}
}

// ended searches a document and records the result, unless a newer response of its URL has come meanwhile.
func (u *UnseenRoots) ended(of string, read chan struct{}, search func() (declares, known bool)) {
	declares, known := search()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.newest[of] == read {
		delete(u.newest, of)
		if declares {
			u.declared[of] = true
		} else if known {
			delete(u.declared, of)
		}
	}
	delete(u.until, read)
	close(read)
}

// DeclaredIn reports whether a document of the page declares closed shadow roots. The frames are queried only if a
// document of the session does.
func (u *UnseenRoots) DeclaredIn(ctx context.Context, page playwright.Page, loading bool) bool {
	if !loading {
		u.wait(ctx)
	}
	u.mu.Lock()
	none := len(u.declared) == 0
	u.mu.Unlock()
	for _, frame := range browser.FramesUnder(page.MainFrame()) {
		address := frame.URL()
		if strings.HasPrefix(address, "data:") {
			if DeclaresClosedRoots(dataOf(address)) {
				return true
			}
			continue
		}
		if none {
			continue
		}
		u.mu.Lock()
		declares := u.declared[loadedFrom(frame)]
		u.mu.Unlock()
		if declares {
			return true
		}
	}
	return false
}

// wait returns when all documents that arrive are searched, or have had their time.
func (u *UnseenRoots) wait(ctx context.Context) {
	u.mu.Lock()
	reads := make(map[chan struct{}]time.Time, len(u.until))
	for read, end := range u.until {
		reads[read] = end
	}
	u.mu.Unlock()
	for read, end := range reads {
		select {
		case <-read:
		case <-time.After(time.Until(end)):
		case <-ctx.Done():
			return
		}
	}
}

// loadedFrom returns the URL that a frame's document was loaded from, whatever URL its scripts have set since.
func loadedFrom(frame playwright.Frame) string {
	name, err := frame.Locator(":root").Evaluate("() => performance.getEntriesByType('navigation')[0]?.name", nil,
		playwright.LocatorEvaluateOptions{Timeout: browser.Milliseconds(unseenAsk)})
	if text, ok := name.(string); ok && err == nil && strings.Contains(text, ":") {
		return withoutFragment(text)
	}
	return withoutFragment(frame.URL())
}

func withoutFragment(address string) string {
	address, _, _ = strings.Cut(address, "#")
	return address
}

// dataOf returns the content of a data URL, "" if it cannot be decoded.
func dataOf(address string) string {
	kind, data, _ := strings.Cut(address, ",")
	text, err := url.PathUnescape(data)
	if err != nil {
		return ""
	}
	if strings.HasSuffix(kind, ";base64") {
		plain, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return ""
		}
		return string(plain)
	}
	return text
}
