package dispatch

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/metrics"
)

// caseMetrics are the metrics of this hub, in the Prometheus format. The pools are those of hosts, so clients cannot
// create labels. Safe for concurrent use.
type caseMetrics struct {
	set *metrics.Set

	mu    sync.Mutex
	pools map[string]bool
}

// mostPools limits the number of metrics if hosts name many different pools.
const mostPools = 100

// pool returns the label for a pool.
func (f *caseMetrics) pool(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.pools[name]:
	case len(f.pools) < mostPools:
		f.pools[name] = true
	default:
		return otherPool
	}
	return name
}

// The buckets: waitSeconds from 0.1 s to almost two hours, dispatchSeconds from 0.01 s to 20 s.
var (
	waitSeconds     = metrics.ExponentialBounds(0.1, 3, 11)
	dispatchSeconds = metrics.ExponentialBounds(0.01, 3, 8)
)

// otherPool is the label for pools without a host.
const otherPool = "other"

// given records how long cases waited until they had a device.
func (f *caseMetrics) given(list []queue.Assignment) {
	for _, a := range list {
		if a.Attempt == 1 {
			f.set.Histogram(fmt.Sprintf(`taproot_farm_wait_seconds{pool=%q}`, f.pool(a.Pool)),
				waitSeconds).Update(a.Waited.Seconds())
		}
	}
}

// started records how long it took from the assignment until the host started.
func (f *caseMetrics) started(pool string, after time.Duration) {
	f.set.Histogram(fmt.Sprintf(`taproot_farm_dispatch_seconds{pool=%q}`, f.pool(pool)),
		dispatchSeconds).Update(max(after.Seconds(), 0))
}

// accepted counts an accepted result.
func (f *caseMetrics) accepted(pool string, r queue.Result) {
	result := "pack"
	if r.Error != "" {
		result = "error"
	}
	f.set.Counter(fmt.Sprintf(`taproot_farm_cases_total{pool=%q,result=%q}`, f.pool(pool), result)).Inc()
}

// lost counts cases that start again because their host died.
func (f *caseMetrics) lost(pool string, n int) {
	f.set.Counter(fmt.Sprintf(`taproot_farm_cases_lost_total{pool=%q}`, f.pool(pool))).Add(n)
}

// WriteMetrics writes the metrics of this hub, and the waiting and running cases of the farm, which are the same on
// each hub.
func (d *Dispatcher) WriteMetrics(ctx context.Context, w io.Writer) {
	d.metrics.set.Write(w)
	counts, err := d.o.Queue.Count(ctx)
	if err != nil {
		d.o.Log.WarnContext(ctx, "cannot read the metrics of the farm", "error", err)
		return
	}
	pools, known := map[string]string{}, map[string]bool{"": true}
	for _, host := range d.o.Hub.Hosts("", true) {
		if host.State != hub.Revoked {
			pools[host.ID], known[host.Pool] = host.Pool, true
		}
	}
	cases := map[[2]string]int{}
	for pool, n := range counts.Waiting {
		if !known[pool] {
			pool = otherPool
		}
		cases[[2]string{"waiting", pool}] += n
	}
	for host, n := range counts.Running {
		pool, there := pools[host]
		if !there {
			pool = otherPool
		}
		cases[[2]string{"running", pool}] += n
	}
	for pool := range known { // a metric that always exists can be monitored
		for _, state := range []string{"waiting", "running"} {
			cases[[2]string{state, pool}] += 0
		}
	}
	now := metrics.NewSet()
	for at, n := range cases {
		now.Gauge(fmt.Sprintf(`taproot_farm_cases{state=%q,pool=%q}`, at[0], at[1])).Set(n)
	}
	now.Gauge("taproot_farm_runs").Set(counts.Runs)
	now.Write(w)
}
