// Package webdriver is a client of the W3C WebDriver protocol: commands go in as values, their results, and errors by
// their codes, come out. It starts no program and waits for nothing but responses.
package webdriver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	// maxAnswer caps an answer: a screenshot or the text of a large page has some megabytes.
	maxAnswer = 64 << 20
	// commandLimit is for a command that names no limit of its own.
	commandLimit = 15 * time.Second
	// repeats is how often a command that can be repeated is sent again when its answer was lost.
	repeats     = 2
	repeatPause = 100 * time.Millisecond
	maxLogged   = 400 // characters of a body in the log
	otherForm   = "the answer has another form than expected"
)

// Options are how a server is reached.
type Options struct {
	// URL of the server. A user and a key in it go out as basic authentication, and appear in no message.
	URL string
	// Log receives commands and responses at the level of debugging; nil: no log.
	Log *slog.Logger
	// Secrets are texts that the log must not show, in addition to the key.
	Secrets []string
}

// Client sends commands to one server. It is safe for concurrent use. The proxy and the certificates are those of the
// environment (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE).
type Client struct {
	base      string
	host      string
	user, key string
	log       *slog.Logger
	mask      *strings.Replacer
	http      *http.Client
}

// New returns a client of the server at a URL.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the URL of a WebDriver server starts with http:// or https:// and names a host")
	}
	c := &Client{log: o.Log}
	if u.User != nil {
		c.user = u.User.Username()
		c.key, _ = u.User.Password()
		u.User = nil
	}
	c.base, c.host = strings.TrimRight(u.String(), "/"), hostPort(u)
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	var masked []string
	for _, secret := range append(o.Secrets, c.key) {
		if secret != "" {
			masked = append(masked, secret, "***")
		}
	}
	c.mask = strings.NewReplacer(masked...)
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4,
		IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext}
	// a redirect would make a GET of a POST
	c.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return c, nil
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// Close lets idle connections go.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Command is one request of the protocol.
type Command struct {
	Method string
	Path   string // below the server's URL
	Body   any    // of a POST; nil: {}
	Limit  time.Duration
}

func (k Command) String() string { return k.Method + " " + k.Path }

// repeatable reports whether a command can be sent again although its first answer was lost: reads, and the end of
// something. Any other may have been performed.
func (k Command) repeatable() bool {
	return k.Method == http.MethodGet || k.Method == http.MethodDelete
}

