package pool_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// wants are devices of Android with some properties each: a list of ids that suit, or any.
func wants(all ...string) pool.SeveralRequest {
	w := pool.SeveralRequest{What: "a test", Sleep: pool.Sleep}
	for i, ids := range all {
		w.Wants = append(w.Wants, pool.Want{Name: fmt.Sprintf("d%d", i+1), Platform: dsl.Android,
			Unmet: func(info drivers.Info) string {
				if ids == "any" || slices.Contains(strings.Fields(ids), info.ID) {
					return ""
				}
				return "it is not one of " + ids
			}})
	}
	return w
}

func inFolder(dir string) func(string) string {
	return func(name string) string {
		if name == "XDG_RUNTIME_DIR" {
			return dir
		}
		return ""
	}
}

func ids(leases []*pool.Lease) string {
	var list []string
	for _, l := range leases {
		list = append(list, l.Info.ID)
	}
	return strings.Join(list, " ")
}

func TestLeaseAllTakesDifferentDevicesOrNone(t *testing.T) {
	p := pool.New([]drivers.Driver{phones{"A", "B", "C"}}, pool.Options{Getenv: inFolder(t.TempDir())})
	defer p.Close()
	for _, c := range []struct {
		wants []string
		got   string // ids
		says  []string
	}{
		{[]string{"any", "any", "any"}, "A B C", nil},
		{[]string{"any", "A"}, "B A", nil},
		{[]string{"A B", "A C", "A"}, "B C A", nil},
		{[]string{"any", "any", "any", "any"}, "", []string{"4 devices at once", "d4: no further android device",
			"A is for d", "C is for d"}},
		{[]string{"A", "A"}, "", []string{"d2: no further android device suits it, and A is for d1"}},
		{[]string{"any", "X"}, "", []string{"d2: no device is what it needs", "B: it is not one of X"}},
	} {
		leases, err := p.LeaseAll(t.Context(), wants(c.wants...))
		if ids(leases) != c.got {
			t.Errorf("%q: %q, %v", c.wants, ids(leases), err)
		}
		var none *pool.NoDeviceError
		if len(c.says) > 0 && (!errors.As(err, &none) || none.Lost) {
			t.Errorf("%q: %v", c.wants, err)
		}
		for _, text := range c.says {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%q: %v does not say %q", c.wants, err, text)
			}
		}
		for _, l := range leases {
			l.Release()
		}
		for _, id := range []string{"A", "B", "C"} {
			if p.Held(dsl.Android, id) {
				t.Fatalf("%q: %s is still leased", c.wants, id)
			}
		}
	}
}

func TestLeaseAllSaysWhatItWaitsFor(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New([]drivers.Driver{phones{"A", "B"}}, pool.Options{Getenv: inFolder(dir)})
		defer p.Close()
		other := pool.New([]drivers.Driver{phones{"A", "B"}}, pool.Options{Getenv: inFolder(dir)})
		defer other.Close()
		lease, err := other.Take(t.Context(), "B", "another test")
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(3*time.Second, lease.Release)
		var said []string
		w := wants("any", "any")
		w.Waits = func(reason string) { said = append(said, reason) }
		began := time.Now()
		leases, err := p.LeaseAll(t.Context(), w)
		if ids(leases) != "A B" || err != nil || time.Since(began) < 3*time.Second {
			t.Errorf("%q after %s, %v", ids(leases), time.Since(began), err)
		}
		if len(said) != 1 || !strings.Contains(said[0], "B (another test)") || strings.Contains(said[0], "A") {
			t.Errorf("said %q", said)
		}
		if h, busy := other.Busy("A"); !busy || h.What != "a test: d1" {
			t.Errorf("A is held for %q", h.What)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.LeaseAll(ctx, wants("A")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		for _, l := range leases {
			l.Release()
		}
	})
}

// Many take several of few devices at the same time, in two processes: none waits forever, and no device has two of
// them.
func TestLeaseAllNeverDeadlocks(t *testing.T) {
	dir := t.TempDir()
	list := phones{"A", "B", "C", "D"}
	pools := []*pool.Pool{pool.New([]drivers.Driver{list}, pool.Options{Getenv: inFolder(dir)}),
		pool.New([]drivers.Driver{list}, pool.Options{Getenv: inFolder(dir)})}
	var mu sync.Mutex
	held := map[string]bool{}
	var work sync.WaitGroup
	for n := range 40 {
		work.Go(func() {
			p := pools[n%2]
			size := 1 + rand.IntN(4)
			leases, err := p.LeaseAll(t.Context(), wants(slices.Repeat([]string{"any"}, size)...))
			if err != nil || len(leases) != size {
				t.Errorf("%d of %d: %v", len(leases), size, err)
				return
			}
			mu.Lock()
			for _, l := range leases {
				if held[l.Info.ID] {
					t.Errorf("%s is leased twice", l.Info.ID)
				}
				held[l.Info.ID] = true
			}
			mu.Unlock()
			time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
			mu.Lock()
			for _, l := range leases {
				delete(held, l.Info.ID)
				l.Release()
			}
			mu.Unlock()
		})
	}
	work.Wait()
	for _, p := range pools {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
