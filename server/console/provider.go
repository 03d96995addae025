package console

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/server/oidc"
	"github.com/taproot-dev/taproot/server/service"
)

// flow is a login with a provider that has not ended; a cookie stores it.
type flow struct {
	oidc.Flow
	Next    string
	Connect string // the session with the account to be connected; empty: a login
	Ends    int64
}

// flowLife is how long a login at the provider may take.
const flowLife = 10 * time.Minute

func (c *Console) flowCookie(value string) *http.Cookie {
	k := c.cookie(value)
	k.Name += "_provider"
	if value != "" {
		k.MaxAge = int(flowLife.Seconds())
	}
	return k
}

func (c *Console) providerLogin(q *request) error {
	address, err := q.startLogin(flow{Next: q.r.URL.Query().Get("next")})
	if err == nil {
		q.redirect(address)
	}
	return err
}

// connectProvider starts with a form, which no other site can send, and continues with a link: the page's policy does
// not allow forms to lead to another site.
func (c *Console) connectProvider(q *request) error {
	address, err := q.startLogin(flow{Next: "/console/account", Connect: q.person.Session})
	if err != nil {
		return err
	}
	return q.show("provider", view{Title: "Connect", D: address})
}

// startLogin returns the provider's URL for a browser, and stores what is needed when the browser comes back.
func (q *request) startLogin(f flow) (string, error) {
	if q.c.o.OIDC == nil {
		return "", service.ErrNotFound
	}
	address, begun, err := q.c.o.OIDC.Start(q.r.Context())
	if err != nil {
		return "", q.providerDown(err)
	}
	f.Flow, f.Ends = begun, time.Now().Add(flowLife).Unix()
	text, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	http.SetCookie(q.w, q.c.flowCookie(q.c.o.Service.Seal(text, "provider")))
	return address, nil
}

func (q *request) providerDown(err error) error {
	q.c.log.WarnContext(q.r.Context(), "cannot log in with a provider", "error", err)
	return &service.Error{Status: http.StatusServiceUnavailable, Code: "unavailable",
		Message: "The identity provider cannot be reached. Try again in a minute, or log in with your password."}
}

// fromProvider handles the provider's response. The browser that brings it must have started the login here.
func (c *Console) fromProvider(q *request) error {
	if c.o.OIDC == nil {
		return service.ErrNotFound
	}
	if err := q.attempt(""); err != nil {
		return err
	}
	var f flow
	if k, err := q.r.Cookie(c.flowCookie("").Name); err == nil {
		text, err := c.o.Service.Unseal(k.Value, "provider")
		if err != nil || json.Unmarshal(text, &f) != nil || time.Now().Unix() > f.Ends {
			f = flow{}
		}
	}
	http.SetCookie(q.w, c.flowCookie("")) // valid once
	id, err := c.o.OIDC.Finish(q.r.Context(), f.Flow, q.r.URL.Query())
	var refused *oidc.RefusedError
	switch {
	case errors.As(err, &refused):
		return &service.Error{Status: http.StatusForbidden, Code: "forbidden", Message: sentence(refused.Why)}
	case err != nil:
		return q.providerDown(err)
	}
	who := service.Identity{Issuer: id.Issuer, Subject: id.Subject, Email: id.Email, Verified: id.Verified}
	if f.Connect != "" {
		return q.connected(who, f)
	}
	p, err := c.o.Service.LogInAs(q.r.Context(), who, q.from())
	if err != nil {
		return err
	}
	return q.enter(p, f.Next)
}

func (q *request) connected(who service.Identity, f flow) error {
	if q.person == nil || q.person.Session != f.Connect {
		return &service.Error{Status: http.StatusForbidden, Code: "forbidden",
			Message: "The session in which this was started has ended. Log in and start again."}
	}
	if err := q.person.Connect(q.r.Context(), who); err != nil {
		return err
	}
	return q.done("/console/account", "connected")
}
