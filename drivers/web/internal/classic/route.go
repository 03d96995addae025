package classic

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/urlpattern"
)

// route is what becomes of requests for some URLs.
type route struct {
	page    *Page // nil: of all pages
	fits    func(address string) bool
	handler func(playwright.Route)
}

// Route has a handler decide on each request for a URL that fits, unless one that is added later does.
func (c *network) Route(address any, handler func(playwright.Route), _ ...int) error {
	return c.addRoute(nil, address, handler)
}

// Route is that of the context, for the requests of this page.
func (t *Traffic) Route(address any, handler func(playwright.Route), _ ...int) error {
	return t.page.context.addRoute(t.page, address, handler)
}

func (c *network) addRoute(p *Page, address any, handler func(playwright.Route)) error {
	r := &route{page: p, handler: handler}
	switch of := address.(type) {
	case func(string) bool:
		r.fits = of
	case *regexp.Regexp:
		r.fits = of.MatchString
	case string:
		pattern, err := urlpattern.Compile(of)
		if err != nil {
			return err
		}
		r.fits = pattern.MatchString
	default:
		return fmt.Errorf("a route is not for %T", address)
	}
	return c.stopAll(func() { c.routes = append(c.routes, r) })
}

// stopAll makes a change after which requests have to wait, and has them do so.
func (c *network) stopAll(change func()) error {
	if !c.context.browser.traits.Wired {
		return c.context.refused("routes")
	}
	return c.context.do(nil, callLimit, func(ctx context.Context) error { // no page opens meanwhile
		c.mu.Lock()
		change()
		c.stops = true
		c.mu.Unlock()
		for _, p := range c.context.openPages() {
			if err := p.wire().Stop(ctx); err != nil && !p.IsClosed() {
				return err
			}
		}
		return nil
	})
}

