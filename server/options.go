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
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/auth"
	"github.com/taproot-dev/taproot/server/blob"
	"github.com/taproot-dev/taproot/server/limit"
	"github.com/taproot-dev/taproot/server/oidc"
	"github.com/taproot-dev/taproot/server/service"
	"github.com/taproot-dev/taproot/server/shared"
	"github.com/taproot-dev/taproot/server/upload"
)

// Options are how a server works. The zero value of a limit means its default.
type Options struct {
	// Config is the configuration of runs; its Dir is the folder whose tests and files clients may name.
	Config run.Config
	// Files is the folder below which clients may name files; default: Config.Dir.
	Files string
	// Pages is how many pages of browsers single calls may have open; default: 8.
	Pages int
	// Drivers are those of single calls; default: run.Drivers of Config.
	Drivers []drivers.Driver
	// Auth lets credentials in; nil: everybody may do everything.
	Auth *auth.Gate
	// Service knows people, projects and their keys; nil: there is one project, and Auth says who may use it. With it,
	// Auth and Limiter count for nothing.
	Service *service.Service
	// OIDC lets people into the console whom a provider of identities knows; nil: passwords alone do.
	OIDC *oidc.Provider
	// Bucket is where servers of one Service share the runs and tests of projects; nil: each has its own.
	Bucket blob.Bucket
	// Projects is the folder in which each project of the Service has its reports and the files that its members may name.
	Projects string
	// Limiter holds back who asks too often, by credential or address; nil: nobody.
	Limiter limit.Limiter
	// Guesses holds back addresses that send wrong credentials; nil: none.
	Guesses limit.Limiter

	// Origins are those whose pages may call, beside the server's own.
	Origins []string
	// Hosts are the names by which the server may be called without authentication, beside addresses, localhost and the
	// machine's own.
	Hosts []string
	// Proxies are who may say in X-Forwarded-For whom they speak for.
	Proxies []netip.Prefix

	// Exposed are the variables of the environment that clients may use as ${NAME}.
	Exposed map[string]string
	// Network is what connections may reach that clients cause; the zero value is the public internet only.
	Network guard.Policy

	// Project is the folder of a project whose tests Studio's pages open and save; "": they save none.
	Project string
	// MCP makes what answers assistants at /mcp; nil: nobody does.
	MCP func(MCPConfig) (MCP, error)

	// Farm is the hub whose hosts' devices are served, too; nil: those of this machine only.
	Farm *hub.Hub
	// FarmRuns makes what answers clients that have cases run on the farm; project names that of a request. nil: nobody
	// does.
	FarmRuns func(project func(*http.Request) string) http.Handler
	// FarmRunning tells which cases of a project are under way on hosts; nil: none are.
	FarmRunning func(ctx context.Context, project string) ([]FarmCase, error)
	// FarmCases has the cases of a project's runs run on the farm; nil: they run on this machine's devices.
	FarmCases func(project string) func(*run.Config, jobs.Placement) jobs.Opening
	// FarmQueue tells what waits of a project, and what it gets of the farm; nil: nothing waits.
	FarmQueue func(ctx context.Context, project string) ([]FarmLine, FarmShare, error)
	// FarmMetrics writes the figures of the farm's cases, in the format of Prometheus; nil: there are none.
	FarmMetrics func(context.Context, io.Writer)
	// FarmHost lets hubs say who sends a request, over connections of farm/wire, and nobody else send any.
	FarmHost bool

	MaxBody  int64         // bytes of a JSON body; default: 1 MiB
	MaxCall  time.Duration // of one request on a device; default: 5 min
	MaxBusy  int           // requests at once of one credential or address; default: 256
	MaxLease time.Duration // default: 1 h
	Upload   upload.Limits
	MaxSend  time.Duration // an upload; default: 30 min
	// for the headers of a request, its JSON, and each part of an upload or an answer; default: 30 s
	Patience time.Duration
	Running  int // runs at once; default: 4

	refused   func(service.Entry)                  // notes what was refused, in the log of the service; nil: there is none
	projectID string                               // of a project's space
	ownFiles  bool                                 // Files belongs to a project, whose members may replace it
	share     func(*upload.Folder) *shared.Project // of a project's space; nil: its folders are this server's alone

	Version string
	Log     *slog.Logger
	Audit   *slog.Logger // gets a line for whatever is done to a device, a run or the reports; default: Log
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
