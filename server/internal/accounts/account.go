package accounts

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// API serves the accounts of people and their projects.
type API struct {
	service *service.Service
	drop    func(project string) error
	log     *slog.Logger
}

// Options configure an API.
type Options struct {
	Service *service.Service
	Drop    func(project string) error // removes the files of a deleted project
	Log     *slog.Logger
}

// Routes registers the operations on accounts and projects.
func Routes(api *rest.API, o Options) {
	s := &API{service: o.Service, drop: o.Drop, log: o.Log}
	s.accountRoutes(api)
	s.projectRoutes(api)
}

// Credentials are sent to register or to log in.
type Credentials struct {
	Email    string `json:"email" maxLength:"254" example:"ada@example.com"`
	Password string `json:"password" maxLength:"1024" doc:"12 characters or more."`
}

type registerInput struct{ Body Credentials }

type registered struct {
	Status int
	Body   struct {
		Email     string `json:"email"`
		Confirmed bool   `json:"confirmed" doc:"false: the address has to be confirmed first, by an e-mail or the operator."`
	}
}

type loginInput struct {
	Body struct {
		Credentials
		Code string `json:"code,omitempty" maxLength:"64" doc:"Of the second factor, or a recovery code."`
	}
}

type tokenAnswer struct{ Body service.Tokens }

type refreshInput struct {
	Body struct {
		RefreshToken string `json:"refreshToken" maxLength:"200"`
	}
}

type confirmInput struct {
	Body struct {
		Token string `json:"token" maxLength:"200" doc:"From the e-mail."`
	}
}

type passwordInput struct {
	Authorization string `header:"Authorization" doc:"Of who changes a password that is known."`
	Body          struct {
		Email       string `json:"email,omitempty" maxLength:"254" doc:"Alone: send an e-mail to set a new password."`
		Token       string `json:"token,omitempty" maxLength:"200" doc:"From that e-mail, with newPassword."`
		Password    string `json:"password,omitempty" maxLength:"1024" doc:"The old one, with newPassword and a token."`
		NewPassword string `json:"newPassword,omitempty" maxLength:"1024"`
	}
}

type passwordAnswer struct{ Status int }

type accountAnswer struct {
	Body struct {
		service.Account
		Limits service.Plan `json:"limits"`
	}
}

type deleteInput struct {
	Body struct {
		Password string `json:"password" maxLength:"1024"`
	}
}

type exportAnswer struct{ Body service.Export }

type jwksAnswer struct {
	Body struct {
		Keys []service.JWK `json:"keys" nullable:"false"`
	}
}

type plansAnswer struct{ Body []service.Plan }

const passwordDoc = `With {email}: sends an e-mail with which a new password can be set, if there is such an account;
the response is 202 for every address. With {token, newPassword}: sets it. With {password, newPassword} and an access
token: changes it. Both end every other session.`

