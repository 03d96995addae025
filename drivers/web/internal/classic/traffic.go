package classic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// Wire is a Window that reports what its page requests, by the methods of Traffic, and changes it. Requests have the
// names that the browser uses.
type Wire interface {
	Window
	// Stop has requests wait from now on until one of the following methods is called.
	Stop(ctx context.Context) error
	// Continue lets a request go out, with other headers unless they are nil.
	Continue(ctx context.Context, id string, headers map[string]string) error
	// Fulfil responds in place of the network, Fail with an error.
	Fulfil(ctx context.Context, id string, a Answer) error
	Fail(ctx context.Context, id string) error
	// Body returns what the network has responded.
	Body(ctx context.Context, id string) ([]byte, error)
	// Cookies are those of the sites that the page consists of. SetCookie adds one of any site.
	Cookies(ctx context.Context) ([]*http.Cookie, error)
	SetCookie(ctx context.Context, cookie *http.Cookie) error
	// Script replaces the script that runs in each document before the page's own.
	Script(ctx context.Context, script string) error
	// Prefer sets a colour scheme, Dark or Light.
	Prefer(ctx context.Context, scheme string) error
}

// Answer is a response in place of the network.
type Answer struct {
	Status  int
	Headers map[string]string
	Body    []byte
}

// Sent is a request as a browser reports it.
type Sent struct {
	ID, Frame, Loader, Kind, URL, Method string
	Headers                              map[string]string
	Post                                 string    // the body
	PostUnknown                          bool      // there is a body, which is not reported
	Redirected                           *Received // the response that has led to the request, which had the same ID
}

// Received is the head of a response.
type Received struct {
	ID, URL, Text       string
	Frame, Loader, Kind string // of the request
	Status              int
	Headers             map[string]string
	Cached              bool // it was in the memory of the page
}

// Traffic is what a page requests.
type Traffic struct {
	page *Page

	mu       sync.Mutex
	main     string              // the frame that is the page itself; "": not known yet
	stopping bool                // requests wait for an answer
	open     map[string]*Request // that have not ended
	workers  map[string]bool     // that run
	early    map[string]bool     // URLs of requests, until Known is called
	document *Request            // the newest for the page itself
	changed  time.Time           // when a request started or ended last
}

func newTraffic(p *Page) *Traffic {
	return &Traffic{page: p, open: map[string]*Request{}, workers: map[string]bool{}, early: map[string]bool{}}
}

// SetMain says which frame is the page itself.
func (t *Traffic) SetMain(frame string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.main = frame
}

// SetStopping notes that each request is reported to Stopped from now on.
func (t *Traffic) SetStopping() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopping = true
}

// Sent reports a request.
func (t *Traffic) Sent(s Sent) {
	if s.Redirected != nil {
		s.Redirected.ID = s.ID
		t.Received(*s.Redirected)
		t.Finished(s.ID)
	}
	if isFavicon(s.URL) {
		return
	}
	r := t.requestOf(s)
	t.mu.Lock()
	t.open[s.ID], t.changed = r, time.Now()
	if t.early != nil {
		t.early[s.URL] = true
	}
	if r.IsNavigationRequest() && r.frame == t.page.main {
		t.document = r
	}
	t.mu.Unlock()
	t.page.context.report(func(l *listeners) { each[playwright.Request](l.request, r) })
}

func (t *Traffic) requestOf(s Sent) *Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &Request{id: s.ID, sent: s, headers: lowered(s.Headers), frame: t.page.main,
		mayPass: !t.stopping || s.Redirected != nil}
	if s.Frame != "" && t.main != "" && s.Frame != t.main {
		r.frame = &Frame{page: t.page, path: []int{unknownFrame}}
	}
	return r
}

// unknownFrame is the place of a frame of which only the parent is known.
const unknownFrame = -1

func lowered(headers map[string]string) map[string]string {
	out := make(map[string]string, len(headers))
	for name, value := range headers {
		out[strings.ToLower(name)] = value
	}
	return out
}

func (t *Traffic) request(id string) *Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open[id]
}

