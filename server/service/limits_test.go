package service_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/server/service"
	"github.com/taproot-dev/taproot/server/service/store"
	"github.com/taproot-dev/taproot/server/service/store/storetest"
)

// TestRateIsExact: three replicas of one database let the rate of a plan through, and not one more, whatever key sends; who waits as long
// as it is told gets through.
func TestRateIsExact(t *testing.T) {
	address := storetest.Postgres(t)
	first := open(t, address)
	ctx := t.Context()
	p := project(t, first.person(t, "ada@example.com"))
	replicas := []lab{first, open(t, address), open(t, address)}
	for i := range replicas[1:] {
		replicas[i+1].clock.now = first.clock.Now()
	}
	var mu sync.Mutex
	good := 0
	var wait time.Duration
	var all sync.WaitGroup
	for i := range 10 {
		k := key(t, p, "*")
		l := replicas[i%3]
		all.Go(func() {
			for range 10 {
				c, err := l.Identify(ctx, header(k.Secret), from)
				if err != nil {
					t.Error(err)
					return
				}
				q, err := l.Take(ctx, c, "GET /devices")
				mu.Lock()
				if err != nil {
					t.Error(err)
				}
				if q.Allowed {
					good++
				} else {
					wait = max(wait, q.RetryAfter)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if good != 60 || wait <= 0 || wait > time.Minute {
		t.Errorf("%d of 100 requests went through, then a wait of %s", good, wait)
	}
	for _, l := range replicas {
		l.clock.add(wait)
	}
	k := key(t, p, "*")
	c, err := first.Identify(ctx, header(k.Secret), from)
	must(t, err)
	if q, err := first.Take(ctx, c, "GET /devices"); err != nil || !q.Allowed {
		t.Errorf("after the wait: %+v %v", q, err)
	}
	if u, err := p.Usage(ctx, ""); err != nil || u.Used != 61 || u.Remaining != 10_000-61 {
		t.Errorf("%+v %v", u, err)
	}
}

// TestMonth: the cap is exact, and gone at the turn of the month in UTC.
func TestMonth(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		l.clock.now = time.Date(2026, 3, 31, 23, 58, 0, 0, time.UTC)
		p := project(t, l.person(t, "ada@example.com"))
		must(t, l.Operator().SetPlan(ctx, service.PlanChange{Account: "ada@example.com", Plan: service.PlanEnterprise, PerMinute: 20, PerMonth: 5}))
		k := key(t, p, "*")
		take := func() error {
			c, err := l.Identify(ctx, header(k.Secret), from)
			must(t, err)
			_, err = l.Take(ctx, c, "GET /devices")
			return err
		}
		for range 5 {
			must(t, take())
		}
		for range 3 {
			refused(t, "beyond the cap", take(), service.ErrPayment)
		}
		l.clock.add(119 * time.Second)
		refused(t, "a second before the turn", take(), service.ErrPayment)
		l.clock.add(time.Second)
		must(t, take())
		if u, err := p.Usage(ctx, "2026-03-01"); err != nil || u.Used != 1 || u.Month != "2026-04" || len(u.Days) != 2 || u.Days[1].Requests != 5 {
			t.Errorf("%+v %v", u, err)
		}
	})
}

// TestDatabaseIsGone: that is told as what it is, and ends with the outage.
func TestDatabaseIsGone(t *testing.T) {
	server := storetest.NewServer(t)
	l, ctx := open(t, server.Database(t)), t.Context()
	k := key(t, project(t, l.person(t, "ada@example.com")), "*")
	server.Kill()
	var gone *store.UnavailableError
	if _, err := l.Identify(ctx, header(k.Secret), from); !errors.As(err, &gone) {
		t.Errorf("%v", err)
	}
	server.Start()
	var err error
	for range 20 { // connections that broke are found one by one
		if _, err = l.Identify(ctx, header(k.Secret), from); err == nil {
			break
		}
	}
	must(t, err)
}
