package service_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/service"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		p, eve := l.person(t, "ada@example.com"), l.person(t, "eve@example.com")
		cookie, err := l.NewSession(ctx, p)
		must(t, err)
		for _, bad := range []string{"", cookie + "x", strings.Repeat("a", 43)} {
			_, err := l.Session(ctx, bad, from)
			refused(t, "a wrong cookie", err, service.ErrInvalid)
		}
		refused(t, "ending another person's session", eve.EndSession(ctx, p.Session), service.ErrNotFound)
		l.clock.add(11 * time.Hour)
		_, err = l.Session(ctx, cookie, from)
		must(t, err)
		l.clock.add(11 * time.Hour)
		_, err = l.Session(ctx, cookie, from)
		must(t, err)
		l.clock.add(13 * time.Hour)
		_, err = l.Session(ctx, cookie, from)
		refused(t, "a session that was not used for half a day", err, service.ErrInvalid)
		cookie, err = l.NewSession(ctx, p)
		must(t, err)
		must(t, l.Operator().Block(ctx, "ada@example.com"))
		_, err = l.Session(ctx, cookie, from)
		refused(t, "a blocked account", err, service.ErrInvalid)
		must(t, l.Operator().Confirm(ctx, "ada@example.com"))
		p, err = l.Session(ctx, cookie, from)
		must(t, err)
		must(t, p.LogOutEverywhere(ctx))
		_, err = l.Session(ctx, cookie, from)
		refused(t, "after logging out everywhere", err, service.ErrInvalid)
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		p := l.person(t, "ada@example.com")
		first, err := l.NewTokens(ctx, p)
		must(t, err)
		c, err := l.Identify(ctx, bearer(first.Access), from)
		if err != nil || c.Name != "user:"+p.Account.ID || !c.May("devices:write") {
			t.Fatalf("%+v %v", c, err)
		}
		l.clock.add(16*time.Minute + time.Second) // its life, and the leeway for clocks
		_, err = l.Identify(ctx, bearer(first.Access), from)
		refused(t, "an expired access token", err, service.ErrInvalid)
		second, err := l.Refresh(ctx, first.Refresh, from)
		must(t, err)
		_, err = l.Identify(ctx, bearer(second.Access), from)
		must(t, err)
		_, err = l.Refresh(ctx, first.Refresh, from)
		refused(t, "a refresh token for the second time", err, service.ErrInvalid)
		_, err = l.Identify(ctx, bearer(second.Access), from)
		refused(t, "the access token of a family that was revoked", err, service.ErrInvalid)
		_, err = l.Refresh(ctx, second.Refresh, from)
		refused(t, "the refresh token of a family that was revoked", err, service.ErrInvalid)
		// Signing keys rotate, and old tokens stay valid until they expire.
		l.clock.add(29*24*time.Hour + 23*time.Hour + 40*time.Minute)
		third, err := l.NewTokens(ctx, p)
		must(t, err)
		before, err := l.PublicKeys(ctx)
		must(t, err)
		l.clock.add(10 * time.Minute)
		after, err := l.PublicKeys(ctx)
		if err != nil || len(after) != len(before)+1 || after[0].ID == before[0].ID {
			t.Fatalf("%v, then %v: %v", before, after, err)
		}
		_, err = l.Identify(ctx, bearer(third.Access), from)
		must(t, err)
		must(t, l.EndTokens(ctx, third.Refresh))
		_, err = l.Identify(ctx, bearer(third.Access), from)
		refused(t, "after logging out", err, service.ErrInvalid)
	})
}

// TestRefreshRaces checks that of many concurrent uses of one refresh token one succeeds, and then the family ends.
func TestRefreshRaces(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		tokens, err := l.NewTokens(ctx, l.person(t, "ada@example.com"))
		must(t, err)
		var all sync.WaitGroup
		var mu sync.Mutex
		good := 0
		for range 10 {
			all.Go(func() {
				if _, err := l.Refresh(ctx, tokens.Refresh, from); err == nil {
					mu.Lock()
					good++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if good > 1 {
			t.Errorf("%d got new tokens", good)
		}
		_, err = l.Identify(ctx, bearer(tokens.Access), from)
		refused(t, "the family after a race", err, service.ErrInvalid)
	})
}
