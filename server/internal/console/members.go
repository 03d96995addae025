package console

import (
	"strings"
	"time"

	"github.com/taproot-dev/taproot/server/internal/service"
)

// memberPages has the pages of a project's members and of its audit log.
type memberPages struct{}

// members is the data of the page of the project's members.
type members struct {
	Members     []service.Member
	Invitations []service.Invitation
	Me          string
	Email, Role string
	Link        string // of the new invitation
	Room        int    // members that the owner's plan still allows
}

func (c *memberPages) page(q *request) error { return c.show(q, members{}, nil) }

func (c *memberPages) show(q *request, m members, failed error) (err error) {
	ctx := q.r.Context()
	if m.Members, err = q.project.Members(ctx); err != nil {
		return err
	}
	if q.project.Role.Covers(service.RoleAdmin) {
		if m.Invitations, err = q.project.Invitations(ctx); err != nil {
			return err
		}
	}
	plan, err := q.project.Plan(ctx)
	if err != nil {
		return err
	}
	m.Me, m.Room = q.person.Account.ID, plan.Members
	v := view{Title: "Members", Tab: "members", D: m}
	if failed != nil {
		return q.showFormAgain("members", v, failed)
	}
	return q.show("members", v)
}

func (c *memberPages) invite(q *request) error {
	m := members{Email: q.field("email"), Role: q.field("role")}
	i, token, err := q.project.Invite(q.r.Context(), m.Email, service.Role(m.Role))
	if err != nil {
		return c.show(q, m, err)
	}
	return c.show(q, members{Email: i.Email, Link: q.publicURL() + "/console/invitation?token=" + token}, nil)
}

func (c *memberPages) setRole(q *request) error {
	if err := q.project.SetRole(q.r.Context(), q.r.PathValue("account"), service.Role(q.field("role"))); err != nil {
		return c.show(q, members{}, err)
	}
	return q.done(q.base()+"/members", "role")
}

func (c *memberPages) remove(q *request) error {
	account := q.r.PathValue("account")
	if err := q.project.RemoveMember(q.r.Context(), account); err != nil {
		return c.show(q, members{}, err)
	}
	if account == q.person.Account.ID {
		return q.done("/console/projects", "left")
	}
	return q.done(q.base()+"/members", "removed")
}

func (c *memberPages) transfer(q *request) error {
	if err := q.project.Transfer(q.r.Context(), q.r.PathValue("account")); err != nil {
		return c.show(q, members{}, err)
	}
	return q.done(q.base()+"/members", "transferred")
}

func (c *memberPages) withdraw(q *request) error {
	if err := q.project.Withdraw(q.r.Context(), q.r.PathValue("invitation")); err != nil {
		return c.show(q, members{}, err)
	}
	return q.done(q.base()+"/members", "withdrawn")
}

// entries is a part of a log.
type entries struct {
	Entries []service.Entry
	Older   string
	Paged   bool
	Path    string
}

const logLength = 100

// logPart reads the part of a log that the query selects.
func (q *request) logPart(path string, names *strings.Replacer, read func(service.Page) ([]service.Entry, error)) (
	e entries, err error) {
	page := service.Page{Limit: logLength}
	if text := q.r.URL.Query().Get("before"); text != "" {
		if page.Before, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return e, invalid("The URL contains no valid time.")
		}
	}
	if e.Entries, err = read(page); err != nil {
		return e, err
	}
	e.Path, e.Paged = path, !page.Before.IsZero()
	if len(e.Entries) == logLength {
		e.Older = e.Entries[logLength-1].At.Format(time.RFC3339Nano)
	}
	if names != nil {
		for i := range e.Entries {
			e.Entries[i].Actor = names.Replace(e.Entries[i].Actor)
		}
	}
	return e, nil
}

func (c *memberPages) log(q *request) error {
	names, err := q.names()
	if err != nil {
		return err
	}
	e, err := q.logPart(q.base()+"/log", names, func(p service.Page) ([]service.Entry, error) {
		return q.project.Log(q.r.Context(), p)
	})
	if err != nil {
		return err
	}
	return q.show("log", view{Title: "Audit log", Tab: "log", D: e})
}
