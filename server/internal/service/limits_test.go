package service_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// TestRateIsExact checks that three replicas of one database together permit exactly the rate of a plan, whichever key
// is used, and that a client that waits for the returned time succeeds.
func TestRateIsExact(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	first := open(t, address)
	ctx := t.Context()
	p := project(t, first.person(t, "ada@example.com"))
	must(t, first.Operator().SetPlan(ctx, service.PlanChange{Account: "ada@example.com", Plan: service.PlanPro}))
	const keys, each = 100, 7
	replicas := []lab{first, open(t, address), open(t, address)}
	for i := range replicas[1:] {
		replicas[i+1].clock.set(first.clock.Now())
	}
	var secrets []string
	for range keys {
		secrets = append(secrets, key(t, p, "*").Secret)
	}
	var mu sync.Mutex
	good := 0
	var wait time.Duration
	var all sync.WaitGroup
	for i := range 3 * len(replicas) { // each replica receives all keys
		l := replicas[i%len(replicas)]
		all.Go(func() {
			for n := i; n < keys*each; n += 3 * len(replicas) {
				c, err := l.Identify(ctx, header(secrets[n%keys]), from)
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
	if good != 600 || wait <= 0 || wait > time.Minute {
		t.Errorf("%d of %d requests went through, then a wait of %s", good, keys*each, wait)
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
	if u, err := p.Usage(ctx, ""); err != nil || u.Used != 601 || u.Remaining != 200_000-601 {
		t.Errorf("%+v %v", u, err)
	}
}

// TestRateSlides checks that a request no longer counts exactly a minute after it was made, even if the plan has
// changed.
func TestRateSlides(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		k := key(t, project(t, l.person(t, "ada@example.com")), "*")
		plan := func(n int) {
			must(t, l.Operator().SetPlan(ctx, service.PlanChange{Account: "ada@example.com", Plan: service.PlanEnterprise,
				PerMinute: n}))
		}
		take := func() service.Quota {
			c, err := l.Identify(ctx, header(k.Secret), from)
			must(t, err)
			q, err := l.Take(ctx, c, "GET /devices")
			must(t, err)
			return q
		}
		plan(3)
		for i := range 3 { // at 0, 10 and 20 s
			if q := take(); !q.Allowed || q.Remaining != 2-i || q.Reset != time.Minute-time.Duration(i)*10*time.Second {
				t.Errorf("request %d: %+v", i, q)
			}
			l.clock.add(10 * time.Second)
		}
		if q := take(); q.Allowed || q.RetryAfter != 30*time.Second {
			t.Errorf("at 30 s: %+v", q)
		}
		plan(2)
		if q := take(); q.Allowed || q.RetryAfter != 40*time.Second {
			t.Errorf("with a smaller plan: %+v", q)
		}
		plan(5)
		if q := take(); !q.Allowed || q.Remaining != 1 {
			t.Errorf("with a larger plan: %+v", q)
		}
		l.clock.add(40 * time.Second)
		if q := take(); !q.Allowed || q.Remaining != 2 { // the first and the second no longer count
			t.Errorf("at 70 s: %+v", q)
		}
		l.clock.add(time.Hour)
		if q := take(); !q.Allowed || q.Remaining != 4 || q.Reset != time.Minute {
			t.Errorf("an hour later: %+v", q)
		}
	})
}

// TestSweep checks that rows that are no longer needed are removed.
func TestSweep(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		p := l.person(t, "ada@example.com")
		mine := project(t, p)
		_, err := l.NewTokens(ctx, p)
		must(t, err)
		_, _, err = mine.Invite(ctx, "bob@example.com", service.RoleViewer)
		must(t, err)
		must(t, l.AskReset(ctx, "ada@example.com", from))
		l.box.token(t, "ada@example.com", "")
		for _, address := range []string{"192.0.2.7", "192.0.2.8"} {
			_, err := l.TakeAuth(ctx, address, "")
			must(t, err)
		}
		c, err := l.Identify(ctx, header(key(t, mine, "*").Secret), from)
		must(t, err)
		_, err = l.Take(ctx, c, "GET /devices")
		must(t, err)
		db, err := store.Open(ctx, address)
		must(t, err)
		defer func() { must(t, db.Close()) }()
		tables := []string{"limits", "limit_requests", "sessions", "refresh_tokens", "letters", "invitations", "usage_days"}
		rows := func(table string) (n int) {
			must(t, db.One(ctx, "SELECT COUNT(*) FROM "+table, nil, &n))
			return n
		}
		must(t, l.Sweep(ctx))
		for _, table := range tables {
			if rows(table) == 0 {
				t.Errorf("%s is empty too soon", table)
			}
		}
		l.clock.add(2 * 365 * 24 * time.Hour)
		must(t, l.Sweep(ctx))
		for _, table := range tables {
			if n := rows(table); n > 0 {
				t.Errorf("%s has %d rows", table, n)
			}
		}
	})
}

// TestMonth checks that the limit is exact, and starts again with the month in UTC.
func TestMonth(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		l.clock.set(time.Date(2026, 3, 31, 23, 58, 0, 0, time.UTC))
		p := project(t, l.person(t, "ada@example.com"))
		must(t, l.Operator().SetPlan(ctx, service.PlanChange{Account: "ada@example.com", Plan: service.PlanEnterprise,
			PerMinute: 20, PerMonth: 5}))
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
		if u, err := p.Usage(ctx, "2026-03-01"); err != nil || u.Used != 1 || u.Month != "2026-04" || len(u.Days) != 2 ||
			u.Days[1].Requests != 5 {
			t.Errorf("%+v %v", u, err)
		}
	})
}

// TestDatabaseIsGone checks the error during an outage of the database, and that it ends with the outage.
func TestDatabaseIsGone(t *testing.T) {
	t.Parallel()
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
	for range 20 { // broken connections are detected one by one
		if _, err = l.Identify(ctx, header(k.Secret), from); err == nil {
			break
		}
	}
	must(t, err)
}
