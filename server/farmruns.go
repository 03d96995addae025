package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/runner/run"
)

// farmRunPaths are those by which taproot run --hub sends cases out. They are between programs of one version of the
// protocol (order.Protocol); the document says only that they are there.
var farmRunPaths = []string{"/farm/archives/", "/farm/runs", "/farm/usable"}

func isFarmRun(path string) bool {
	for _, begin := range farmRunPaths {
		if path == begin || strings.HasPrefix(path, strings.TrimSuffix(begin, "/")+"/") {
			return true
		}
	}
	return false
}

// serveFarmRun lets a client in that has cases run on the farm. A run counts as one request, whatever comes of it.
func (s *Server) serveFarmRun(w http.ResponseWriter, r *http.Request) {
	a := access{scope: writeRuns, upload: true, free: r.Method != http.MethodPost || r.URL.Path != "/farm/runs",
		stream: strings.HasSuffix(r.URL.Path, "/events"), pattern: "farm-runs"}
	noteRoute(r.Context(), a.pattern)
	c, fail := s.admit(w.Header(), r, a)
	noteCaller(r.Context(), c)
	if fail == nil && (c.member == nil || c.member.Project == nil) {
		fail = fault(http.StatusNotFound, codeNotFound, "a run on a farm belongs to a project")
	}
	if fail != nil {
		writeError(w, fail)
		return
	}
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), callerKey{}, c))
	defer cancel()
	if a.stream {
		defer context.AfterFunc(s.streams, cancel)()
		var stop func()
		ctx, stop = s.whileAllowed(ctx, c.member, a)
		defer stop()
	}
	r.Body = &movingBody{moving{r.Body, func() { s.await(w) }}, r.Body}
	s.farmRuns.ServeHTTP(&movingAnswer{ResponseWriter: w, patience: s.o.Patience}, r.WithContext(ctx))
	if a.pattern = "POST /farm/runs"; !a.free {
		if out, ok := w.(*counting); ok {
			s.audit(ctx, a.pattern, r.URL.Path, out.status)
		}
	}
}

// onFarm has the runs of a project run on the devices of the farm; nil: this is no hub.
func (s *Server) onFarm() func(*run.Config, jobs.Placement) jobs.Opening {
	if s.o.FarmCases == nil || s.o.projectID == "" {
		return nil
	}
	return s.o.FarmCases(s.o.projectID)
}

// movingAnswer wants each part of an answer to be taken in time.
type movingAnswer struct {
	http.ResponseWriter
	patience time.Duration
}

// Unwrap is for http.ResponseController.
func (m *movingAnswer) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *movingAnswer) Write(p []byte) (int, error) {
	// there is none in tests without a connection
	_ = http.NewResponseController(m.ResponseWriter).SetWriteDeadline(time.Now().Add(m.patience))
	return m.ResponseWriter.Write(p)
}

// farmProject names the project of a request that serveFarmRun let in.
func farmProject(r *http.Request) string { return callerOf(r.Context()).member.Project.ID }
