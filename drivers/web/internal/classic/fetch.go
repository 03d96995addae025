package classic

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// fetchBytes is the most that a response may have which a test changes; fetchLimit is how long it may take.
const (
	fetchBytes = 64 << 20
	fetchLimit = 30 * time.Second
)

// textual are the types of bodies that are reported as they are sent.
var textual = lazyregexp.New(`^(text/|application/(json|xml|x-www-form-urlencoded|[\w.-]+\+(json|xml)))`)

// siteCookie is a cookie with the site and the path that it has without any of its own.
func siteCookie(cookie *http.Cookie, address string) *http.Cookie {
	u, err := url.Parse(address)
	if err != nil {
		return cookie
	}
	if cookie.Domain == "" {
		cookie.Domain = u.Hostname()
	} else if !strings.HasPrefix(cookie.Domain, ".") {
		cookie.Domain = "." + cookie.Domain
	}
	if cookie.Path == "" || cookie.Path[0] != '/' {
		cookie.Path = "/"
		if i := strings.LastIndexByte(u.Path, '/'); i > 0 {
			cookie.Path = u.Path[:i]
		}
	}
	return cookie
}

// keepCookies notes the cookies that a response sets: of the browser's own, only those of the page's sites are known.
func (c *network) keepCookies(r *Response) {
	line := r.headers["set-cookie"]
	u, err := url.Parse(r.URL())
	if line == "" || err != nil {
		return
	}
	var list []*http.Cookie
	for one := range strings.SplitSeq(line, "\n") {
		if cookie, err := http.ParseSetCookie(one); err == nil {
			list = append(list, cookie)
		}
	}
	c.jar.SetCookies(u, list)
}

// newJar returns an empty one. There is no list of public domains: cookies come from a browser, which has one.
func newJar() *cookiejar.Jar {
	jar, _ := cookiejar.New(nil) // it does not fail
	return jar
}

// Fetch makes the request in place of the browser, with the browser's cookies.
func (s *stopped) Fetch(options ...playwright.RouteFetchOptions) (playwright.APIResponse, error) {
	ctx, cancel := context.WithTimeout(s.traffic.page.context.life, fetchLimit)
	defer cancel()
	request, err := s.fetching(ctx, options)
	if errors.Is(err, drivers.ErrUnsupported) {
		s.traffic.page.context.fail(fmt.Errorf("the response to %s was not changed: %w", s.request.URL(), err))
	}
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: s.traffic.page.context.transport(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, fetchBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > fetchBytes {
		return nil, fmt.Errorf("the response is larger than %d MB", fetchBytes>>20)
	}
	headers := map[string]string{}
	for name, values := range answer.Header {
		separator := ", "
		if name == "Set-Cookie" {
			separator = "\n"
		}
		headers[strings.ToLower(name)] = strings.Join(values, separator)
	}
	s.redirected = answer.StatusCode >= 300 && answer.StatusCode < 400 && headers["location"] != ""
	return &fetched{status: answer.StatusCode, headers: headers, body: body}, nil
}

func (s *stopped) fetching(ctx context.Context, options []playwright.RouteFetchOptions) (*http.Request, error) {
	headers := s.headers
	if headers == nil {
		headers = s.request.Headers()
	}
	if len(options) > 0 && options[0].Headers != nil {
		headers = options[0].Headers
	}
	traits := s.traffic.page.context.browser.traits
	body, err := s.body(ctx)
	if err != nil {
		return nil, err
	}
	made, err := http.NewRequestWithContext(ctx, s.request.Method(), s.request.URL(), body)
	if err != nil {
		return nil, err
	}
	if traits.Elsewhere && webdriver.IsLoopback(made.URL.Hostname()) {
		return nil, fmt.Errorf("%w: %s is %s of the machine of the browser, which cannot be reached from here: give the "+
			"whole response in the test, with status, body or json", drivers.ErrUnsupported, made.URL.Host,
			made.URL.Hostname())
	}
	for name, value := range headers {
		if !strings.EqualFold(name, "accept-encoding") { // the transport unpacks what it has asked for by itself
			made.Header.Set(name, value)
		}
	}
	return made, s.addCookies(ctx, made)
}

// keepsBodies is a Wire that returns the body of a request with one that it has not reported.
type keepsBodies interface {
	SentBody(ctx context.Context, id string) ([]byte, error)
}

// body returns what the request sends, nil for one without a body.
func (s *stopped) body(ctx context.Context) (io.Reader, error) {
	sent, kind := s.request.sent, s.request.headers["content-type"]
	if wire, keeps := s.wire.(keepsBodies); keeps && sent.PostUnknown {
		if raw, err := wire.SentBody(ctx, sent.ID); err == nil {
			return bytes.NewReader(raw), nil
		}
	}
	switch {
	case sent.PostUnknown || sent.Post != "" && !textual.MatchString(kind):
		return nil, fmt.Errorf("%w: %s does not report the whole body of a request with %s", drivers.ErrUnsupported,
			s.traffic.page.context.browser.traits.Name, cmp.Or(kind, "no type"))
	case sent.Post == "":
		return nil, nil
	}
	return strings.NewReader(sent.Post), nil
}

// addCookies adds those of the site: as the browser knows them where the page consists of the site, or else those that
// its responses have set.
func (s *stopped) addCookies(ctx context.Context, to *http.Request) error {
	if to.Header.Get("Cookie") != "" {
		return nil
	}
	known, err := s.wire.Cookies(ctx)
	if err != nil {
		return err
	}
	ours := map[string]string{}
	for _, cookie := range s.traffic.page.context.jar.Cookies(to.URL) {
		ours[cookie.Name] = cookie.Value
	}
	for _, cookie := range known {
		if sentTo(cookie, to.URL) {
			ours[cookie.Name] = cookie.Value
		}
	}
	for name, value := range maps.All(ours) {
		to.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	return nil
}

// sentTo reports whether a cookie goes with requests for a URL.
func sentTo(cookie *http.Cookie, u *url.URL) bool {
	domain, host := strings.ToLower(cookie.Domain), strings.ToLower(u.Hostname())
	under, of := strings.CutPrefix(domain, ".")
	if host != under && (!of || !strings.HasSuffix(host, domain)) || cookie.Secure && u.Scheme != "https" {
		return false
	}
	path := strings.TrimSuffix(cookie.Path, "/")
	return u.Path == cookie.Path || path == "" || u.Path == path || strings.HasPrefix(u.Path, path+"/")
}

// transport returns one for a single request.
func (c *network) transport() *http.Transport {
	traits := c.context.browser.traits
	made := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if traits.Transport != nil {
		made = traits.Transport.Clone()
	}
	made.TLSClientConfig = &tls.Config{InsecureSkipVerify: c.context.anyCert || traits.AnyCert} //nolint:gosec // as asked
	return made
}

// fetched is a response of the network.
type fetched struct {
	playwright.APIResponse
	status  int
	headers map[string]string
	body    []byte
}

// Status is that of HTTP.
func (f *fetched) Status() int { return f.status }

// Headers are those of the response. Names are in lower case.
func (f *fetched) Headers() map[string]string { return maps.Clone(f.headers) }

// Body is what was sent, unpacked.
func (f *fetched) Body() ([]byte, error) { return f.body, nil }

// Dispose does nothing: the response is whole.
func (f *fetched) Dispose() error { return nil }
