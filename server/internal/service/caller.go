package service

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Caller is the sender of a request of the API: a person with a token, or a key.
type Caller struct {
	Name    string   // for logs and leases: "key:<id>" or "user:<account>"
	Key     string   // the id of the key; "" for a person
	Person  *Person  // nil for a key
	Project *Project // in which the caller acts
	Scopes  []string

	again func(context.Context) (*Caller, error)
}

// Credentials finds the sender of a request by its credential.
type Credentials struct {
	*Accounts
	tokens *Issuer
}

// Again identifies the caller again, as for a new request: the key, session or project may have ended since. An access
// token that has expired meanwhile remains valid.
func (c *Caller) Again(ctx context.Context) (*Caller, error) { return c.again(ctx) }

// May reports whether the caller has a scope.
func (c *Caller) May(scope string) bool { return slices.Contains(c.Scopes, scope) }

// Identify returns the caller of a request, from Authorization: Bearer (a key or an access token) or X-API-Key. A
// person selects the project with X-Project; the default is the person's oldest. A key has its own project.
func (s *Credentials) Identify(ctx context.Context, h http.Header, from From) (*Caller, error) {
	bearer, keys, project := h.Values("Authorization"), h.Values("X-Api-Key"), h.Values("X-Project")
	if len(bearer)+len(keys) > 1 || len(project) > 1 {
		return nil, ErrInvalid
	}
	wanted := strings.Join(project, "")
	switch {
	case len(keys) == 1:
		return s.byKey(ctx, strings.TrimSpace(keys[0]), wanted, from)
	case len(bearer) == 1:
		scheme, credential, _ := strings.Cut(bearer[0], " ")
		credential = strings.TrimSpace(credential)
		if !strings.EqualFold(scheme, "Bearer") {
			return nil, ErrInvalid
		}
		if strings.HasPrefix(credential, "tap_") {
			return s.byKey(ctx, credential, wanted, from)
		}
		return s.byToken(ctx, credential, wanted, from)
	}
	return nil, ErrMissing
}

// byKey finds a key by its id and compares its hash. Its permissions are its scopes, limited by the role of its maker.
func (s *Credentials) byKey(ctx context.Context, text, wanted string, from From) (*Caller, error) {
	id, ok := parseKey(text)
	if !ok {
		return nil, ErrInvalid
	}
	now, sum := s.now(), digest(text)
	c := &Caller{Name: "key:" + id, Key: id, Project: &Project{s: s.Accounts, from: from}}
	c.again = func(ctx context.Context) (*Caller, error) { return s.byKey(ctx, text, wanted, from) }
	var hash, oldHash, scopes, role string
	var oldEnds, expires, used, revoked, created int64
	p := c.Project
	err := s.db.One(ctx,
		`SELECT k.hash, k.old_hash, k.old_ends, k.expires, k.used, k.revoked, k.scopes, k.author, m.role, p.id, p.name, `+
			`p.owner, p.created, p.report_days, p.report_runs
		FROM api_keys k JOIN projects p ON p.id = k.project JOIN members m ON m.project = p.id AND m.account = k.author `+
			`JOIN accounts a ON a.id = k.author JOIN accounts o ON o.id = p.owner
		WHERE k.id = $1 AND a.state = 'active' AND o.state = 'active'`, []any{id},
		&hash, &oldHash, &oldEnds, &expires, &used, &revoked, &scopes, &p.account, &role, &p.ID, &p.Name, &p.Owner, &created,
		&p.ReportDays, &p.ReportRuns)
	if errors.Is(err, store.ErrNoRow) {
		return nil, ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	good := same(sum, hash) || same(sum, oldHash) && store.Time(now) < oldEnds
	if !good || revoked != 0 || expires != 0 && expires <= store.Time(now) {
		return nil, ErrInvalid
	}
	if wanted != "" && wanted != p.ID {
		return nil, forbidden("the key belongs to another project")
	}
	p.Created, p.Role, p.actor = store.Moment(created), Role(role), c.Name
	c.Scopes = Role(role).scopes()
	if has := strings.Fields(scopes); !slices.Contains(has, ScopeAll) {
		c.Scopes = slices.DeleteFunc(c.Scopes, func(one string) bool { return !slices.Contains(has, one) })
	}
	if now.Sub(store.Moment(used)) > time.Minute {
		if _, err := s.db.Exec(ctx, "UPDATE api_keys SET used = $1 WHERE id = $2 AND used < $1", store.Time(now),
			id); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// byToken verifies an access token. Its session must not have ended.
func (s *Credentials) byToken(ctx context.Context, text, wanted string, from From) (*Caller, error) {
	person, err := s.tokens.Token(ctx, text, from)
	if err != nil {
		return nil, err
	}
	project, err := person.Project(ctx, wanted)
	if errors.Is(err, ErrNotFound) && wanted == "" {
		// a person without a project still has an account
		return &Caller{Name: "user:" + person.Account.ID, Person: person, again: person.again("")}, nil
	}
	if err != nil {
		return nil, err
	}
	return person.In(project), nil
}

// In returns the person as a caller in a project.
func (p *Person) In(project *Project) *Caller {
	return &Caller{Name: "user:" + p.Account.ID, Person: p, Project: project, Scopes: project.Role.scopes(),
		again: p.again(project.ID)}
}

func (p *Person) again(project string) func(context.Context) (*Caller, error) {
	return func(ctx context.Context) (*Caller, error) {
		now, err := p.s.person(ctx, "s.id = $1 AND s.account = $2 AND s.expires > $3",
			[]any{p.Session, p.Account.ID, store.Time(p.s.now())}, p.From)
		if err != nil {
			return nil, err
		}
		in, err := now.Project(ctx, project)
		if err != nil {
			return nil, err
		}
		return now.In(in), nil
	}
}
