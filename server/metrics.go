package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/internal/metrics"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/tenants"
)

const (
	metricsDoc = `With accounts: for admins, and for a key of taproot admin metrics-key, which reads these metrics and
	nothing else. Send it as Authorization: Bearer.`
)

// serverMetrics are the metrics of one server, in the format of Prometheus.
type serverMetrics struct {
	tenant   *tenants.Tenant                  // of which devices and runs are counted
	farm     *hub.Hub                         // nil: no farm
	cases    func(context.Context, io.Writer) // writes the metrics of the farm's cases; may be nil
	set      *metrics.Set
	inFlight *metrics.Gauge
}

var (
	requestSeconds = metrics.ExponentialBounds(0.001, 4, 9)
	actionSeconds  = metrics.ExponentialBounds(0.01, 3, 9)
)

func newMetrics(o Options) *serverMetrics {
	set := metrics.NewSet()
	return &serverMetrics{farm: o.Farm, cases: o.FarmMetrics, set: set,
		inFlight: set.Gauge("taproot_http_requests_in_flight")}
}

// start counts a request that starts; done counts its end.
func (m *serverMetrics) start() (done func(route, method string, status int, took time.Duration)) {
	m.inFlight.Inc()
	return func(route, method string, status int, took time.Duration) {
		m.inFlight.Dec()
		if route == "" {
			route = "other" // unknown paths must not create one metric each
		}
		if method != http.MethodGet && method != http.MethodPost && method != http.MethodDelete && method != http.MethodHead {
			method = "other"
		}
		m.set.Counter(fmt.Sprintf(`taproot_http_requests_total{method=%q,route=%q,status="%d"}`, method, route,
			status)).Inc()
		m.set.Histogram(fmt.Sprintf(`taproot_http_request_seconds{route=%q}`, route),
			requestSeconds).Update(took.Seconds())
	}
}

// ObserveAction counts an action on a device.
func (m *serverMetrics) ObserveAction(action string, took time.Duration, err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.set.Histogram(fmt.Sprintf(`taproot_action_seconds{action=%q,result=%q}`, action, result),
		actionSeconds).Update(took.Seconds())
}

// ObserveRun counts a run that has ended.
func (m *serverMetrics) ObserveRun(r jobs.Record) {
	m.set.Counter(fmt.Sprintf(`taproot_runs_total{result=%q}`, r.Result)).Inc()
}

func (m *serverMetrics) handler() func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.set.Write(w)
		m.writeCurrent(r.Context(), w)
		metrics.WriteProcess(w)
		return nil
	}
}

// writeCurrent writes what is counted at the time of the request: devices by platform and state (in_use: open for
// calls), and runs that have not ended.
func (m *serverMetrics) writeCurrent(ctx context.Context, w io.Writer) {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	type kind struct{ platform, state string }
	count := map[kind]int{}
	infos, _ := m.tenant.Devices.Live().List(ctx) // devices that cannot be listed are left out
	for _, info := range infos {
		state := string(info.State)
		if info.State == drivers.Ready {
			state = "ready"
		}
		if m.tenant.Devices.IsOpen(info.ID) {
			state = "in_use"
		}
		count[kind{string(info.Platform), state}]++
	}
	set := metrics.NewSet()
	for k, n := range count {
		set.Gauge(fmt.Sprintf(`taproot_devices{platform=%q,state=%q}`, k.platform, k.state)).Set(n)
	}
	for state, n := range m.tenant.Runs.Count() {
		if state != jobs.Ended {
			set.Gauge(fmt.Sprintf(`taproot_runs{state=%q}`, state)).Set(n)
		}
	}
	m.countFarm(set)
	set.Write(w)
	if m.cases != nil {
		m.cases(ctx, w)
	}
}

// countFarm counts the hosts and devices of a farm, as this hub knows them.
func (m *serverMetrics) countFarm(set *metrics.Set) {
	f := m.farm
	if f == nil {
		return
	}
	for _, h := range f.Hosts("", true) {
		set.Gauge(fmt.Sprintf(`taproot_farm_hosts{pool=%q,state=%q}`, h.Pool, h.State)).Inc()
	}
	for _, d := range f.AllDevices() {
		set.Gauge(fmt.Sprintf(`taproot_farm_devices{platform=%q,pool=%q,use=%q}`, platformOf(d.Platform), d.Pool,
			d.Use)).Inc()
	}
}

// platformOf returns a known platform, or "other": a host may report any text.
func platformOf(p dsl.Platform) string {
	switch p {
	case dsl.Android, dsl.IOS, dsl.Web:
		return string(p)
	}
	return "other"
}

// listLimit limits how long reading the metrics takes when a phone does not respond.
const listLimit = 5 * time.Second
