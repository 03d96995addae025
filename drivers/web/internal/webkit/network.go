package webkit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

var _ classic.Wire = (*inspected)(nil)

// request is one in the form of Web Inspector.
type request struct {
	URL, Method, PostData string
	Headers               map[string]string
}

// response is the head of one in the form of Web Inspector.
type response struct {
	URL, StatusText, Source string
	Status                  int
	Headers                 map[string]string
}

func (r *response) received(id string) classic.Received {
	return classic.Received{ID: id, URL: r.URL, Status: r.Status, Text: r.StatusText, Headers: r.Headers,
		Cached: r.Source == "memory-cache"}
}

// news is what is reported of a request.
type news struct {
	RequestID, FrameID, LoaderID, Type string
	WorkerID                           string
	Request                            request
	Response                           response
	RedirectResponse                   *response
	ErrorText                          string
	Canceled                           bool
	Resource                           struct {
		URL, Type string
		Response  response
	}
	Frame struct{ ID, ParentID, LoaderID string }
}

// traffic passes on what is reported of requests. It runs on the connection's own goroutine.
func (in *inspected) traffic(method string, params json.RawMessage) {
	in.mu.Lock()
	page, answers := in.page, in.answers
	in.mu.Unlock()
	if answers == nil && page == nil || !strings.HasPrefix(method, "Network.") && !strings.HasPrefix(method, "Worker.") &&
		method != "Page.frameNavigated" {
		return
	}
	var n news
	if json.Unmarshal(params, &n) != nil {
		return
	}
	if answers != nil {
		if method == "Network.requestIntercepted" {
			answers(n.RequestID, n.Request.URL)
		}
		return
	}
	in.visits(method, params)
	t := page.Traffic
	sent := classic.Sent{ID: n.RequestID, Frame: n.FrameID, Loader: n.LoaderID, Kind: n.Type, URL: n.Request.URL,
		Method: n.Request.Method, Headers: n.Request.Headers, Post: n.Request.PostData}
	switch method {
	case "Page.frameNavigated":
		if n.Frame.ParentID == "" {
			t.SetMain(n.Frame.ID)
			t.Committed(n.Frame.LoaderID)
		}
	case "Network.requestWillBeSent":
		if n.RedirectResponse != nil {
			head := n.RedirectResponse.received(n.RequestID)
			sent.Redirected = &head
		}
		t.Sent(sent)
	case "Network.responseReceived":
		head := n.Response.received(n.RequestID)
		head.Frame, head.Loader, head.Kind = n.FrameID, n.LoaderID, n.Type
		t.Received(head)
	case "Network.loadingFinished":
		t.Finished(n.RequestID)
	case "Network.loadingFailed":
		t.Failed(n.RequestID, n.ErrorText, n.Canceled)
	case "Network.requestServedFromMemoryCache":
		sent.Kind, sent.URL, sent.Method = n.Resource.Type, n.Resource.URL, http.MethodGet
		head := n.Resource.Response.received(n.RequestID)
		head.Cached = true
		t.Sent(sent)
		t.Received(head)
		t.Finished(n.RequestID)
	case "Network.requestIntercepted":
		t.Stopped(n.RequestID)
	case "Network.webSocketCreated":
		t.Socket()
	case "Worker.workerCreated":
		t.Worker(n.WorkerID, true)
		go in.start(n.WorkerID)
	case "Worker.workerTerminated":
		t.Worker(n.WorkerID, false)
	}
}

// start lets a worker run: it waits for Web Inspector.
func (in *inspected) start(worker string) {
	ctx, cancel := context.WithTimeout(in.life, callLimit)
	defer cancel()
	_ = in.call(ctx, "Worker.initialized", map[string]any{"workerId": worker}, nil) // fails when it has ended
}

// moved is called when the page has been moved to another process. Its first requests there were not changed.
func (in *inspected) moved() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.page != nil && (in.stops || len(in.headers) > 0) {
		in.page.Traffic.Passed("WebKit has moved the page to another process")
	}
}

// catchUp reports what a window that a page has opened has requested before Web Inspector was there.
func (in *inspected) catchUp(ctx context.Context) error {
	type frame struct {
		ID, LoaderID, URL string
	}
	type tree struct {
		Frame       frame
		Resources   []struct{ URL, Type string }
		ChildFrames []json.RawMessage
	}
	var answer struct{ FrameTree tree }
	if err := in.call(ctx, "Page.getResourceTree", nil, &answer); err != nil {
		return err
	}
	top := answer.FrameTree
	in.page.Traffic.SetMain(top.Frame.ID)
	seen := in.page.Traffic.Known()
	for trees := []tree{top}; len(trees) > 0; trees = trees[1:] {
		of := trees[0]
		in.visited.document(of.Frame.URL, top.Frame.URL)
		of.Resources = append(of.Resources, struct{ URL, Type string }{of.Frame.URL, "Document"})
		for _, resource := range of.Resources {
			if seen[resource.URL] || !strings.HasPrefix(resource.URL, "http") {
				continue
			}
			seen[resource.URL] = true
			in.visited.missed(resource.URL)
			in.page.Traffic.Missed(classic.Sent{Frame: of.Frame.ID, Loader: of.Frame.LoaderID, Kind: resource.Type,
				URL: resource.URL, Method: http.MethodGet})
		}
		for _, raw := range of.ChildFrames {
			var child tree
			if err := json.Unmarshal(raw, &child); err != nil {
				return err
			}
			trees = append(trees, child)
		}
	}
	return nil
}

