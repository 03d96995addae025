package service_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/taproot-dev/taproot/server/service"
	"github.com/taproot-dev/taproot/server/service/store"
	"github.com/taproot-dev/taproot/server/service/store/storetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	storetest.Stop()
	os.Exit(code)
}

const (
	secret   = "a secret of the tests, with more than 32 characters"
	password = "four words make this good"
)

// box keeps the letters that were sent.
type box struct {
	mu      sync.Mutex
	letters []string
}

func (b *box) Send(_ context.Context, to, subject, text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.letters = append(b.letters, to+"\n"+subject+"\n"+text)
	return nil
}

var tokenIn = regexp.MustCompile(`token=(\S+)`)

// token waits for a letter to somebody and gives the token in it.
func (b *box) token(t *testing.T, to, about string) string {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		b.mu.Lock()
		for i := len(b.letters) - 1; i >= 0; i-- {
			if l := b.letters[i]; strings.HasPrefix(l, to+"\n") && strings.Contains(l, about) {
				b.mu.Unlock()
				if m := tokenIn.FindStringSubmatch(l); m != nil {
					return m[1]
				}
				return ""
			}
		}
		b.mu.Unlock()
	}
	t.Fatalf("no letter to %s about %s", to, about)
	return ""
}

// clock is a time that the test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type lab struct {
	*service.Service
	clock *clock
	box   *box
}

func open(t *testing.T, address string, change ...func(*service.Options)) lab {
	t.Helper()
	l := lab{clock: &clock{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}, box: &box{}}
	o := service.Options{Database: address, Secret: secret, Mail: l.box, Now: l.clock.Now, PublicURL: "https://taproot.example.com"}
	for _, c := range change {
		c(&o)
	}
	s, err := service.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	l.Service = s
	return l
}

var from = service.From{Address: "192.0.2.1", Agent: "test"}

// person makes an account and logs in.
func (l lab) person(t *testing.T, email string) *service.Person {
	t.Helper()
	if _, err := l.Operator().CreateAccount(t.Context(), email, password, false); err != nil {
		t.Fatal(err)
	}
	return l.in(t, email)
}

func (l lab) in(t *testing.T, email string) *service.Person {
	t.Helper()
	p, err := l.LogIn(t.Context(), service.LogIn{Email: email, Password: password, From: from})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func project(t *testing.T, p *service.Person) *service.Project {
	t.Helper()
	project, err := p.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func key(t *testing.T, p *service.Project, scopes ...string) service.MadeKey {
	t.Helper()
	k, err := p.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func header(credential string) http.Header { return http.Header{"X-Api-Key": {credential}} }
func bearer(credential string) http.Header {
	return http.Header{"Authorization": {"Bearer " + credential}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, not %v", what, err, want)
	}
}

func TestRegister(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		r := service.Registration{Email: " Ada@Example.com ", Password: password, From: from}
		confirmed, err := l.Register(ctx, r)
		if err != nil || confirmed {
			t.Fatal(confirmed, err)
		}
		in := service.LogIn{Email: "ada@example.com", Password: password, From: from}
		_, err = l.LogIn(ctx, in)
		refused(t, "log in before the address is confirmed", err, service.ErrLogIn)
		token := l.box.token(t, "ada@example.com", "Confirm")
		if err := l.Confirm(ctx, token+"x", from); err == nil {
			t.Error("a wrong token confirms")
		}
		must(t, l.Confirm(ctx, token, from))
		if err := l.Confirm(ctx, token, from); err == nil {
			t.Error("a token confirms twice")
		}
		p, err := l.LogIn(ctx, in)
		must(t, err)
		if project(t, p).Role != service.RoleOwner {
			t.Error("the first project is not the person's")
		}
		// The same answer for an address that has an account, which learns of it by a letter and keeps its password.
		r.Password = "another good password"
		confirmed, err = l.Register(ctx, r)
		if err != nil || confirmed {
			t.Fatal(confirmed, err)
		}
		l.box.token(t, "ada@example.com", "You have an account")
		_, err = l.LogIn(ctx, in)
		must(t, err)
	})
}

func TestPasswords(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		p := l.person(t, "ada@example.com")
		for _, bad := range []string{"", "short", "aaaaaaaaaaaaaaaa", "Password123!", "ada@example.com", "0123456789012", strings.Repeat("long", 300)} {
			if err := p.ChangePassword(ctx, password, bad); err == nil {
				t.Errorf("%.30q was accepted", bad)
			}
		}
		cookie, err := l.NewSession(ctx, p)
		must(t, err)
		elsewhere := l.in(t, "ada@example.com")
		second, err := l.NewSession(ctx, elsewhere)
		must(t, err)
		tokens, err := l.NewTokens(ctx, l.in(t, "ada@example.com"))
		must(t, err)
		if err := p.ChangePassword(ctx, "wrong", "a new and good password"); err == nil {
			t.Error("the old password was not asked for")
		}
		must(t, p.ChangePassword(ctx, password, "a new and good password"))
		_, err = l.Session(ctx, cookie, from)
		must(t, err)
		_, err = l.Session(ctx, second, from)
		refused(t, "another session after the password was changed", err, service.ErrInvalid)
		_, err = l.Token(ctx, tokens.Access, from)
		refused(t, "a token after the password was changed", err, service.ErrInvalid)
		must(t, l.AskReset(ctx, "ada@example.com", from))
		must(t, l.AskReset(ctx, "nobody@example.com", from))
		token := l.box.token(t, "ada@example.com", "A new password")
		if err := l.Reset(ctx, token, "short", from); err == nil {
			t.Error("a short password was accepted")
		}
		must(t, l.Reset(ctx, token, password, from))
		if err := l.Reset(ctx, token, "and yet another one", from); err == nil {
			t.Error("a token resets twice")
		}
		_, err = l.Session(ctx, cookie, from)
		refused(t, "a session after a reset", err, service.ErrInvalid)
		l.in(t, "ada@example.com")
		must(t, l.AskReset(ctx, "ada@example.com", from))
		token = l.box.token(t, "ada@example.com", "A new password")
		l.clock.add(61 * time.Minute)
		if err := l.Reset(ctx, token, "and yet another one", from); err == nil {
			t.Error("an old token resets")
		}
	})
}

