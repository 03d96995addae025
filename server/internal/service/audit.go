package service

import (
	"context"
	"fmt"
	"sync"
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

// Audit is the audit log.
type Audit struct {
	*tables
	refused  chan Entry // lines about refusals
	refusals refusals
}

func newAudit(t *tables) *Audit {
	return &Audit{tables: t, refused: make(chan Entry, 100), refusals: refusals{last: map[[2]string]refusal{}}}
}

// Note adds a line.
func (s *Audit) Note(ctx context.Context, e Entry) error {
	return s.db.Write(ctx, func(t *store.Tx) error { return s.note(t, e) })
}

func (s *Audit) note(t *store.Tx, e Entry) error {
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

func (s *Audit) entries(ctx context.Context, where string, args []any, page Page) (list []Entry, err error) {
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

const (
	// refusedAgain is the minimum time between two lines about the same actor and action.
	refusedAgain = 10 * time.Minute
	// refusedMost limits the lines about refusals in an hour, for all actors together.
	refusedMost = 200
)

// refusals limits the lines of the audit log about refusals, so that repeated attempts cannot fill the disk or hide
// what others did.
type refusals struct {
	mu    sync.Mutex
	last  map[[2]string]refusal // by actor and action
	since time.Time             // start of the current hour
	lines int                   // number of lines in this hour
}

type refusal struct {
	at   time.Time
	more int // refusals since then that were not logged
}

// Refused adds a line about a refusal, in the background: one in ten minutes for an actor and an action, with the
// number of those since the previous line, and at most 200 an hour for all of them. It does not block.
func (s *Audit) Refused(e Entry) {
	e.Result, e.Actor, e.Target = "refused", cut(e.Actor, 100), cut(e.Target, 160)
	more, note := s.refusals.admit(s.now(), e.Actor, e.Action)
	if !note {
		return
	}
	if more > 0 {
		e.Target += fmt.Sprintf(" (and %d more)", more)
	}
	select {
	case s.refused <- e:
	default: // the database is too slow
	}
}

// admit reports whether a line is due, and how many refusals were left out since the last one.
func (r *refusals) admit(now time.Time, actor, action string) (more int, note bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := [2]string{actor, action}
	before, known := r.last[key]
	if known && now.Sub(before.at) < refusedAgain {
		before.more++
		r.last[key] = before
		return 0, false
	}
	if now.Sub(r.since) >= time.Hour {
		r.since, r.lines = now, 0
		for k, v := range r.last {
			if now.Sub(v.at) >= time.Hour || now.Sub(v.at) >= refusedAgain && v.more == 0 {
				delete(r.last, k)
			}
		}
	}
	if r.lines >= refusedMost {
		return 0, false
	}
	r.lines++
	r.last[key] = refusal{at: now}
	return before.more, true
}

// noteRefused writes the lines until ctx ends, and then the pending ones.
func (s *Audit) noteRefused(ctx context.Context) {
	for {
		var e Entry
		select {
		case e = <-s.refused:
		default:
			select {
			case e = <-s.refused:
			case <-ctx.Done():
				return
			}
		}
		writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		if err := s.Note(writing, e); err != nil {
			s.log.WarnContext(ctx, "a refusal could not be logged", "actor", e.Actor, "action", e.Action,
				"error", err)
		}
		cancel()
	}
}
