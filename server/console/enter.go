package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/taproot-dev/taproot/server/service"
)

// entry is the data of the pages for people who have not logged in.
type entry struct {
	Email, Next, Token string
	Code               bool // show the field for the second factor
}

func (c *Console) loginPage(q *request) error {
	if q.person != nil {
		q.redirect(isSafeNext(q.r.URL.Query().Get("next")))
		return nil
	}
	return q.show("login", view{Title: "Log in", D: entry{Next: q.r.URL.Query().Get("next")}})
}

// login creates a new session for every login, and ends the previous one: a cookie that an attacker planted never
// becomes a session of the victim (session fixation).
func (c *Console) login(q *request) error {
	e := entry{Email: q.field("email"), Next: q.field("next"), Code: q.field("code") != ""}
	again := func(err error) error { return q.showFormAgain("login", view{Title: "Log in", D: e}, err) }
	if err := q.attempt(e.Email); err != nil {
		return again(err)
	}
	p, err := c.o.Service.LogIn(q.r.Context(), service.LogIn{Email: e.Email, Password: q.field("password"),
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
	cookie, err := q.c.o.Service.NewSession(q.r.Context(), p)
	if err != nil {
		return err
	}
	http.SetCookie(q.w, q.c.cookie(cookie))
	q.redirect(isSafeNext(next))
	return nil
}

func (c *Console) logout(q *request) error {
	if err := q.person.LogOut(q.r.Context()); err != nil && !errors.Is(err, service.ErrNotFound) {
		return err
	}
	return q.leave("logged-out")
}

// leave removes the cookie.
func (q *request) leave(what string) error {
	http.SetCookie(q.w, q.c.cookie(""))
	return q.done("/console/login", what)
}

func (c *Console) registerPage(q *request) error {
	return q.show("register", view{Title: "Create an account", D: entry{}})
}

func (c *Console) register(q *request) error {
	e := entry{Email: q.field("email")}
	again := func(err error) error { return q.showFormAgain("register", view{Title: "Create an account", D: e}, err) }
	if err := q.attempt(e.Email); err != nil {
		return again(err)
	}
	confirmed, err := c.o.Service.Register(q.r.Context(), service.Registration{
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
func (c *Console) confirmPage(q *request) error {
	return q.show("confirm", view{Title: "Confirm your address", D: entry{Token: q.r.URL.Query().Get("token")}})
}

func (c *Console) confirm(q *request) error {
	e := entry{Token: q.field("token")}
	err := q.attempt("")
	if err == nil {
		err = c.o.Service.Confirm(q.r.Context(), e.Token, q.from())
	}
	if err != nil {
		return q.showFormAgain("confirm", view{Title: "Confirm your address", D: e}, err)
	}
	return q.done("/console/login", "confirmed")
}

func (c *Console) resetPage(q *request) error {
	return q.show("reset", view{Title: "New password", D: entry{Token: q.r.URL.Query().Get("token")}})
}

// reset sends an e-mail to an address, or sets a password by the token of one.
func (c *Console) reset(q *request) error {
	e := entry{Email: q.field("email"), Token: q.field("token")}
	err := q.attempt(e.Email)
	switch {
	case err != nil:
	case e.Token == "":
		if err = c.o.Service.AskReset(q.r.Context(), e.Email, q.from()); err == nil {
			return q.done("/console/reset", "reset-asked")
		}
	default:
		if err = c.o.Service.Reset(q.r.Context(), e.Token, q.field("password"), q.from()); err == nil {
			return q.done("/console/login", "reset")
		}
	}
	return q.showFormAgain("reset", view{Title: "New password", D: e}, err)
}

func (c *Console) invitationPage(q *request) error {
	return q.show("invitation", view{Title: "Invitation", D: entry{Token: q.r.URL.Query().Get("token")}})
}

func (c *Console) acceptInvitation(q *request) error {
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
