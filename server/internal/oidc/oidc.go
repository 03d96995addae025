// Package oidc lets users log in with an OpenID Connect provider: it turns the provider's response to a browser into an
// identity.
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	oidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Options identify the provider, and this service as its client.
type Options struct {
	Issuer   string // https://…, as in its discovery document
	ClientID string
	Secret   string
	Name     string // for users; default: the issuer's host name
	Redirect string // the URL to which it redirects browsers
	Client   *http.Client
}

// Provider is a provider. It is queried at the first use, so the service starts even if it is down. Safe for concurrent
// use.
type Provider struct {
	o    Options
	mu   sync.Mutex
	conf *oauth2.Config
	ids  *oidc.IDTokenVerifier
}

// Flow is the state between Start and Finish. Keep it in an encrypted and authenticated cookie.
type Flow struct {
	State, Nonce, Verifier string
}

// Identity is the user according to the provider.
type Identity struct {
	Issuer, Subject string
	Email           string
	Verified        bool // the provider has verified the address
}

// answerLimit is how long the provider may take.
const answerLimit = 15 * time.Second

// New checks the options.
func New(o Options) (*Provider, error) {
	u, err := url.Parse(o.Issuer)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "localhost" &&
		u.Hostname() != "127.0.0.1") {
		return nil, errors.New("the issuer must be https://HOST… (http:// for this machine only)")
	}
	if o.ClientID == "" || o.Secret == "" {
		return nil, errors.New("the provider requires a client id and its secret")
	}
	if o.Name == "" {
		o.Name = u.Host
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: answerLimit}
	}
	return &Provider{o: o}, nil
}

// Name returns the name of the provider for users.
func (p *Provider) Name() string { return p.o.Name }

func (p *Provider) context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.o.Client)
}

// known reads the provider's configuration, once.
func (p *Provider) known(ctx context.Context) (*oauth2.Config, *oidc.IDTokenVerifier, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conf != nil {
		return p.conf, p.ids, nil
	}
	// The provider is also used later, to read its keys, so it must not end with this request.
	found, err := oidc.NewProvider(p.context(context.WithoutCancel(ctx)), p.o.Issuer)
	if err != nil {
		return nil, nil, fmt.Errorf("query the identity provider: %w", err)
	}
	p.conf = &oauth2.Config{ClientID: p.o.ClientID, ClientSecret: p.o.Secret, Endpoint: found.Endpoint(),
		RedirectURL: p.o.Redirect, Scopes: []string{oidc.ScopeOpenID, "email"}}
	p.ids = found.Verifier(&oidc.Config{ClientID: p.o.ClientID})
	return p.conf, p.ids, nil
}

func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// Start returns the URL to which a browser is redirected.
func (p *Provider) Start(ctx context.Context) (address string, f Flow, err error) {
	conf, _, err := p.known(ctx)
	if err != nil {
		return "", f, err
	}
	f = Flow{State: random(), Nonce: random(), Verifier: oauth2.GenerateVerifier()}
	return conf.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), f, nil
}

// RefusedError is a response of the provider with which the user cannot log in.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// maxClaim limits the length of an identity's values.
const maxClaim = 255

// Finish processes the query with which the browser was redirected back. The error is a *RefusedError, or one of the
// provider or the network.
func (p *Provider) Finish(ctx context.Context, f Flow, query url.Values) (id Identity, err error) {
	conf, ids, err := p.known(ctx)
	if err != nil {
		return id, err
	}
	switch {
	case f.State == "" || subtle.ConstantTimeCompare([]byte(f.State), []byte(query.Get("state"))) != 1:
		return id, &RefusedError{"this log-in was not started here, or too long ago; start it again"}
	case query.Has("iss") && query.Get("iss") != p.o.Issuer:
		return id, &RefusedError{"the response comes from another provider"}
	case query.Get("code") == "":
		return id, &RefusedError{"the provider refused the log-in"}
	}
	tokens, err := conf.Exchange(p.context(ctx), query.Get("code"), oauth2.VerifierOption(f.Verifier))
	var retrieveErr *oauth2.RetrieveError
	if errors.As(err, &retrieveErr) {
		return id, &RefusedError{"the provider does not know this log-in; start it again"}
	}
	if err != nil {
		return id, fmt.Errorf("query the identity provider: %w", err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := ids.Verify(p.context(ctx), raw)
	if err != nil {
		return id, &RefusedError{"the provider's response does not have the required signature, or is not for this service"}
	}
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := token.Claims(&claims); err != nil {
		return id, &RefusedError{"the provider's response is not valid"}
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(f.Nonce)) != 1:
		return id, &RefusedError{"the provider's response is for another log-in"}
	case token.Subject == "" || len(token.Subject) > maxClaim || strings.ContainsRune(token.Subject, 0):
		return id, &RefusedError{"the provider does not say who it is"}
	}
	return Identity{Issuer: token.Issuer, Subject: token.Subject, Email: claims.Email, Verified: claims.Verified}, nil
}
