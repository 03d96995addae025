package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/internal/store"
)

// Role is the role of a member in a project.
type Role string

// The roles. Each has the permissions of those after it.
const (
	RoleOwner  Role = "owner"  // deletes or transfers the project
	RoleAdmin  Role = "admin"  // members, keys, retention, the audit log
	RoleMember Role = "member" // devices, runs, reports
	RoleViewer Role = "viewer" // reads only
)

var roles = []Role{RoleOwner, RoleAdmin, RoleMember, RoleViewer}

// Covers reports whether a role has all permissions of another one.
func (r Role) Covers(need Role) bool { return r.covers(need) }

func (r Role) covers(need Role) bool {
	has, needs := slices.Index(roles, r), slices.Index(roles, need)
	return has >= 0 && needs >= 0 && has <= needs
}

// ProjectInfo is a project as its members see it.
type ProjectInfo struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Owner      string    `json:"owner" doc:"The id of the account with the plan that applies."`
	Role       Role      `json:"role" enum:"owner,admin,member,viewer" doc:"Yours."`
	Created    time.Time `json:"created"`
	ReportDays int       `json:"reportDays" doc:"Older packs are deleted."`
	ReportRuns int       `json:"reportRuns" doc:"The maximum number of runs that are kept."`
}

// Project is a project with the permissions of one caller. Other projects cannot be reached through it.
type Project struct {
	ProjectInfo
	account string // of the caller
	actor   string // the name of the caller in the audit log
	from    From
	s       *Accounts
}

// The retention of a new project.
const (
	reportDays = 30
	reportRuns = 100
)

func (s *Accounts) insertProject(t *store.Tx, p ProjectInfo) error {
	now := store.Time(s.now())
	if _, err := t.Exec(
		"INSERT INTO projects (id, name, owner, created, report_days, report_runs) VALUES ($1, $2, $3, $4, $5, "+
			"$6)", p.ID, p.Name, p.Owner, now, reportDays, reportRuns); err != nil {
		return err
	}
	_, err := t.Exec("INSERT INTO members (project, account, role, created) VALUES ($1, $2, $3, $4)", p.ID, p.Owner,
		string(RoleOwner), now)
	return err
}

const projectColumns = "p.id, p.name, p.owner, p.created, p.report_days, p.report_runs, m.role"

func scanProject(scan func(...any) error) (p ProjectInfo, err error) {
	var created int64
	var role string
	err = scan(&p.ID, &p.Name, &p.Owner, &created, &p.ReportDays, &p.ReportRuns, &role)
	p.Created, p.Role = store.Moment(created), Role(role)
	return p, err
}

// Projects lists the projects of which the person is a member, oldest first.
func (p *Person) Projects(ctx context.Context) (list []ProjectInfo, err error) {
	err = p.s.db.Each(ctx, "SELECT "+projectColumns+
		" FROM projects p JOIN members m ON m.project = p.id WHERE m.account = $1 ORDER BY p.created, "+
		"p.id", []any{p.Account.ID}, func(scan func(...any) error) error {
		i, err := scanProject(scan)
		list = append(list, i)
		return err
	})
	return list, err
}

// Project returns a project of which the person is a member. All others are ErrNotFound, whether they exist or not. An
// empty id selects the oldest project that the person owns, or else the oldest.
func (p *Person) Project(ctx context.Context, id string) (*Project, error) {
	where, args := "m.account = $1 AND p.id = $2", []any{p.Account.ID, id}
	if id == "" {
		where, args = "m.account = $1", args[:1]
	}
	info, err := scanProject(func(into ...any) error {
		return p.s.db.One(ctx, "SELECT "+projectColumns+" FROM projects p JOIN members m ON m.project = p.id WHERE "+where+
			" ORDER BY CASE WHEN m.role = 'owner' THEN 0 ELSE 1 END, p.created, p.id LIMIT 1", args, into...)
	})
	if errors.Is(err, store.ErrNoRow) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return &Project{ProjectInfo: info, account: p.Account.ID, actor: p.Account.Email, from: p.From, s: p.s}, nil
}