// Do sends a command and decodes the value of its answer, unless into is nil. The error is an *Error where the server
// has answered by the protocol, and a *LostError where it has not. A POST is sent once.
func (c *Client) Do(ctx context.Context, k Command, into any) error {
	limit := k.Limit
	if limit <= 0 {
		limit = commandLimit
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for attempt := 0; ; attempt++ {
		value, err := c.send(bounded, k)
		if err == nil && into != nil && Decode(value, into) != nil {
			err = &LostError{Host: c.host, Command: k.String(), Performed: true, Why: otherForm}
		}
		var lost *LostError
		if !errors.As(err, &lost) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if bounded.Err() != nil {
			lost.Late, lost.Why = true, fmt.Sprintf("no answer within %s", limit)
		}
		if bounded.Err() != nil || !k.repeatable() || attempt == repeats {
			return lost
		}
		select {
		case <-bounded.Done():
		case <-time.After(repeatPause):
		}
	}
}

// Decode decodes the value of an answer. A value that is missing or null is an error, unless into holds null: a
// pointer, an Element, or what was not decoded. An empty list, text or rectangle would otherwise be what the server has
// answered.
func Decode(value json.RawMessage, into any) error {
	text := bytes.TrimSpace(value)
	switch missing := len(text) == 0 || string(text) == "null"; {
	case missing && !holdsNull(into):
		return errors.New("the value is missing")
	case len(text) == 0:
		return nil
	}
	return json.Unmarshal(value, into)
}

func holdsNull(into any) bool {
	switch into.(type) {
	case *Element, *json.RawMessage:
		return true
	}
	kind := reflect.TypeOf(into).Elem().Kind()
	return kind == reflect.Pointer || kind == reflect.Interface
}

// send sends a command once.
func (c *Client) send(ctx context.Context, k Command) (json.RawMessage, error) {
	var body io.Reader
	var text []byte
	if k.Method == http.MethodPost {
		if k.Body == nil {
			k.Body = struct{}{}
		}
		var err error
		if text, err = json.Marshal(k.Body); err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, k.Method, c.base+k.Path, body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k, err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	if c.user != "" || c.key != "" {
		request.SetBasicAuth(c.user, c.key)
	}
	began := time.Now()
	c.log.Debug("webdriver request", "command", k.String(), "body", c.logged(text))
	answer, err := c.http.Do(request)
	if err != nil {
		c.log.Debug("webdriver request failed", "command", k.String(), "error", c.mask.Replace(err.Error()))
		return nil, &LostError{Host: c.host, Command: k.String(), Performed: !neverSent(err), Why: whyNot(err)}
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	c.log.Debug("webdriver answer", "command", k.String(), "status", answer.StatusCode, "took", time.Since(began),
		"body", c.logged(raw))
	return c.read(k, answer, raw, err)
}

// Send sends a request to the REST API of the server's cloud, with the user and the key, and returns the response, of
// which it reads at most a number of bytes. The error says why there is none.
func (c *Client) Send(request *http.Request, most int64) (status int, body []byte, err error) {
	if c.user != "" || c.key != "" {
		request.SetBasicAuth(c.user, c.key)
	}
	c.log.Debug("request to the cloud", "method", request.Method, "host", request.URL.Host, "path", request.URL.Path)
	answer, err := c.http.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("the server at %s: %s", hostPort(request.URL), whyNot(err))
	}
	defer answer.Body.Close()
	if body, err = io.ReadAll(io.LimitReader(answer.Body, most)); err != nil {
		return 0, nil, fmt.Errorf("the server at %s: the answer was cut off", hostPort(request.URL))
	}
	c.log.Debug("response of the cloud", "status", answer.StatusCode, "body", c.logged(body))
	return answer.StatusCode, body, nil
}

// read takes the value out of an answer.
func (c *Client) read(k Command, answer *http.Response, raw []byte, err error) (json.RawMessage, error) {
	lost := &LostError{Host: c.host, Command: k.String(), Performed: true, Status: answer.StatusCode}
	switch {
	case err != nil:
		lost.Why = "the answer was cut off"
		return nil, lost
	case len(raw) > maxAnswer:
		lost.Why = fmt.Sprintf("the answer has more than %d MB", maxAnswer>>20)
		return nil, lost
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return nil, &Error{Code: Refused, Status: answer.StatusCode, Host: c.host, Command: k.String(),
			Message: "the user or the key is not accepted" + c.Reason(raw)}
	}
	var envelope struct{ Value json.RawMessage }
	mangled := json.Unmarshal(raw, &envelope) != nil
	if mangled && answer.StatusCode == http.StatusMethodNotAllowed { // as geckodriver says of commands that it lacks
		return nil, &Error{Code: UnknownMethod, Status: answer.StatusCode, Host: c.host, Command: k.String(),
			Message: foreign(answer, raw)}
	}
	if mangled || envelope.Value == nil && answer.StatusCode >= 300 {
		lost.Why = foreign(answer, raw)
		return nil, lost
	}
	if answer.StatusCode < 300 {
		return envelope.Value, nil
	}
	var said struct{ Error, Message string }
	if json.Unmarshal(envelope.Value, &said) != nil || said.Error == "" {
		lost.Why = foreign(answer, raw)
		return nil, lost
	}
	return nil, &Error{Code: said.Error, Status: answer.StatusCode, Host: c.host, Command: k.String(),
		Message: phrase.LimitRunes(phrase.OneLine(c.mask.Replace(said.Message)), 300)}
}

// Reason is the text of a response that is not one of WebDriver, after a colon: of JSON or plain text, not of a page.
func (c *Client) Reason(raw []byte) string {
	text := string(raw)
	var said struct {
		Value                  struct{ Message string }
		Message, Error, Detail any
	}
	if json.Unmarshal(raw, &said) == nil {
		message, _ := said.Message.(string)
		other, _ := said.Error.(string)
		detail, _ := said.Detail.(string)
		text = cmp.Or(said.Value.Message, message, other, detail)
	}
	text = phrase.OneLine(c.mask.Replace(text))
	if text == "" || strings.ContainsAny(text, "<{") || strings.ContainsFunc(text, unicode.IsControl) {
		return ""
	}
	return ": " + phrase.LimitRunes(text, 200)
}

// foreign describes an answer that is not one of WebDriver's, without its text.
func foreign(answer *http.Response, raw []byte) string {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		kind = "nothing"
	case kind == "text/html" || bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<")):
		kind = "a web page"
	case kind == "application/json":
		kind = "JSON of another kind"
	default:
		kind = "something else"
	}
	return fmt.Sprintf("it answered with status %d and %s instead of WebDriver", answer.StatusCode, kind)
}

func (c *Client) logged(body []byte) string {
	return phrase.LimitRunes(c.mask.Replace(string(body)), maxLogged)
}