func TestSecondFactor(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		p := l.person(t, "ada@example.com")
		factor, err := p.NewFactor(ctx, password)
		must(t, err)
		code := func() string {
			c, err := totp.GenerateCode(factor.Secret, l.clock.Now())
			must(t, err)
			return c
		}
		recovery, err := p.EnableFactor(ctx, code())
		if err != nil || len(recovery) != 10 {
			t.Fatal(recovery, err)
		}
		in := service.LogIn{Email: "ada@example.com", Password: password, From: from}
		_, err = l.LogIn(ctx, in)
		refused(t, "no code", err, service.ErrCode)
		in.Code = code()
		_, err = l.LogIn(ctx, in)
		refused(t, "a code that was used", err, service.ErrLogIn)
		l.clock.add(30 * time.Second)
		in.Code = code()
		_, err = l.LogIn(ctx, in)
		must(t, err)
		in.Code = recovery[3]
		_, err = l.LogIn(ctx, in)
		must(t, err)
		_, err = l.LogIn(ctx, in)
		refused(t, "a recovery code for the second time", err, service.ErrLogIn)
		in.Password, in.Code = "wrong", recovery[4]
		_, err = l.LogIn(ctx, in)
		refused(t, "a wrong password with a good code", err, service.ErrLogIn)
		must(t, p.DisableFactor(ctx, password, recovery[4]))
		l.in(t, "ada@example.com")
	})
}

