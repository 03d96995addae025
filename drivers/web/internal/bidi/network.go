package bidi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// exchange is a request that has not ended.
type exchange struct {
	id, context, kind, url string
	origin                 string            // of the page that has sent it
	redirects              bool              // its response leads to another URL
	head                   classic.Received  // of that response
	answered               bool              // the head of the response was reported
	document               bool              // it is for a document
	headers                map[string]string // with which it was sent; nil: its own
}

// reported is an event of the network.
type reported struct {
	Context       string
	IsBlocked     bool
	Navigation    *string
	RedirectCount int
	Initiator     struct{ Type string }
	Request       struct {
		Request, URL, Method, Destination, InitiatorType string
		Headers                                          []webdriver.Header
		Kind                                             string `json:"goog:resourceType"`
		Body                                             string `json:"goog:postData"`
		BodySize                                         int64  // in bytes
	}
	Response struct {
		URL, StatusText, MimeType string
		Status                    int
		FromCache                 bool
		Headers                   []webdriver.Header
	}
	ErrorText string
}

func (s *Events) hearNetwork(method string, params json.RawMessage) {
	var p reported
	if json.Unmarshal(params, &p) != nil {
		s.mangled(method)
		return
	}
	window, _ := s.windowOf(p.Context)
	if s.isHidden(window) {
		if p.IsBlocked {
			go s.fill(p.Request.Request)
		}
		return
	}
	s.forWindow(window, func(page *classic.Page) {
		if method == "network.beforeRequestSent" {
			s.sent(page.Traffic, p)
			return
		}
		s.received(page.Traffic, method, p)
	})
}

// forWindow calls f with the page in a window; without one, f is called once there is. What belongs to no window, as
// the requests of a service worker, is reported to one of the pages.
func (s *Events) forWindow(window string, f func(page *classic.Page)) {
	s.mu.Lock()
	page := s.pages[window]
	for _, any := range s.pages {
		if window == "" && page == nil {
			page = any
		}
	}
	_, open := s.parents[window]
	waits := page == nil && open && len(s.waiting[window]) < maxWaiting
	if waits {
		s.waiting[window] = append(s.waiting[window], f)
	}
	s.mu.Unlock()
	switch {
	case page != nil:
		f(page)
	case open && !waits:
		s.mangled("too many for a new window")
	}
}

// sent reports a request. As in Playwright, data URLs are not reported, and after a redirect no route decides again.
func (s *Events) sent(t *classic.Traffic, p reported) {
	id := p.Request.Request
	if strings.HasPrefix(p.Request.URL, "data:") {
		if p.IsBlocked {
			go func() { _ = s.proceed(context.Background(), id, nil) }() // fails when the page is gone
		}
		return
	}
	if p.Initiator.Type == "preflight" && p.IsBlocked {
		go s.allow(id, webdriver.Headers(p.Request.Headers))
		return
	}
	sent := classic.Sent{ID: id, Kind: kindOf(p), URL: p.Request.URL, Method: p.Request.Method,
		Headers: webdriver.Headers(p.Request.Headers), Post: p.Request.Body,
		PostUnknown: p.Request.Body == "" && p.Request.BodySize > 0, Frame: p.Context}
	x := &exchange{id: id, context: p.Context, kind: sent.Kind, url: sent.URL, document: sent.Kind == "document"}
	s.mu.Lock()
	before := s.requests[id]
	x.origin = classic.OriginOf(s.urls[p.Context])
	if p.RedirectCount > 0 && before != nil {
		x.headers = before.headers
		sent.Redirected = &before.head
	}
	s.requests[id] = x
	s.mu.Unlock()
	if x.document {
		s.meet(p.Request.URL)
	}
	t.Sent(sent)
	switch {
	case !p.IsBlocked:
	case p.RedirectCount > 0:
		go func() { _ = s.proceed(context.Background(), id, x.headers) }() // fails when the page is gone
	default:
		t.Stopped(id)
	}
}

