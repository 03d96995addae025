package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Member is a person with a role in a project.
type Member struct {
	Account string    `json:"account"`
	Email   string    `json:"email"`
	Role    Role      `json:"role" enum:"owner,admin,member,viewer"`
	Since   time.Time `json:"since"`
}

// Invitation is an invitation to become a member.
type Invitation struct {
	ID      string    `json:"id"`
	Email   string    `json:"email"`
	Role    Role      `json:"role" enum:"admin,member,viewer"`
	By      string    `json:"by"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
}

// invitationLife is how long an invitation is valid.
const invitationLife = 7 * 24 * time.Hour

// Members lists the members of the project, oldest first.
func (p *Project) Members(ctx context.Context) (list []Member, err error) {
	if err := p.need(RoleViewer); err != nil {
		return nil, err
	}
	err = p.s.db.Each(ctx,
		"SELECT m.account, a.email, m.role, m.created FROM members m JOIN accounts a ON a.id = m.account WHERE m.project = "+
			"$1 ORDER BY m.created, m.account", []any{p.ID}, func(scan func(...any) error) error {
			var m Member
			var role string
			var since int64
			err := scan(&m.Account, &m.Email, &role, &since)
			m.Role, m.Since = Role(role), store.Moment(since)
			list = append(list, m)
			return err
		})
	return list, err
}

// Invitations lists open invitations; admins may see them.
func (p *Project) Invitations(ctx context.Context) (list []Invitation, err error) {
	if err := p.need(RoleAdmin); err != nil {
		return nil, err
	}
	err = p.s.db.Each(ctx,
		"SELECT id, email, role, author, created, expires FROM invitations WHERE project = $1 AND expires > $2 ORDER BY "+
			"created", []any{p.ID, store.Time(p.s.now())}, func(scan func(...any) error) error {
			var i Invitation
			var role string
			var created, expires int64
			err := scan(&i.ID, &i.Email, &role, &i.By, &created, &expires)
			i.Role, i.Created, i.Expires = Role(role), store.Moment(created), store.Moment(expires)
			list = append(list, i)
			return err
		})
	return list, err
}

// Invite invites a person, who must log in with the address. The token is in the e-mail. It is also returned, only
// here, for admins without SMTP.
func (p *Project) Invite(ctx context.Context, email string, role Role) (i Invitation, token string, err error) {
	if email, err = Address(email); err != nil {
		return i, "", err
	}
	if !slices.Contains([]Role{RoleAdmin, RoleMember, RoleViewer}, role) {
		return i, "", invalid("body.role: admin, member or viewer")
	}
	now := p.s.now()
	token = randomText(24)
	i = Invitation{ID: newID("inv"), Email: email, Role: role, By: p.actor, Created: now, Expires: now.Add(invitationLife)}
	err = p.change(ctx, RoleAdmin, func(t *store.Tx) error {
		if err := p.checkMembers(t); err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM invitations WHERE project = $1 AND (email = $2 OR expires <= $3)", p.ID, email,
			store.Time(now)); err != nil {
			return err
		}
		if _, err := t.Exec(
			"INSERT INTO invitations (id, project, email, role, hash, author, created, expires) VALUES ($1, $2, $3, $4, $5, "+
				"$6, $7, $8)",
			i.ID, p.ID, email, string(role), digest(token), p.actor, store.Time(i.Created), store.Time(i.Expires)); err != nil {
			return err
		}
		return p.note(t, "member.invite", email)
	})
	if err == nil {
		p.s.send(email, "An invitation to a project at Taproot",
			p.actor+" invites you to a project. Log in with this address and open, within a week:\n"+
				"\n"+p.s.o.PublicURL+"/console/invitation?token="+token+"\n")
	}
	return i, token, err
}

// checkMembers returns an error if the owner's plan permits no further member.
func (p *Project) checkMembers(t *store.Tx) error {
	plan, err := p.s.lockedPlan(t, p.Owner)
	if err != nil {
		return err
	}
	var n int
	if err := t.One("SELECT COUNT(*) FROM members WHERE project = $1", []any{p.ID}, &n); err != nil {
		return err
	}
	if n >= plan.Members {
		return forbidden("the plan %s has %d members for a project", plan.Name, plan.Members)
	}
	return nil
}

// Withdraw cancels an invitation.
func (p *Project) Withdraw(ctx context.Context, id string) error {
	return p.change(ctx, RoleAdmin, func(t *store.Tx) error {
		n, err := t.Exec("DELETE FROM invitations WHERE id = $1 AND project = $2", id, p.ID)
		if err == nil && n == 0 {
			err = ErrNotFound
		}
		if err != nil {
			return err
		}
		return p.note(t, "member.withdraw", id)
	})
}

// Accept makes the person a member with the token of an invitation, which must be for the person's address.
func (p *Person) Accept(ctx context.Context, token string) (*Project, error) {
	var id string
	err := p.s.db.Write(ctx, func(t *store.Tx) error {
		var role string
		err := t.One("DELETE FROM invitations WHERE hash = $1 AND email = $2 AND expires > $3 RETURNING project, role",
			[]any{digest(token), p.Account.Email, store.Time(p.s.now())}, &id, &role)
		if errors.Is(err, store.ErrNoRow) {
			return invalid("the invitation was used already, is too old, or for another address")
		}
		if err != nil {
			return err
		}
		project := &Project{ProjectInfo: ProjectInfo{ID: id}, s: p.s}
		if err := t.One("SELECT owner FROM projects WHERE id = $1", []any{id}, &project.Owner); err != nil {
			return err
		}
		if err := project.checkMembers(t); err != nil {
			return err
		}
		if _, err := t.Exec(
			"INSERT INTO members (project, account, role, created) VALUES ($1, $2, $3, $4) ON CONFLICT (project, account) DO "+
				"NOTHING", id, p.Account.ID, role, store.Time(p.s.now())); err != nil {
			return err
		}
		return p.s.note(t, Entry{Project: id, Account: p.Account.ID, Actor: p.Account.Email, Action: "member.join",
			Target: p.Account.ID, Address: p.From.Address})
	})
	if err != nil {
		return nil, err
	}
	return p.Project(ctx, id)
}

// SetRole changes a member's role. The owner's role changes by Transfer only.
func (p *Project) SetRole(ctx context.Context, account string, role Role) error {
	if !slices.Contains([]Role{RoleAdmin, RoleMember, RoleViewer}, role) {
		return invalid("body.role: admin, member or viewer; an owner is made by a transfer")
	}
	return p.change(ctx, RoleAdmin, func(t *store.Tx) error {
		n, err := t.Exec("UPDATE members SET role = $1 WHERE project = $2 AND account = $3 AND role <> 'owner'", string(role),
			p.ID, account)
		if err == nil && n == 0 {
			err = ErrNotFound
		}
		if err != nil {
			return err
		}
		return p.note(t, "member.role", account)
	})
}

// RemoveMember removes a member from the project. Each member except the owner may leave it.
func (p *Project) RemoveMember(ctx context.Context, account string) error {
	need := RoleAdmin
	if account == p.account {
		need = RoleViewer
	}
	return p.change(ctx, need, func(t *store.Tx) error {
		n, err := t.Exec("DELETE FROM members WHERE project = $1 AND account = $2 AND role <> 'owner'", p.ID, account)
		if err == nil && n == 0 {
			err = ErrNotFound
		}
		if err != nil {
			return err
		}
		return p.note(t, "member.remove", account)
	})
}

// Transfer makes another member the owner, with the limits of that account's plan. The old owner becomes an admin.
func (p *Project) Transfer(ctx context.Context, account string) error {
	if account == p.account {
		return invalid("you are the owner already")
	}
	return p.change(ctx, RoleOwner, func(t *store.Tx) error {
		plan, err := p.s.lockedPlan(t, account)
		if err != nil {
			return err
		}
		var n int
		if err := t.One("SELECT COUNT(*) FROM projects WHERE owner = $1", []any{account}, &n); err != nil {
			return err
		}
		if n >= plan.Projects {
			return forbidden("the new owner's plan %s permits no further project", plan.Name)
		}
		changed, err := t.Exec("UPDATE members SET role = 'owner' WHERE project = $1 AND account = $2", p.ID, account)
		if err == nil && changed == 0 {
			err = ErrNotFound
		}
		if err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE members SET role = 'admin' WHERE project = $1 AND account = $2", p.ID,
			p.account); err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE projects SET owner = $1 WHERE id = $2", account, p.ID); err != nil {
			return err
		}
		return p.note(t, "project.transfer", account)
	})
}
