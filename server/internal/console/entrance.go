package console

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/server/internal/oidc"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// entrance has the pages for people who have not logged in, and those who leave.
type entrance struct{ service *service.Service }

// entry is the data of the pages for people who have not logged in.
type entry struct {
	Email, Next, Token string
	Code               bool // show the field for the second factor
}

func (c *entrance) loginPage(q *request) error {
	if q.person != nil {
		q.redirect(isSafeNext(q.r.URL.Query().Get("next")))
		return nil
	}
	return q.show("login", view{Title: "Log in", D: entry{Next: q.r.URL.Query().Get("next")}})
}

// login creates a new session for every login, and ends the previous one: a cookie that an attacker planted never
// becomes a session of the victim (session fixation).
func (c *entrance) login(q *request) error {
	e := entry{Email: q.field("email"), Next: q.field("next"), Code: q.field("code") != ""}
	again := func(err error) error { return q.showFormAgain("login", view{Title: "Log in", D: e}, err) }
	if err := q.attempt(e.Email); err != nil {
		return again(err)
	}
	p, err := c.service.LogIn(q.r.Context(), service.LogIn{Email: e.Email, Password: q.field("password"),
		Code: q.field("code"), From: q.from()})
	if errors.Is(err, service.ErrCode) {
		e.Code = true
		return again(
			invalid("This account has a second factor. Enter your password again with its code, or with a recovery code."))
	}
	if err != nil {
		return again(err)
	}
	return q.enter(p, e.Next)
}

// enter creates a session for a person who has logged in, and ends the previous one.
func (q *request) enter(p *service.Person, next string) error {
	if q.person != nil {
		if err := q.person.LogOut(q.r.Context()); err != nil && !errors.Is(err, service.ErrNotFound) {
			return err
		}
	}
	cookie, err := q.frame.o.Service.NewSession(q.r.Context(), p)
	if err != nil {
		return err
	}
	http.SetCookie(q.w, q.frame.cookie(cookie))
	q.redirect(isSafeNext(next))
	return nil
}

func (c *entrance) logout(q *request) error {
	if err := q.person.LogOut(q.r.Context()); err != nil && !errors.Is(err, service.ErrNotFound) {
		return err
	}
	return q.leave("logged-out")
}

// leave removes the cookie.
func (q *request) leave(what string) error {
	http.SetCookie(q.w, q.frame.cookie(""))
	return q.done("/console/login", what)
}

func (c *entrance) registerPage(q *request) error {
	return q.show("register", view{Title: "Create an account", D: entry{}})
}

func (c *entrance) register(q *request) error {
	e := entry{Email: q.field("email")}
	again := func(err error) error { return q.showFormAgain("register", view{Title: "Create an account", D: e}, err) }
	if err := q.attempt(e.Email); err != nil {
		return again(err)
	}
	confirmed, err := c.service.Register(q.r.Context(), service.Registration{
		Email: e.Email, Password: q.field("password"), From: q.from()})
	if err != nil {
		return again(err)
	}
	if confirmed {
		return q.done("/console/login", "registered")
	}
	return q.done("/console/login", "pending")
}

// confirmPage requires a click: programs that check the links of e-mails must not use them up.
func (c *entrance) confirmPage(q *request) error {
	return q.show("confirm", view{Title: "Confirm your address", D: entry{Token: q.r.URL.Query().Get("token")}})
}

func (c *entrance) confirm(q *request) error {
	e := entry{Token: q.field("token")}
	err := q.attempt("")
	if err == nil {
		err = c.service.Confirm(q.r.Context(), e.Token, q.from())
	}
	if err != nil {
		return q.showFormAgain("confirm", view{Title: "Confirm your address", D: e}, err)
	}
	return q.done("/console/login", "confirmed")
}

func (c *entrance) resetPage(q *request) error {
	return q.show("reset", view{Title: "New password", D: entry{Token: q.r.URL.Query().Get("token")}})
}

// reset sends an e-mail to an address, or sets a password by the token of one.
func (c *entrance) reset(q *request) error {
	e := entry{Email: q.field("email"), Token: q.field("token")}
	err := q.attempt(e.Email)
	switch {
	case err != nil:
	case e.Token == "":
		if err = c.service.AskReset(q.r.Context(), e.Email, q.from()); err == nil {
			return q.done("/console/reset", "reset-asked")
		}
	default:
		if err = c.service.Reset(q.r.Context(), e.Token, q.field("password"), q.from()); err == nil {
			return q.done("/console/login", "reset")
		}
	}
	return q.showFormAgain("reset", view{Title: "New password", D: e}, err)
}

