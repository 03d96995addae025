package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/jobs"
)

// metrics are the figures of one server.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	actions  *prometheus.HistogramVec
	ended    *prometheus.CounterVec
	inFlight prometheus.Gauge
}

func newMetrics(s *Server) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "taproot_http_requests_total", Help: "Requests, by route and status."}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "taproot_http_request_seconds", Help: "How long requests took, by route.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 9)}, []string{"route"}),
		actions: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "taproot_action_seconds", Help: "How long actions took on devices, by action and result.",
			Buckets: prometheus.ExponentialBuckets(0.01, 3, 9)}, []string{"action", "result"}),
		ended:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "taproot_runs_total", Help: "Runs that have ended, by verdict."}, []string{"verdict"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "taproot_http_requests_in_flight", Help: "Requests that are being answered."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.actions, m.ended, m.inFlight, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &gauges{s: s,
			devices: prometheus.NewDesc("taproot_devices", "Devices, by platform and state; in_use: open for calls.", []string{"platform", "state"}, nil),
			runs:    prometheus.NewDesc("taproot_runs", "Runs that have not ended, by state.", []string{"state"}, nil)})
	return m
}

// begin counts a request in; done counts it out.
func (m *metrics) begin() (done func(route, method string, status int, took time.Duration)) {
	m.inFlight.Inc()
	return func(route, method string, status int, took time.Duration) {
		m.inFlight.Dec()
		if route == "" {
			route = "other" // what strangers make up must not become a figure each
		}
		if method != http.MethodGet && method != http.MethodPost && method != http.MethodDelete && method != http.MethodHead {
			method = "other"
		}
		m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
		m.seconds.WithLabelValues(route).Observe(took.Seconds())
	}
}

// acted counts what was done on a device.
func (m *metrics) acted(action string, took time.Duration, err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.actions.WithLabelValues(action, result).Observe(took.Seconds())
}

// ran counts a run that has ended.
func (m *metrics) ran(r jobs.Record) { m.ended.WithLabelValues(string(r.Verdict)).Inc() }

func (m *metrics) handler() func(http.ResponseWriter, *http.Request) error {
	h := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return func(w http.ResponseWriter, r *http.Request) error {
		h.ServeHTTP(w, r)
		return nil
	}
}

// gauges are read when somebody asks.
type gauges struct {
	s             *Server
	devices, runs *prometheus.Desc
}

// Describe is prometheus's way to ask.
func (g *gauges) Describe(to chan<- *prometheus.Desc) {
	to <- g.devices
	to <- g.runs
}

// Collect is prometheus's way to ask.
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), listLimit)
	defer cancel()
	type kind struct{ platform, state string }
	count := map[kind]int{}
	infos, _ := g.s.devices.List(ctx) // those that can be listed
	open := g.s.opened()
	for _, info := range infos {
		state := string(info.State)
		if info.State == drivers.Ready {
			state = "ready"
		}
		if _, is := open[info.ID]; is {
			state = "in_use"
		}
		count[kind{string(info.Platform), state}]++
	}
	for k, n := range count {
		to <- prometheus.MustNewConstMetric(g.devices, prometheus.GaugeValue, float64(n), k.platform, k.state)
	}
	for state, n := range g.s.runs.Count() {
		if state != jobs.Ended {
			to <- prometheus.MustNewConstMetric(g.runs, prometheus.GaugeValue, float64(n), string(state))
		}
	}
}

// listLimit bounds what a look at the figures costs when a phone hangs.
const listLimit = 5 * time.Second
