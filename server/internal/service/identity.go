package service

import (
	"context"
	"errors"
	"net/http"

	"github.com/taproot-dev/taproot/internal/store"
)

// Identity is a user of an identity provider. Issuer and Subject are permanent; the address may change.
type Identity struct {
	Issuer, Subject string
	Email           string
	Verified        bool
}

// ErrConnect means that the address has an account to which the identity is not connected yet.
var ErrConnect = &Error{Status: http.StatusConflict, Code: "conflict",
	Message: "there is an account with this address: log in with its password, then connect the provider under Your " +
		"account"}

// LogInAs logs in a user of an identity provider. A new user gets an account if the provider has verified the address.
// An existing account is not handed over: its owner must connect it. An account with an unconfirmed address counts as
// unused, and its password is removed.
func (s *Accounts) LogInAs(ctx context.Context, i Identity, from From) (*Person, error) {
	var a Account
	err := s.db.Write(ctx, func(t *store.Tx) error {
		id := ""
		err := t.One("SELECT account FROM identities WHERE issuer = $1 AND subject = $2", []any{i.Issuer, i.Subject}, &id)
		if errors.Is(err, store.ErrNoRow) {
			id, err = s.adopt(t, i, from)
		}
		if err != nil {
			return err
		}
		a, err = scanAccount(func(into ...any) error {
			return t.One("SELECT "+accountColumns+" FROM accounts WHERE id = $1", []any{id}, into...)
		})
		if err == nil && a.State != Active {
			err = ErrLogIn
		}
		if err != nil {
			return err
		}
		return s.note(t, Entry{Account: a.ID, Actor: a.Email, Action: "account.login.provider", Target: a.ID,
			Address: from.Address})
	})
	if err != nil {
		return nil, err
	}
	return &Person{Account: a, From: from, s: s}, nil
}

// adopt makes an account for a new user.
func (s *Accounts) adopt(t *store.Tx, i Identity, from From) (id string, err error) {
	email, err := Address(i.Email)
	if err != nil || !i.Verified {
		return "", forbidden("the provider has not verified an address of yours")
	}
	var state string
	err = t.One("SELECT id, state FROM accounts WHERE email = $1", []any{email}, &id, &state)
	switch {
	case errors.Is(err, store.ErrNoRow):
		id = newID("acc")
		if _, err := s.insert(t, Account{ID: id, Email: email, State: Active, Plan: PlanFree}, ""); err != nil {
			return "", err
		}
	case err != nil:
		return "", err
	case state == Pending:
		if _, err := t.Exec("UPDATE accounts SET state = $1, password = '' WHERE id = $2", Active, id); err != nil {
			return "", err
		}
		if _, err := t.Exec("DELETE FROM letters WHERE account = $1", id); err != nil {
			return "", err
		}
	default:
		return "", ErrConnect
	}
	if err := s.connect(t, i, id); err != nil {
		return "", err
	}
	return id, s.note(t, Entry{Account: id, Actor: email, Action: "account.register.provider", Target: id,
		Address: from.Address})
}

func (s *Accounts) connect(t *store.Tx, i Identity, account string) error {
	_, err := t.Exec("INSERT INTO identities (issuer, subject, account, created) VALUES ($1, $2, $3, $4)", i.Issuer,
		i.Subject, account, store.Time(s.now()))
	return err
}

// Connect lets the person log in with a provider from now on.
func (p *Person) Connect(ctx context.Context, i Identity) error {
	return p.s.db.Write(ctx, func(t *store.Tx) error {
		var owner string
		err := t.One("SELECT account FROM identities WHERE issuer = $1 AND subject = $2", []any{i.Issuer, i.Subject}, &owner)
		switch {
		case err == nil && owner == p.Account.ID:
			return nil
		case err == nil:
			return conflict("this identity belongs to another account")
		case !errors.Is(err, store.ErrNoRow):
			return err
		}
		if err := p.s.connect(t, i, p.Account.ID); err != nil {
			return err
		}
		return p.note(t, "account.connect", i.Issuer)
	})
}

// Connected reports whether the person can log in with a provider.
func (p *Person) Connected(ctx context.Context) (bool, error) {
	var n int
	err := p.s.db.One(ctx, "SELECT COUNT(*) FROM identities WHERE account = $1", []any{p.Account.ID}, &n)
	return n > 0, err
}
