// Package console serves the pages by which people use the service in a browser. The pages are rendered on the server.
// Accounts, projects and keys come from server/service. Devices, runs and reports come from the API: Options.API
// handles requests that a page makes in the name of the logged-in person, so that a page can do no more than the API
// allows. Pages work without scripts; with scripts, runs are updated live and buttons copy texts.
package console

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/server/internal/oidc"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// Options are the services that the console uses.
type Options struct {
	Service *service.Service
	// API serves a request of the API in the name of a person.
	API func(w http.ResponseWriter, r *http.Request, who *service.Caller)
	// Drop removes the files of a deleted project.
	Drop func(project string) error
	// Client returns the address of the client of a request, and the name under which its requests are counted.
	Client func(r *http.Request) (address, counted string)
	// Studio serves Studio's page of a device of a project. The URLs of that project start with base; acts reports
	// whether the person may act on the device.
	Studio func(w http.ResponseWriter, device, base string, acts bool)
	// OIDC lets persons of an identity provider log in; nil: only passwords do.
	OIDC *oidc.Provider
	// Farm is the hub with the hosts that admins see; nil: there is none.
	Farm    *hub.Hub
	Version string
	Log     *slog.Logger
}

// Console serves every path below /console. It is safe for concurrent use.
type Console struct {
	frame *frame
	mux   *http.ServeMux
	guard *http.CrossOriginProtection
}

// New creates a console.
func New(o Options) (*Console, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Console{mux: http.NewServeMux(), guard: http.NewCrossOriginProtection()}
	if err := c.guard.AddTrustedOrigin(o.Service.PublicURL()); err != nil {
		return nil, fmt.Errorf("TAPROOT_PUBLIC_URL: %w", err)
	}
	templates, templateErr := loadTemplates()
	static, assetErr := loadAssets()
	if err := errors.Join(templateErr, assetErr); err != nil {
		return nil, err
	}
	c.frame = &frame{o: o, log: o.Log, templates: templates}
	for _, r := range newPages(o, static).routes() {
		c.mux.Handle(r.pattern, c.handler(r))
	}
	c.mux.HandleFunc("/console/", c.nothing)
	c.mux.HandleFunc("/console", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/console/", http.StatusSeeOther)
	})
	return c, nil
}

// policy lets a page load only files of the console.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler. It rejects forms of other sites.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
	if err := c.guard.Check(r); err != nil {
		c.frame.fail(&request{frame: c.frame, w: w, r: r}, errForeign)
		return
	}
	c.mux.ServeHTTP(w, r)
}

var errForeign = &service.Error{Status: http.StatusForbidden, Code: "forbidden",
	Message: "This request came from a page of another site. Open the console and do it there."}

// handler serves the route to people who may use it.
func (c *Console) handler(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := &request{frame: c.frame, w: w, r: r}
		if route.who.api {
			if err := c.answerScript(q, route); err != nil {
				c.frame.failScript(q, err)
			}
			return
		}
		if err := c.admit(q, route.who); err != nil {
			c.frame.fail(q, err)
			return
		}
		if q.person == nil && route.who.person {
			q.toLogin()
			return
		}
		if err := q.readForm(); err != nil {
			c.frame.fail(q, err)
			return
		}
		if err := route.do(q); err != nil {
			c.frame.fail(q, err)
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

// answerScript serves requests of pages of logged-in people. Pages of other sites are also rejected when they only
// read: a WebSocket is a GET.
func (c *Console) answerScript(q *request, route route) error {
	acting := q.r.Clone(q.r.Context())
	acting.Method = http.MethodPost
	if c.guard.Check(acting) != nil {
		return errForeign
	}
	if err := c.admit(q, route.who); err != nil {
		return err
	}
	if q.person == nil {
		return &service.Error{Status: http.StatusUnauthorized, Code: "missing_token",
			Message: "your session has ended: log in again"}
	}
	return route.do(q)
}

func (c *Console) nothing(w http.ResponseWriter, r *http.Request) {
	q := &request{frame: c.frame, w: w, r: r}
	if err := q.identify(); err != nil {
		c.frame.fail(q, err)
		return
	}
	c.frame.fail(q, &service.Error{Status: http.StatusNotFound, Code: "not_found", Message: "There is no such page."})
}
