package service_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// TestProjectsAreApart calls every method of a project as a member of another one.
func TestProjectsAreApart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address), t.Context()
		ada, eve := l.person(t, "ada@example.com"), l.person(t, "eve@example.com")
		mine, hers := project(t, ada), project(t, eve)
		k := key(t, mine, "*")
		i, token, err := mine.Invite(ctx, "bob@example.com", service.RoleAdmin)
		must(t, err)
		_, err = eve.Project(ctx, mine.ID)
		refused(t, "another project", err, service.ErrNotFound)
		_, err = eve.Accept(ctx, token)
		if err == nil {
			t.Error("an invitation for another address was accepted")
		}
		refused(t, "revoke", hers.RevokeKey(ctx, k.ID), service.ErrNotFound)
		_, err = hers.RotateKey(ctx, k.ID, "now")
		refused(t, "rotate", err, service.ErrNotFound)
		refused(t, "withdraw", hers.Withdraw(ctx, i.ID), service.ErrNotFound)
		refused(t, "remove a member", hers.RemoveMember(ctx, ada.Account.ID), service.ErrNotFound)
		refused(t, "role", hers.SetRole(ctx, ada.Account.ID, service.RoleViewer), service.ErrNotFound)
		refused(t, "transfer to a stranger", hers.Transfer(ctx, ada.Account.ID), service.ErrNotFound)
		h := header(k.Secret)
		h.Set("X-Project", hers.ID)
		if _, err := l.Identify(ctx, h, from); err == nil {
			t.Error("a key works in another project")
		}
		if keys, err := hers.Keys(ctx); err != nil || len(keys) != 0 {
			t.Errorf("%v %v", keys, err)
		}
		if log, err := hers.Log(ctx, service.Page{}); err != nil || len(log) != 0 {
			t.Errorf("%v %v", log, err)
		}
		if _, err := l.Identify(ctx, header(k.Secret), from); err != nil {
			t.Error(err)
		}
		if _, err := eve.Operator(); !errors.Is(err, service.ErrForbidden) {
			t.Error("a person without admin rights is an operator")
		}
	})
}

// TestRoles checks the permissions of each role.
func TestRoles(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l, ctx := open(t, address, func(o *service.Options) { o.Mail = nil }), t.Context()
		owner := l.person(t, "owner@example.com")
		base := project(t, owner)
		must(t, l.Operator().SetPlan(ctx, service.PlanChange{Account: "owner@example.com", Plan: service.PlanPro}))
		as := map[service.Role]*service.Project{service.RoleOwner: base}
		for _, role := range []service.Role{service.RoleAdmin, service.RoleMember, service.RoleViewer} {
			p := l.person(t, string(role)+"@example.com")
			_, token, err := base.Invite(ctx, p.Account.Email, role)
			must(t, err)
			as[role], err = p.Accept(ctx, token)
			must(t, err)
		}
		other := key(t, base, "*")
		name := "renamed"
		for _, c := range []struct {
			what string
			can  string
			do   func(*service.Project) error
		}{
			{"members", "owner admin member viewer", func(p *service.Project) error { _, err := p.Members(ctx); return err }},
			{"keys", "owner admin member viewer", func(p *service.Project) error { _, err := p.Keys(ctx); return err }},
			{"usage", "owner admin member viewer", func(p *service.Project) error { _, err := p.Usage(ctx, ""); return err }},
			{"create a key", "owner admin member", func(p *service.Project) error {
				_, err := p.CreateKey(ctx, service.NewKey{Name: "k", Scopes: []string{"*"}})
				return err
			}},
			{"rotate another's key", "owner admin", func(p *service.Project) error {
				_, err := p.RotateKey(ctx, other.ID, "7d")
				return err
			}},
			{"log", "owner admin", func(p *service.Project) error { _, err := p.Log(ctx, service.Page{}); return err }},
			{"invitations", "owner admin", func(p *service.Project) error { _, err := p.Invitations(ctx); return err }},
			{"invite", "owner admin", func(p *service.Project) error {
				_, _, err := p.Invite(ctx, "x@example.com", service.RoleViewer)
				return err
			}},
			{"change", "owner admin", func(p *service.Project) error { return p.Change(ctx, service.Settings{Name: &name}) }},
		} {
			for role, p := range as {
				err := c.do(p)
				if can := strings.Contains(c.can, string(role)); can != (err == nil) || err != nil &&
					!strings.Contains(err.Error(), "role") && !strings.Contains(err.Error(), "another person") {
					t.Errorf("%s as %s: %v", c.what, role, err)
				}
			}
		}
		refused(t, "an admin deletes", as[service.RoleAdmin].Delete(ctx), service.ErrForbidden)
		refused(t, "an admin removes the owner", as[service.RoleAdmin].RemoveMember(ctx, owner.Account.ID),
			service.ErrNotFound)
		refused(t, "an admin takes the project", as[service.RoleAdmin].Transfer(ctx, owner.Account.ID), service.ErrForbidden)
		admin := l.in(t, "admin@example.com")
		must(t, base.Transfer(ctx, admin.Account.ID))
		refused(t, "the old owner deletes", base.Delete(ctx), service.ErrForbidden)
		if p, err := admin.Project(ctx, base.ID); err != nil || p.Role != service.RoleOwner || p.Owner != admin.Account.ID {
			t.Errorf("%+v %v", p, err)
		} else {
			must(t, p.Delete(ctx))
		}
		_, err := l.Identify(ctx, header(other.Secret), from)
		refused(t, "a key of a project that was deleted", err, service.ErrInvalid)
	})
}
