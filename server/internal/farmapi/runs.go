package farmapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/server/internal/limit"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/service"
	"github.com/taproot-dev/taproot/server/internal/tenants"
)

// Options configure an API.
type Options struct {
	Hub       *hub.Hub         // nil: this server is not a hub
	Service   *service.Service // nil: there are no accounts
	Guesses   limit.Limiter    // of wrong credentials; nil: no limit
	Tenants   *tenants.Router
	Admission *rest.Admission
	Uploads   rest.Uploads
	Streams   context.Context // ends streaming responses
	Audit     rest.AuditLog
	Log       *slog.Logger
	// Runs creates the handler for clients that run cases on the farm; project returns that of a request. nil: not served.
	Runs func(project func(*http.Request) string) http.Handler
	// Running returns the cases of a project that run on hosts; nil: none do.
	Running func(ctx context.Context, project string) ([]FarmCase, error)
	// Queue returns the waiting cases of a project and its share of the farm; nil: none wait.
	Queue func(ctx context.Context, project string) ([]FarmLine, FarmShare, error)
}

// API serves the farm: hosts that join, requests for the devices of hosts, and runs that clients send.
type API struct {
	o    Options
	runs http.Handler // nil: not served
}

// New creates an API.
func New(o Options) *API {
	s := &API{o: o}
	if o.Runs != nil {
		s.runs = o.Runs(farmProject)
	}
	return s
}

// Serves reports whether a request is one of a client that runs cases on the farm.
func (s *API) Serves(r *http.Request) bool { return s.runs != nil && isRun(r.URL.Path) }

// farmRunPaths are the paths by which taproot run --hub sends cases. Only programs with the same protocol version
// (order.Protocol) use them, so the API document only mentions that they exist.
var farmRunPaths = []string{"/farm/archives/", "/farm/runs", "/farm/usable"}

// isRun reports whether a path is one by which cases are sent.
func isRun(path string) bool {
	for _, begin := range farmRunPaths {
		if path == begin || strings.HasPrefix(path, strings.TrimSuffix(begin, "/")+"/") {
			return true
		}
	}
	return false
}

// ServeRun handles requests of clients that run cases on the farm. A run counts as one request.
func (s *API) ServeRun(w http.ResponseWriter, r *http.Request) {
	a := rest.Access{Scope: rest.WriteRuns, Upload: true, Free: r.Method != http.MethodPost || r.URL.Path != "/farm/runs",
		Stream: strings.HasSuffix(r.URL.Path, "/events"), Pattern: "farm-runs"}
	rest.SetLogRoute(r.Context(), a.Pattern)
	c, fail := s.o.Admission.Admit(w.Header(), r, a)
	rest.SetLogCaller(r.Context(), c)
	if fail == nil && (c.Member == nil || c.Member.Project == nil) {
		fail = rest.Fault(http.StatusNotFound, rest.CodeNotFound, "a run on a farm belongs to a project")
	}
	if fail != nil {
		rest.WriteError(w, fail)
		return
	}
	ctx, cancel := context.WithCancel(rest.WithCaller(r.Context(), c))
	defer cancel()
	if a.Stream {
		defer context.AfterFunc(s.o.Streams, cancel)()
		var stop func()
		ctx, stop = rest.WhileAllowed(ctx, c.Member, a)
		defer stop()
	}
	r.Body = s.o.Uploads.Timed(w, r.Body)
	s.runs.ServeHTTP(&rest.TimedResponse{ResponseWriter: w, WriteTimeout: s.o.Uploads.Patience}, r.WithContext(ctx))
	if a.Pattern = "POST /farm/runs"; !a.Free {
		if out, ok := w.(*rest.Recorder); ok {
			s.o.Audit.Add(ctx, a.Pattern, r.URL.Path, out.Status)
		}
	}
}

// farmProject returns the project of a request that ServeRun has admitted.
func farmProject(r *http.Request) string { return rest.CallerOf(r.Context()).Member.Project.ID }
