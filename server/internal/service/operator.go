package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/taproot-dev/taproot/internal/store"
)

// Operator may change all projects and accounts.
type Operator struct {
	account, actor string
	from           From
	s              *Accounts
}

// Operator returns the operator for the command line of the machine.
func (s *Accounts) Operator() *Operator { return &Operator{actor: "operator", s: s} }

// Operator returns the operator for admins of the service; all others get ErrForbidden.
func (p *Person) Operator() (*Operator, error) {
	if !p.Account.Admin {
		return nil, ErrForbidden
	}
	return &Operator{account: p.Account.ID, actor: p.Account.Email, from: p.From, s: p.s}, nil
}

// Accounts lists the accounts with an address that contains a text, sorted by address, starting after one of them.
func (o *Operator) Accounts(ctx context.Context, containing, after string, limit int) (list []Account, err error) {
	if limit < 1 || limit > 500 {
		limit = 500
	}
	pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(containing)) + "%"
	err = o.s.db.Each(ctx, "SELECT "+accountColumns+
		` FROM accounts WHERE email LIKE $1 ESCAPE '\' AND email > $2 ORDER BY email LIMIT $3`, []any{pattern, after, limit},
		func(scan func(...any) error) error {
			a, err := scanAccount(scan)
			list = append(list, a)
			return err
		})
	return list, err
}

// CreateAccount makes an account that can be used at once.
func (o *Operator) CreateAccount(ctx context.Context, email, password string, admin bool) (a Account, err error) {
	if email, err = Address(email); err != nil {
		return a, err
	}
	if err := goodPassword(password, email); err != nil {
		return a, err
	}
	hash, err := o.s.hashPassword(ctx, norm.NFC.String(password))
	if err != nil {
		return a, err
	}
	err = o.s.db.Write(ctx, func(t *store.Tx) error {
		a = Account{ID: newID("acc"), Email: email, State: Active, Plan: PlanFree, Admin: admin}
		made, err := o.s.insert(t, a, hash)
		if err == nil && !made {
			err = conflict("there is an account of %s already", email)
		}
		if err != nil {
			return err
		}
		return o.note(t, "account.create", a.ID)
	})
	if err != nil {
		return Account{}, err
	}
	return o.s.account(ctx, "id", a.ID)
}

func (o *Operator) note(t *store.Tx, action, target string) error {
	return o.s.note(t, Entry{Account: o.account, Actor: o.actor, Action: action, Target: target, Address: o.from.Address})
}

// alter changes one account, which is identified by its id or its address.
func (o *Operator) alter(ctx context.Context, account, action, set string, args ...any) error {
	id, err := o.find(ctx, account)
	if err != nil {
		return err
	}
	return o.s.db.Write(ctx, func(t *store.Tx) error {
		if _, err := t.Exec("UPDATE accounts SET "+set+" WHERE id = $1", append([]any{id}, args...)...); err != nil {
			return err
		}
		return o.note(t, action, id)
	})
}

func (o *Operator) find(ctx context.Context, account string) (string, error) {
	column := "id"
	if strings.Contains(account, "@") {
		column, account = "email", strings.ToLower(strings.TrimSpace(account))
	}
	a, err := o.s.account(ctx, column, account)
	if errors.Is(err, ErrNotFound) {
		err = &Error{Status: ErrNotFound.Status, Code: ErrNotFound.Code, Message: "there is no account " + cut(account, 254)}
	}
	return a.ID, err
}

// Confirm makes an account usable without a confirmation by e-mail.
func (o *Operator) Confirm(ctx context.Context, account string) error {
	return o.alter(ctx, account, "account.confirm", "state = $2", Active)
}

// Block blocks an account at once. Confirm undoes it.
func (o *Operator) Block(ctx context.Context, account string) error {
	return o.alter(ctx, account, "account.block", "state = $2", Blocked)
}

// SetAdmin makes an account an admin, or not.
func (o *Operator) SetAdmin(ctx context.Context, account string, admin bool) error {
	return o.alter(ctx, account, "account.admin", "admin = $2", store.Truth(admin))
}