// Received reports the head of a response.
func (t *Traffic) Received(head Received) {
	r := t.request(head.ID)
	if isFavicon(head.URL) {
		return
	}
	if r == nil { // it was sent before the traffic was followed
		s := Sent{ID: head.ID, Frame: head.Frame, Loader: head.Loader, Kind: head.Kind, URL: head.URL, Method: http.MethodGet}
		t.Sent(s)
		if r = t.request(head.ID); r == nil {
			return
		}
		t.late(r)
	}
	response := &Response{request: r, head: head, headers: lowered(head.Headers), wire: t.page.wire()}
	r.answered(response)
	t.passed(r, head.Cached)
	t.page.context.keepCookies(response)
	t.page.context.report(func(l *listeners) { each[playwright.Response](l.response, response) })
}

// passed notes that a request for which there is a route was not stopped.
func (t *Traffic) passed(r *Request, cached bool) {
	if r.wasStopped() || r.mayPass || cached || !routed(r.URL()) {
		return
	}
	if t.page.context.routeOf(r.URL()) != nil {
		t.page.context.fail(passedError(r,
			t.page.context.browser.traits.Name+" does not stop synchronous requests and those of service workers"))
	}
}

// Finished reports that all of a response is there.
func (t *Traffic) Finished(id string) {
	if r := t.take(id); r != nil {
		t.page.context.report(func(l *listeners) { each[playwright.Request](l.finished, r) })
	}
}

// Failed reports that a request has failed, and why. A page that is left cancels its requests.
func (t *Traffic) Failed(id, why string, cancelled bool) {
	r := t.take(id)
	if r == nil {
		return
	}
	if cancelled {
		why = errAborted
	}
	r.failed(why)
	t.passed(r, cancelled)
	t.page.context.report(func(l *listeners) { each[playwright.Request](l.failed, r) })
}

// Committed reports that the page is another document now: what the one before has requested has ended.
func (t *Traffic) Committed(loader string) {
	t.mu.Lock()
	var left []string
	for id, r := range t.open {
		if r.sent.Loader != loader {
			left = append(left, id)
		}
	}
	t.mu.Unlock()
	for _, id := range left {
		t.Failed(id, errAborted, true)
	}
}

// errAborted is how drivers of Chromium report that a request was cancelled.
const errAborted = "net::ERR_ABORTED"

func (t *Traffic) take(id string) *Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.open[id]
	delete(t.open, id)
	t.changed = time.Now()
	return r
}

// Missed reports a response that was there before the traffic was followed: its status is not known.
func (t *Traffic) Missed(s Sent) {
	r := t.requestOf(s)
	context := t.page.context
	t.late(r)
	response := &Response{request: r, head: Received{ID: s.ID, URL: s.URL}, headers: map[string]string{}}
	r.answered(response)
	context.report(func(l *listeners) {
		each[playwright.Request](l.request, r)
		each[playwright.Response](l.response, response)
		each[playwright.Request](l.finished, r)
	})
}

// late notes that a request was sent before it could be changed.
func (t *Traffic) late(r *Request) {
	if context := t.page.context; routed(r.URL()) && context.changes(r.URL()) {
		context.fail(passedError(r, "a window that a page opens requests its first page before it can be changed"))
	}
}

// Socket reports that the page has opened a WebSocket.
func (t *Traffic) Socket() {
	p := t.page
	p.events.mu.Lock()
	handlers := append([]func(playwright.WebSocket){}, p.events.onSocket...)
	p.events.mu.Unlock()
	for _, f := range handlers {
		f(nil)
	}
}

// departs forgets the newest document; arrives returns the response to the one that came since, nil if there was none.
func (t *Traffic) departs() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.document = nil
}

func (t *Traffic) arrives() playwright.Response {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.document == nil {
		return nil
	}
	if response := t.document.response(); response != nil && response.head.Status != 0 {
		return response
	}
	return nil
}

// failure returns why the document that the page goes to does not come, nil while that is not known.
func (t *Traffic) failure() error {
	t.mu.Lock()
	document := t.document
	t.mu.Unlock()
	if document == nil {
		return nil
	}
	return document.Failure()
}

// network is what a context does with the requests of its pages.
type network struct {
	context *Context
	jar     *cookiejar.Jar
	tasks   *drivers.Lifetime // responses to requests that wait

	mu        sync.Mutex
	listeners listeners
	routes    []*route
	stops     bool // requests have to wait for routes
	offline   bool
	headers   map[string]string // in addition to those of each request
	broken    error             // why nothing that the pages show counts any more
}

func newNetwork(c *Context, headers map[string]string) *network {
	return &network{context: c, jar: newJar(), tasks: drivers.NewLifetime(), headers: headers}
}

// listeners are those of a context's traffic.
type listeners struct {
	request, failed, finished []func(playwright.Request)
	response                  []func(playwright.Response)
}