func TestSessions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		p, eve := l.person(t, "ada@example.com"), l.person(t, "eve@example.com")
		cookie, err := l.NewSession(ctx, p)
		must(t, err)
		for _, bad := range []string{"", cookie + "x", strings.Repeat("a", 43)} {
			_, err := l.Session(ctx, bad, from)
			refused(t, "a wrong cookie", err, service.ErrInvalid)
		}
		refused(t, "ending somebody else's session", eve.EndSession(ctx, p.Session), service.ErrNotFound)
		l.clock.add(11 * time.Hour)
		_, err = l.Session(ctx, cookie, from)
		must(t, err)
		l.clock.add(11 * time.Hour)
		_, err = l.Session(ctx, cookie, from)
		must(t, err)
		l.clock.add(13 * time.Hour)
		_, err = l.Session(ctx, cookie, from)
		refused(t, "a session that nobody used for half a day", err, service.ErrInvalid)
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
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		p := l.person(t, "ada@example.com")
		first, err := l.NewTokens(ctx, p)
		must(t, err)
		c, err := l.Identify(ctx, bearer(first.Access), from)
		if err != nil || c.Name != "user:"+p.Account.ID || !c.May("devices:write") {
			t.Fatalf("%+v %v", c, err)
		}
		l.clock.add(15*time.Minute + time.Second)
		_, err = l.Identify(ctx, bearer(first.Access), from)
		refused(t, "an access token after a quarter of an hour", err, service.ErrInvalid)
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
		// Signing keys rotate, and old tokens stay good as long as they last.
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

// TestRefreshRaces: of many who send one refresh token at once, one gets the next pair, and then the family ends.
func TestRefreshRaces(t *testing.T) {
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
		for name, h := range map[string]http.Header{"changed": header(otherEnd(k.Secret)), "in capitals": header(strings.ToUpper(k.Secret)), "the id": header(k.Prefix), "twice": {"X-Api-Key": {k.Secret, k.Secret}},
			"both headers": {"X-Api-Key": {k.Secret}, "Authorization": {"Bearer " + k.Secret}}, "basic": {"Authorization": {"Basic " + k.Secret}}, "long": header(strings.Repeat("a", 1<<20)), "sql": header("tap_live_' OR 1=1 --_x")} {
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
		short, err := project.CreateKey(ctx, service.NewKey{Name: "short", Scopes: []string{"*"}, Expires: l.clock.Now().Add(time.Minute)})
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

// TestKeysAndTheirMakers: a key may never do more than who made it may do now.
func TestKeysAndTheirMakers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		owner := project(t, l.person(t, "ada@example.com"))
		bob := l.person(t, "bob@example.com")
		_, token, err := owner.Invite(ctx, "bob@example.com", service.RoleMember)
		must(t, err)
		in, err := bob.Accept(ctx, token)
		must(t, err)
		k := key(t, in, "*")
		if c, err := l.Identify(ctx, header(k.Secret), from); err != nil || !c.May("devices:write") || c.Project.ID != owner.ID {
			t.Fatalf("%+v %v", c, err)
		}
		must(t, owner.SetRole(ctx, bob.Account.ID, service.RoleViewer))
		if c, err := l.Identify(ctx, header(k.Secret), from); err != nil || c.May("devices:write") || !c.May("devices:read") {
			t.Fatalf("%+v %v", c, err)
		}
		_, err = in.CreateKey(ctx, service.NewKey{Name: "CI", Scopes: []string{"*"}})
		refused(t, "a key of somebody whose role was taken away while the project was open", err, service.ErrForbidden)
		must(t, owner.RemoveMember(ctx, bob.Account.ID))
		_, err = l.Identify(ctx, header(k.Secret), from)
		refused(t, "the key of who left", err, service.ErrInvalid)
		must(t, l.Operator().Block(ctx, "ada@example.com"))
	})
}

// TestProjectsAreApart walks every method of a project as somebody else.
func TestProjectsAreApart(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		ada, eve := l.person(t, "ada@example.com"), l.person(t, "eve@example.com")
		mine, hers := project(t, ada), project(t, eve)
		k := key(t, mine, "*")
		i, token, err := mine.Invite(ctx, "bob@example.com", service.RoleAdmin)
		must(t, err)
		_, err = eve.Project(ctx, mine.ID)
		refused(t, "another project", err, service.ErrNotFound)
		_, err = eve.Accept(ctx, token)
		if err == nil {
			t.Error("an invitation for another address was taken")
		}
		refused(t, "revoke", hers.RevokeKey(ctx, k.ID), service.ErrNotFound)
		_, err = hers.RotateKey(ctx, k.ID, "now")
		refused(t, "rotate", err, service.ErrNotFound)
		refused(t, "withdraw", hers.Withdraw(ctx, i.ID), service.ErrNotFound)
		refused(t, "remove a member", hers.RemoveMember(ctx, ada.Account.ID), service.ErrNotFound)
		refused(t, "role", hers.SetRole(ctx, ada.Account.ID, service.RoleViewer), service.ErrNotFound)
		refused(t, "transfer to a stranger", hers.Transfer(ctx, ada.Account.ID), service.ErrNotFound)
		h := header(k.Secret)
		h.Set("X-Project", hers.ID)
		if _, err := l.Identify(ctx, h, from); err == nil {
			t.Error("a key works in another project")
		}
		if keys, err := hers.Keys(ctx); err != nil || len(keys) != 0 {
			t.Errorf("%v %v", keys, err)
		}
		if log, err := hers.Log(ctx, service.Page{}); err != nil || len(log) != 0 {
			t.Errorf("%v %v", log, err)
		}
		if _, err := l.Identify(ctx, header(k.Secret), from); err != nil {
			t.Error(err)
		}
		if _, err := eve.Operator(); !errors.Is(err, service.ErrForbidden) {
			t.Error("anybody is an operator")
		}
	})
}

