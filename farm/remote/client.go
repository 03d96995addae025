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
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
)

// Client asks a hub. Safe for concurrent use.
type Client struct {
	base *url.URL
	key  string // never printed
	name string // of the hub, for messages
	http *http.Client
}

// NewClient makes a client of the hub at an address, with an API key. The error is a *plan.Usage.
func NewClient(address, key string) (*Client, error) {
	if address == "" {
		return nil, &plan.Usage{Msg: "name the hub with --hub URL, or in TAPROOT_HUB"}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, &plan.Usage{
			Msg: fmt.Sprintf("the address of the hub, %q, is wrong: write one such as https://hub.example.com", address)}
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
		// the key goes to the hub alone
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Address is that of a path of the API, such as "devices/emulator-5554/mcp", whose parts are escaped.
func (c *Client) Address(path string) string { return c.base.JoinPath("api", path).String() }

// Key is the API key.
func (c *Client) Key() string { return c.key }

// Request is one to the API of a hub.
type Request struct {
	Method, Path string // as in Client.Address
	Query        url.Values
	Header       http.Header
	Body         any                   // sent as JSON
	File         *os.File              // sent as it is, instead
	Size         int64                 // of the file, bytes
	Into         any                   // of the answer, as JSON
	Take         func(io.Reader) error // takes the answer instead

	// how long nothing may come from the hub, and nothing move while a file is sent; 0: for ever
	silence, sending time.Duration
	moved            func()
}

// HubError is what the hub answers that is no success.
type HubError struct {
	Code    int
	Message string
}

func (s *HubError) Error() string { return s.Message }

// final is an error that no second try mends.
type final struct{ error }

func (f *final) Unwrap() error { return f.error }

// maxAnswer bounds an answer that is read whole.
const maxAnswer = 64 << 20

// Ask sends a request, once. The error is a *Said when the hub refuses.
func (c *Client) Ask(ctx context.Context, r Request) error {
	heardOf := func() {}
	// a hub that is stopped, or a network that is cut, says nothing at all: then the next try may reach another one
	if r.silence > 0 {
		limit := max(r.silence, r.sending)
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		alarm := time.AfterFunc(limit, cancel)
		defer alarm.Stop()
		r.moved, heardOf = func() { alarm.Reset(limit) }, func() { alarm.Reset(r.silence) }
	}
	answer, err := c.Open(ctx, r)
	if err != nil {
		return err
	}
	defer answer.Body.Close() // its errors came while it was read
	heardOf()
	said := &heard{answer.Body, heardOf}
	switch {
	case r.Take != nil:
		return r.Take(said)
	case r.Into != nil && answer.StatusCode != http.StatusNoContent:
		return json.NewDecoder(io.LimitReader(said, maxAnswer)).Decode(r.Into)
	}
	return nil
}

// Open sends a request and gives the answer, whose body the caller closes.
func (c *Client) Open(ctx context.Context, r Request) (*http.Response, error) {
	var body io.Reader
	switch {
	case r.File != nil:
		body = io.NewSectionReader(r.File, 0, r.Size)
		if r.moved != nil {
			body = &heard{body, r.moved}
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
		return nil, c.said(answer, strings.HasPrefix(r.Path, "farm"))
	}
	return answer, nil
}

// said reads what the hub answers that is no success; farm: to something that hubs of farms alone answer.
func (c *Client) said(answer *http.Response, farm bool) error {
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // what came of it
	var words struct{ Error, Message string }
	_ = json.Unmarshal(text, &words) // then it has none
	message := strings.TrimSpace(words.Message)
	elsewhere := reach.Elsewhere(answer)
	switch code := answer.StatusCode; {
	case elsewhere != "":
		message = elsewhere
	case code == http.StatusUnauthorized && c.key == "":
		message = "it wants an API key in TAPROOT_API_KEY; taproot admin key makes one on the hub, the console under API keys"
	case code == http.StatusUnauthorized && message == "":
		message = "the key in TAPROOT_API_KEY is unknown, revoked or expired"
	case code == http.StatusForbidden && message == "": // to HEAD, which runs begin with
		message = "the key in TAPROOT_API_KEY lacks the scope runs:write, or its maker's role in the project does"
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		message += " (check TAPROOT_API_KEY)"
	case code == http.StatusNotFound && farm && (message == "" || strings.Contains(message, "nothing at this path")):
		message = "it is no hub of a farm: was it started with taproot serve --service --farm, and is its address right, " +
			"without a path such as /console?"
	case message == "":
		message = fmt.Sprintf("it answered %d %s", code, http.StatusText(code))
	}
	if c.key != "" {
		message = strings.ReplaceAll(message, c.key, "***")
	}
	return &HubError{answer.StatusCode, message}
}

// once asks for something of runs.
func (f *Farm) once(ctx context.Context, r Request) error {
	r.Path, r.silence = "farm/"+r.Path, silence
	if r.File != nil {
		r.sending = checked
	}
	return f.o.Hub.Ask(ctx, r)
}

// call asks the hub until it answers: one that is away for a while is waited for.
func (f *Farm) call(ctx context.Context, r Request) error {
	began, wait := time.Now(), 100*time.Millisecond
	for {
		err := f.once(ctx, r)
		var said *HubError
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
		case errors.As(err, &said) && said.Code < 500 && said.Code != http.StatusTooManyRequests:
			return err
		case f.id == "" && time.Since(began) > firstPatience:
			return err // nothing has begun: who waits should know
		case time.Since(began) > patience:
			return err
		case f.o.Away != nil && time.Since(began) > tellAfter && f.away.CompareAndSwap(false, true):
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
	// tellAfter is for how long a hub may be away until somebody hears of it.
	tellAfter = 2 * time.Second
	// silence is how long nothing may come from a hub: of a run's news it says at least every 5 s that it lives, and its
	// database has 10 s for an answer.
	silence = 20 * time.Second
	// checked is how long a hub may look at an archive that it got.
	checked = 5 * time.Minute
)

// heard tells whenever something was read.
type heard struct {
	io.Reader
	tell func()
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.tell()
	return n, err
}
