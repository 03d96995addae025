// Package metrics counts, and writes the counts in the text format of Prometheus.
package metrics

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Set contains metrics by name. A name may have labels: `runs_total{result="pass"}`. Safe for concurrent use.
type Set struct {
	mu      sync.Mutex
	metrics map[string]metric
}

// metric is a counter, a gauge or a histogram.
type metric interface {
	kind() string
	write(w io.Writer, name, labels string)
}

// NewSet returns a set without metrics.
func NewSet() *Set { return &Set{metrics: map[string]metric{}} }

// Counter returns the counter with this name, which is created at its first use.
func (s *Set) Counter(name string) *Counter {
	return getOrCreate(s, name, func() *Counter { return &Counter{} })
}

// Gauge returns the gauge with this name, which is created at its first use.
func (s *Set) Gauge(name string) *Gauge {
	return getOrCreate(s, name, func() *Gauge { return &Gauge{} })
}

// Histogram returns the histogram with this name. At its first use it is created with these upper bounds of its
// buckets, which increase.
func (s *Set) Histogram(name string, bounds []float64) *Histogram {
	return getOrCreate(s, name, func() *Histogram {
		return &Histogram{bounds: bounds, counts: make([]uint64, len(bounds))}
	})
}

// getOrCreate panics when a metric of another kind has this name, which is a mistake in the program.
func getOrCreate[M metric](s *Set, name string, create func() M) M {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, ok := s.metrics[name]; ok {
		return m.(M)
	}
	m := create()
	s.metrics[name] = m
	return m
}

// Write writes all metrics, those of one family next to each other and after its type.
func (s *Set) Write(w io.Writer) {
	s.mu.Lock()
	type named struct {
		family, labels string
		metric         metric
	}
	list := make([]named, 0, len(s.metrics))
	for name, m := range s.metrics {
		family, labels, _ := strings.Cut(name, "{")
		list = append(list, named{family: family, labels: strings.TrimSuffix(labels, "}"), metric: m})
	}
	s.mu.Unlock()
	slices.SortFunc(list, func(a, b named) int {
		if c := strings.Compare(a.family, b.family); c != 0 {
			return c
		}
		return strings.Compare(a.labels, b.labels)
	})
	var out bytes.Buffer
	last := ""
	for _, m := range list {
		if m.family != last {
			fmt.Fprintf(&out, "# TYPE %s %s\n", m.family, m.metric.kind())
			last = m.family
		}
		m.metric.write(&out, m.family, m.labels)
	}
	w.Write(out.Bytes()) // a client that has gone is not an error of the metrics
}

// line writes one sample.
func line(w io.Writer, name, labels, value string) {
	if labels != "" {
		name += "{" + labels + "}"
	}
	fmt.Fprintf(w, "%s %s\n", name, value)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Counter only increases.
type Counter struct{ n atomic.Uint64 }

// Inc adds one.
func (c *Counter) Inc() { c.n.Add(1) }

// Add adds n, which is not negative.
func (c *Counter) Add(n int) { c.n.Add(uint64(max(n, 0))) }

func (c *Counter) kind() string { return "counter" }

func (c *Counter) write(w io.Writer, name, labels string) {
	line(w, name, labels, strconv.FormatUint(c.n.Load(), 10))
}

// Gauge increases and decreases.
type Gauge struct{ n atomic.Int64 }

// Inc adds one.
func (g *Gauge) Inc() { g.n.Add(1) }

// Dec subtracts one.
func (g *Gauge) Dec() { g.n.Add(-1) }

// Set replaces the value.
func (g *Gauge) Set(n int) { g.n.Store(int64(n)) }

func (g *Gauge) kind() string { return "gauge" }

func (g *Gauge) write(w io.Writer, name, labels string) {
	line(w, name, labels, strconv.FormatInt(g.n.Load(), 10))
}

// Histogram counts values up to each of its bounds.
type Histogram struct {
	bounds []float64

	mu     sync.Mutex
	counts []uint64 // of each bucket alone
	count  uint64
	sum    float64
}

// Update adds a value.
func (h *Histogram) Update(v float64) {
	at, _ := slices.BinarySearch(h.bounds, v)
	h.mu.Lock()
	defer h.mu.Unlock()
	if at < len(h.counts) {
		h.counts[at]++
	}
	h.count++
	h.sum += v
}

func (h *Histogram) kind() string { return "histogram" }

func (h *Histogram) write(w io.Writer, name, labels string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	prefix := labels
	if prefix != "" {
		prefix += ","
	}
	upTo := uint64(0)
	for i, bound := range h.bounds {
		upTo += h.counts[i]
		line(w, name+"_bucket", prefix+`le="`+number(bound)+`"`, strconv.FormatUint(upTo, 10))
	}
	line(w, name+"_bucket", prefix+`le="+Inf"`, strconv.FormatUint(h.count, 10))
	line(w, name+"_sum", labels, number(h.sum))
	line(w, name+"_count", labels, strconv.FormatUint(h.count, 10))
}

// ExponentialBounds returns n bounds of buckets: start, start × factor, and so on.
func ExponentialBounds(start, factor float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = start
		start *= factor
	}
	return list
}