// TestRoles: what each role may do with a project.
func TestRoles(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address, func(o *service.Options) { o.Mail = nil }), t.Context()
		owner := l.person(t, "owner@example.com")
		base := project(t, owner)
		must(t, l.Operator().SetPlan(ctx, service.PlanChange{Account: "owner@example.com", Plan: service.PlanPro}))
		as := map[service.Role]*service.Project{service.RoleOwner: base}
		for _, role := range []service.Role{service.RoleAdmin, service.RoleMember, service.RoleViewer} {
			p := l.person(t, string(role)+"@example.com")
			_, token, err := base.Invite(ctx, p.Account.Email, role)
			must(t, err)
			as[role], err = p.Accept(ctx, token)
			must(t, err)
		}
		other := key(t, base, "*")
		name := "renamed"
		for _, c := range []struct {
			what string
			can  string
			do   func(*service.Project) error
		}{
			{"members", "owner admin member viewer", func(p *service.Project) error { _, err := p.Members(ctx); return err }},
			{"keys", "owner admin member viewer", func(p *service.Project) error { _, err := p.Keys(ctx); return err }},
			{"usage", "owner admin member viewer", func(p *service.Project) error { _, err := p.Usage(ctx, ""); return err }},
			{"create a key", "owner admin member", func(p *service.Project) error {
				_, err := p.CreateKey(ctx, service.NewKey{Name: "k", Scopes: []string{"*"}})
				return err
			}},
			{"rotate another's key", "owner admin", func(p *service.Project) error { _, err := p.RotateKey(ctx, other.ID, "7d"); return err }},
			{"log", "owner admin", func(p *service.Project) error { _, err := p.Log(ctx, service.Page{}); return err }},
			{"invitations", "owner admin", func(p *service.Project) error { _, err := p.Invitations(ctx); return err }},
			{"invite", "owner admin", func(p *service.Project) error {
				_, _, err := p.Invite(ctx, "x@example.com", service.RoleViewer)
				return err
			}},
			{"change", "owner admin", func(p *service.Project) error { return p.Change(ctx, service.Settings{Name: &name}) }},
		} {
			for role, p := range as {
				err := c.do(p)
				if can := strings.Contains(c.can, string(role)); can != (err == nil) || err != nil && !strings.Contains(err.Error(), "role") && !strings.Contains(err.Error(), "somebody else") {
					t.Errorf("%s as %s: %v", c.what, role, err)
				}
			}
		}
		refused(t, "an admin deletes", as[service.RoleAdmin].Delete(ctx), service.ErrForbidden)
		refused(t, "an admin removes the owner", as[service.RoleAdmin].RemoveMember(ctx, owner.Account.ID), service.ErrNotFound)
		refused(t, "an admin takes the project", as[service.RoleAdmin].Transfer(ctx, owner.Account.ID), service.ErrForbidden)
		admin := l.in(t, "admin@example.com")
		must(t, base.Transfer(ctx, admin.Account.ID))
		refused(t, "the old owner deletes", base.Delete(ctx), service.ErrForbidden)
		if p, err := admin.Project(ctx, base.ID); err != nil || p.Role != service.RoleOwner || p.Owner != admin.Account.ID {
			t.Errorf("%+v %v", p, err)
		} else {
			must(t, p.Delete(ctx))
		}
		_, err := l.Identify(ctx, header(other.Secret), from)
		refused(t, "a key of a project that was deleted", err, service.ErrInvalid)
	})
}