// accountRoutes registers the routes of accounts.
func (s *API) accountRoutes(api *rest.API) {
	codes := []int{http.StatusUnauthorized, http.StatusServiceUnavailable}
	rest.Register(api, rest.Op{Post: "/auth/register", ID: "register", Tag: "accounts", Summary: "Register an account",
		Status: http.StatusCreated, Also: []int{http.StatusAccepted}, Codes: codes, Free: true}, s.registerAccount)
	rest.Register(api, rest.Op{Post: "/auth/confirm", ID: "confirm-address", Tag: "accounts",
		Summary: "Confirm the address of an account", Status: http.StatusNoContent, Codes: codes, Free: true},
		s.confirmAddress)
	rest.Register(api, rest.Op{Post: "/auth/login", ID: "login", Tag: "accounts", Summary: "Log in: get tokens",
		Codes: codes,
		Free:  true}, s.login)
	rest.Register(api, rest.Op{Post: "/auth/refresh", ID: "refresh", Tag: "accounts", Summary: "Get the next tokens",
		Doc: "A refresh token is good once. One that comes a second time ends all tokens of its " +
			"log-in.", Codes: codes, Free: true}, s.refresh)
	rest.Register(api, rest.Op{Post: "/auth/logout", ID: "logout", Tag: "accounts", Summary: "End the tokens of a log-in",
		Status: http.StatusNoContent, Codes: codes, Free: true}, s.logout)
	rest.Register(api, rest.Op{Post: "/auth/password", ID: "password", Tag: "accounts",
		Summary: "Change or reset a password",
		Doc:     passwordDoc, Status: http.StatusNoContent, Also: []int{http.StatusAccepted}, Codes: codes, Free: true},
		s.password)
	rest.Register(api, rest.Op{Get: "/.well-known/jwks.json", ID: "jwks", Tag: "accounts",
		Summary: "The keys that verify access tokens", Codes: codes[1:]}, s.jwks)
	rest.Register(api, rest.Op{Get: "/plans", ID: "list-plans", Tag: "accounts", Summary: "List the plans"}, s.plans)
	api.Raw(rest.Op{Post: "/plans/webhook", ID: "plan-webhook", Tag: "accounts",
		Summary: "Change the plan of an account, for a billing product", Doc: webhookDoc, Answers: WebhookAnswer{},
		Codes: []int{http.StatusUnauthorized, http.StatusNotFound, http.StatusConflict, http.StatusServiceUnavailable},
		Free:  true}, s.planWebhook)
	rest.Register(api, rest.Op{Get: "/account", ID: "get-account", Tag: "accounts", Scope: rest.ScopePerson,
		Summary: "Show your account",
		Codes:   rest.MemberCodes()}, s.getAccount)
	rest.Register(api, rest.Op{Get: "/account/export", ID: "export-account", Tag: "accounts", Scope: rest.ScopePerson,
		Summary: "Export what is known of you", Codes: rest.MemberCodes()}, s.exportAccount)
	rest.Register(api, rest.Op{Post: "/account/logout", ID: "logout-everywhere", Tag: "accounts", Scope: rest.ScopePerson,
		Summary: "End all sessions and tokens", Status: http.StatusNoContent, Codes: rest.MemberCodes()}, s.logoutEverywhere)
	rest.Register(api, rest.Op{Post: "/account/delete", ID: "delete-account", Tag: "accounts", Scope: rest.ScopePerson,
		Summary: "Delete your account and the projects that you own", Status: http.StatusNoContent,
		Codes: rest.MemberCodes()},
		s.deleteAccount)
}

// attempt counts an attempt against the named account. The client's address was counted before.
func (s *API) attempt(ctx context.Context, account string) (service.From, error) {
	from := service.From{Address: rest.CallerOf(ctx).Addr}
	if account = strings.ToLower(strings.TrimSpace(account)); account == "" {
		return from, nil
	}
	q, err := s.service.TakeAuth(ctx, "", account)
	if err != nil {
		return from, err
	}
	if fail := rest.QuotaHeaders(http.Header{}, "auth", q); fail != nil {
		return from, fail
	}
	return from, nil
}

func (s *API) registerAccount(ctx context.Context, in *registerInput) (*registered, error) {
	from, err := s.attempt(ctx, in.Body.Email)
	if err != nil {
		return nil, err
	}
	confirmed, err := s.service.Register(ctx, service.Registration{Email: in.Body.Email, Password: in.Body.Password,
		From: from})
	out := &registered{Status: http.StatusAccepted}
	if confirmed {
		out.Status = http.StatusCreated
	}
	out.Body.Email, out.Body.Confirmed = strings.ToLower(strings.TrimSpace(in.Body.Email)), confirmed
	return out, err
}

func (s *API) confirmAddress(ctx context.Context, in *confirmInput) (*struct{}, error) {
	return nil, s.service.Confirm(ctx, in.Body.Token, service.From{Address: rest.CallerOf(ctx).Addr})
}

func (s *API) login(ctx context.Context, in *loginInput) (*tokenAnswer, error) {
	from, err := s.attempt(ctx, in.Body.Email)
	if err != nil {
		return nil, err
	}
	person, err := s.service.LogIn(ctx, service.LogIn{Email: in.Body.Email, Password: in.Body.Password,
		Code: in.Body.Code, From: from})
	if err != nil {
		return nil, err
	}
	tokens, err := s.service.NewTokens(ctx, person)
	return &tokenAnswer{tokens}, err
}

func (s *API) refresh(ctx context.Context, in *refreshInput) (*tokenAnswer, error) {
	tokens, err := s.service.Refresh(ctx, in.Body.RefreshToken, service.From{Address: rest.CallerOf(ctx).Addr})
	return &tokenAnswer{tokens}, err
}

func (s *API) logout(ctx context.Context, in *refreshInput) (*struct{}, error) {
	return nil, s.service.EndTokens(ctx, in.Body.RefreshToken)
}

