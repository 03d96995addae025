package service

import (
	"context"
	"errors"
	"net/mail"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/taproot-dev/taproot/internal/store"
)

// The states of an account.
const (
	Pending = "pending" // its e-mail address is not confirmed
	Active  = "active"
	Blocked = "blocked" // by the operator
)

// Account is the account of a person.
type Account struct {
	ID        string    `json:"id"`
	Email     string    `json:"email"`
	State     string    `json:"state" enum:"pending,active,blocked"`
	Admin     bool      `json:"admin" doc:"May do what the operator may."`
	Plan      string    `json:"plan" enum:"free,pro,enterprise"`
	TwoFactor bool      `json:"twoFactor"`
	Created   time.Time `json:"created"`

	perMinute, perMonth int
}

// From is where a request came from, for the audit log and the list of sessions.
type From struct{ Address, Agent string }

// Person is a user who has logged in.
type Person struct {
	Account Account
	Session string // its id
	From    From
	s       *Accounts
}

// Accounts are the accounts of people, with what their projects and the operator need. Person, Project and Operator are
// views of it, each with the permissions of one caller.
type Accounts struct {
	*tables
	*Site
	*Audit
	*box
	*passwords
	*postbox
}

const accountColumns = "id, email, state, admin, plan, per_minute, per_month, totp_on, created"

func scanAccount(scan func(...any) error) (a Account, err error) {
	var admin, factor, created int64
	err = scan(&a.ID, &a.Email, &a.State, &admin, &a.Plan, &a.perMinute, &a.perMonth, &factor, &created)
	a.Admin, a.TwoFactor, a.Created = admin != 0, factor != 0, store.Moment(created)
	return a, err
}

// one reads an account by a column that no two have alike.
func (s *Accounts) account(ctx context.Context, column, value string) (a Account, err error) {
	a, err = scanAccount(func(into ...any) error {
		return s.db.One(ctx, "SELECT "+accountColumns+" FROM accounts WHERE "+column+" = $1", []any{value}, into...)
	})
	if errors.Is(err, store.ErrNoRow) {
		return a, ErrNotFound
	}
	return a, err
}

// Address returns the normalized form of an e-mail address.
func Address(email string) (string, error) {
	email = strings.ToLower(norm.NFC.String(strings.TrimSpace(email)))
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > 254 ||
		strings.ContainsFunc(email, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '<' || r == '>' || r == '"' }) {
		return "", invalid("body.email: %.100q is not an e-mail address", email)
	}
	if _, domain, _ := strings.Cut(email, "@"); !strings.Contains(strings.Trim(domain, "."), ".") &&
		domain != "localhost" {
		return "", invalid("body.email: %.100q names no domain", email)
	}
	return email, nil
}

// Registration is the input of Register.
type Registration struct {
	Email, Password string
	From            From
}

// Register makes an account. confirmed means that it can be used at once; otherwise its address must be confirmed. If
// the address has an account already, only its owner learns of that, by e-mail.
func (s *Accounts) Register(ctx context.Context, r Registration) (confirmed bool, err error) {
	email, err := Address(r.Email)
	if err != nil {
		return false, err
	}
	if err := goodPassword(r.Password, email); err != nil {
		return false, err
	}
	hash, err := s.hashPassword(ctx, norm.NFC.String(r.Password))
	if err != nil {
		return false, err
	}
	open := s.o.OpenRegistration
	made, token := false, randomText(24)
	err = s.db.Write(ctx, func(t *store.Tx) error {
		a := Account{ID: newID("acc"), Email: email, State: Pending, Plan: PlanFree}
		if open {
			a.State = Active
		}
		if made, err = s.insert(t, a, hash); err != nil || !made {
			return err
		}
		if !open {
			if err := s.addMailToken(t, token, a.ID, letterConfirm, 24*time.Hour); err != nil {
				return err
			}
		}
		return s.note(t, Entry{Account: a.ID, Actor: email, Action: "account.register", Target: a.ID,
			Address: r.From.Address})
	})
	if err != nil {
		return false, err
	}
	switch {
	case made && !open:
		s.send(email, "Confirm your address for Taproot",
			"You, we hope, have registered this address with Taproot.\nTo confirm it, open this page within a day:\n"+
				"\n"+s.o.PublicURL+"/console/confirm?token="+token+
				"\n\nIf it was not you, do nothing: without a confirmation the account cannot be used.\n")
	case !made:
		s.send(email, "You have an account at Taproot",
			"You, we hope, have registered this address with Taproot. There is an account "+
				"already:\n"+s.o.PublicURL+"/console/login\n\n"+
				"If you forgot your password, request a new one there. If it was not you, do nothing.\n")
	}
	return open, nil
}

