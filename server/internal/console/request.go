package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// request is a request that the console handles.
type request struct {
	frame   *frame
	w       http.ResponseWriter
	r       *http.Request
	person  *service.Person  // nil: not logged in
	project *service.Project // of the path
}

// from returns the client of the request.
func (q *request) from() service.From {
	address, _ := q.frame.o.Client(q.r)
	return service.From{Address: address, Agent: q.r.UserAgent()}
}

// identify finds the logged-in person; a request without a session is not an error.
func (q *request) identify() error {
	list := q.r.CookiesNamed(q.frame.cookieName())
	if len(list) != 1 {
		return nil // two cookies: one may have been planted from another subdomain
	}
	p, err := q.frame.o.Service.Session(q.r.Context(), list[0].Value, q.from())
	if errors.Is(err, service.ErrInvalid) {
		return nil
	}
	q.person = p
	return err
}

// maxForm limits the body of a form; forms with files are streamed.
const maxForm = 2 << 20

// toLogin redirects to the login form, and afterwards to the page, but never to the action of a form.
func (q *request) toLogin() {
	to := "/console/login"
	if q.r.Method == http.MethodGet && q.r.URL.Path != "/console/" {
		to += "?next=" + url.QueryEscape(q.r.URL.RequestURI())
	}
	q.redirect(to)
}

// isSafeNext reports whether a path belongs to the console, and cannot be read as the URL of another site.
func isSafeNext(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(u.Path, "/console/") ||
		strings.ContainsAny(text, "\\\r\n\t") || len(text) > 500 {
		return "/console/"
	}
	return u.RequestURI()
}

// readForm reads the fields of a form, each of them once.
func (q *request) readForm() error {
	if q.r.Method != http.MethodPost || strings.HasPrefix(q.r.Header.Get("Content-Type"), "multipart/form-data") {
		return nil
	}
	if kind := q.r.Header.Get("Content-Type"); kind != "" &&
		!strings.HasPrefix(kind, "application/x-www-form-urlencoded") {
		return &service.Error{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Message: "Send the form as application/x-www-form-urlencoded."}
	}
	q.r.Body = http.MaxBytesReader(q.w, q.r.Body, maxForm)
	if err := q.r.ParseForm(); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return &service.Error{Status: http.StatusRequestEntityTooLarge, Code: "payload_too_large",
				Message: "The form is larger than 2 MB."}
		}
		return invalid("The form cannot be read.")
	}
	_ = http.NewResponseController(q.w).SetReadDeadline(time.Time{}) // the form has arrived; the handler may take longer
	return nil
}

// field returns a field of a form, without those of the query.
func (q *request) field(name string) string { return q.r.PostForm.Get(name) }

func (q *request) redirect(to string) {
	q.w.Header().Set("Location", to)
	q.w.WriteHeader(http.StatusSeeOther)
}

// done redirects to a page with the message of an action, which is one of doneTexts.
func (q *request) done(to, what string) error {
	q.redirect(to + "?done=" + what)
	return nil
}

// base returns the URL of the project's pages.
func (q *request) base() string { return "/console/p/" + q.project.ID }

func invalid(message string) *service.Error {
	return &service.Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: message}
}

// known returns an error that was caused by the person, or that the person may see; nil for internal errors.
func known(err error) *service.Error {
	var own *service.Error
	var gone *store.UnavailableError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &gone) && gone.Full:
		return &service.Error{Status: http.StatusInsufficientStorage, Code: "insufficient_storage",
			Message: "The disk of the service's database is full. Nothing was stored; the operator of the service must free " +
				"disk space."}
	case errors.As(err, &gone):
		return &service.Error{Status: http.StatusServiceUnavailable, Code: "unavailable",
			Message: "The database cannot be reached. Try again in some seconds.", After: 5 * time.Second}
	}
	return nil
}

// attempt counts a login or a similar action: ten per minute for an address, and for an account.
func (q *request) attempt(account string) error {
	_, counted := q.frame.o.Client(q.r)
	quota, err := q.frame.o.Service.TakeAuth(q.r.Context(), counted, strings.ToLower(strings.TrimSpace(account)))
	if err == nil && !quota.Allowed {
		err = &service.Error{Status: http.StatusTooManyRequests, Code: "rate_limited",
			Message: "Too many attempts. Wait a minute, then try again.", After: quota.RetryAfter}
	}
	return err
}

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
	q.frame.o.API(a, r, q.person.In(q.project))
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
	q.frame.o.API(a, r, q.person.In(q.project))
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
