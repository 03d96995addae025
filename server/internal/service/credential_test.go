package service_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"sync"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

var keyForm = regexp.MustCompile(`^tap_live_[a-z2-7]{16}_[0-9A-Za-z]{49}$`)

// otherEnd changes the last character.
func otherEnd(secret string) string {
	last := "x"
	if strings.HasSuffix(secret, last) {
		last = "y"
	}
	return secret[:len(secret)-1] + last
}

func TestKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		project := project(t, l.person(t, "ada@example.com"))
		k := key(t, project, "devices:read", "runs:read")
		if !keyForm.MatchString(k.Secret) {
			t.Errorf("%q", k.Secret)
		}
		c, err := l.Identify(ctx, header(k.Secret), from)
		if err != nil || !c.May("runs:read") || c.May("runs:write") || c.Project.ID != project.ID {
			t.Fatalf("%+v %v", c, err)
		}
		_, err = l.Identify(ctx, bearer(k.Secret), from)
		must(t, err)
		for name, h := range map[string]http.Header{"changed": header(otherEnd(k.Secret)),
			"in capitals": header(strings.ToUpper(k.Secret)), "the id": header(k.Prefix),
			"twice":        {"X-Api-Key": {k.Secret, k.Secret}},
			"both headers": {"X-Api-Key": {k.Secret}, "Authorization": {"Bearer " + k.Secret}},
			"basic":        {"Authorization": {"Basic " + k.Secret}}, "long": header(strings.Repeat("a", 1<<20)),
			"sql": header("tap_live_' OR 1=1 --_x")} {
			_, err := l.Identify(ctx, h, from)
			refused(t, name, err, service.ErrInvalid)
		}
		_, err = l.Identify(ctx, http.Header{}, from)
		refused(t, "nothing", err, service.ErrMissing)
		next, err := project.RotateKey(ctx, k.ID, "1h")
		must(t, err)
		l.clock.add(59 * time.Minute)
		for _, good := range []string{k.Secret, next.Secret} {
			_, err = l.Identify(ctx, header(good), from)
			must(t, err)
		}
		l.clock.add(time.Minute)
		_, err = l.Identify(ctx, header(k.Secret), from)
		refused(t, "the old key after the grace", err, service.ErrInvalid)
		last, err := project.RotateKey(ctx, k.ID, "now")
		must(t, err)
		_, err = l.Identify(ctx, header(next.Secret), from)
		refused(t, "the old key without a grace", err, service.ErrInvalid)
		must(t, project.RevokeKey(ctx, k.ID))
		_, err = l.Identify(ctx, header(last.Secret), from)
		refused(t, "a revoked key", err, service.ErrInvalid)
		refused(t, "revoking twice", project.RevokeKey(ctx, k.ID), service.ErrNotFound)
		_, err = project.RotateKey(ctx, k.ID, "now")
		refused(t, "rotating a revoked key", err, service.ErrNotFound)
		short, err := project.CreateKey(ctx, service.NewKey{Name: "short", Scopes: []string{"*"},
			Expires: l.clock.Now().Add(time.Minute)})
		must(t, err)
		l.clock.add(time.Minute)
		_, err = l.Identify(ctx, header(short.Secret), from)
		refused(t, "an expired key", err, service.ErrInvalid)
		list, err := project.Keys(ctx)
		if err != nil || len(list) != 2 || list[1].Used.IsZero() || list[1].Revoked.IsZero() {
			t.Errorf("%+v %v", list, err)
		}
	})
}

// TestKeysAndTheirMakers checks that a key never has more permissions than its maker has now.
func TestKeysAndTheirMakers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		owner := project(t, l.person(t, "ada@example.com"))
		bob := l.person(t, "bob@example.com")
		_, token, err := owner.Invite(ctx, "bob@example.com", service.RoleMember)
		must(t, err)
		in, err := bob.Accept(ctx, token)
		must(t, err)
		k := key(t, in, "*")
		if c, err := l.Identify(ctx, header(k.Secret), from); err != nil || !c.May("devices:write") ||
			c.Project.ID != owner.ID {
			t.Fatalf("%+v %v", c, err)
		}
		must(t, owner.SetRole(ctx, bob.Account.ID, service.RoleViewer))
		if c, err := l.Identify(ctx, header(k.Secret), from); err != nil || c.May("devices:write") || !c.May("devices:read") {
			t.Fatalf("%+v %v", c, err)
		}
		_, err = in.CreateKey(ctx, service.NewKey{Name: "CI", Scopes: []string{"*"}})
		refused(t, "a key of a person with a lower role since the project was opened", err, service.ErrForbidden)
		must(t, owner.RemoveMember(ctx, bob.Account.ID))
		_, err = l.Identify(ctx, header(k.Secret), from)
		refused(t, "the key of a person who left", err, service.ErrInvalid)
		must(t, l.Operator().Block(ctx, "ada@example.com"))
	})
}

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
