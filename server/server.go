// Package server is the server that taproot serve runs: the REST API, the console, Studio and MCP behind one listener.
// Requests are admitted, find their project, and become calls of its devices and runs; see the packages below internal.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/internal/devices"
	"github.com/taproot-dev/taproot/server/internal/farmapi"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/studio"
	"github.com/taproot-dev/taproot/server/internal/tenants"
)

// Server serves the REST API. Call Close at the end.
type Server struct {
	o         Options
	log       *slog.Logger
	api       *rest.API
	admission *rest.Admission
	busy      rest.Busy
	audit     rest.AuditLog
	tenants   *tenants.Router
	farm      *farmapi.API
	metrics   *serverMetrics

	studio  *studio.Studio // pages that show a device; nil: none
	screens *studio.Studio // the same as pages of the console
	project *os.Root       // where Studio saves tests; may be nil
	console http.Handler   // pages of accounts; nil: without a service

	document func() ([]byte, error) // openapi.json
	handler  http.Handler
	closing  atomic.Bool
	beating  sync.WaitGroup  // of the goroutines that report this host as running
	streams  context.Context // ends streaming responses, before the HTTP server waits for all responses
	hangUp   context.CancelFunc
}

// New creates a server. It opens no device and listens on no port.
func New(o Options) (*Server, error) {
	o.defaults()
	s := &Server{o: o, log: o.Log, audit: rest.AuditLog{Logger: o.Audit}, metrics: newMetrics(o)}
	s.streams, s.hangUp = context.WithCancel(context.Background())
	if err := errors.Join(s.openProject(), s.openTenants()); err != nil {
		s.hangUp()
		return nil, errors.Join(err, s.closeProject())
	}
	s.metrics.tenant = s.tenants.Root()
	s.openTransport()
	s.routes()
	if err := errors.Join(s.openConsole(), s.tenants.OpenQueued(), s.openStudio()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.reportRunning()
	s.reportLocalDevices()
	return s, nil
}

func (s *Server) limits() rest.Uploads {
	return rest.Uploads{MaxSend: s.o.MaxSend, Patience: s.o.Patience}
}

// openTenants opens the folders of the server. Those of projects are opened later.
func (s *Server) openTenants() (err error) {
	o := s.o
	s.tenants, err = tenants.NewRouter(tenants.RouterOptions{Service: o.Service, Projects: o.Projects, Bucket: o.Bucket,
		Tenant: tenants.Options{Config: o.Config, Files: o.Files, Pages: o.Pages, Drivers: o.Drivers, Exposed: o.Exposed,
			Network: o.Network, Studio: s.project, MCP: o.MCP, Farm: o.Farm, FarmCases: o.FarmCases, OnHost: o.FarmHost,
			Origins: o.Origins, MaxCall: o.MaxCall, MaxLease: o.MaxLease, Upload: o.Upload, Uploads: s.limits(),
			Running: o.Running, Metrics: s.metrics, Audit: s.audit, Log: o.Log, Mask: o.Mask, Streams: s.streams}})
	return err
}

// openTransport creates what admits, logs and dispatches requests.
func (s *Server) openTransport() {
	o := s.o
	host, _ := os.Hostname() // without it the server accepts one name less
	s.admission = &rest.Admission{OnHost: o.FarmHost, Service: o.Service, Auth: o.Auth, Limiter: o.Limiter,
		Guesses: o.Guesses, Origins: o.Origins, Host: host, Hosts: o.Hosts, Proxies: o.Proxies,
		Problems: s.tenants.Root().Devices.Problems(), SavesTests: s.project != nil}
	s.farm = farmapi.New(farmapi.Options{Hub: o.Farm, Service: o.Service, Guesses: o.Guesses, Tenants: s.tenants,
		Admission: s.admission, Uploads: s.limits(), Streams: s.streams, Audit: s.audit, Log: o.Log, Runs: o.FarmRuns,
		Running: o.FarmRunning, Queue: o.FarmQueue})
	s.api = rest.NewAPI(rest.APIOptions{Version: o.Version, Doc: apiDoc, Accounts: o.Service != nil, MaxBody: o.MaxBody,
		Log: o.Log, Mask: o.Mask, Problems: func(ctx context.Context) *rest.Problems {
			return s.tenants.Of(ctx).Devices.Problems()
		}, Own: devices.OwnPath})
	// Generating the document takes half as long as starting a server, so it is generated for the first request.
	s.document = sync.OnceValues(s.api.Document)
	access := &rest.AccessLog{Log: o.Log, Mask: o.Mask, Secure: o.Service != nil && o.Service.Secure(),
		Patience: o.Patience, Client: s.admission.Client, Start: s.metrics.start}
	s.handler = access.Handler(s.cors().Handler(http.HandlerFunc(s.serve)))
}

// Pool returns the pool of the devices that the server uses. It is valid until Close.
func (s *Server) Pool() *pool.Pool { return s.tenants.Root().Devices.Pool() }

// Handler returns the HTTP handler.
func (s *Server) Handler() http.Handler { return s.handler }

// FarmDevices lists the devices of this host for hubs.
func (s *Server) FarmDevices(ctx context.Context) ([]wire.Device, error) {
	return s.tenants.FarmDevices(ctx)
}

// Close interrupts runs, releases devices and closes browsers. Callers must not send requests afterwards.
func (s *Server) Close() error {
	s.closing.Store(true)
	s.hangUp()
	err := s.tenants.Close()
	s.beating.Wait()
	return errors.Join(err, s.closeProject())
}
