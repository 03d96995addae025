package server_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/service"
)

// TestServiceUnderLoad: requests with a key, each counted, alternate with as many on a server without accounts, by
// eight clients: none is lost or miscounted, and memory does not grow. The time of the slowest percent on each is
// logged, not checked, because it depends on the machine.
func TestServiceUnderLoad(t *testing.T) {
	for name, address := range map[string]func() string{"sqlite": func() string { return storetest.SQLite(t) },
		"postgres": func() string { return storetest.Postgres(t) }} {
		if testing.Short() && name == "postgres" { // service.TestRateIsExact counts on it
			continue
		}
		t.Run(name, func(t *testing.T) { underLoad(t, address()) })
	}
}

func underLoad(t *testing.T, address string) {
	requests := 8_000
	if text := os.Getenv("LOAD_REQUESTS"); text != "" {
		var err error
		if requests, err = strconv.Atoi(text); err != nil {
			t.Fatalf("LOAD_REQUESTS: %v", err)
		}
	}
	clients, rounds := 8, 10
	if testing.Short() {
		requests, rounds = 384, 4
	}
	each := requests / rounds / clients
	s, with := withService(t, address)
	p, _ := newAccount(t, s, "ada@example.com")
	if err := s.Operator().SetPlan(t.Context(), service.PlanChange{Account: p.Account.ID, Plan: service.PlanEnterprise,
		PerMinute: 1_000_000}); err != nil {
		t.Fatal(err)
	}
	project, err := p.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	made, err := project.CreateKey(t.Context(), service.NewKey{Name: "load", Scopes: []string{"runs:read"}})
	if err != nil {
		t.Fatal(err)
	}
	labs := map[string]*lab{"service": newLab(t, 0, with, quiet), "plain": newLab(t, 0, quiet)}
	labs["service"].header.Set("X-API-Key", made.Secret)
	took := map[string][]time.Duration{}
	var heap []uint64
	for range rounds {
		for name, l := range labs {
			took[name] = append(took[name], l.hammer(clients, each, "/runs")...)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heap = append(heap, m.HeapAlloc-uint64(cap(took["service"])+cap(took["plain"]))*8)
	}
	if first, last := heap[1], heap[rounds-1]; last > first+first/2+8<<20 {
		t.Errorf("the memory that stays grows: %d", heap)
	}
	for name, list := range took {
		slices.Sort(list)
		t.Logf("%s: %d requests, half within %s, p99 %s", name, len(list), list[len(list)/2], list[len(list)*99/100])
	}
	usage, err := project.Usage(t.Context(), "")
	if want := clients * rounds * each; err != nil || usage.Used != want {
		t.Errorf("%d requests were counted of %d: %v", usage.Used, want, err)
	}
}

// hammer lets clients request a path repeatedly, and returns how long each response took.
func (l *lab) hammer(clients, each int, path string) (took []time.Duration) {
	l.t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			own := make([]time.Duration, 0, each)
			for range each {
				began := time.Now()
				err := l.good(path)
				if own = append(own, time.Since(began)); err != nil {
					l.t.Error(err)
					return
				}
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
		})
	}
	all.Wait()
	return took
}

// good requests a path and expects 200.
func (l *lab) good(path string) error {
	res, err := l.client.Do(l.request("GET", path, nil))
	if err != nil {
		return err
	}
	defer res.Body.Close() // it is read
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %w", path, res.StatusCode, err)
	}
	return nil
}
