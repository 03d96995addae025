package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/server/service"
)

// request is a request that the console handles.
type request struct {
	c       *Console
	w       http.ResponseWriter
	r       *http.Request
	person  *service.Person  // nil: not logged in
	project *service.Project // of the path
}

// from returns the client of the request.
func (q *request) from() service.From {
	address, _ := q.c.o.Client(q.r)
	return service.From{Address: address, Agent: q.r.UserAgent()}
}

const plainCookie = "taproot_session"

// cookieName returns a name that binds the cookie to this host, which browsers support only over TLS.
func (c *Console) cookieName() string {
	if c.o.Service.Secure() {
		return "__Host-" + plainCookie
	}
	return plainCookie
}

func (c *Console) cookie(value string) *http.Cookie {
	k := &http.Cookie{Name: c.cookieName(), Value: value, Path: "/", HttpOnly: true, Secure: c.o.Service.Secure(),
		SameSite: http.SameSiteLaxMode}
	if value == "" {
		k.MaxAge = -1
	}
	return k
}

// identify finds the logged-in person; a request without a session is not an error.
func (q *request) identify() error {
	list := q.r.CookiesNamed(q.c.cookieName())
	if len(list) != 1 {
		return nil // two cookies: one may have been planted from another subdomain
	}
	p, err := q.c.o.Service.Session(q.r.Context(), list[0].Value, q.from())
	if errors.Is(err, service.ErrInvalid) {
		return nil
	}
	q.person = p
	return err
}

// maxForm limits the body of a form; forms with files are streamed.
const maxForm = 2 << 20

// handler serves the route to people who may use it.
func (c *Console) handler(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := &request{c: c, w: w, r: r}
		if route.who.api {
			if err := c.answerScript(q, route); err != nil {
				c.failScript(q, err)
			}
			return
		}
		if err := c.admit(q, route.who); err != nil {
			c.fail(q, err)
			return
		}
		if q.person == nil && route.who.person {
			q.toLogin()
			return
		}
		if err := q.readForm(); err != nil {
			c.fail(q, err)
			return
		}
		if err := route.do(c, q); err != nil {
			c.fail(q, err)
		}
	})
}

// admit identifies the sender of a request, and rejects those who may not use the route. The paths of other projects do
// not exist for them.
func (c *Console) admit(q *request, who access) (err error) {
	if err := q.identify(); err != nil || q.person == nil {
		return err
	}
	if who.admin && !q.person.Account.Admin {
		return &service.Error{Status: http.StatusForbidden, Code: "forbidden", Message: "This is for admins of the service."}
	}
	if who.role == "" {
		return nil
	}
	id := q.r.PathValue("project")
	if id == "" {
		return service.ErrNotFound
	}
	if q.project, err = q.person.Project(q.r.Context(), id); err != nil {
		return err
	}
	if !q.project.Role.Covers(who.role) {
		return service.ErrForbidden
	}
	return nil
}

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
	_, counted := q.c.o.Client(q.r)
	quota, err := q.c.o.Service.TakeAuth(q.r.Context(), counted, strings.ToLower(strings.TrimSpace(account)))
	if err == nil && !quota.Allowed {
		err = &service.Error{Status: http.StatusTooManyRequests, Code: "rate_limited",
			Message: "Too many attempts. Wait a minute, then try again.", After: quota.RetryAfter}
	}
	return err
}