// maxTitle limits the length of names.
const maxTitle = 100

// goodName returns a name without white space at its ends, or an error if it cannot be displayed.
func goodName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || len([]rune(name)) > maxTitle ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", invalid("body.name: 1 to %d characters that can be printed", maxTitle)
	}
	return name, nil
}

// CreateProject makes a project, with the person as its owner. The plan limits their number.
func (p *Person) CreateProject(ctx context.Context, name string) (*Project, error) {
	name, err := goodName(name)
	if err != nil {
		return nil, err
	}
	id := newID("prj")
	err = p.s.db.Write(ctx, func(t *store.Tx) error {
		plan, err := p.s.lockedPlan(t, p.Account.ID)
		if err != nil {
			return err
		}
		var n int
		if err := t.One("SELECT COUNT(*) FROM projects WHERE owner = $1", []any{p.Account.ID}, &n); err != nil {
			return err
		}
		if n >= plan.Projects {
			return forbidden("the plan %s has %d projects; delete one, or ask for a larger plan", plan.Name, plan.Projects)
		}
		if err := p.s.insertProject(t, ProjectInfo{ID: id, Name: name, Owner: p.Account.ID}); err != nil {
			return err
		}
		return p.s.note(t, Entry{Project: id, Account: p.Account.ID, Actor: p.Account.Email, Action: "project.create",
			Target: id, Address: p.From.Address})
	})
	if err != nil {
		return nil, err
	}
	return p.Project(ctx, id)
}

// need returns an error for a lesser role. The role is that of the moment when the project was opened; change checks
// again.
func (p *Project) need(role Role) error {
	if !p.Role.covers(role) {
		return ErrForbidden
	}
	return nil
}

// change runs a transaction if the caller has the role: it may have been removed meanwhile.
func (p *Project) change(ctx context.Context, role Role, work func(*store.Tx) error) error {
	if err := p.need(role); err != nil {
		return err
	}
	return p.s.db.Write(ctx, func(t *store.Tx) error {
		var now string
		err := t.Lock("SELECT role FROM members WHERE project = $1 AND account = $2", []any{p.ID, p.account}, &now)
		if errors.Is(err, store.ErrNoRow) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		if !Role(now).covers(role) {
			return ErrForbidden
		}
		return work(t)
	})
}

// Settings are what admins can change in a project; nil leaves a setting unchanged.
type Settings struct {
	Name       *string `json:"name,omitempty"`
	ReportDays *int    `json:"reportDays,omitempty"`
	ReportRuns *int    `json:"reportRuns,omitempty"`
}

// Change changes the name and the retention.
func (p *Project) Change(ctx context.Context, c Settings) error {
	next := p.ProjectInfo
	if c.Name != nil {
		name, err := goodName(*c.Name)
		if err != nil {
			return err
		}
		next.Name = name
	}
	for _, v := range []struct {
		set *int
		to  *int
	}{{c.ReportDays, &next.ReportDays}, {c.ReportRuns, &next.ReportRuns}} {
		if v.set != nil {
			if *v.set < 1 || *v.set > 100_000 {
				return invalid("retention: 1 to 100000")
			}
			*v.to = *v.set
		}
	}
	err := p.change(ctx, RoleAdmin, func(t *store.Tx) error {
		if _, err := t.Exec("UPDATE projects SET name = $1, report_days = $2, report_runs = $3 WHERE id = $4", next.Name,
			next.ReportDays, next.ReportRuns, p.ID); err != nil {
			return err
		}
		return p.note(t, "project.change", p.ID)
	})
	if err == nil {
		p.ProjectInfo = next
	}
	return err
}

// Delete removes the project with its keys. The server removes its folder of reports.
func (p *Project) Delete(ctx context.Context) error {
	return p.change(ctx, RoleOwner, func(t *store.Tx) error {
		if _, err := t.Exec("DELETE FROM projects WHERE id = $1", p.ID); err != nil {
			return err
		}
		return p.s.note(t, Entry{Account: p.account, Actor: p.actor, Action: "project.delete", Target: p.ID,
			Address: p.from.Address})
	})
}
