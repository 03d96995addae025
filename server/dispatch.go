package server

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/studio"
	"github.com/taproot-dev/taproot/server/internal/tenants"
)

// serve is the last handler of the chain. It serves the console and Studio itself, and finds the route of all other
// requests. admit then identifies the caller and checks its permission and rate limits; answer checks the request and
// calls the route's handler.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if s.console != nil && isConsole(r.URL.Path) {
		s.serveConsole(w, r)
		return
	}
	if s.screens != nil && studio.IsAsset(r.URL.Path) {
		rest.SetLogRoute(r.Context(), "studio")
		s.screens.ServeHTTP(w, r)
		return
	}
	if s.studio != nil && studio.Path(r.URL.Path) {
		s.serveStudio(w, r)
		return
	}
	if s.console != nil && studio.Path(r.URL.Path) { // with accounts, the console opens Studio on a device
		rest.SetLogRoute(r.Context(), "studio")
		http.Redirect(w, r, "/console/", http.StatusSeeOther)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/api" {
		r = withoutPrefix(r)
	}
	if s.farm.Serves(r) {
		s.farm.ServeRun(w, r)
		return
	}
	h, pattern := s.api.Route(r)
	rest.SetLogRoute(r.Context(), pattern)
	a, known := s.api.Access(pattern)
	if !known {
		a.Scope = "-" // only callers with a valid credential learn that a path does not exist
	}
	a.Pattern = pattern
	c, fail := s.admission.Admit(w.Header(), r, a)
	rest.SetLogCaller(r.Context(), c)
	if fail == nil && !known {
		fail = s.api.RouteError(w, r, h)
	}
	s.answer(w, r, c, a, fail)
}

// answer responds with fail, if admit has set it. Otherwise it checks the request's headers and query, reads its body
// and calls the handler of the caller's project, here or on the host that has the device.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, c rest.Caller, a rest.Access, fail *rest.Error) {
	if fail == nil {
		fail = s.api.CheckBody(r, a)
	}
	if fail == nil {
		fail = rest.CheckQuery(r)
	}
	if fail != nil {
		if r.ContentLength != 0 {
			w.Header().Set("Connection", "close") // respond without reading the body
		}
		rest.WriteError(w, fail)
		return
	}
	if !s.busy.Enter(c.RateKey(), s.o.MaxBusy) {
		rest.WriteError(w, rest.Limited(fmt.Sprintf("more than %d requests at once; wait for some to end", s.o.MaxBusy),
			time.Second))
		return
	}
	defer s.busy.Leave(c.RateKey())
	if !a.Upload && r.Method != http.MethodGet && r.Method != http.MethodHead {
		if fail := s.api.ReadBody(w, r); fail != nil {
			rest.WriteError(w, fail)
			return
		}
	}
	ctx := rest.WithCaller(r.Context(), c)
	at, err := s.tenants.Find(c, a)
	if err == nil {
		err = at.Runs.Fetch(r, a.Scope)
	}
	if err != nil {
		rest.WriteError(w, s.admission.Problems.Of(ctx, err))
		return
	}
	if a.Stream && c.Member != nil {
		var stop func()
		ctx, stop = rest.WhileAllowed(ctx, c.Member, a)
		defer stop()
	}
	r = r.WithContext(tenants.With(ctx, at))
	if there, err := s.farm.Forward(w, r, a); err != nil {
		rest.WriteError(w, s.admission.Problems.Of(ctx, rest.AsDeviceError(err)))
	} else if !there {
		s.api.ServeHTTP(w, r)
	}
	if out, ok := w.(*rest.Recorder); ok && (r.Method != http.MethodGet && r.Method != http.MethodHead ||
		strings.HasPrefix(a.Pattern, "GET /devices/{id}/")) {
		s.audit.Add(ctx, a.Pattern, r.URL.Path, out.Status)
	}
}

// withoutPrefix removes /api from the path: the same API is served with and without it.
func withoutPrefix(r *http.Request) *http.Request {
	u := *r.URL
	cut := func(p string) string {
		if p = strings.TrimPrefix(p, "/api"); p == "" {
			return "/"
		}
		return p
	}
	u.Path = cut(u.Path)
	if u.RawPath != "" {
		u.RawPath = cut(u.RawPath)
	}
	out := *r
	out.URL = &u
	return &out
}

const mcpPath = "/mcp"

// mountMCP serves assistants to credentials that may use devices, run tests and read reports.
func (s *Server) mountMCP() {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		// the second path starts with one device, which may be on a host of the farm
		for _, path := range []string{mcpPath, "/devices/{id}" + mcpPath} {
			s.api.Plain(method+" "+path, rest.WriteDevices, s.serveMCP)
		}
	}
}

func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request) {
	c, t := rest.CallerOf(r.Context()), s.tenants.Of(r.Context())
	for _, scope := range []string{rest.WriteRuns, rest.ReadReports} {
		if s.o.Auth != nil && t.Project == "" && !c.May(scope) {
			rest.WriteError(w, rest.Fault(http.StatusForbidden, rest.CodeForbidden, "assistants need the scopes "+
				strings.Join([]string{rest.WriteDevices, rest.WriteRuns, rest.ReadReports}, ", ")+": the token lacks "+scope))
			return
		}
	}
	t.MCP.ServeHTTP(w, r)
}
