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

// Options say who the provider is, and who we are to it.
type Options struct {
	Issuer   string // https://…, as its discovery document says
	ClientID string
	Secret   string
	Name     string // what people call it; default: the issuer's host
	Redirect string // where it sends browsers back to
	Client   *http.Client
}

// Provider knows a provider, which it asks at the first use: one that is down keeps nobody from starting. Safe for
// concurrent use.
type Provider struct {
	o    Options
	mu   sync.Mutex
	conf *oauth2.Config
	ids  *oidc.IDTokenVerifier
}

// Flow is what we must know again when the browser comes back. It belongs into a cookie that nobody can read or change.
type Flow struct {
	State, Nonce, Verifier string
}

// Identity is who the provider says it is.
type Identity struct {
	Issuer, Subject string
	Email           string
	Verified        bool // the provider knows that the address is this person's
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
		return nil, errors.New("the provider wants a client id and its secret")
	}
	if o.Name == "" {
		o.Name = u.Host
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: answerLimit}
	}
	return &Provider{o: o}, nil
}

// Name is what people call the provider.
func (p *Provider) Name() string { return p.o.Name }

func (p *Provider) context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.o.Client)
}

// known asks the provider who it is, once.
func (p *Provider) known(ctx context.Context) (*oauth2.Config, *oidc.IDTokenVerifier, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conf != nil {
		return p.conf, p.ids, nil
	}
	// Its keys are asked for later, too: what it keeps must not end with this request.
	found, err := oidc.NewProvider(p.context(context.WithoutCancel(ctx)), p.o.Issuer)
	if err != nil {
		return nil, nil, fmt.Errorf("ask the provider of identities: %w", err)
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

// Start gives the address to which a browser is sent.
func (p *Provider) Start(ctx context.Context) (address string, f Flow, err error) {
	conf, _, err := p.known(ctx)
	if err != nil {
		return "", f, err
	}
	f = Flow{State: random(), Nonce: random(), Verifier: oauth2.GenerateVerifier()}
	return conf.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), f, nil
}

// RefusedError is an answer of the provider that lets nobody in.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// maxClaim bounds what is kept of an identity.
const maxClaim = 255

// Finish takes the query with which the browser came back. The error is a *RefusedError, or the provider's or the
// network's.
func (p *Provider) Finish(ctx context.Context, f Flow, query url.Values) (id Identity, err error) {
	conf, ids, err := p.known(ctx)
	if err != nil {
		return id, err
	}
	switch {
	case f.State == "" || subtle.ConstantTimeCompare([]byte(f.State), []byte(query.Get("state"))) != 1:
		return id, &RefusedError{"this log-in was not begun here, or too long ago; begin it again"}
	case query.Has("iss") && query.Get("iss") != p.o.Issuer:
		return id, &RefusedError{"the answer comes from another provider"}
	case query.Get("code") == "":
		return id, &RefusedError{"the provider let nobody in"}
	}
	tokens, err := conf.Exchange(p.context(ctx), query.Get("code"), oauth2.VerifierOption(f.Verifier))
	var said *oauth2.RetrieveError
	if errors.As(err, &said) {
		return id, &RefusedError{"the provider does not know this log-in; begin it again"}
	}
	if err != nil {
		return id, fmt.Errorf("ask the provider of identities: %w", err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := ids.Verify(p.context(ctx), raw)
	if err != nil {
		return id, &RefusedError{"the provider's answer is not signed as it should be, or not for this service"}
	}
	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
	}
	if err := token.Claims(&claims); err != nil {
		return id, &RefusedError{"the provider's answer cannot be read"}
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(f.Nonce)) != 1:
		return id, &RefusedError{"the provider's answer is for another log-in"}
	case token.Subject == "" || len(token.Subject) > maxClaim || strings.ContainsRune(token.Subject, 0):
		return id, &RefusedError{"the provider does not say who it is"}
	}
	return Identity{Issuer: token.Issuer, Subject: token.Subject, Email: claims.Email, Verified: claims.Verified}, nil
}
