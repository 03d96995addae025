package chaos

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// BenchmarkFarm compares trivial cases on 1,000 devices of 20 hosts in one process with as many on this machine alone:
// it reports cases per second and the cost of a case. TAPROOT_BENCH_CASES sets the number; default: 2,000.
func BenchmarkFarm(b *testing.B) {
	n := 2000
	if text := os.Getenv("TAPROOT_BENCH_CASES"); text != "" {
		if _, err := fmt.Sscan(text, &n); err != nil {
			b.Fatal(err)
		}
	}
	dir := b.TempDir()
	must(b, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644))
	must(b, os.WriteFile(filepath.Join(dir, "pass.yaml"),
		[]byte("id: pass\nplatform: android\nsteps:\n  - assert: {label: Ready, timeoutMs: 0}\n"), 0o644))
	repeat := func(cases []plan.Case) (list []plan.Case) {
		for i := range n {
			c := cases[0]
			c.Pack = fmt.Sprintf("pass--%05d", i)
			list = append(list, c)
		}
		return list
	}
	good := func(outcomes []run.Outcome) {
		for i, o := range outcomes {
			if o.Result() != event.Pass || filepath.Base(o.Dir) != fmt.Sprintf("pass--%05d", i) {
				b.Fatalf("%s in %s: %s %v", o.Case.Pack, o.Dir, o.Result(), o.Err)
			}
		}
	}
	for b.Loop() {
		r, _, cases := client(b, dir, "", &phones{host: "local", n: 50})
		began := time.Now()
		good(r.All(b.Context(), repeat(cases)))
		local := time.Since(began)
		must(b, r.End())
		h, err := startHub(b.TempDir(), storetest.SQLite(b), "127.0.0.1:0", "127.0.0.1:0")
		must(b, err)
		var stops []func() error
		for i := range 20 {
			login, err := h.login(fmt.Sprintf("host%d", i))
			must(b, err)
			_, stop, err := startHost(b.Context(), login, b.TempDir(), &phones{host: login.Host, n: 50})
			must(b, err)
			stops = append(stops, stop)
		}
		r, farm, cases := client(b, dir, h.url, nil)
		await(b, "all devices", func() bool {
			n, err := farm.Usable(b.Context(), dsl.Android)
			return err == nil &&
				n == 1000
		})
		var mu sync.Mutex
		var late []time.Duration
		r.Observe = func(_ event.Case, e event.Event) {
			if e.Kind == event.CaseEnded {
				mu.Lock()
				late = append(late, time.Since(e.Time))
				mu.Unlock()
			}
		}
		began = time.Now()
		good(r.All(b.Context(), repeat(cases)))
		took := time.Since(began)
		slices.SortFunc(late, cmp.Compare[time.Duration])
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		b.ReportMetric(float64(n)/took.Seconds(), "cases/s")
		b.ReportMetric(float64(n)/local.Seconds(), "local-cases/s")
		b.ReportMetric(took.Seconds()*1e3/float64(n), "ms/case")
		b.ReportMetric(float64(late[len(late)/2].Milliseconds()), "news-p50-ms")
		b.ReportMetric(float64(late[len(late)*99/100].Milliseconds()), "news-p99-ms")
		b.ReportMetric(float64(mem.Sys)/1e6, "MB-of-all")
		must(b, farm.Close())
		must(b, r.End())
		for _, stop := range stops {
			must(b, stop())
		}
		must(b, h.stop())
	}
}
