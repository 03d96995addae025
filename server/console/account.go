package console

import (
	"encoding/json"
	"net/http"

	"github.com/taproot-dev/taproot/server/service"
)

// account is the data of the page of a person's own account.
type account struct {
	Plan     service.Plan
	Sessions []service.SessionInfo
	Log      []service.Entry
	Factor   *service.Factor // to be set up
	Recovery []string        // shown only once

	Connected bool // the person can log in with a provider
}

func (c *Console) accountPage(q *request) error { return q.accountWith(account{}, nil) }

// accountWith shows the page with the result of an action.
func (q *request) accountWith(a account, failed error) (err error) {
	a.Plan = q.person.Plan()
	if a.Sessions, err = q.person.Sessions(q.r.Context()); err != nil {
		return err
	}
	if a.Connected, err = q.person.Connected(q.r.Context()); err != nil {
		return err
	}
	if a.Log, err = q.person.Log(q.r.Context(), service.Page{Limit: 20}); err != nil {
		return err
	}
	v := view{Title: "Your account", D: a}
	if failed != nil {
		return q.showFormAgain("account", v, failed)
	}
	return q.show("account", v)
}

// guarded counts actions that require the password again, so that it cannot be guessed there.
func (q *request) guarded(do func() error) error {
	if err := q.attempt(q.person.Account.Email); err != nil {
		return err
	}
	return do()
}

func (c *Console) changePassword(q *request) error {
	err := q.guarded(func() error {
		return q.person.ChangePassword(q.r.Context(), q.field("password"), q.field("new"))
	})
	if err != nil {
		return q.accountWith(account{}, err)
	}
	return q.done("/console/account", "password")
}

func (c *Console) newFactor(q *request) error {
	var f service.Factor
	err := q.guarded(func() (err error) {
		f, err = q.person.NewFactor(q.r.Context(), q.field("password"))
		return err
	})
	if err != nil {
		return q.accountWith(account{}, err)
	}
	return q.accountWith(account{Factor: &f}, nil)
}

func (c *Console) enableFactor(q *request) error {
	var codes []string
	err := q.guarded(func() (err error) {
		codes, err = q.person.EnableFactor(q.r.Context(), q.field("code"))
		return err
	})
	return q.accountWith(account{Recovery: codes}, err)
}

func (c *Console) disableFactor(q *request) error {
	err := q.guarded(func() error {
		return q.person.DisableFactor(q.r.Context(), q.field("password"), q.field("code"))
	})
	if err != nil {
		return q.accountWith(account{}, err)
	}
	return q.done("/console/account", "factor-off")
}

func (c *Console) endSession(q *request) error {
	if err := q.person.EndSession(q.r.Context(), q.r.PathValue("session")); err != nil {
		return err
	}
	return q.done("/console/account", "session")
}

func (c *Console) logoutEverywhere(q *request) error {
	if err := q.person.LogOutEverywhere(q.r.Context()); err != nil {
		return err
	}
	return q.leave("logged-out")
}

func (c *Console) deleteAccount(q *request) error {
	owned, err := q.person.Projects(q.r.Context())
	if err != nil {
		return err
	}
	if err := q.guarded(func() error { return q.person.Delete(q.r.Context(), q.field("password")) }); err != nil {
		return q.accountWith(account{}, err)
	}
	for _, p := range owned {
		if p.Role == service.RoleOwner {
			c.drop(q, p.ID)
		}
	}
	q.person = nil
	return q.leave("deleted-account")
}

// drop removes the files of a project that was deleted already.
func (c *Console) drop(q *request, project string) {
	if err := c.o.Drop(project); err != nil {
		c.log.WarnContext(q.r.Context(), "cannot remove the folder of a deleted project", "project", project, "error", err)
	}
}

func (c *Console) export(q *request) error {
	e, err := q.person.Export(q.r.Context())
	if err != nil {
		return err
	}
	h := q.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", `attachment; filename="taproot-account.json"`)
	q.w.WriteHeader(http.StatusOK)
	enc := json.NewEncoder(q.w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(e) // a client that disconnected reads nothing
	return nil
}
