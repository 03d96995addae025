package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/server/service"
	"github.com/taproot-dev/taproot/server/service/store"
)

// request is one on its way through the console.
type request struct {
	c       *Console
	w       http.ResponseWriter
	r       *http.Request
	person  *service.Person  // nil: nobody has logged in
	project *service.Project // of the path
}

// from is where the request came from.
func (q *request) from() service.From {
	address, _ := q.c.o.Client(q.r)
	return service.From{Address: address, Agent: q.r.UserAgent()}
}

const plainCookie = "taproot_session"

// cookieName binds the cookie to this host, as far as browsers do it: over TLS only.
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

// identify finds out who has logged in; nobody is no error.
func (q *request) identify() error {
	list := q.r.CookiesNamed(q.c.cookieName())
	if len(list) != 1 {
		return nil // two: somebody who can set cookies for a part of the site planted one
	}
	p, err := q.c.o.Service.Session(q.r.Context(), list[0].Value, q.from())
	if errors.Is(err, service.ErrInvalid) {
		return nil
	}
	q.person = p
	return err
}

// maxForm bounds the body of a form; those with files are read as they come.
const maxForm = 2 << 20

// handler lets those in whom the route is for.
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

// admit says who sent a request, and refuses who may not take the route. Another project's paths lead nowhere.
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

// toLogin asks who has not logged in to do so, and comes back to a page, never to what a form does.
func (q *request) toLogin() {
	to := "/console/login"
	if q.r.Method == http.MethodGet && q.r.URL.Path != "/console/" {
		to += "?next=" + url.QueryEscape(q.r.URL.RequestURI())
	}
	q.redirect(to)
}

// goodNext is a place of the console, and nothing that a browser takes for another site's.
func goodNext(text string) string {
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
				Message: "The form holds more than 2 MB."}
		}
		return invalid("The form cannot be read.")
	}
	_ = http.NewResponseController(q.w).SetReadDeadline(time.Time{}) // it is all there: what follows may take its time
	return nil
}

// field gives a field of a form; those of the query do not count.
func (q *request) field(name string) string { return q.r.PostForm.Get(name) }

func (q *request) redirect(to string) {
	q.w.Header().Set("Location", to)
	q.w.WriteHeader(http.StatusSeeOther)
}

// done goes to a page that says what was done, by one of the fixed texts.
func (q *request) done(to, what string) error {
	q.redirect(to + "?done=" + what)
	return nil
}

// base is the address of the project's pages.
func (q *request) base() string { return "/console/p/" + q.project.ID }

func invalid(message string) *service.Error {
	return &service.Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: message}
}

// known gives the error that somebody caused, or may know of; nil: the machine's.
func known(err error) *service.Error {
	var own *service.Error
	var gone *store.UnavailableError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &gone) && gone.Full:
		return &service.Error{Status: http.StatusInsufficientStorage, Code: "insufficient_storage",
			Message: "The disk of the service's database is full. Nothing was kept; whoever runs the service must make room."}
	case errors.As(err, &gone):
		return &service.Error{Status: http.StatusServiceUnavailable, Code: "unavailable",
			Message: "The database cannot be reached. Try again in some seconds.", After: 5 * time.Second}
	}
	return nil
}

// attempt counts a log-in and its like: ten in a minute for an address, and for an account.
func (q *request) attempt(account string) error {
	_, counted := q.c.o.Client(q.r)
	quota, err := q.c.o.Service.TakeAuth(q.r.Context(), counted, strings.ToLower(strings.TrimSpace(account)))
	if err == nil && !quota.Allowed {
		err = &service.Error{Status: http.StatusTooManyRequests, Code: "rate_limited",
			Message: "Too many tries. Wait a minute, then try again.", After: quota.RetryAfter}
	}
	return err
}
