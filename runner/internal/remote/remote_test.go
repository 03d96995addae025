package remote

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// closing returns a run with no pending results.
func closing(hub http.Handler) *Farm {
	return &Farm{o: Options{Hub: Inside(hub)}, id: "run-1", end: func() {}}
}

// TestCloseWaitsForTheHub checks that Close retries when the hub's database is briefly unavailable, and that an
// unavailable hub does not make a passed run fail.
func TestCloseWaitsForTheHub(t *testing.T) {
	for name, refusals := range map[string]int32{"for a moment": 3, "for good": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var requests atomic.Int32
				f := closing(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodDelete || !strings.HasSuffix(r.URL.Path, "/farm/runs/run-1") {
						t.Errorf("%s %s", r.Method, r.URL)
					}
					if requests.Add(1) <= refusals {
						w.WriteHeader(http.StatusServiceUnavailable)
					}
				}))
				began := time.Now()
				if err := f.Close(); err != nil {
					t.Error(err)
				}
				if n := requests.Load(); n != min(refusals+1, n) || n < 4 {
					t.Errorf("%d requests", n)
				}
				if took := time.Since(began); took > closeLimit {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}
