package server

import (
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
)

// MCP serves assistants at /mcp over streamable HTTP. Close ends their sessions.
type MCP interface {
	http.Handler
	io.Closer
}

// MCPConfig is what assistants share with the REST API: one set of devices.
type MCPConfig struct {
	Pool    *pool.Pool
	Devices *live.Devices
	Mask    *event.Mask
	Run     run.Config // of their tests; its Dir is the folder in which they may name files
	Exposed map[string]string
	MaxCall time.Duration
	Who     func(*http.Request) string // names the caller of an admitted request
}

const mcpPath = "/mcp"

// mountMCP serves assistants, if the options enable it, to credentials that may use devices, run tests and read
// reports.
func (s *Server) mountMCP() (err error) {
	if s.o.MCP == nil {
		return nil
	}
	conf := s.runConfig()
	conf.Dir = s.root.Name()
	s.mcp, err = s.o.MCP(MCPConfig{Pool: s.pool, Devices: s.devices, Mask: s.mask, Run: conf, Exposed: s.o.Exposed,
		MaxCall: s.o.MaxCall,
		Who:     func(r *http.Request) string { return callerOf(r.Context()).who() }})
	if err != nil {
		return err
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		// the second path starts with one device, which may be on a host of the farm
		for _, path := range []string{mcpPath, "/devices/{id}" + mcpPath} {
			pattern := method + " " + path
			s.mux.HandleFunc(pattern, s.serveMCP)
			s.access[pattern] = access{scope: writeDevices, pattern: pattern}
		}
	}
	return nil
}

func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r.Context())
	for _, scope := range []string{writeRuns, readReports} {
		if s.o.Auth != nil && !c.May(scope) {
			writeError(w, fault(http.StatusForbidden, codeForbidden, "assistants need the scopes "+
				strings.Join([]string{writeDevices, writeRuns, readReports}, ", ")+": the token lacks "+scope))
			return
		}
	}
	s.mcp.ServeHTTP(w, r)
}