// PlanChange is a new plan for an account; rates of 0 are those of the plan.
type PlanChange struct {
	Account   string `json:"account" doc:"Its id or address."`
	Plan      string `json:"plan" enum:"free,pro,enterprise"`
	PerMinute int    `json:"requestsPerMinute,omitempty" minimum:"0" maximum:"1000000"`
	PerMonth  int    `json:"requestsPerMonth,omitempty" minimum:"0"`
}

func (c PlanChange) check() error {
	switch {
	case !slices.ContainsFunc(Plans(), func(p Plan) bool { return p.Name == c.Plan }):
		return invalid("plan: free, pro or enterprise")
	case c.PerMinute < 0 || c.PerMinute > 1_000_000 || c.PerMonth < 0:
		return invalid("rates: 0 or more, and at most 1000000 a minute")
	case c.Plan != PlanEnterprise && c.PerMinute+c.PerMonth > 0:
		return invalid("only the plan enterprise has rates of its own")
	}
	return nil
}

// SetPlan changes the plan of an account, from the next request on.
func (o *Operator) SetPlan(ctx context.Context, c PlanChange) error {
	if err := c.check(); err != nil {
		return err
	}
	return o.alter(ctx, c.Account, "account.plan", "plan = $2, per_minute = $3, per_month = $4", c.Plan, c.PerMinute,
		c.PerMonth)
}

// SetPassword sets the password of an account, and ends its sessions.
func (o *Operator) SetPassword(ctx context.Context, account, password string) error {
	id, err := o.find(ctx, account)
	if err != nil {
		return err
	}
	a, err := o.s.account(ctx, "id", id)
	if err != nil {
		return err
	}
	return o.s.setPassword(ctx, a, password, "", o.from, "account.password.operator")
}

// Log lists what was done in all projects and accounts.
func (o *Operator) Log(ctx context.Context, page Page) ([]Entry, error) {
	return o.s.entries(ctx, "$3 = $3", []any{""}, page)
}

// Counts are the sizes of the whole service.
type Counts struct {
	Accounts int `json:"accounts"`
	Projects int `json:"projects"`
	Keys     int `json:"keys"`
	Requests int `json:"requests" doc:"Of this month."`
}

// Counts returns the sizes of the whole service.
func (o *Operator) Counts(ctx context.Context) (c Counts, err error) {
	err = o.s.db.One(ctx,
		"SELECT (SELECT COUNT(*) FROM accounts), (SELECT COUNT(*) FROM projects), (SELECT COUNT(*) FROM api_keys WHERE "+
			"revoked = 0), (SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM usage_months WHERE month = $1)",
		[]any{Month(o.s.now())}, &c.Accounts, &c.Projects, &c.Keys, &c.Requests)
	return c, err
}

// CreateKey makes a key in the name of an account, for one of its projects; "" selects one as in Person.Project.
func (o *Operator) CreateKey(ctx context.Context, account, project string, k NewKey) (MadeKey, error) {
	id, err := o.find(ctx, account)
	if err != nil {
		return MadeKey{}, err
	}
	p, err := (&Person{Account: Account{ID: id}, From: o.from, s: o.s}).Project(ctx, project)
	if errors.Is(err, ErrNotFound) {
		message := "the account " + cut(account, 254) + " has no project"
		if project != "" {
			message += " " + cut(project, 64) + ": taproot admin projects lists them"
		}
		err = &Error{Status: ErrNotFound.Status, Code: ErrNotFound.Code, Message: message}
	}
	if err != nil {
		return MadeKey{}, err
	}
	p.actor = o.actor
	return p.CreateKey(ctx, k)
}

// Owned lists the ids of the projects that an account owns.
func (o *Operator) Owned(ctx context.Context, account string) (list []string, err error) {
	id, err := o.find(ctx, account)
	if err != nil {
		return nil, err
	}
	err = o.s.db.Each(ctx, "SELECT id FROM projects WHERE owner = $1 ORDER BY created, id", []any{id},
		func(scan func(...any) error) error {
			var one string
			err := scan(&one)
			list = append(list, one)
			return err
		})
	return list, err
}

// OwnedProject is a project with the address of its owner's account.
type OwnedProject struct {
	ProjectInfo
	Email string `json:"email"`
}