func TestDelete(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		p := l.person(t, "ada@example.com")
		k := key(t, project(t, p), "*")
		e, err := p.Export(ctx)
		if err != nil || len(e.Projects) != 1 || len(e.Projects[0].Keys) != 1 || len(e.Log) == 0 {
			t.Errorf("%+v %v", e, err)
		}
		if p.Delete(ctx, "wrong") == nil {
			t.Error("deleted without the password")
		}
		must(t, p.Delete(ctx, password))
		_, err = l.Identify(ctx, header(k.Secret), from)
		refused(t, "a key of an account that was deleted", err, service.ErrInvalid)
		l.person(t, "ada@example.com")
	})
}

func TestSecretMustFit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		l := open(t, address)
		l.person(t, "ada@example.com")
		if _, err := service.Open(t.Context(), service.Options{Database: address, Secret: strings.Repeat("another ", 5)}); err == nil || !strings.Contains(err.Error(), "TAPROOT_SERVICE_SECRET") {
			t.Error(err)
		}
	})
}

func TestNewerSchemaIsRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		open(t, address)
		db, err := store.Open(t.Context(), address)
		must(t, err)
		_, err = db.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, $1)", true)
		must(t, err)
		must(t, db.Close())
		var newer *store.NewerError
		if _, err := service.Open(t.Context(), service.Options{Database: address, Secret: secret}); !errors.As(err, &newer) {
			t.Error(err)
		}
	})
}

func TestBackup(t *testing.T) {
	address := storetest.SQLite(t)
	l := open(t, address)
	k := key(t, project(t, l.person(t, "ada@example.com")), "*")
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, l.Backup(t.Context(), copied))
	if l.Backup(t.Context(), copied) == nil {
		t.Error("a backup was overwritten")
	}
	again := open(t, copied)
	_, err := again.Identify(t.Context(), header(k.Secret), from)
	must(t, err)
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

// TestRestore: a copy takes the place of a database that nobody uses, and nothing else does.
func TestRestore(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	path, copied := filepath.Join(dir, "service.db"), filepath.Join(dir, "copy.db")
	l := open(t, storetest.SQLite(t))
	l.person(t, "ada@example.com")
	must(t, l.Backup(ctx, copied))
	kept, err := store.Restore(ctx, copied, path)
	if err != nil || kept != "" {
		t.Fatal(kept, err)
	}
	restored, err := service.Open(ctx, service.Options{Database: path, Secret: secret})
	must(t, err)
	_, err = restored.Operator().CreateAccount(ctx, "bob@example.com", password, false)
	must(t, err)
	if _, err := store.Restore(ctx, copied, path); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a database that is in use: %v", err)
	}
	must(t, restored.Close())
	must(t, os.WriteFile(filepath.Join(dir, "text.db"), []byte(strings.Repeat("no database ", 1000)), 0o600))
	newer := filepath.Join(dir, "newer.db")
	must(t, l.Backup(ctx, newer))
	db, err := store.Open(ctx, newer)
	must(t, err)
	_, err = db.Exec(ctx, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, $1)", true)
	must(t, errors.Join(err, db.Close()))
	for _, bad := range []string{"text.db", "newer.db", "none.db"} {
		if _, err := store.Restore(ctx, filepath.Join(dir, bad), path); err == nil {
			t.Errorf("%s was restored", bad)
		}
	}
	emails := func(path string) string {
		s, err := service.Open(ctx, service.Options{Database: path, Secret: secret})
		must(t, err)
		list, err := s.Operator().Accounts(ctx, "", "", 10)
		must(t, errors.Join(err, s.Close()))
		var all []string
		for _, a := range list {
			all = append(all, a.Email)
		}
		return strings.Join(all, " ")
	}
	if got := emails(path); got != "ada@example.com bob@example.com" {
		t.Errorf("a refusal changed the database: %s", got)
	}
	kept, err = store.Restore(ctx, copied, path)
	must(t, err)
	if now, before := emails(path), emails(kept); now != "ada@example.com" || before != "ada@example.com bob@example.com" {
		t.Errorf("%s, before %s", now, before)
	}
}
