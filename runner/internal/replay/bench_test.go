package replay_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// recorded returns the searches of all recorded files of package decide.
func recorded(tb testing.TB) []decide.Recorded {
	tb.Helper()
	files, err := filepath.Glob("../decide/testdata/*.ndjson.gz")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no recorded searches: %v", err)
	}
	var all []decide.Recorded
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			tb.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			tb.Fatal(err)
		}
		list, err := decide.Read(z)
		f.Close()
		if err != nil {
			tb.Fatal(err)
		}
		for _, r := range list {
			if r.Gone == 0 && r.Lacks == "" {
				all = append(all, r)
			}
		}
	}
	return all
}

// BenchmarkDecideAgain decides recorded steps again, on one core.
func BenchmarkDecideAgain(b *testing.B) {
	list := recorded(b)
	i := 0
	for b.Loop() {
		r := list[i%len(list)]
		if !r.Again().Equal(r.Result) {
			b.Fatalf("search %d has another result", i%len(list))
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}