// received reports a response, or the end of a request. The head of one that redirects is reported with the request
// that follows.
func (s *Events) received(t *classic.Traffic, method string, p reported) {
	id := p.Request.Request
	s.mu.Lock()
	x := s.requests[id]
	if x == nil {
		s.mu.Unlock()
		return
	}
	head := classic.Received{ID: id, URL: p.Response.URL, Status: p.Response.Status, Text: p.Response.StatusText,
		Headers: webdriver.Headers(p.Response.Headers), Cached: p.Response.FromCache}
	failed := method == "network.fetchError"
	if !failed && !x.answered {
		x.head = head
		x.redirects = head.Status >= 300 && head.Status < 400 && head.Headers["location"] != ""
	}
	reports := !x.answered && (!failed && !x.redirects || failed && x.redirects)
	if reports {
		x.answered = true
	}
	ends := method != "network.responseStarted" && !(x.redirects && !failed)
	if ends {
		delete(s.requests, id)
		s.noteDocument(x, p, failed)
	} else if x.document && !x.redirects {
		s.urls[x.context] = x.url
	}
	s.mu.Unlock()
	if reports {
		t.Received(x.head)
	}
	switch {
	case failed:
		why := p.ErrorText
		if why == "" {
			why = "net::ERR_BLOCKED_BY_CSP"
		}
		t.Failed(id, why, strings.Contains(why, "ERR_ABORTED") || strings.Contains(why, "NS_BINDING_ABORTED"))
	case ends:
		t.Finished(id)
	}
}

// kindOf is what a request is for, in Playwright's words.
func kindOf(p reported) string {
	switch p.Request.Kind {
	case "":
	case "Preflight", "CSPViolationReport", "SignedExchange", "FedCM", "Prefetch":
		return "other"
	default:
		return strings.ToLower(p.Request.Kind)
	}
	switch p.Request.InitiatorType {
	case "fetch":
		return "fetch"
	case "xmlhttprequest":
		return "xhr"
	}
	switch p.Request.Destination {
	case "document", "iframe", "frame":
		return "document"
	case "style":
		return "stylesheet"
	case "audio", "video":
		return "media"
	case "track":
		return "texttrack"
	case "script", "image", "font", "manifest":
		return p.Request.Destination
	}
	return "other"
}

// stop has all requests wait from now on, once.
func (s *Events) stop(ctx context.Context) error {
	s.mu.Lock()
	again := s.stops
	s.stops = true
	s.mu.Unlock()
	if again {
		return nil
	}
	_, err := s.intercept(ctx, map[string]any{"phases": []string{"beforeRequestSent"}})
	return err
}

// intercept adds an interception; one that is not of a window is removed by Restore.
func (s *link) intercept(ctx context.Context, params map[string]any) (remove call, err error) {
	var made struct{ Intercept string }
	if err := s.conn.Call(ctx, "network.addIntercept", params, &made); err != nil {
		return call{}, s.explain(err)
	}
	remove = call{"network.removeIntercept", map[string]any{"intercept": made.Intercept}}
	if params["contexts"] == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.undo = append(s.undo, remove)
	}
	return remove, nil
}

// decide carries out a decision about a request. One that is gone needs none.
func (s *link) decide(ctx context.Context, method, id string, params map[string]any) error {
	params["request"] = id
	err := s.conn.Call(ctx, method, params, nil)
	if webdriver.Is(err, "no such request") || webdriver.Is(err, webdriver.UnknownError) &&
		strings.Contains(err.Error(), "InterceptionId") {
		return nil
	}
	return s.explain(err)
}

// proceed lets a request go out, with other headers unless they are nil.
func (s *Events) proceed(ctx context.Context, id string, headers map[string]string) error {
	params := map[string]any{}
	if headers != nil {
		params["headers"] = webdriver.HeaderList(headers)
		s.mu.Lock()
		if x := s.requests[id]; x != nil {
			x.headers = headers
		}
		s.mu.Unlock()
	}
	return s.decide(ctx, "network.continueRequest", id, params)
}