func each[T any](handlers []func(T), of T) {
	for _, f := range handlers {
		f(of)
	}
}

// report calls what listens. It must not hold the lock: a listener may ask the context.
func (c *network) report(call func(l *listeners)) {
	c.mu.Lock()
	l := c.listeners
	c.mu.Unlock()
	call(&l)
}

// OnRequest calls f for each request of a page.
func (c *network) OnRequest(f func(playwright.Request)) { register(&c.mu, &c.listeners.request, f) }

// OnRequestFailed calls f for each request that has failed.
func (c *network) OnRequestFailed(f func(playwright.Request)) {
	register(&c.mu, &c.listeners.failed, f)
}

// OnRequestFinished calls f for each request of which all of the response is there.
func (c *network) OnRequestFinished(f func(playwright.Request)) {
	register(&c.mu, &c.listeners.finished, f)
}

// OnResponse calls f for the head of each response.
func (c *network) OnResponse(f func(playwright.Response)) {
	register(&c.mu, &c.listeners.response, f)
}

// fail makes all further calls fail: what the context has promised its caller was not kept.
func (c *network) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil {
		c.broken = err
	}
}

func (c *network) brokenBy() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

// intercepts reports whether requests wait for decisions.
func (c *network) intercepts() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stops
}

// changes reports whether the context changes requests for a URL.
func (c *network) changes(address string) bool {
	c.mu.Lock()
	headers, offline := len(c.headers) > 0, c.offline
	c.mu.Unlock()
	return headers || offline || c.routeOf(address) != nil
}

// Settle returns when all that the page has done until now is reported.
func (p *Page) Settle(ctx context.Context) error {
	if p.attached == nil {
		return nil
	}
	return p.attached.Settle(ctx)
}

// wire returns the connection that reports requests, nil if there is none.
func (p *Page) wire() Wire {
	wire, _ := p.attached.(Wire)
	return wire
}

// lost returns why the connection next to WebDriver has ended, nil while it has not.
func (t *Traffic) lost() error {
	p := t.page
	if p.attached == nil {
		return nil
	}
	if err := p.attached.Err(); errors.Is(err, drivers.ErrDeviceLost) {
		return err
	} else if err != nil {
		return fmt.Errorf("%w: Web Inspector: %w", drivers.ErrDeviceLost, err)
	}
	return nil
}

// idleTime is how long nothing is requested by a page that is idle, as in Playwright.
const idleTime = 500 * time.Millisecond

// isIdle reports whether the page has requested nothing for a while, and waits for nothing.
func (t *Traffic) isIdle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open) == 0 && time.Since(t.changed) >= idleTime
}

// waitIdle waits until the page has loaded and requests nothing.
func (t *Traffic) waitIdle(limit time.Duration) error {
	p := t.page
	if p.wire() == nil {
		return fmt.Errorf("%w: what pages request is not known in %s", drivers.ErrUnsupported,
			p.context.browser.traits.Name)
	}
	ctx, cancel := context.WithTimeoutCause(p.context.life, limit, playwright.ErrTimeout)
	defer cancel()
	for {
		at, err := p.at()
		if err == nil && at.Ready == "complete" {
			if err = p.Settle(ctx); err == nil && t.isIdle() {
				return nil
			}
		}
		if err != nil && ctx.Err() == nil && !strings.Contains(err.Error(), "Execution context was destroyed") {
			return err
		}
		if drivers.Pause(ctx, arrivePoll) != nil {
			return p.context.explain(p, context.Cause(ctx))
		}
	}
}

// Worker reports that a worker of the page has started, or ended.
func (t *Traffic) Worker(id string, runs bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.workers, id)
	if runs {
		t.workers[id] = true
	}
}

// Workers are those of the page. Only their number is known.
func (t *Traffic) Workers() []playwright.Worker {
	t.mu.Lock()
	defer t.mu.Unlock()
	return make([]playwright.Worker, len(t.workers))
}

// Passed reports that requests for which there may be routes, or headers, have gone out without them.
func (t *Traffic) Passed(why string) {
	t.page.context.fail(fmt.Errorf("%w: requests of the page went out without the changes that the test makes "+
		"(webRoute, openBrowser): %s", drivers.ErrUnsupported, why))
}

// Known returns the URLs of requests that were reported until it is called.
func (t *Traffic) Known() map[string]bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.early
	t.early = nil
	return known
}
