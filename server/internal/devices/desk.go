package devices

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/sandbox"
)

// Metrics counts actions on devices.
type Metrics interface {
	ObserveAction(action string, took time.Duration, err error)
}

type noMetrics struct{}

func (noMetrics) ObserveAction(string, time.Duration, error) {}

// Options configure the devices of a project.
type Options struct {
	Sandbox  *sandbox.Sandbox
	Project  string           // the id of the project; "": there is only one
	Drivers  []drivers.Driver // default: run.Drivers
	Pages    int              // of browsers, that may be open
	Farm     *hub.Hub         // with the devices of hosts; nil: only those of this machine
	Studio   *os.Root         // where Studio saves tests; nil: nowhere
	Origins  []string         // other origins, of which pages may connect
	MaxCall  time.Duration    // of one request on a device
	MaxLease time.Duration
	Upload   upload.Limits
	Uploads  rest.Uploads
	Metrics  Metrics // nil: nothing is counted
	Audit    rest.AuditLog
	Log      *slog.Logger
	Mask     *event.Mask
	Streams  context.Context // ends streaming responses
}

// desk lets callers have devices, one call at a time. All parts share it.
type desk struct {
	o        Options
	devices  *live.Devices
	pool     *pool.Pool
	leases   leases
	problems *rest.Problems
	metrics  Metrics
	audit    rest.AuditLog
	uploads  rest.Uploads
	log      *slog.Logger
	mask     *event.Mask
	streams  context.Context
}

func newDesk(o Options) (*desk, error) {
	list, conf := o.Drivers, o.Sandbox.Config
	if list == nil {
		of := o.Sandbox.RunConfig()
		of.Parallel, of.NoFilePages = o.Pages, true
		list = run.Drivers(of)
	}
	devices := pool.New(list, conf.PoolOptions())
	all, err := live.New(live.Options{Pool: devices, What: "taproot serve", Timeout: conf.Timeout,
		Access: o.Sandbox.Access(false), Vision: conf.Vision(), AllowShell: conf.AllowShell, AfterUse: conf.AfterUse,
		Exposed: o.Sandbox.Exposed, Mask: o.Mask})
	if err != nil {
		return nil, err
	}
	if o.Metrics == nil {
		o.Metrics = noMetrics{}
	}
	return &desk{o: o, devices: all, pool: devices, leases: newLeases(o.Project, devices.Reservations), metrics: o.Metrics,
		problems: &rest.Problems{Log: o.Log, Mask: o.Mask, Pool: devices, Farm: o.Farm, Project: o.Project},
		audit:    o.Audit, uploads: o.Uploads, log: o.Log, mask: o.Mask, streams: o.Streams}, nil
}

// maxID bounds the length of a device ID.
const maxID = 256

// device returns the record of an existing device.
func (s *desk) device(ctx context.Context, id string) (drivers.Info, error) {
	if err := checkDeviceID(id); err != nil {
		return drivers.Info{}, err
	}
	info, err := s.devices.Info(ctx, id)
	if err != nil {
		return drivers.Info{}, rest.AsDeviceError(err)
	}
	return info, nil
}

func checkDeviceID(id string) error {
	if id == "" || len(id) > maxID || strings.ContainsFunc(id, rest.IsControl) {
		return &pool.UnknownDeviceError{ID: rest.Cut(id, 50)}
	}
	return nil
}

func (s *desk) opened() map[string]live.Status {
	open := map[string]live.Status{}
	for _, status := range s.devices.Open() {
		open[status.Info.ID] = status
	}
	return open
}

// use leases the device to the request for one call.
func (s *desk) use(r *http.Request, use func(context.Context, *action.Performer) error) error {
	id := r.PathValue("id")
	if err := checkDeviceID(id); err != nil {
		return err
	}
	ctx, cancel := s.deadline(r.Context())
	defer cancel()
	began := time.Now()
	err := s.devices.Use(ctx, id, s.leases.holder(id, rest.CallerOf(ctx)), use)
	s.metrics.ObserveAction(operation(r), time.Since(began), err)
	return rest.AsDeviceError(err)
}

// operation names what a request does, for metrics.
func operation(r *http.Request) string {
	_, name, _ := strings.Cut(r.Pattern, "{id}/")
	return name
}

// deadline limits one call on a device.
func (s *desk) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.o.MaxCall, rest.ErrTooLong)
}
