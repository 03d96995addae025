package network

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// Route is a drivers.WebRoute that was checked.
type Route struct {
	fits    *regexp.Regexp
	method  string        // "": any
	left    *atomic.Int64 // requests that it is still for; nil: all
	block   bool
	delay   time.Duration
	answer  *playwright.RouteFulfillOptions // nil: the network responds
	request map[string]string               // headers with which the request goes out
	modify  *drivers.WebModify
}

// takes reports whether a request is the route's, and counts it.
func (r *Route) takes(request playwright.Request) bool {
	if r.method != "" && !strings.EqualFold(request.Method(), r.method) {
		return false
	}
	return r.left == nil || r.left.Add(-1) >= 0
}

func NewRoute(r drivers.WebRoute) (*Route, error) {
	fits, err := Compile(r.URL)
	if err != nil {
		return nil, err
	}
	made := &Route{fits: fits, method: r.Method, block: r.Block, delay: max(r.Delay, 0), request: r.Request,
		modify: r.Modify}
	if r.Times > 0 {
		made.left = &atomic.Int64{}
		made.left.Store(int64(r.Times))
	}
	if r.Modify != nil && r.Modify.Status != 0 && (r.Modify.Status < 100 || r.Modify.Status > 599) {
		return nil, fmt.Errorf("%w: %d is not a status of a response", drivers.ErrUnsupported, r.Modify.Status)
	}
	if r.Block || r.Status == 0 && r.Body == "" && r.JSON == nil && len(r.Headers) == 0 {
		return made, nil
	}
	if r.Status != 0 && (r.Status < 100 || r.Status > 599) {
		return nil, fmt.Errorf("%w: %d is not a status of a response", drivers.ErrUnsupported, r.Status)
	}
	headers := maps.Clone(r.Headers)
	if headers == nil {
		headers = map[string]string{}
	}
	body, kind := r.Body, "text/plain; charset=utf-8"
	if strings.HasPrefix(strings.TrimSpace(body), "<") {
		kind = "text/html; charset=utf-8"
	}
	if r.JSON != nil {
		text, err := json.Marshal(r.JSON)
		if err != nil {
			return nil, fmt.Errorf("%w: the answer for %s cannot be written as JSON: %w", drivers.ErrUnsupported,
				screen.Quote(r.URL), err)
		}
		body, kind = string(text), "application/json"
	}
	typed := false
	for name := range headers {
		typed = typed || strings.EqualFold(name, "content-type")
	}
	if !typed {
		headers["content-type"] = kind
	}
	status := r.Status
	if status == 0 {
		status = 200
	}
	made.answer = &playwright.RouteFulfillOptions{Status: playwright.Int(status), Body: body, Headers: headers}
	return made, nil
}

// Router changes what the pages of a context receive from the network.
type Router struct {
	context playwright.BrowserContext
	ending  <-chan struct{} // closed when its context is about to close
	log     *journal.Log
	console *journal.Console
	Offline atomic.Bool
}

// NewRouter returns the router of a context, which is about to close once ending is closed. Changes that fail are
// reported to the log and the console.
func NewRouter(context playwright.BrowserContext, ending <-chan struct{}, log *journal.Log,
	console *journal.Console) *Router {
	return &Router{context: context, ending: ending, log: log, console: console}
}

// Route puts r before those that are there. A function as the matcher, and not the expression itself: Go's and the
// browser's expressions are not the same language.
func (ro *Router) Route(r *Route) error {
	return ro.context.Route(r.fits.MatchString, func(request playwright.Route) {
		if !r.takes(request.Request()) {
			_ = request.Fallback() // fails only when the page that asked is gone
			return
		}
		if r.delay > 0 {
			timer := time.NewTimer(r.delay)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ro.ending:
			}
		}
		// They fail only when the page that asked is gone.
		switch {
		case ro.gone():
			_ = request.Abort()
		case r.block:
			_ = request.Abort("blockedbyclient")
		case r.answer != nil:
			_ = request.Fulfill(*r.answer)
		case r.modify != nil && ro.Offline.Load():
			_ = request.Abort("internetdisconnected")
		case r.modify != nil:
			ro.fulfil(r, request)
		case r.request != nil:
			_ = request.Fallback(playwright.RouteFallbackOptions{Headers: withHeaders(request.Request().Headers(), r.request)})
		default:
			_ = request.Fallback()
		}
	})
}

// gone reports whether the context is about to close.
func (ro *Router) gone() bool {
	select {
	case <-ro.ending:
		return true
	default:
		return false
	}
}

// fulfil responds with the network's response, changed.
func (ro *Router) fulfil(r *Route, request playwright.Route) {
	answer, err := r.modified(request)
	if err != nil && !ro.gone() {
		problem := fmt.Sprintf("webRoute: %v (%s)", err, phrase.LimitRunes(request.Request().URL(), 99))
		ro.log.LogLine("route", problem)
		ro.console.NoteError(problem)
	}
	if err != nil {
		_ = request.Abort("failed") // fails only when the page that asked is gone
		return
	}
	_ = request.Fulfill(answer)
}

// SetOffline cuts the context off; what is fetched in the browser's place (webRoute modify) is cut off too.
func (ro *Router) SetOffline(on bool) error {
	ro.Offline.Store(on)
	return ro.context.SetOffline(on)
}