// Stop has requests wait from now on.
func (in *inspected) Stop(ctx context.Context) error {
	in.mu.Lock()
	before := in.stops
	in.stops = true
	in.mu.Unlock()
	if before {
		return nil
	}
	return in.stop(ctx)
}

func (in *inspected) stop(ctx context.Context) error {
	for _, command := range []struct {
		method string
		params map[string]any
	}{
		{"Network.setResourceCachingDisabled", map[string]any{"disabled": true}}, // what is in a cache is not requested
		{"Network.addInterception", map[string]any{"url": ".*", "stage": "request", "isRegex": true}},
		{"Network.setInterceptionEnabled", map[string]any{"enabled": true}},
	} {
		if err := in.call(ctx, command.method, command.params, nil); err != nil {
			return fmt.Errorf("requests cannot be stopped: %w", err)
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.unwatch()
	in.unwatch = in.prompt.Watch()
	if in.page != nil { // it is a window of Taproot's own otherwise
		in.page.Traffic.SetStopping()
	}
	return nil
}

// answer responds to a request that waits. One that was cancelled meanwhile, or the page of which was left, needs none.
func (in *inspected) answer(ctx context.Context, method string, params map[string]any) error {
	err := in.call(ctx, "Network."+method, params, nil)
	if errors.As(err, new(*inspector.Refusal)) && strings.Contains(err.Error(), "request for given requestId") ||
		errors.Is(err, inspector.ErrLeft) {
		return nil
	}
	return err
}

// Continue lets a request go out.
func (in *inspected) Continue(ctx context.Context, id string, headers map[string]string) error {
	if headers == nil {
		return in.answer(ctx, "interceptContinue", map[string]any{"requestId": id, "stage": "request"})
	}
	return in.answer(ctx, "interceptWithRequest", map[string]any{"requestId": id, "headers": headers})
}

// Fulfil responds in place of the network.
func (in *inspected) Fulfil(ctx context.Context, id string, a classic.Answer) error {
	return in.answer(ctx, "interceptRequestWithResponse", map[string]any{"requestId": id,
		"content": base64.StdEncoding.EncodeToString(a.Body), "base64Encoded": true, "mimeType": a.MIMEType(),
		"status": a.Status, "statusText": http.StatusText(a.Status), "headers": a.Headers})
}

// Fail responds with an error.
func (in *inspected) Fail(ctx context.Context, id string) error {
	return in.answer(ctx, "interceptRequestWithError", map[string]any{"requestId": id, "errorType": "General"})
}

// Body returns what the network has responded.
func (in *inspected) Body(ctx context.Context, id string) ([]byte, error) {
	var answer struct {
		Body          string
		Base64Encoded bool
	}
	if err := in.call(ctx, "Network.getResponseBody", map[string]any{"requestId": id}, &answer); err != nil {
		return nil, err
	}
	if !answer.Base64Encoded {
		return []byte(answer.Body), nil
	}
	return base64.StdEncoding.DecodeString(answer.Body)
}

// cookie is one in the form of Web Inspector.
type cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"`
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"` // in milliseconds
	Session  bool    `json:"session"`
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite"`
}

// Cookies are those of the sites that the page consists of.
func (in *inspected) Cookies(ctx context.Context) (list []*http.Cookie, err error) {
	var answer struct{ Cookies []cookie }
	if err := in.call(ctx, "Page.getCookies", nil, &answer); err != nil {
		return nil, err
	}
	for _, c := range answer.Cookies {
		one := &http.Cookie{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, HttpOnly: c.HTTPOnly,
			Secure: c.Secure, SameSite: classic.SameSites[c.SameSite]}
		if !c.Session {
			one.Expires = time.UnixMilli(int64(c.Expires))
		}
		list = append(list, one)
	}
	return list, nil
}

// SetCookie adds a cookie of any site.
func (in *inspected) SetCookie(ctx context.Context, of *http.Cookie) error {
	in.visited.folder(strings.TrimPrefix(of.Domain, "."), of.Path)
	c := cookie{Name: of.Name, Value: of.Value, Domain: of.Domain, Path: of.Path, Session: of.Expires.IsZero(),
		HTTPOnly: of.HttpOnly, Secure: of.Secure, SameSite: "None"}
	for name, is := range classic.SameSites {
		if of.SameSite == is {
			c.SameSite = name
		}
	}
	expires := of.Expires
	if of.MaxAge != 0 {
		expires = time.Now().Add(time.Duration(of.MaxAge) * time.Second)
	}
	if !expires.IsZero() {
		c.Session, c.Expires = false, float64(expires.UnixMilli())
	}
	if err := in.call(ctx, "Page.setCookie", map[string]any{"cookie": c}, nil); err != nil {
		return fmt.Errorf("%w: the cookie %s cannot be set: %w", drivers.ErrNotReady, of.Name, err)
	}
	return nil
}

// Script replaces the script that runs in each document before the page's own.
func (in *inspected) Script(ctx context.Context, script string) error {
	in.mu.Lock()
	in.script = script
	in.mu.Unlock()
	return in.install(ctx)
}

// Prefer sets a colour scheme, Dark or Light.
func (in *inspected) Prefer(ctx context.Context, scheme string) error {
	return in.call(ctx, "Page.overrideUserPreference", map[string]any{"name": "PrefersColorScheme", "value": scheme}, nil)
}
