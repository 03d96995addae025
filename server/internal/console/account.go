package console

import (
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/taproot-dev/taproot/server/internal/service"
)

// accountPages has the page of a person's own account, and its forms.
type accountPages struct{ dropper }

// account is the data of the page of a person's own account.
type account struct {
	Plan     service.Plan
	Sessions []service.SessionInfo
	Log      []service.Entry
	Factor   *service.Factor // to be set up
	Recovery []string        // shown only once

	Connected bool // the person can log in with a provider
}

func (c *accountPages) page(q *request) error { return c.show(q, account{}, nil) }

// show shows the page with the result of an action.
func (c *accountPages) show(q *request, a account, failed error) (err error) {
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

func (c *accountPages) changePassword(q *request) error {
	err := q.guarded(func() error {
		return q.person.ChangePassword(q.r.Context(), q.field("password"), q.field("new"))
	})
	if err != nil {
		return c.show(q, account{}, err)
	}
	return q.done("/console/account", "password")
}

func (c *accountPages) newFactor(q *request) error {
	var f service.Factor
	err := q.guarded(func() (err error) {
		f, err = q.person.NewFactor(q.r.Context(), q.field("password"))
		return err
	})
	if err != nil {
		return c.show(q, account{}, err)
	}
	return c.show(q, account{Factor: &f}, nil)
}

func (c *accountPages) enableFactor(q *request) error {
	var codes []string
	err := q.guarded(func() (err error) {
		codes, err = q.person.EnableFactor(q.r.Context(), q.field("code"))
		return err
	})
	return c.show(q, account{Recovery: codes}, err)
}

func (c *accountPages) disableFactor(q *request) error {
	err := q.guarded(func() error {
		return q.person.DisableFactor(q.r.Context(), q.field("password"), q.field("code"))
	})
	if err != nil {
		return c.show(q, account{}, err)
	}
	return q.done("/console/account", "factor-off")
}

func (c *accountPages) endSession(q *request) error {
	if err := q.person.EndSession(q.r.Context(), q.r.PathValue("session")); err != nil {
		return err
	}
	return q.done("/console/account", "session")
}

func (c *accountPages) logoutEverywhere(q *request) error {
	if err := q.person.LogOutEverywhere(q.r.Context()); err != nil {
		return err
	}
	return q.leave("logged-out")
}

func (c *accountPages) deleteAccount(q *request) error {
	owned, err := q.person.Projects(q.r.Context())
	if err != nil {
		return err
	}
	if err := q.guarded(func() error { return q.person.Delete(q.r.Context(), q.field("password")) }); err != nil {
		return c.show(q, account{}, err)
	}
	for _, p := range owned {
		if p.Role == service.RoleOwner {
			c.drop(q, p.ID)
		}
	}
	q.person = nil
	return q.leave("deleted-account")
}

// dropper removes the files of deleted projects.
type dropper struct {
	remove func(project string) error
	log    *slog.Logger
}

// drop removes the files of a project that was deleted already.
func (c dropper) drop(q *request, project string) {
	if err := c.remove(project); err != nil {
		c.log.WarnContext(q.r.Context(), "cannot remove the folder of a deleted project", "project", project, "error", err)
	}
}

func (c *accountPages) export(q *request) error {
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