// insert makes an account with its first project, unless the address has one.
func (s *Accounts) insert(t *store.Tx, a Account, hash string) (bool, error) {
	now := store.Time(s.now())
	n, err := t.Exec(
		"INSERT INTO accounts (id, email, password, state, admin, plan, per_minute, per_month, created) VALUES ($1, $2, "+
			"$3, $4, $5, $6, $7, $8, $9) ON CONFLICT (email) DO NOTHING",
		a.ID, a.Email, hash, a.State, store.Truth(a.Admin), a.Plan, a.perMinute, a.perMonth, now)
	if err != nil || n == 0 {
		return false, err
	}
	return true, s.insertProject(t, ProjectInfo{ID: newID("prj"), Name: "My project", Owner: a.ID})
}

// Confirm makes an account usable with the token of an e-mail.
func (s *Accounts) Confirm(ctx context.Context, token string, from From) error {
	return s.db.Write(ctx, func(t *store.Tx) error {
		id, err := s.useMailToken(t, token, letterConfirm)
		if err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE accounts SET state = $1 WHERE id = $2 AND state = $3", Active, id, Pending); err != nil {
			return err
		}
		return s.note(t, Entry{Account: id, Actor: id, Action: "account.confirm", Target: id, Address: from.Address})
	})
}

// LogIn is the input of Service.LogIn.
type LogIn struct {
	Email, Password string
	Code            string // of the second factor, or a recovery code
	From            From
}

// ErrCode means that the password was right, and that a second factor is needed.
var ErrCode = &Error{Status: 401, Code: "code_required",
	Message: "send the code of your second factor, too: {email, password, code}"}

// LogIn checks a password and the second factor. Neither the error nor the time that it takes reveals what is wrong.
func (s *Accounts) LogIn(ctx context.Context, l LogIn) (*Person, error) {
	email, bad := Address(l.Email)
	var hash, totp string
	var a Account
	if bad == nil {
		var admin, factor, created int64
		err := s.db.One(ctx, "SELECT "+accountColumns+", password, totp FROM accounts WHERE email = $1", []any{email},
			&a.ID, &a.Email, &a.State, &admin, &a.Plan, &a.perMinute, &a.perMonth, &factor, &created, &hash, &totp)
		if err != nil && !errors.Is(err, store.ErrNoRow) {
			return nil, err
		}
		a.Admin, a.TwoFactor, a.Created = admin != 0, factor != 0, store.Moment(created)
	}
	if len(l.Password) > 1024 {
		l.Password = ""
	}
	fits, err := s.checkPassword(ctx, hash, norm.NFC.String(l.Password))
	if err != nil {
		return nil, err
	}
	if !fits || a.State != Active {
		return nil, errors.Join(s.refusedLogIn(ctx, a, email, l.From), ErrLogIn)
	}
	if a.TwoFactor {
		if l.Code == "" {
			return nil, ErrCode
		}
		ok, err := s.secondFactor(ctx, a.ID, totp, l.Code)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errors.Join(s.refusedLogIn(ctx, a, email, l.From), ErrLogIn)
		}
	}
	err = s.Note(ctx, Entry{Account: a.ID, Actor: a.Email, Action: "account.login", Target: a.ID, Address: l.From.Address})
	return &Person{Account: a, From: l.From, s: s}, err
}

// refusedLogIn also writes a line of the audit log for an unknown address, so that both take the same time.
func (s *Accounts) refusedLogIn(ctx context.Context, a Account, email string, from From) error {
	return s.Note(ctx, Entry{Account: a.ID, Actor: cut(email, 254), Action: "account.login", Target: a.ID,
		Address: from.Address, Result: "refused"})
}

// ChangePassword requires the old password, and ends all other sessions.
func (p *Person) ChangePassword(ctx context.Context, old, fresh string) error {
	if err := p.confirmPassword(ctx, old); err != nil {
		return err
	}
	return p.s.setPassword(ctx, p.Account, fresh, p.Session, p.From, "account.password")
}

