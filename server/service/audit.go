package service

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Entry is a line of the audit log. Lines are never changed. They are deleted with their account or project.
type Entry struct {
	At      time.Time `json:"at"`
	Project string    `json:"project,omitempty"`
	Account string    `json:"-"`
	Actor   string    `json:"actor" doc:"The address of a person, or the name of a key."`
	Action  string    `json:"action" example:"key.create"`
	Target  string    `json:"target"`
	Address string    `json:"address" doc:"Where the request came from."`
	Result  string    `json:"result" enum:"done,refused"`
}

// Note adds a line.
func (s *Service) Note(ctx context.Context, e Entry) error {
	return s.db.Write(ctx, func(t *store.Tx) error { return s.note(t, e) })
}

func (s *Service) note(t *store.Tx, e Entry) error {
	if e.Result == "" {
		e.Result = "done"
	}
	_, err := t.Exec(
		"INSERT INTO audit (id, at, project, account, actor, action, target, address, result) VALUES ($1, $2, $3, $4, $5, "+
			"$6, $7, $8, $9)",
		newID("log"), store.Time(s.now()), e.Project, e.Account, cut(e.Actor, 254), e.Action, cut(e.Target, 200),
		cut(e.Address, 64), e.Result)
	return err
}

func (p *Person) note(t *store.Tx, action, target string) error {
	return p.s.note(t, Entry{Account: p.Account.ID, Actor: p.Account.Email, Action: action, Target: target,
		Address: p.From.Address})
}

func (p *Project) note(t *store.Tx, action, target string) error {
	return p.s.note(t, Entry{Project: p.ID, Account: p.account, Actor: p.actor, Action: action, Target: target,
		Address: p.from.Address})
}

const entryColumns = "at, project, account, actor, action, target, address, result"

// Page is a part of a list, newest first.
type Page struct {
	Limit  int       // maximum number of entries; default and maximum: 200
	Before time.Time // only older entries; zero: from the newest on
}

func (p Page) args() (before int64, limit int) {
	before, limit = 1<<62, 200
	if !p.Before.IsZero() {
		before = store.Time(p.Before)
	}
	if p.Limit > 0 && p.Limit < limit {
		limit = p.Limit
	}
	return before, limit
}

func (s *Service) entries(ctx context.Context, where string, args []any, page Page) (list []Entry, err error) {
	before, limit := page.args()
	err = s.db.Each(ctx, "SELECT "+entryColumns+" FROM audit WHERE at < $1 AND "+where+" ORDER BY at DESC, id LIMIT $2",
		append([]any{before, limit}, args...), func(scan func(...any) error) error {
			var e Entry
			var at int64
			err := scan(&at, &e.Project, &e.Account, &e.Actor, &e.Action, &e.Target, &e.Address, &e.Result)
			e.At = store.Moment(at)
			list = append(list, e)
			return err
		})
	return list, err
}

// Log lists what was done with the person's account.
func (p *Person) Log(ctx context.Context, page Page) ([]Entry, error) {
	return p.s.entries(ctx, "account = $3 AND project = ''", []any{p.Account.ID}, page)
}

// Log lists what was done in the project; admins may see it.
func (p *Project) Log(ctx context.Context, page Page) ([]Entry, error) {
	if err := p.need(RoleAdmin); err != nil {
		return nil, err
	}
	return p.s.entries(ctx, "project = $3", []any{p.ID}, page)
}
