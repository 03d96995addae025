package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/server/auth"
	"github.com/taproot-dev/taproot/server/console"
	"github.com/taproot-dev/taproot/server/service"
	"github.com/taproot-dev/taproot/server/studio"
)

// openConsole creates the console, if the server has accounts.
func (s *Server) openConsole() (err error) {
	if s.o.Service == nil {
		return nil
	}
	if s.screens, err = studio.New(studio.Options{}); err != nil {
		return err
	}
	s.console, err = console.New(console.Options{Service: s.o.Service, Studio: s.screenOf, API: s.actAs, Drop: s.dropSpace,
		OIDC: s.o.OIDC, Farm: s.o.Farm, Version: s.o.Version, Log: s.log,
		Client: func(r *http.Request) (address, counted string) {
			c := caller{addr: s.client(r)}
			return c.addr, c.rateKey()
		}})
	return err
}

// screenOf serves Studio's page of a device. The page sends its requests to the console.
func (s *Server) screenOf(w http.ResponseWriter, device, project string, acts bool) {
	s.screens.Device(w, studio.DevicePage{ID: device, Acts: acts, Home: project + "/devices", API: project + "/api"})
}

func isConsole(path string) bool { return path == "/console" || strings.HasPrefix(path, "/console/") }

// serveConsole serves a page of the console.
func (s *Server) serveConsole(w http.ResponseWriter, r *http.Request) {
	setLogRoute(r.Context(), "console")
	c := caller{addr: s.client(r)}
	if !s.busy.enter(c.rateKey(), s.o.MaxBusy) {
		writeError(w, limited("too many requests at once; wait for some to end", time.Second))
		return
	}
	defer s.busy.leave(c.rateKey())
	s.console.ServeHTTP(w, r)
}

// actAs handles an API request that a page of the console sends for a logged-in person. Reading is not counted against
// the plan; changes are.
func (s *Server) actAs(w http.ResponseWriter, r *http.Request, who *service.Caller) {
	h, pattern := s.route(r)
	a, known := s.access[pattern]
	a.pattern = pattern
	c := caller{Identity: auth.Identity{Name: who.Name}, addr: s.client(r), lease: r.Header.Get("X-Lease"), member: who}
	setLogCaller(r.Context(), c)
	fail := mayMember(who, a)
	switch {
	case !known:
		fail = s.routeError(w, r, h)
	case fail == nil && r.Method != http.MethodGet && r.Method != http.MethodHead:
		fail = s.countMember(r.Context(), w.Header(), who, a)
	}
	s.answer(w, r, c, a, fail)
}

// countMember counts one request against the plan of the project's owner.
func (s *Server) countMember(ctx context.Context, h http.Header, who *service.Caller, a access) *Error {
	q, err := s.o.Service.Take(ctx, who, a.pattern)
	if err != nil {
		return s.problem(ctx, err)
	}
	return quotaHeaders(h, "plan", q)
}