func (c *entrance) invitationPage(q *request) error {
	return q.show("invitation", view{Title: "Invitation", D: entry{Token: q.r.URL.Query().Get("token")}})
}

func (c *entrance) acceptInvitation(q *request) error {
	token := strings.TrimSpace(q.field("token"))
	if u, err := url.Parse(token); err == nil && u.Query().Has("token") {
		token = u.Query().Get("token") // the person pasted the whole URL
	}
	p, err := q.person.Accept(q.r.Context(), token)
	if err != nil {
		return q.showFormAgain("invitation", view{Title: "Invitation", D: entry{Token: token}}, err)
	}
	return q.done("/console/p/"+p.ID+"/", "joined")
}

// providers lets people log in with an identity provider.
type providers struct {
	service *service.Service
	oidc    *oidc.Provider // nil: there is none
	log     *slog.Logger
}

// flow is a login with a provider that has not ended; a cookie stores it.
type flow struct {
	oidc.Flow
	Next    string
	Connect string // the session with the account to be connected; empty: a login
	Ends    int64
}

// flowLife is how long a login at the provider may take.
const flowLife = 10 * time.Minute

// flowCookie stores a login, next to the cookie of the session.
func flowCookie(q *request, value string) *http.Cookie {
	k := q.frame.cookie(value)
	k.Name += "_provider"
	if value != "" {
		k.MaxAge = int(flowLife.Seconds())
	}
	return k
}

func (c *providers) logIn(q *request) error {
	address, err := c.start(q, flow{Next: q.r.URL.Query().Get("next")})
	if err == nil {
		q.redirect(address)
	}
	return err
}

// connect starts with a form, which no other site can send, and continues with a link: the page's policy does
// not allow forms to lead to another site.
func (c *providers) connect(q *request) error {
	address, err := c.start(q, flow{Next: "/console/account", Connect: q.person.Session})
	if err != nil {
		return err
	}
	return q.show("provider", view{Title: "Connect", D: address})
}

// start returns the provider's URL for a browser, and stores what is needed when the browser comes back.
func (c *providers) start(q *request, f flow) (string, error) {
	if c.oidc == nil {
		return "", service.ErrNotFound
	}
	address, begun, err := c.oidc.Start(q.r.Context())
	if err != nil {
		return "", c.unreachable(q, err)
	}
	f.Flow, f.Ends = begun, time.Now().Add(flowLife).Unix()
	text, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	http.SetCookie(q.w, flowCookie(q, c.service.Seal(text, "provider")))
	return address, nil
}

func (c *providers) unreachable(q *request, err error) error {
	c.log.WarnContext(q.r.Context(), "cannot log in with a provider", "error", err)
	return &service.Error{Status: http.StatusServiceUnavailable, Code: "unavailable",
		Message: "The identity provider cannot be reached. Try again in a minute, or log in with your password."}
}

// finish handles the provider's response. The browser that brings it must have started the login here.
func (c *providers) finish(q *request) error {
	if c.oidc == nil {
		return service.ErrNotFound
	}
	if err := q.attempt(""); err != nil {
		return err
	}
	var f flow
	if k, err := q.r.Cookie(flowCookie(q, "").Name); err == nil {
		text, err := c.service.Unseal(k.Value, "provider")
		if err != nil || json.Unmarshal(text, &f) != nil || time.Now().Unix() > f.Ends {
			f = flow{}
		}
	}
	http.SetCookie(q.w, flowCookie(q, "")) // valid once
	id, err := c.oidc.Finish(q.r.Context(), f.Flow, q.r.URL.Query())
	var refused *oidc.RefusedError
	switch {
	case errors.As(err, &refused):
		return &service.Error{Status: http.StatusForbidden, Code: "forbidden", Message: sentence(refused.Why)}
	case err != nil:
		return c.unreachable(q, err)
	}
	who := service.Identity{Issuer: id.Issuer, Subject: id.Subject, Email: id.Email, Verified: id.Verified}
	if f.Connect != "" {
		return c.connected(q, who, f)
	}
	p, err := c.service.LogInAs(q.r.Context(), who, q.from())
	if err != nil {
		return err
	}
	return q.enter(p, f.Next)
}

func (c *providers) connected(q *request, who service.Identity, f flow) error {
	if q.person == nil || q.person.Session != f.Connect {
		return &service.Error{Status: http.StatusForbidden, Code: "forbidden",
			Message: "The session in which this was started has ended. Log in and start again."}
	}
	if err := q.person.Connect(q.r.Context(), who); err != nil {
		return err
	}
	return q.done("/console/account", "connected")
}
