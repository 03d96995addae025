package tenants

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/internal/devices"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/runs"
	"github.com/taproot-dev/taproot/server/internal/sandbox"
	"github.com/taproot-dev/taproot/server/internal/shared"
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

// Options configure a tenant.
type Options struct {
	Config    run.Config
	Files     string // the folder in which clients may name files
	Pages     int
	Drivers   []drivers.Driver
	Exposed   map[string]string
	Network   guard.Policy
	Studio    *os.Root // where Studio saves tests; nil: nowhere
	MCP       func(MCPConfig) (MCP, error)
	Farm      *hub.Hub
	FarmCases func(project string) func(*run.Config, jobs.Placement) jobs.Opening
	OnHost    bool // on a host of a farm
	Origins   []string
	MaxCall   time.Duration
	MaxLease  time.Duration
	Upload    upload.Limits
	Uploads   rest.Uploads
	Running   int
	Metrics   Metrics // nil: nothing is counted
	Audit     rest.AuditLog
	Log       *slog.Logger
	Mask      *event.Mask
	Streams   context.Context // ends streaming responses

	project string                               // its id; "": the server has only one
	share   func(*upload.Folder) *shared.Project // nil: its folders are not shared
	keep    *retention
}

// Metrics counts what the tenant does.
type Metrics interface {
	devices.Metrics
	ObserveRun(jobs.Record)
}

// Tenant is a project with its own devices, runs, files and leases. Nothing of another project can be named in one.
type Tenant struct {
	Project string // its id; "": the server has only one
	Devices *devices.Devices
	Runs    *runs.Runs
	MCP     MCP // nil: assistants are not served

	root      *os.Root           // of files that clients name
	hangUp    context.CancelFunc // ends streaming responses
	retention *retention
}

// Open opens the folders of a tenant. It opens no device.
func Open(o Options) (*Tenant, error) {
	files, err := filepath.Abs(o.Files)
	t := &Tenant{Project: o.project, retention: o.keep}
	if err == nil {
		t.root, err = os.OpenRoot(files)
	}
	if err != nil {
		return nil, fmt.Errorf("open the folder of files: %w", err)
	}
	o.Streams, t.hangUp = context.WithCancel(o.Streams)
	box := &sandbox.Sandbox{Config: o.Config, Root: t.root, Network: o.Network, Exposed: o.Exposed, OnHost: o.OnHost,
		Log: o.Log}
	t.Devices, err = devices.New(devices.Options{Sandbox: box, Project: o.project, Drivers: o.Drivers, Pages: o.Pages,
		Farm: o.Farm, Studio: o.Studio, Origins: o.Origins, MaxCall: o.MaxCall, MaxLease: o.MaxLease, Upload: o.Upload,
		Uploads: o.Uploads, Metrics: o.Metrics, Audit: o.Audit, Log: o.Log, Mask: o.Mask, Streams: o.Streams})
	if err != nil {
		t.hangUp()
		return nil, errors.Join(err, t.root.Close())
	}
	of := runs.Options{Sandbox: box, Files: files, OwnFiles: o.project != "", Limits: o.Upload, Uploads: o.Uploads,
		MaxCall: o.MaxCall, Running: o.Running, Share: o.share, Log: o.Log, Mask: o.Mask, Streams: o.Streams}
	if o.FarmCases != nil && o.project != "" {
		of.OnFarm = o.FarmCases(o.project)
	}
	if o.Metrics != nil {
		of.Ended = o.Metrics.ObserveRun
	}
	t.Runs = runs.New(of)
	if o.MCP != nil {
		if err := t.openMCP(o, box); err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	return t, nil
}

func (t *Tenant) openMCP(o Options, box *sandbox.Sandbox) (err error) {
	conf := box.RunConfig()
	conf.Dir = t.root.Name()
	t.MCP, err = o.MCP(MCPConfig{Pool: t.Devices.Pool(), Devices: t.Devices.Live(), Mask: o.Mask, Run: conf,
		Exposed: o.Exposed, MaxCall: o.MaxCall,
		Who: func(r *http.Request) string { return rest.CallerOf(r.Context()).Who() }})
	return err
}

// Close interrupts runs, releases devices and closes browsers. Callers must not send requests afterwards.
func (t *Tenant) Close() error {
	t.hangUp()
	t.Devices.StopRecordings()
	var ended, closed error
	if t.MCP != nil { // before the devices that its sessions use
		ended = t.MCP.Close()
	}
	var all sync.WaitGroup
	all.Go(func() { closed = t.Devices.Live().Close() })
	all.Go(t.Runs.Close)
	all.Wait()
	return errors.Join(ended, closed, t.Devices.Pool().Close(), t.root.Close())
}
