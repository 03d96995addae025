package remote

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// closing is a run of which everything came home, on a hub.
func closing(hub http.Handler) *Farm {
	return &Farm{o: Options{Hub: Inside(hub)}, id: "run-1", end: func() {}}
}

// TestCloseWaitsForTheHub: the end of a run is said again to a hub whose database was just away, and a hub that stays
// away turns no green run red.
func TestCloseWaitsForTheHub(t *testing.T) {
	for name, refusals := range map[string]int32{"for a moment": 3, "for good": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int32
				f := closing(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodDelete || !strings.HasSuffix(r.URL.Path, "/farm/runs/run-1") {
						t.Errorf("%s %s", r.Method, r.URL)
					}
					if asked.Add(1) <= refusals {
						w.WriteHeader(http.StatusServiceUnavailable)
					}
				}))
				began := time.Now()
				if err := f.Close(); err != nil {
					t.Error(err)
				}
				if n := asked.Load(); n != min(refusals+1, n) || n < 4 {
					t.Errorf("asked %d times", n)
				}
				if took := time.Since(began); took > closeLimit {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}
