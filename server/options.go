package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/internal/auth"
	"github.com/taproot-dev/taproot/server/internal/devices"
	"github.com/taproot-dev/taproot/server/internal/farmapi"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/limit"
	"github.com/taproot-dev/taproot/server/internal/oidc"
	"github.com/taproot-dev/taproot/server/internal/service"
	"github.com/taproot-dev/taproot/server/internal/tenants"
)

// What the options refer to.
type (
	// MCP serves assistants at /mcp over streamable HTTP. Close ends their sessions.
	MCP = tenants.MCP
	// MCPConfig is what assistants share with the REST API.
	MCPConfig = tenants.MCPConfig
	// FarmCase is a case that runs on a host.
	FarmCase = farmapi.FarmCase
	// FarmShare is a project's share of the farm and its current use.
	FarmShare = farmapi.FarmShare
	// FarmLine is a queue of cases with the same requirements.
	FarmLine = farmapi.FarmLine
	// FarmState is the state of a farm, as its hub knows it.
	FarmState = farmapi.FarmState
	// Device is the record of a device.
	Device = devices.Device
)

// Options configure a server. The zero value of a limit means its default.
type Options struct {
	// Config is the configuration of runs; clients may name tests and files in its Dir.
	Config run.Config
	// Files is the folder in which clients may name files; default: Config.Dir.
	Files string
	// Pages is how many browser pages of single calls may be open; default: 8.
	Pages int
	// Drivers are the drivers of single calls; default: run.Drivers of Config.
	Drivers []drivers.Driver
	// Auth authenticates and authorizes callers; nil: every caller may use everything.
	Auth *auth.Gate
	// Service has the accounts, projects and API keys; nil: there is one project, and Auth decides who may use it. With
	// it, Auth and Limiter are ignored.
	Service *service.Service
	// OIDC lets persons of an identity provider log in to the console; nil: only passwords do.
	OIDC *oidc.Provider
	// Bucket is where servers of one Service share the runs and tests of projects; nil: each server has its own.
	Bucket blob.Bucket
	// Projects is the folder with a folder for each project of the Service: its reports and the files that its members
	// may name.
	Projects string
	// Limiter limits the requests of each credential or address; nil: no limit.
	Limiter limit.Limiter
	// Guesses limits the wrong credentials from each address; nil: no limit.
	Guesses limit.Limiter

	// Origins are those from which pages may use the server, in addition to the server's own.
	Origins []string
	// Hosts are the names by which clients may address the server without authentication, in addition to IP addresses,
	// localhost and the machine's own name.
	Hosts []string
	// Proxies may name the client's address in X-Forwarded-For.
	Proxies []netip.Prefix

	// Exposed are the environment variables that clients may use as ${NAME}.
	Exposed map[string]string
	// Network is what clients' connections may reach; the zero value is only the public internet.
	Network guard.Policy

	// Project is the folder of the project in which Studio's pages open and save tests; "": they save none.
	Project string
	// MCP creates the server for assistants at /mcp; nil: /mcp is not served.
	MCP func(MCPConfig) (MCP, error)

	// Farm is the hub that also serves the devices of hosts; nil: only this machine's devices are served.
	Farm *hub.Hub
	// FarmRuns creates the handler for clients that run cases on the farm; project returns that of a request. nil: not
	// served.
	FarmRuns func(project func(*http.Request) string) http.Handler
	// FarmRunning returns the cases of a project that run on hosts; nil: none do.
	FarmRunning func(ctx context.Context, project string) ([]FarmCase, error)
	// FarmCases returns what runs a project's cases on the farm; nil: they run on this machine's devices.
	FarmCases func(project string) func(*run.Config, FarmPlacement) FarmOpening
	// FarmQueue returns the waiting cases of a project and its share of the farm; nil: none wait.
	FarmQueue func(ctx context.Context, project string) ([]FarmLine, FarmShare, error)
	// FarmMetrics writes the metrics of the farm's cases in the format of Prometheus; nil: there are none.
	FarmMetrics func(context.Context, io.Writer)
	// FarmHost accepts requests only from hubs, over connections of farm/wire. The hub names the caller.
	FarmHost bool

	MaxBody  int64         // bytes of a JSON body; default: 1 MiB
	MaxCall  time.Duration // of one request on a device; default: 5 min
	MaxBusy  int           // requests at once of one credential or address; default: 256
	MaxLease time.Duration // default: 1 h
	Upload   upload.Limits
	MaxSend  time.Duration // an upload; default: 30 min
	// The time for the headers of a request, its JSON body, and each part of an upload or a response; default: 30 s.
	Patience time.Duration
	Running  int // runs at once; default: 4

	Version string
	Log     *slog.Logger
	Audit   *slog.Logger // gets a line for each change of a device, a run or the reports; default: Log
	Mask    *event.Mask
}

func (o *Options) defaults() {
	if o.Files == "" {
		o.Files = o.Config.Dir
	}
	if o.Pages == 0 {
		o.Pages = 8
	}
	if o.MaxBody == 0 {
		o.MaxBody = 1 << 20
	}
	if o.MaxCall == 0 {
		o.MaxCall = 5 * time.Minute
	}
	if o.MaxBusy == 0 {
		o.MaxBusy = 256
	}
	if o.MaxLease == 0 {
		o.MaxLease = time.Hour
	}
	if o.MaxSend == 0 {
		o.MaxSend = 30 * time.Minute
	}
	if o.Patience == 0 {
		o.Patience = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Audit == nil {
		o.Audit = o.Log
	}
	if o.Mask == nil {
		o.Mask = &event.Mask{}
	}
	if o.Version == "" {
		o.Version = "devel"
	}
}

// FarmPlacement is where the cases of a run go: a pool, labels, and a priority.
type FarmPlacement = jobs.Placement

// FarmOpening opens a run on the farm.
type FarmOpening = jobs.Opening

// FarmRunner runs the cases of one run on the farm.
type FarmRunner = jobs.RemoteRunner
