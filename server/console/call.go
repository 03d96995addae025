package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/server/service"
)

// answer records the response of the API to a request of a page.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// ask creates a request of the API.
func (q *request) ask(method, path string, body io.Reader, kind string) *http.Request {
	at := *q.r.URL
	plain, query, _ := strings.Cut(path, "?")
	at.Path, at.RawPath, at.RawQuery = plain, "", query
	r := q.r.Clone(q.r.Context())
	r.Method, r.URL, r.Header, r.RequestURI, r.Form, r.PostForm = method, &at, http.Header{}, "", nil, nil
	r.Body, r.ContentLength = http.NoBody, 0
	if body != nil {
		r.Body, r.ContentLength = io.NopCloser(body), -1
		r.Header.Set("Content-Type", kind)
	}
	return r
}

// call calls the API in the name of the person in the project, and decodes the response into out, unless it is nil.
func (q *request) call(method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	return q.send(q.ask(method, path, body, "application/json"), out)
}

func (q *request) send(r *http.Request, out any) error {
	a := &answer{header: http.Header{}}
	q.c.o.API(a, r, q.person.In(q.project))
	if a.status >= http.StatusBadRequest {
		return apiError(a)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(a.body.Bytes(), out); err != nil {
		return fmt.Errorf("answer of the API: %w", err)
	}
	return nil
}

func apiError(a *answer) error {
	var e struct{ Error, Message string }
	if err := json.Unmarshal(a.body.Bytes(), &e); err != nil {
		return fmt.Errorf("answer %d of the API: %w", a.status, err)
	}
	own := &service.Error{Status: a.status, Code: e.Error, Message: e.Message}
	if wait, err := time.ParseDuration(a.header.Get("Retry-After") + "s"); err == nil {
		own.After = wait
	}
	return own
}

// passOn streams the body of a form with a file to the API.
func (q *request) passOn(path string, out any) error {
	r := q.ask(http.MethodPost, path, q.r.Body, q.r.Header.Get("Content-Type"))
	a := &upstream{answer: answer{header: http.Header{}}, w: q.w}
	q.c.o.API(a, r, q.person.In(q.project))
	if a.status >= http.StatusBadRequest {
		return apiError(&a.answer)
	}
	return json.Unmarshal(a.body.Bytes(), out)
}

// upstream is the response to a request with a streamed body: deadlines are set on the connection.
type upstream struct {
	answer
	w http.ResponseWriter
}

// SetReadDeadline is called by http.ResponseController.
func (u *upstream) SetReadDeadline(t time.Time) error {
	return http.NewResponseController(u.w).SetReadDeadline(t)
}

// pathSegment escapes a text as a segment of a path.
func pathSegment(text string) string { return url.PathEscape(text) }
