package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/runner/run"
)

// farmRunPaths are the paths by which taproot run --hub sends cases. Only programs with the same protocol version
// (order.Protocol) use them, so the API document only mentions that they exist.
var farmRunPaths = []string{"/farm/archives/", "/farm/runs", "/farm/usable"}

func isFarmRun(path string) bool {
	for _, begin := range farmRunPaths {
		if path == begin || strings.HasPrefix(path, strings.TrimSuffix(begin, "/")+"/") {
			return true
		}
	}
	return false
}

// serveFarmRun handles requests of clients that run cases on the farm. A run counts as one request.
func (s *Server) serveFarmRun(w http.ResponseWriter, r *http.Request) {
	a := access{scope: writeRuns, upload: true, free: r.Method != http.MethodPost || r.URL.Path != "/farm/runs",
		stream: strings.HasSuffix(r.URL.Path, "/events"), pattern: "farm-runs"}
	setLogRoute(r.Context(), a.pattern)
	c, fail := s.admit(w.Header(), r, a)
	setLogCaller(r.Context(), c)
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
	r.Body = &timedBody{timedReader{r.Body, func() { s.limitRead(w) }}, r.Body}
	s.farmRuns.ServeHTTP(&timedResponse{ResponseWriter: w, writeTimeout: s.o.Patience}, r.WithContext(ctx))
	if a.pattern = "POST /farm/runs"; !a.free {
		if out, ok := w.(*responseRecorder); ok {
			s.audit(ctx, a.pattern, r.URL.Path, out.status)
		}
	}
}

// onFarm returns the function that runs the project's cases on the devices of the farm; nil on a server that is not a
// hub.
func (s *Server) onFarm() func(*run.Config, jobs.Placement) jobs.Opening {
	if s.o.FarmCases == nil || s.o.projectID == "" {
		return nil
	}
	return s.o.FarmCases(s.o.projectID)
}

// timedResponse limits the time in which the client must read each part of a response.
type timedResponse struct {
	http.ResponseWriter
	writeTimeout time.Duration
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (m *timedResponse) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *timedResponse) Write(p []byte) (int, error) {
	// Fails in tests without a connection.
	_ = http.NewResponseController(m.ResponseWriter).SetWriteDeadline(time.Now().Add(m.writeTimeout))
	return m.ResponseWriter.Write(p)
}

// farmProject returns the project of a request that serveFarmRun has admitted.
func farmProject(r *http.Request) string { return callerOf(r.Context()).member.Project.ID }