func (s *API) password(ctx context.Context, in *passwordInput) (*passwordAnswer, error) {
	b := in.Body
	from, err := s.attempt(ctx, b.Email)
	if err != nil {
		return nil, err
	}
	done := &passwordAnswer{http.StatusNoContent}
	switch {
	case b.Email != "" && b.Token+b.Password+b.NewPassword == "":
		return &passwordAnswer{http.StatusAccepted}, s.service.AskReset(ctx, b.Email, from)
	case b.Token != "" && b.NewPassword != "" && b.Email+b.Password == "":
		return done, s.service.Reset(ctx, b.Token, b.NewPassword, from)
	case b.Password != "" && b.NewPassword != "" && b.Email+b.Token == "":
		scheme, token, _ := strings.Cut(in.Authorization, " ")
		if in.Authorization == "" {
			return nil, service.ErrMissing
		}
		if !strings.EqualFold(scheme, "Bearer") {
			return nil, service.ErrInvalid
		}
		person, err := s.service.Token(ctx, strings.TrimSpace(token), from)
		if err != nil {
			return nil, err
		}
		if _, err := s.attempt(ctx, person.Account.Email); err != nil {
			return nil, err
		}
		return done, person.ChangePassword(ctx, b.Password, b.NewPassword)
	}
	return nil, rest.Invalid(
		"body: send {email}, or {token, newPassword}, or {password, newPassword} with an access token")
}

func (s *API) jwks(ctx context.Context, _ *struct{}) (*jwksAnswer, error) {
	keys, err := s.service.PublicKeys(ctx)
	out := &jwksAnswer{}
	out.Body.Keys = keys
	return out, err
}

func (s *API) plans(context.Context, *struct{}) (*plansAnswer, error) {
	return &plansAnswer{service.Plans()}, nil
}

// person returns the caller, who is a person and not an API key: the route's scope requires it.
func person(ctx context.Context) *service.Person { return rest.CallerOf(ctx).Member.Person }

func (s *API) getAccount(ctx context.Context, _ *struct{}) (*accountAnswer, error) {
	out := &accountAnswer{}
	out.Body.Account, out.Body.Limits = person(ctx).Account, person(ctx).Plan()
	return out, nil
}

func (s *API) exportAccount(ctx context.Context, _ *struct{}) (*exportAnswer, error) {
	e, err := person(ctx).Export(ctx)
	return &exportAnswer{e}, err
}

func (s *API) logoutEverywhere(ctx context.Context, _ *struct{}) (*struct{}, error) {
	return nil, person(ctx).LogOutEverywhere(ctx)
}

func (s *API) deleteAccount(ctx context.Context, in *deleteInput) (*struct{}, error) {
	if _, err := s.attempt(ctx, person(ctx).Account.Email); err != nil { // otherwise a client could guess passwords here
		return nil, err
	}
	owned, err := person(ctx).Projects(ctx)
	if err != nil {
		return nil, err
	}
	if err := person(ctx).Delete(ctx, in.Body.Password); err != nil {
		return nil, err
	}
	for _, p := range owned {
		if p.Role != service.RoleOwner {
			continue
		}
		if err := s.drop(p.ID); err != nil {
			s.log.WarnContext(ctx, "cannot remove the folder of a deleted project", "project", p.ID, "error", err)
		}
	}
	return nil, nil
}

const webhookDoc = `The body is {account, plan, requestsPerMinute?, requestsPerMonth?}. It is signed with
TAPROOT_WEBHOOK_SECRET, without which the path does not exist: Taproot-Signature: t=<seconds since 1970>,v1=<hex of
HMAC-SHA-256 over "<seconds>.<body>">. A signature is valid for five minutes. Idempotency-Key is required: the same
request with the same key changes nothing again; another body with the same key is 409.`

// WebhookAnswer reports whether a plan was changed.
type WebhookAnswer struct {
	Changed bool `json:"changed" doc:"false: this Idempotency-Key came before."`
}

func (s *API) planWebhook(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(r.Body) // its size is limited, and it has arrived completely
	if err != nil {
		return rest.Invalid("the body was cut off")
	}
	known, err := s.service.ChangePlan(r.Context(), service.Webhook{Signature: r.Header.Get("Taproot-Signature"),
		Key: r.Header.Get("Idempotency-Key"), Body: body,
		From: service.From{Address: rest.CallerOf(r.Context()).Addr, Agent: r.UserAgent()}})
	if err != nil {
		return err
	}
	rest.WriteJSON(w, http.StatusOK, WebhookAnswer{Changed: !known})
	return nil
}