// confirmPassword checks the password again, before an action that cannot be undone.
func (p *Person) confirmPassword(ctx context.Context, password string) error {
	var hash string
	if err := p.s.db.One(ctx, "SELECT password FROM accounts WHERE id = $1", []any{p.Account.ID}, &hash); err != nil {
		return err
	}
	if len(password) > 1024 {
		password = ""
	}
	fits, err := p.s.checkPassword(ctx, hash, norm.NFC.String(password))
	if err == nil && !fits {
		err = forbidden("the password is wrong")
	}
	return err
}

func (s *Accounts) setPassword(ctx context.Context, a Account, fresh, keep string, from From, action string) error {
	if err := goodPassword(fresh, a.Email); err != nil {
		return err
	}
	hash, err := s.hashPassword(ctx, norm.NFC.String(fresh))
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, func(t *store.Tx) error {
		if _, err := t.Exec("UPDATE accounts SET password = $1 WHERE id = $2", hash, a.ID); err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM sessions WHERE account = $1 AND id <> $2", a.ID, keep); err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM letters WHERE account = $1 AND purpose = $2", a.ID, letterReset); err != nil {
			return err
		}
		return s.note(t, Entry{Account: a.ID, Actor: a.Email, Action: action, Target: a.ID, Address: from.Address})
	})
	if err == nil {
		s.send(a.Email, "Your password at Taproot was changed",
			"The password of your account was changed just now, and you were logged out everywhere else.\nIf it was not you, "+
				"ask for a new password at once: "+s.o.PublicURL+"/console/reset\n")
	}
	return err
}

// AskReset sends an e-mail with which a new password can be set, if the account exists. The response is the same for
// every address.
func (s *Accounts) AskReset(ctx context.Context, email string, from From) error {
	email, err := Address(email)
	if err != nil {
		return err
	}
	token := randomText(24)
	found := false
	err = s.db.Write(ctx, func(t *store.Tx) error {
		var id, state string
		err := t.One("SELECT id, state FROM accounts WHERE email = $1", []any{email}, &id, &state)
		if err != nil && !errors.Is(err, store.ErrNoRow) {
			return err
		}
		if found = err == nil && state != Blocked; found {
			if err := s.addMailToken(t, token, id, letterReset, time.Hour); err != nil {
				return err
			}
		}
		return s.note(t, Entry{Account: id, Actor: email, Action: "account.reset.ask", Target: id, Address: from.Address})
	})
	if err == nil && found {
		s.send(email, "A new password for Taproot",
			"You, we hope, have requested a new password for your account at Taproot.\nTo set one, open this page within an "+
				"hour:\n\n"+s.o.PublicURL+"/console/reset?token="+token+"\n\nIf it was not you, do nothing.\n")
	}
	return err
}

// Reset sets a new password with the token of an e-mail, confirms the address with it, and ends all sessions.
func (s *Accounts) Reset(ctx context.Context, token, fresh string, from From) error {
	var email string
	// The password is checked before the token is used up, since a token can be used once.
	err := s.db.One(ctx,
		"SELECT email FROM accounts WHERE id = (SELECT account FROM letters WHERE hash = $1 AND purpose = "+
			"$2)", []any{digest(token), letterReset}, &email)
	if err != nil && !errors.Is(err, store.ErrNoRow) {
		return err
	}
	if err := goodPassword(fresh, email); err != nil {
		return err
	}
	var a Account
	err = s.db.Write(ctx, func(t *store.Tx) error {
		id, err := s.useMailToken(t, token, letterReset)
		if err != nil {
			return err
		}
		if _, err = t.Exec("UPDATE accounts SET state = $1 WHERE id = $2 AND state = $3", Active, id, Pending); err != nil {
			return err
		}
		a, err = scanAccount(func(into ...any) error {
			return t.One("SELECT "+accountColumns+" FROM accounts WHERE id = $1", []any{id}, into...)
		})
		return err
	})
	if err != nil {
		return err
	}
	return s.setPassword(ctx, a, fresh, "", from, "account.reset")
}

// cut shortens and cleans a text from a client for the audit log.
func cut(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "?")
}
