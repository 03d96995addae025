package server

import (
	"context"
	"net/http"

	"github.com/rs/cors"

	"github.com/taproot-dev/taproot/server/internal/accounts"
	"github.com/taproot-dev/taproot/server/internal/apidocs"
	"github.com/taproot-dev/taproot/server/internal/devices"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/runs"
)

// Scopes lists the scopes of tokens.
func Scopes() []string {
	return []string{rest.ReadDevices, rest.WriteDevices, rest.ReadRuns, rest.WriteRuns, rest.ReadReports,
		rest.WriteReports, rest.ReadServer}
}

// routes registers all paths. Each is served at the root and under /api.
func (s *Server) routes() {
	if s.o.MCP != nil {
		s.mountMCP()
	}
	s.api.Raw(rest.Op{Get: "/", ID: "about", Tag: "server", Summary: "Name, version and links to the documentation",
		Answers: about{}},
		s.about)
	s.api.Raw(rest.Op{Get: "/healthz", ID: "health", Tag: "server", Summary: "Whether the server responds",
		Answers: health{},
		Free:    true}, s.health)
	s.api.Raw(rest.Op{Get: "/readyz", ID: "ready", Tag: "server", Scope: rest.ReadServer,
		Summary: "Whether the server can work",
		Answers: health{}, Free: true,
		Codes: []int{http.StatusServiceUnavailable}}, s.ready)
	s.api.Raw(rest.Op{Get: rest.MetricsPath, ID: "metrics", Tag: "server", Scope: rest.ReadServer,
		Summary: "Metrics for Prometheus",
		Doc:     metricsDoc, Type: "text/plain", Free: true}, s.metrics.handler())
	s.api.Raw(rest.Op{Get: "/openapi.json", ID: "openapi", Tag: "server", Summary: "This document",
		Type: "application/json"},
		s.openapi)
	s.api.Raw(rest.Op{Get: "/docs", ID: "docs", Tag: "server", Summary: "This document for people", Type: "text/html"},
		s.docs)
	s.api.Raw(rest.Op{Get: "/docs/try", ID: "try", Tag: "server", Summary: "A page that sends requests",
		Type: "text/html"},
		s.tryPage)
	s.api.Raw(rest.Op{Get: "/docs/openapi-explorer.js", ID: "try-script", Tag: "server",
		Summary: "The script of that page",
		Type:    "text/javascript"}, apidocs.ServeViewer)

	devices.Routes(s.api, func(ctx context.Context) *devices.Devices { return s.tenants.Of(ctx).Devices })
	runs.Routes(s.api, func(ctx context.Context) *runs.Runs { return s.tenants.Of(ctx).Runs })
	if s.o.Service != nil {
		accounts.Routes(s.api, accounts.Options{Service: s.o.Service, Drop: s.tenants.Drop, Log: s.log})
	}
	if s.o.Farm != nil {
		s.farm.Routes(s.api)
	}
}

// cors lets pages of the allowed origins read responses. The library treats an empty list as all origins.
func (s *Server) cors() *cors.Cors {
	origins := s.o.Origins
	if len(origins) == 0 {
		origins = []string{"http://localhost"} // never an empty list
	}
	return cors.New(cors.Options{AllowedOrigins: origins, AllowedMethods: []string{http.MethodGet, http.MethodPost,
		http.MethodDelete},
		AllowedHeaders: []string{"Authorization", "Content-Type", "X-API-Key", "X-Lease", rest.HostHeader, "Idempotency-Key",
			"Last-Event-ID", "X-Request-Id", "X-Project"},
		ExposedHeaders: []string{"Retry-After", "RateLimit", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
			"RateLimit-Policy", "X-Request-Id", "Location"},
		MaxAge: 600})
}