// respond responds in place of the network. Browsers need a text for the status.
func (s *link) respond(ctx context.Context, id string, a classic.Answer) error {
	phrase := http.StatusText(a.Status)
	if phrase == "" {
		phrase = "Unknown"
	}
	return s.decide(ctx, "network.provideResponse", id, map[string]any{"statusCode": a.Status, "reasonPhrase": phrase,
		"headers": webdriver.HeaderList(a.Headers),
		"body":    map[string]any{"type": "base64", "value": base64.StdEncoding.EncodeToString(a.Body)}})
}

// allow responds to the question of a browser whether a page may send a request to another site. As in Playwright, all
// is allowed while routes decide.
func (s *link) allow(id string, asked map[string]string) {
	headers := map[string]string{"access-control-allow-origin": asked["origin"],
		"access-control-allow-credentials": "true", "access-control-allow-methods": "GET, POST, OPTIONS, DELETE"}
	if method := asked["access-control-request-method"]; method != "" {
		headers["access-control-allow-methods"] = method
	}
	if names := asked["access-control-request-headers"]; names != "" {
		headers["access-control-allow-headers"] = names
	}
	a := classic.Answer{Status: http.StatusNoContent, Headers: headers}
	_ = s.respond(context.Background(), id, a) // fails when the page is gone
}

// fill responds with an empty page.
func (s *link) fill(id string) {
	a := classic.Answer{Status: http.StatusOK, Headers: map[string]string{"content-type": "text/html"},
		Body: []byte("<!doctype html>")}
	_ = s.respond(context.Background(), id, a) // fails when the window is gone
}

// Stop has requests wait.
func (w *Window) Stop(ctx context.Context) error {
	err := w.session.stop(ctx)
	if err == nil {
		w.page.Traffic.SetStopping()
	}
	return err
}

// Continue lets a request go out.
func (w *Window) Continue(ctx context.Context, id string, headers map[string]string) error {
	return w.session.proceed(ctx, id, headers)
}

// Fulfil responds in place of the network. As Playwright does, it allows a page of another site to read the response.
func (w *Window) Fulfil(ctx context.Context, id string, a classic.Answer) error {
	s := w.session
	s.mu.Lock()
	x := s.requests[id]
	s.mu.Unlock()
	if x != nil && !x.document {
		shared := false
		for name := range a.Headers {
			shared = shared || strings.EqualFold(name, "access-control-allow-origin")
		}
		if target := classic.OriginOf(x.url); !shared && x.origin != "" && target != "" && target != x.origin {
			a.Headers["access-control-allow-origin"], a.Headers["vary"] = x.origin, "Origin"
			a.Headers["access-control-allow-credentials"] = "true"
		}
	}
	return s.respond(ctx, id, a)
}

// Fail responds with an error.
func (w *Window) Fail(ctx context.Context, id string) error {
	return w.session.decide(ctx, "network.failRequest", id, map[string]any{})
}

// Body returns what the network has responded.
func (w *Window) Body(ctx context.Context, id string) ([]byte, error) {
	text, err := w.session.body(ctx, "response", id)
	return []byte(text), err
}

// SentBody returns the body of a request.
func (w *Window) SentBody(ctx context.Context, id string) ([]byte, error) {
	text, err := w.session.body(ctx, "request", id)
	return []byte(text), err
}

// Cookies are those of all sites.
func (w *Window) Cookies(ctx context.Context) (list []*http.Cookie, err error) {
	all, err := w.session.cookies(ctx)
	for _, c := range all {
		list = append(list, &http.Cookie{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Secure: c.Secure,
			HttpOnly: c.HttpOnly})
	}
	return list, err
}

// SetCookie does nothing: the browser takes the cookies of a response by itself.
func (w *Window) SetCookie(context.Context, *http.Cookie) error { return nil }

// Script is not needed: what pages know of the network is changed by the browser.
func (w *Window) Script(context.Context, string) error { return nil }

// Prefer is refused.
func (w *Window) Prefer(context.Context, string) error { return errScheme }

var errScheme = errors.New("WebDriver BiDi does not change the colours of pages")
