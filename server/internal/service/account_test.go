package service_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

func TestRegister(t *testing.T) {
	t.Parallel()
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
			t.Error("the first project does not belong to the person")
		}
		// The response is the same for an address with an account. Its owner gets an e-mail and keeps the password.
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
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		p := l.person(t, "ada@example.com")
		for _, bad := range []string{"", "short", "aaaaaaaaaaaaaaaa", "Password123!", "ada@example.com", "0123456789012",
			strings.Repeat("long", 300)} {
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
			t.Error("the old password was not required")
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

// TestHashesAreDear checks the cost of a password hash, which tests reduce: 19 MiB and two passes.
func TestHashesAreDear(t *testing.T) {
	t.Parallel()
	address := storetest.SQLite(t)
	l, ctx := open(t, address, func(o *service.Options) { o.CheapHashes = false }), t.Context()
	l.person(t, "ada@example.com")
	db, err := store.Open(ctx, address)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	var hash string
	must(t, db.One(ctx, "SELECT password FROM accounts", nil, &hash))
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("%q", hash)
	}
}

func TestSecondFactor(t *testing.T) {
	t.Parallel()
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

func TestDelete(t *testing.T) {
	t.Parallel()
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
