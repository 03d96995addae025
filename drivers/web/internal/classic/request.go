package classic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// Request is a request of a page.
type Request struct {
	playwright.Request
	id      string
	sent    Sent
	headers map[string]string // names are in lower case
	frame   *Frame
	mayPass bool // it is not one that routes are for

	mu      sync.Mutex
	stopped bool
	answer  *Response
	why     string // it has failed, or is about to
}

// URL is where the request goes to.
func (r *Request) URL() string { return r.sent.URL }

// Method is that of HTTP.
func (r *Request) Method() string { return r.sent.Method }

// Headers are those that the page has set, and most of the browser's own. Names are in lower case.
func (r *Request) Headers() map[string]string { return maps.Clone(r.headers) }

// PostData is the body, as text.
func (r *Request) PostData() (string, error) { return r.sent.Post, nil }

// kinds are the names of resource types where they are not those of Web Inspector in lower case.
var kinds = map[string]string{"beacon": "ping", "": "other"}

// ResourceType is what the request is for, in the words of Playwright.
func (r *Request) ResourceType() string {
	kind := strings.ToLower(r.sent.Kind)
	if name, is := kinds[kind]; is {
		return name
	}
	if strings.HasPrefix(r.headers["accept"], "text/event-stream") {
		return "eventsource"
	}
	return kind
}

// IsNavigationRequest reports whether the request is for a page, or the page in a frame.
func (r *Request) IsNavigationRequest() bool { return r.ResourceType() == "document" }

// Frame returns the frame that has made the request.
func (r *Request) Frame() playwright.Frame { return r.frame }

// Failure is why there is no response, nil while it has not failed.
func (r *Request) Failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == "" {
		return nil
	}
	return errors.New(r.why)
}

// failed notes why the request has failed, unless it is known.
func (r *Request) failed(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == "" {
		r.why = why
	}
}

func (r *Request) answered(by *Response) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = by
}

func (r *Request) response() *Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answer
}

func (r *Request) wasStopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

func passedError(r *Request, why string) error {
	return fmt.Errorf("%w: the request %s %s went out without the changes that the test makes (webRoute, openBrowser): %s",
		drivers.ErrUnsupported, r.Method(), r.URL(), why)
}

// Response is the head of a response.
type Response struct {
	playwright.Response
	request *Request
	head    Received
	headers map[string]string
	wire    Wire
}

// URL is that of the request.
func (r *Response) URL() string { return r.head.URL }

// Status is that of HTTP; 0: it is not known.
func (r *Response) Status() int { return r.head.Status }

// StatusText is what the server says of the status.
func (r *Response) StatusText() string { return r.head.Text }

// Headers are those of the response. Names are in lower case.
func (r *Response) Headers() map[string]string { return maps.Clone(r.headers) }

// Request is what the response is to.
func (r *Response) Request() playwright.Request { return r.request }

// Frame is that of the request.
func (r *Response) Frame() playwright.Frame { return r.request.frame }

// Text is the content of the response.
func (r *Response) Text() (string, error) {
	if r.wire == nil {
		return "", errors.New("the content of the response is not known")
	}
	ctx, cancel := context.WithTimeout(r.request.frame.page.context.life, callLimit)
	defer cancel()
	body, err := r.wire.Body(ctx, r.request.id)
	return string(body), err
}

// routed reports whether routes are for a URL.
func routed(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.Contains([]string{"http", "https"}, u.Scheme) && !isFavicon(address)
}

// isFavicon reports whether a request is the browser's own, which Playwright does not report either.
func isFavicon(address string) bool { return strings.HasSuffix(address, "/favicon.ico") }
