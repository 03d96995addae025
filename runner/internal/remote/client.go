package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/reach"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// Client sends requests to a hub. Safe for concurrent use.
type Client struct {
	base *url.URL
	key  string // never printed
	name string // of the hub, for messages
	http *http.Client
}

// NewClient makes a client of the hub at a URL, with an API key. The error is a *plan.Usage.
func NewClient(address, key string) (*Client, error) {
	if address == "" {
		return nil, &plan.Usage{Msg: "name the hub with --hub URL, or in TAPROOT_HUB"}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, &plan.Usage{
			Msg: fmt.Sprintf("the URL of the hub, %q, is wrong: write one such as https://hub.example.com", address)}
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return newClient(u, key, "hub "+u.Host, http.DefaultTransport), nil
}

// Inside makes a client of a hub in this process (dispatch.Handler).
func Inside(hub http.Handler) *Client {
	return newClient(&url.URL{Scheme: "http", Host: "hub.invalid"}, "", "the farm",
		handlerTransport{http.StripPrefix("/api", hub)})
}

func newClient(base *url.URL, key, name string, way http.RoundTripper) *Client {
	return &Client{base: base, key: key, name: name, http: &http.Client{Transport: way,
		// the key must not be sent to another server
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Address returns the URL of a path of the API, such as "devices/emulator-5554/mcp". Its parts must be escaped.
func (c *Client) Address(path string) string { return c.base.JoinPath("api", path).String() }

// Key returns the API key.
func (c *Client) Key() string { return c.key }

// Request is a request to the API of a hub.
type Request struct {
	Method, Path string // as in Client.Address
	Query        url.Values
	Header       http.Header
	Body         any                   // sent as JSON
	File         *os.File              // the body, instead of Body
	Size         int64                 // of the file, bytes
	Into         any                   // receives the JSON of the response
	Take         func(io.Reader) error // reads the response, instead of Into

	// how long the hub may send nothing, and how long an upload may stall; 0: no limit
	silence, sending time.Duration
	moved            func()
}

// HubError is an error response of the hub.
type HubError struct {
	Code    int
	Message string
}

func (s *HubError) Error() string { return s.Message }

// final is an error that another attempt cannot fix.
type final struct{ error }

func (f *final) Unwrap() error { return f.error }

// maxAnswer limits a response that is read as a whole.
const maxAnswer = 64 << 20

// Ask sends a request, once. The error is a *HubError when the hub refuses.
func (c *Client) Ask(ctx context.Context, r Request) error {
	received := func() {}
	// a suspended hub or a broken network sends nothing at all: then the next attempt may reach another hub
	if r.silence > 0 {
		limit := max(r.silence, r.sending)
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		alarm := time.AfterFunc(limit, cancel)
		defer alarm.Stop()
		r.moved, received = func() { alarm.Reset(limit) }, func() { alarm.Reset(r.silence) }
	}
	answer, err := c.Open(ctx, r)
	if err != nil {
		return err
	}
	defer answer.Body.Close() // errors were returned while reading
	received()
	body := &notifyingReader{answer.Body, received}
	switch {
	case r.Take != nil:
		return r.Take(body)
	case r.Into != nil && answer.StatusCode != http.StatusNoContent:
		return json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(r.Into)
	}
	return nil
}

// Open sends a request and returns the response. The caller closes its body.
func (c *Client) Open(ctx context.Context, r Request) (*http.Response, error) {
	var body io.Reader
	switch {
	case r.File != nil:
		body = io.NewSectionReader(r.File, 0, r.Size)
		if r.moved != nil {
			body = &notifyingReader{body, r.moved}
		}
	case r.Body != nil:
		text, err := json.Marshal(r.Body)
		if err != nil {
			return nil, &final{err}
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.Address(r.Path), body)
	if err != nil {
		return nil, &final{err}
	}
	req.URL.RawQuery = r.Query.Encode()
	for name, values := range r.Header {
		req.Header[name] = values
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if r.File != nil {
		req.ContentLength = r.Size
		req.Header.Set("Content-Type", "application/gzip")
	} else if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, reach.Why(c.base, err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		defer answer.Body.Close() // as above
		return nil, c.hubError(answer, strings.HasPrefix(r.Path, "farm"))
	}
	return answer, nil
}

// hubError reads an error response. farm means that only hubs of farms have the endpoint.
func (c *Client) hubError(answer *http.Response, farm bool) error {
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // an incomplete text is good enough
	var words struct{ Error, Message string }
	_ = json.Unmarshal(text, &words) // without JSON there is no message
	message := strings.TrimSpace(words.Message)
	elsewhere := reach.Elsewhere(answer)
	switch code := answer.StatusCode; {
	case elsewhere != "":
		message = elsewhere
	case code == http.StatusUnauthorized && c.key == "":
		message = "it requires an API key in TAPROOT_API_KEY; taproot admin key makes one on the hub, the console under " +
			"API keys"
	case code == http.StatusUnauthorized && message == "":
		message = "the key in TAPROOT_API_KEY is unknown, revoked or expired"
	case code == http.StatusForbidden && message == "": // the response to HEAD, with which runs start
		message = "the key in TAPROOT_API_KEY lacks the scope runs:write, or its maker's role in the project does"
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		message += " (check TAPROOT_API_KEY)"
	case code == http.StatusNotFound && farm && (message == "" || strings.Contains(message, "nothing at this path")):
		message = "it is not a hub of a farm: was it started with taproot serve --service --farm, and is its URL right, " +
			"without a path such as /console?"
	case message == "":
		message = fmt.Sprintf("it responded with %d %s", code, http.StatusText(code))
	}
	if c.key != "" {
		message = strings.ReplaceAll(message, c.key, "***")
	}
	return &HubError{answer.StatusCode, message}
}

// once sends a request about runs, once.
func (f *Farm) once(ctx context.Context, r Request) error {
	r.Path, r.silence = "farm/"+r.Path, silence
	if r.File != nil {
		r.sending = checked
	}
	return f.o.Hub.Ask(ctx, r)
}

// call repeats a request until the hub responds, for as long as patience permits.
func (f *Farm) call(ctx context.Context, r Request) error {
	began, wait := time.Now(), 100*time.Millisecond
	for {
		err := f.once(ctx, r)
		var hubErr *HubError
		var end *final
		var unreached *reach.Error
		switch {
		case err == nil:
			f.away.Store(false)
			return nil
		case f.id == "" && errors.As(err, &unreached) && unreached.Lasting:
			return err
		case ctx.Err() != nil || errors.As(err, &end):
			return err
		case errors.As(err, &hubErr) && hubErr.Code < 500 && hubErr.Code != http.StatusTooManyRequests:
			return err
		case f.id == "" && time.Since(began) > firstPatience:
			return err // nothing has started yet: report the error to the user soon
		case time.Since(began) > patience:
			return err
		case f.o.Away != nil && time.Since(began) > warnAfter && f.away.CompareAndSwap(false, true):
			f.o.Away(err)
		}
		if err := pool.Sleep(ctx, wait, nil); err != nil {
			return err
		}
		wait = min(2*wait, 2*time.Second)
	}
}

const (
	firstPatience = 10 * time.Second
	patience      = 10 * time.Minute
	// warnAfter is how long a hub may be unreachable before the user is informed.
	warnAfter = 2 * time.Second
	// silence is how long a hub may send nothing: it sends a line to the client of a run at least every 5 s, and its
	// database has 10 s to respond.
	silence = 20 * time.Second
	// checked is how long a hub may take to check an uploaded archive.
	checked = 5 * time.Minute
)

// notifyingReader calls a function after each read.
type notifyingReader struct {
	io.Reader
	onRead func()
}

func (h *notifyingReader) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.onRead()
	return n, err
}
