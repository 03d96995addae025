package limit_test

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/server/internal/limit"
)

func take(t *testing.T, l limit.Limiter, who string) limit.Quota {
	t.Helper()
	q, err := l.Take(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := limit.PerMinute(60)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			if q := take(t, l, "ada"); !q.Allowed || q.Limit != 60 || q.Remaining != 59-i {
				t.Fatalf("request %d: %+v", i+1, q)
			}
		}
		q := take(t, l, "ada")
		if q.Allowed || q.Remaining != 0 {
			t.Fatalf("%+v", q)
		}
		h := http.Header{}
		q.Headers(h)
		wait, err := strconv.Atoi(h.Get("Retry-After"))
		if err != nil || wait < 1 || h.Get("RateLimit-Limit") != "60" || h.Get("RateLimit-Remaining") != "0" ||
			h.Get("RateLimit-Reset") != "60" {
			t.Fatalf("%v", h)
		}
		if !take(t, l, "grace").Allowed {
			t.Error("another client was blocked, too")
		}
		time.Sleep(time.Duration(wait) * time.Second) // in the fake time of synctest
		if !take(t, l, "ada").Allowed {
			t.Error("a client that waited for RetryAfter was blocked")
		}
		if take(t, l, "ada").Allowed {
			t.Error("a second request was permitted")
		}
	})
}

func TestTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := limit.PerMinute(100)
		if err != nil {
			t.Fatal(err)
		}
		var allowed atomic.Int64
		var all sync.WaitGroup
		for range 400 {
			all.Go(func() {
				q, err := l.Take(t.Context(), "ada")
				if err != nil {
					t.Error(err)
				}
				if q.Allowed {
					allowed.Add(1)
				}
			})
		}
		all.Wait()
		if n := allowed.Load(); n != 100 {
			t.Errorf("%d of 400 were allowed", n)
		}
	})
}
