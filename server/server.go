package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"

	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/received"
	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/shared"
	"github.com/taproot-dev/taproot/server/studio"
)

// Server serves the REST API. Call Close at the end.
type Server struct {
	o          Options
	log        *slog.Logger
	mask       *event.Mask
	pool       *pool.Pool
	devices    *live.Devices
	runs       *jobs.Manager
	uploads    *received.Store
	files      *upload.Folder // of tests
	root       *os.Root       // of files that clients name
	leases     leases
	mcp        MCP // nil: assistants are not served
	figures    *serverMetrics
	busy       busy
	spaces     spaces
	recordings recordings
	shared     *shared.Project // of a project's space that several servers share; nil: only this one has it

	retention *retention     // of a project's space
	studio    *studio.Studio // pages that show a device; nil: none
	screens   *studio.Studio // the same as pages of the console
	project   *os.Root       // where Studio saves tests; may be nil
	console   http.Handler   // pages of accounts; nil: without a service

	mux      *http.ServeMux
	api      huma.API
	access   map[string]access      // by the pattern of a route
	document func() ([]byte, error) // openapi.json
	handler  http.Handler
	host     string // name of this machine
	closing  atomic.Bool
	beating  sync.WaitGroup  // of the goroutines that report this host as running
	farmRuns http.Handler    // nil: not a hub
	streams  context.Context // ends streaming responses, before the HTTP server waits for all responses
	hangUp   context.CancelFunc
}

// New creates a server. It opens no device and listens on no port.
func New(o Options) (*Server, error) {
	o.defaults()
	s := &Server{o: o, log: o.Log, mask: o.Mask, access: map[string]access{}, mux: http.NewServeMux()}
	s.leases = newLeases(o.projectID, func(device string) []pool.Reservation { return s.pool.Reservations(device) })
	s.streams, s.hangUp = context.WithCancel(context.Background())
	s.recordings.base = s.streams
	s.host, _ = os.Hostname() // without it the server accepts one name less
	files, err := filepath.Abs(o.Files)
	if err == nil {
		s.root, err = os.OpenRoot(files)
	}
	if err != nil {
		return nil, fmt.Errorf("open the folder of files: %w", err)
	}
	if s.devices, err = s.liveDevices(); err != nil {
		return nil, errors.Join(err, s.root.Close())
	}
	if o.FarmRuns != nil {
		s.farmRuns = o.FarmRuns(farmProject)
	}
	s.figures = newMetrics(s)
	s.files = &upload.Folder{Dir: files, Limits: o.Upload}
	s.share()
	s.runs = jobs.New(jobs.Options{Config: s.runConfig(), Running: o.Running, Log: o.Log, Ended: s.figures.observeRun,
		Keep: s.publishEnded, Again: s.runAgain, Remote: s.onFarm()})
	s.uploads = &received.Store{Reports: o.Config.Reports, Limits: o.Upload, Finish: s.received, Claim: s.o.Config.Claim}
	if err := upload.Sweep(o.Config.Reports); err != nil {
		s.log.Warn("cannot remove incomplete uploads", "error", err)
	}
	if err := errors.Join(s.routes(), s.openConsole(), s.openQueued(), s.openStudio()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.reportRunning()
	s.reportLocalDevices()
	return s, nil
}

// liveDevices creates the devices of single calls.
func (s *Server) liveDevices() (*live.Devices, error) {
	list := s.o.Drivers
	conf := s.o.Config
	if list == nil {
		of := s.runConfig()
		of.Parallel, of.NoFilePages = s.o.Pages, true
		list = run.Drivers(of)
	}
	s.pool = pool.New(list, conf.PoolOptions())
	return live.New(live.Options{Pool: s.pool, What: "taproot serve", Timeout: conf.Timeout,
		Access: s.allowedAccess(false), Vision: conf.Vision(), AllowShell: conf.AllowShell, AfterUse: conf.AfterUse,
		Exposed: s.o.Exposed, Mask: s.mask})
}

// runConfig returns the configuration of runs that clients request. They cannot read the environment.
func (s *Server) runConfig() run.Config {
	conf := s.o.Config
	conf.Access = s.allowedAccess(true)
	if !s.o.Network.IsOpen() {
		conf.Network = &s.o.Network
	}
	conf.LookupEnv = func(name string) (string, bool) {
		value, ok := s.o.Exposed[name]
		return value, ok
	}
	conf.Log = s.log
	return conf
}

// Pool returns the pool of the devices that the server uses. It is valid until Close.
func (s *Server) Pool() *pool.Pool { return s.pool }

// Handler returns the HTTP handler.
func (s *Server) Handler() http.Handler { return s.handler }

// Close interrupts runs, releases devices and closes browsers. Callers must not send requests afterwards.
func (s *Server) Close() error {
	s.closing.Store(true)
	s.hangUp()
	s.recordings.close()
	var ended error
	if s.mcp != nil { // before the devices that its sessions use
		ended = s.mcp.Close()
	}
	var all sync.WaitGroup
	var errs [2]error
	all.Go(func() { errs[0] = s.devices.Close() })
	all.Go(func() { errs[1] = s.spaces.close() })
	if s.runs != nil {
		all.Go(s.runs.Close)
	}
	all.Go(s.beating.Wait)
	all.Wait()
	return errors.Join(ended, errs[0], errs[1], s.pool.Close(), s.root.Close(), s.closeStudio())
}

// received creates the pages of a run after an upload, and removes runs beyond the limits.
func (s *Server) received(ctx context.Context, runDir string) error {
	err := s.o.Config.Received(ctx, runDir)
	if err != nil {
		s.log.WarnContext(ctx, "cannot write the pages of an upload", "run", runDir, "error", err)
	}
	return err
}

// network returns a dialer that checks connections against Options.Network.
func (s *Server) network() *guard.Dialer { return guard.NewDialer(s.o.Network) }

// deadline limits one call on a device.
func (s *Server) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.o.MaxCall, errTooLong)
}
