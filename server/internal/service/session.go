package service

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// How long a session lasts: after its last use, and in all.
const (
	consoleIdle = 12 * time.Hour
	consoleLife = 7 * 24 * time.Hour
	tokenLife   = 30 * 24 * time.Hour
	touchEvery  = time.Minute // the precision of the last use
)

// The kinds of sessions.
const (
	kindConsole = "console"
	kindToken   = "token"
)

// SessionInfo is a session as its owner sees it.
type SessionInfo struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind" enum:"console,token"`
	Address string    `json:"address"`
	Agent   string    `json:"agent"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`
	Current bool      `json:"current"`
}

// Sessions are the log-ins of people, in browsers and by programs.
type Sessions struct{ *Accounts }

// NewSession makes a session of the console, and returns the value of its cookie. Call it at each log-in: a cookie from
// before the log-in must never identify a user (session fixation).
func (s *Sessions) NewSession(ctx context.Context, p *Person) (cookie string, err error) {
	cookie = randomText(32)
	err = s.db.Write(ctx, func(t *store.Tx) error {
		p.Session, err = s.insertSession(t, p, kindConsole, digest(cookie), consoleLife)
		return err
	})
	return cookie, err
}

func (s *Sessions) insertSession(t *store.Tx, p *Person, kind, hash string, life time.Duration) (id string, err error) {
	now := s.now()
	if _, err := t.Exec("DELETE FROM sessions WHERE account = $1 AND expires < $2", p.Account.ID,
		store.Time(now)); err != nil {
		return "", err
	}
	id = newID("ses")
	_, err = t.Exec(
		"INSERT INTO sessions (id, account, kind, hash, created, used, expires, address, agent) VALUES ($1, $2, $3, $4, "+
			"$5, $5, $6, $7, $8)",
		id, p.Account.ID, kind, hash, store.Time(now), store.Time(now.Add(life)), cut(p.From.Address, 64),
		cut(p.From.Agent, 200))
	return id, err
}

// Session returns the person of a cookie, or ErrInvalid when the session has ended.
func (s *Sessions) Session(ctx context.Context, cookie string, from From) (*Person, error) {
	if len(cookie) != 43 {
		return nil, ErrInvalid
	}
	now := s.now()
	return s.person(ctx, "s.hash = $1 AND s.kind = '"+kindConsole+"' AND s.expires > $2 AND s.used > $3",
		[]any{digest(cookie), store.Time(now), store.Time(now.Add(-consoleIdle))}, from)
}

// person reads a session and its account in one query, and records its use.
func (s *Accounts) person(ctx context.Context, where string, args []any, from From) (*Person, error) {
	p := &Person{From: from, s: s}
	var used, admin, factor, created int64
	err := s.db.One(ctx,
		"SELECT s.id, s.used, a.id, a.email, a.state, a.admin, a.plan, a.per_minute, a.per_month, a.totp_on, a.created "+
			"FROM sessions s JOIN accounts a ON a.id = s.account WHERE "+where+
			" AND a.state = '"+Active+"'", args, &p.Session, &used, &p.Account.ID, &p.Account.Email, &p.Account.State, &admin,
		&p.Account.Plan, &p.Account.perMinute, &p.Account.perMonth, &factor, &created)
	if errors.Is(err, store.ErrNoRow) {
		return nil, ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	p.Account.Admin, p.Account.TwoFactor, p.Account.Created = admin != 0, factor != 0, store.Moment(created)
	if now := s.now(); now.Sub(store.Moment(used)) > touchEvery {
		_, err = s.db.Exec(ctx, "UPDATE sessions SET used = $1 WHERE id = $2", store.Time(now), p.Session)
	}
	return p, err
}

// Sessions lists where the person is logged in, newest first.
func (p *Person) Sessions(ctx context.Context) (list []SessionInfo, err error) {
	err = p.s.db.Each(ctx,
		"SELECT id, kind, address, agent, created, used FROM sessions WHERE account = $1 AND expires > $2 ORDER BY created "+
			"DESC", []any{p.Account.ID, store.Time(p.s.now())},
		func(scan func(...any) error) error {
			var i SessionInfo
			var created, used int64
			err := scan(&i.ID, &i.Kind, &i.Address, &i.Agent, &created, &used)
			i.Created, i.Used, i.Current = store.Moment(created), store.Moment(used), i.ID == p.Session
			list = append(list, i)
			return err
		})
	return list, err
}

// LogOut ends the current session.
func (p *Person) LogOut(ctx context.Context) error { return p.EndSession(ctx, p.Session) }

// EndSession ends one of the person's sessions.
func (p *Person) EndSession(ctx context.Context, id string) error {
	return p.s.db.Write(ctx, func(t *store.Tx) error {
		n, err := t.Exec("DELETE FROM sessions WHERE id = $1 AND account = $2", id, p.Account.ID)
		if err == nil && n == 0 {
			err = ErrNotFound
		}
		if err != nil {
			return err
		}
		return p.note(t, "account.logout", id)
	})
}

// LogOutEverywhere ends all sessions and tokens of the person.
func (p *Person) LogOutEverywhere(ctx context.Context) error {
	return p.s.db.Write(ctx, func(t *store.Tx) error {
		if _, err := t.Exec("DELETE FROM sessions WHERE account = $1", p.Account.ID); err != nil {
			return err
		}
		return p.note(t, "account.logout.everywhere", p.Account.ID)
	})
}

// ticketLife is how long the URL of a report's page works.
const ticketLife = time.Hour

// ticket lets its bearer read the files of one run for a while, as long as the session that made it lasts. Report pages
// are in a sandbox and send no cookies, so their URL contains a ticket instead.
type ticket struct {
	Session string `json:"s"`
	Project string `json:"p"`
	Run     string `json:"r"`
	Ends    int64  `json:"e"`
}

const ticketPlace = "ticket"

// Ticket returns a part of a URL for the run's files that needs no cookie.
func (p *Person) Ticket(project *Project, run string) string {
	text, _ := json.Marshal(ticket{p.Session, project.ID, run, p.s.now().Add(ticketLife).Unix()}) // never fails
	return base64.RawURLEncoding.EncodeToString(p.s.seal.Seal(nil, nil, text, []byte(ticketPlace)))
}

// maxTicket limits the length of a ticket.
const maxTicket = 1000

// OpenTicket returns who may read which run. It returns ErrInvalid when the ticket or its session has ended,
// ErrNotFound when the person has left the project.
func (s *Sessions) OpenTicket(ctx context.Context, text string, from From) (*Person, *Project, string, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(text) > maxTicket {
		return nil, nil, "", ErrInvalid
	}
	plain, err := s.seal.Open(nil, nil, data, []byte(ticketPlace))
	var t ticket
	if err != nil || json.Unmarshal(plain, &t) != nil || s.now().Unix() >= t.Ends {
		return nil, nil, "", ErrInvalid
	}
	now := s.now()
	p, err := s.person(ctx, "s.id = $1 AND s.kind = '"+kindConsole+"' AND s.expires > $2 AND s.used > $3",
		[]any{t.Session, store.Time(now), store.Time(now.Add(-consoleIdle))}, from)
	if err != nil {
		return nil, nil, "", err
	}
	project, err := p.Project(ctx, t.Project)
	return p, project, t.Run, err
}