// routeOf returns the first of the routes for a URL, nil if there is none.
func (c *network) routeOf(address string) *route {
	list := c.routesOf(nil, address)
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// routesOf returns the routes for a URL in their order; p may be nil: whichever page.
func (c *network) routesOf(p *Page, address string) (list []*route) {
	c.mu.Lock()
	all := slices.Clone(c.routes)
	c.mu.Unlock()
	for _, r := range slices.Backward(all) {
		if (r.page == nil || p == nil || r.page == p) && r.fits(address) {
			list = append(list, r)
		}
	}
	return list
}

// Stopped reports that a request waits. It goes out unless a route is for it.
func (t *Traffic) Stopped(id string) {
	r, c, wire := t.request(id), t.page.context, t.page.wire()
	var list []*route
	if r != nil && routed(r.URL()) {
		list = c.routesOf(t.page, r.URL())
		r.mu.Lock()
		r.stopped = true
		r.mu.Unlock()
	}
	_ = c.tasks.Go(func() {
		s := &stopped{traffic: t, wire: wire, id: id, request: r, routes: list}
		s.next(nil)
	})
}

// stopped is a request that waits, with the routes that were not asked yet.
type stopped struct {
	playwright.Route
	traffic *Traffic
	wire    Wire
	id      string
	request *Request
	routes  []*route
	headers map[string]string // with which it goes out; nil: as they are

	redirected bool // the network has responded with another URL
}

// next calls the next route.
func (s *stopped) next(headers map[string]string) {
	if headers != nil {
		s.headers = headers
	}
	if len(s.routes) > 0 {
		first := s.routes[0]
		s.routes = s.routes[1:]
		first.handler(s)
		return
	}
	if s.request != nil && routed(s.request.URL()) && s.traffic.page.context.isOffline() {
		_ = s.Abort("internetdisconnected")
		return
	}
	_ = s.done(func(ctx context.Context) error { return s.wire.Continue(ctx, s.id, s.headers) })
}

// done calls f with a limit. A request of a page that was left meanwhile needs no answer.
func (s *stopped) done(f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(s.traffic.page.context.life, callLimit)
	defer cancel()
	return f(ctx)
}

// Request is what waits.
func (s *stopped) Request() playwright.Request { return s.request }

// Fallback leaves the request to the other routes, or to the network.
func (s *stopped) Fallback(options ...playwright.RouteFallbackOptions) error {
	var headers map[string]string
	if len(options) > 0 {
		headers = options[0].Headers
	}
	s.next(headers)
	return nil
}

// causes are the errors of drivers of Chromium for what Abort is called with.
var causes = map[string]string{"blockedbyclient": "ERR_BLOCKED_BY_CLIENT", "accessdenied": "ERR_ACCESS_DENIED",
	"internetdisconnected": "ERR_INTERNET_DISCONNECTED"}

// Abort responds with an error.
func (s *stopped) Abort(code ...string) error {
	cause := "ERR_FAILED"
	if len(code) > 0 && causes[code[0]] != "" {
		cause = causes[code[0]]
	}
	s.request.failed("net::" + cause)
	return s.done(func(ctx context.Context) error { return s.wire.Fail(ctx, s.id) })
}

// Fulfill responds in place of the network.
func (s *stopped) Fulfill(options ...playwright.RouteFulfillOptions) error {
	if s.redirected && slices.Contains([]string{http.MethodGet, http.MethodHead}, s.request.Method()) {
		s.next(nil) // WebKit follows the redirect itself: what a test responds cannot be one
		return nil
	}
	a, err := answerOf(options)
	if err == nil {
		err = s.done(func(ctx context.Context) error { return s.fulfil(ctx, a) })
	}
	if err != nil && s.traffic.request(s.id) != nil { // the page waits for it
		s.traffic.page.context.fail(fmt.Errorf("%w: the response of the test to %s was not passed on: %w",
			drivers.ErrUnsupported, s.request.URL(), err))
	}
	return err
}

func (s *stopped) fulfil(ctx context.Context, a Answer) error {
	for name, value := range a.Headers {
		if !strings.EqualFold(name, "set-cookie") {
			continue
		}
		if err := s.keepCookies(ctx, value); err != nil {
			return err
		}
	}
	a.Body = marked(a, s.request.ResourceType())
	return s.wire.Fulfil(ctx, s.id, a)
}

// keepCookies adds the cookies of a header: the browser does not look for them in such a response.
func (s *stopped) keepCookies(ctx context.Context, lines string) error {
	for line := range strings.SplitSeq(lines, "\n") {
		cookie, err := http.ParseSetCookie(line)
		if err != nil {
			return err
		}
		if err := s.wire.SetCookie(ctx, siteCookie(cookie, s.request.URL())); err != nil {
			return err
		}
	}
	return nil
}

func answerOf(options []playwright.RouteFulfillOptions) (Answer, error) {
	var o playwright.RouteFulfillOptions
	if len(options) > 0 {
		o = options[0]
	}
	a := Answer{Status: http.StatusOK, Headers: maps.Clone(o.Headers)}
	if a.Headers == nil {
		a.Headers = map[string]string{}
	}
	if o.Status != nil {
		a.Status = *o.Status
	}
	if o.ContentType != nil {
		a.Headers["content-type"] = *o.ContentType
	}
	switch body := o.Body.(type) {
	case nil:
	case string:
		a.Body = []byte(body)
	case []byte:
		a.Body = body
	default:
		return a, fmt.Errorf("a response has no body of the type %T", body)
	}
	if a.Status >= 300 && a.Status < 400 && a.Status != http.StatusNotModified {
		return a, fmt.Errorf("%w: this browser follows no redirect of a test (status %d)", drivers.ErrUnsupported,
			a.Status)
	}
	return a, nil
}

// mark is what says at its start that a text is UTF-8.
const mark = "\xef\xbb\xbf"

// marked returns the body of an answer. WebKit reads what a test responds in the characters of the page around it, or
// of western Europe, whatever its headers are: a text with UTF-8 in its headers gets a mark, which no script sees.
func marked(a Answer, kind string) []byte {
	if !slices.Contains([]string{"document", "script", "stylesheet"}, kind) {
		return a.Body
	}
	_, set, _ := strings.Cut(strings.ToLower(a.contentType()), "charset=")
	if set = strings.Trim(set, `"' `); set != "utf-8" && set != "utf8" || strings.HasPrefix(string(a.Body), mark) {
		return a.Body
	}
	return append([]byte(mark), a.Body...)
}

func (a Answer) contentType() string {
	for name, value := range a.Headers {
		if strings.EqualFold(name, "content-type") {
			return value
		}
	}
	return ""
}

// MIMEType is the type of the body, without its characters.
func (a Answer) MIMEType() string {
	kind, _, _ := strings.Cut(a.contentType(), ";")
	return strings.TrimSpace(kind)
}