// Projects lists the projects that an account owns, or those of all accounts (""), sorted by the address of the owner
// and by age.
func (o *Operator) Projects(ctx context.Context, account string) (list []OwnedProject, err error) {
	id := ""
	if account != "" {
		if id, err = o.find(ctx, account); err != nil {
			return nil, err
		}
	}
	err = o.s.db.Each(ctx,
		"SELECT p.id, p.name, p.owner, p.created, p.report_days, p.report_runs, a.email FROM projects p JOIN accounts a ON "+
			"a.id = p.owner WHERE $1 = '' OR p.owner = $1 ORDER BY a.email, p.created, p.id",
		[]any{id}, func(scan func(...any) error) error {
			var p OwnedProject
			var created int64
			err := scan(&p.ID, &p.Name, &p.Owner, &created, &p.ReportDays, &p.ReportRuns, &p.Email)
			p.Created = store.Moment(created)
			list = append(list, p)
			return err
		})
	return list, err
}

// Project returns the settings of a project.
func (o *Operator) Project(ctx context.Context, id string) (p ProjectInfo, err error) {
	var created int64
	err = o.s.db.One(ctx, "SELECT id, name, owner, created, report_days, report_runs FROM projects WHERE id = $1",
		[]any{id}, &p.ID, &p.Name, &p.Owner, &created, &p.ReportDays, &p.ReportRuns)
	if errors.Is(err, store.ErrNoRow) {
		err = ErrNotFound
	}
	p.Created = store.Moment(created)
	return p, err
}

// DeleteAccount removes an account with the projects that it owns.
func (o *Operator) DeleteAccount(ctx context.Context, account string) error {
	id, err := o.find(ctx, account)
	if err != nil {
		return err
	}
	return o.s.db.Write(ctx, func(t *store.Tx) error { return o.s.deleteAccount(t, id, o.actor, o.from) })
}

// deleteAccount removes all data of a person, including the lines of the audit log about it. One line records the
// removal.
func (s *Accounts) deleteAccount(t *store.Tx, id, actor string, from From) error {
	for _, query := range []string{"DELETE FROM audit WHERE project IN (SELECT id FROM projects WHERE owner = $1)",
		"DELETE FROM usage_days WHERE project IN (SELECT id FROM projects WHERE owner = $1)",
		"DELETE FROM projects WHERE owner = $1", "DELETE FROM audit WHERE account = $1 AND project = ''",
		"DELETE FROM usage_months WHERE account = $1", "DELETE FROM accounts WHERE id = $1"} {
		if _, err := t.Exec(query, id); err != nil {
			return err
		}
	}
	return s.note(t, Entry{Actor: actor, Action: "account.delete", Target: id, Address: from.Address})
}

// Delete removes the person's account and the projects that it owns. Transfer a project first to keep it.
func (p *Person) Delete(ctx context.Context, password string) error {
	if err := p.confirmPassword(ctx, password); err != nil {
		return err
	}
	return p.s.db.Write(ctx, func(t *store.Tx) error { return p.s.deleteAccount(t, p.Account.ID, p.Account.ID, p.From) })
}

// Export is all data of a person.
type Export struct {
	Account  Account         `json:"account"`
	Sessions []SessionInfo   `json:"sessions"`
	Projects []ExportProject `json:"projects"`
	Log      []Entry         `json:"log"`
	Made     time.Time       `json:"made"`
}

// ExportProject is a project in an Export; its keys have no secrets.
type ExportProject struct {
	ProjectInfo
	Members []Member `json:"members"`
	Keys    []Key    `json:"keys"`
	Usage   Usage    `json:"usage"`
}

// Export returns the person's own data.
func (p *Person) Export(ctx context.Context) (e Export, err error) {
	e.Account, e.Made = p.Account, p.s.now()
	if e.Sessions, err = p.Sessions(ctx); err != nil {
		return e, err
	}
	if e.Log, err = p.Log(ctx, Page{}); err != nil {
		return e, err
	}
	projects, err := p.Projects(ctx)
	if err != nil {
		return e, err
	}
	for _, info := range projects {
		one := ExportProject{ProjectInfo: info}
		project, err := p.Project(ctx, info.ID)
		if err == nil {
			one.Members, err = project.Members(ctx)
		}
		if err == nil {
			one.Keys, err = project.Keys(ctx)
		}
		if err == nil {
			one.Usage, err = project.Usage(ctx, "1970-01-01")
		}
		if err != nil {
			return e, err
		}
		e.Projects = append(e.Projects, one)
	}
	return e, nil
}
