package service

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/taproot-dev/taproot/internal/jwtcheck"
	"github.com/taproot-dev/taproot/internal/store"
)

// How long tokens last, and how often keys change.
const (
	accessLife  = 15 * time.Minute
	rotateEvery = 30 * 24 * time.Hour
	reloadEvery = 10 * time.Second // the minimum pause, for tokens with an unknown key
	audience    = "taproot"
)

// Tokens is what a client gets when it logs in.
type Tokens struct {
	Access  string `json:"accessToken" doc:"Send it as Authorization: Bearer."`
	Refresh string `json:"refreshToken" doc:"Can be used once, for the next pair of tokens. A second use ends them all."`
	Expires int    `json:"expiresIn" doc:"Seconds until the access token ends."`
}

// keyring has the keys that sign tokens.
type keyring struct {
	*tables
	*box

	mu     sync.Mutex
	keys   []signingKey // newest first
	loaded time.Time
}

type signingKey struct {
	id      string
	private ed25519.PrivateKey
	created time.Time
}

// signingKeys returns the keys, newest first. It makes a new one when the newest is too old, and removes keys when
// all of their tokens have expired.
func (s *keyring) signingKeys(ctx context.Context, unknown string) ([]signingKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	known := slices.ContainsFunc(s.keys, func(k signingKey) bool { return k.id == unknown })
	fresh := len(s.keys) > 0 && now.Sub(s.keys[0].created) < rotateEvery
	if fresh && (unknown == "" || known || now.Sub(s.loaded) < reloadEvery) {
		return s.keys, nil
	}
	var keys []signingKey
	err := s.db.Write(ctx, func(t *store.Tx) error {
		var err error
		if keys, err = s.readSigningKeys(t); err != nil || len(keys) > 0 && now.Sub(keys[0].created) < rotateEvery {
			return err
		}
		k := signingKey{id: newID("sig"), created: now}
		var public ed25519.PublicKey
		if public, k.private, err = ed25519.GenerateKey(rand.Reader); err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM signing_keys WHERE created < $1",
			store.Time(now.Add(-rotateEvery-24*time.Hour))); err != nil {
			return err
		}
		if _, err := t.Exec("INSERT INTO signing_keys (id, private, public, created) VALUES ($1, $2, $3, $4)",
			k.id, s.encrypt(k.private.Seed(), "signing "+k.id), base64.RawURLEncoding.EncodeToString(public),
			store.Time(now)); err != nil {
			return err
		}
		keys = append([]signingKey{k}, keys...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.keys, s.loaded = keys, now
	return keys, nil
}

func (s *keyring) readSigningKeys(t *store.Tx) (keys []signingKey, err error) {
	err = t.Each("SELECT id, private, created FROM signing_keys ORDER BY created DESC, id", nil,
		func(scan func(...any) error) error {
			var k signingKey
			var sealed string
			var created int64
			if err := scan(&k.id, &sealed, &created); err != nil {
				return err
			}
			seed, err := s.decrypt(sealed, "signing "+k.id)
			if err != nil || len(seed) != ed25519.SeedSize {
				return errSeal
			}
			k.private, k.created = ed25519.NewKeyFromSeed(seed), store.Moment(created)
			keys = append(keys, k)
			return nil
		})
	return keys, err
}

// checkSeal decrypts the stored keys: with a wrong secret the service must not start.
func (s *keyring) checkSeal(ctx context.Context) error {
	_, err := s.signingKeys(ctx, "")
	return err
}

// JWK is a public key that verifies tokens.
type JWK struct {
	Type string `json:"kty"`
	Crv  string `json:"crv"`
	X    string `json:"x"`
	ID   string `json:"kid"`
	Use  string `json:"use"`
	Alg  string `json:"alg"`
}

// PublicKeys lists the keys with which tokens can be verified.
func (s *Issuer) PublicKeys(ctx context.Context) ([]JWK, error) {
	keys, err := s.keys.signingKeys(ctx, "")
	list := []JWK{}
	for _, k := range keys {
		list = append(list,
			JWK{Type: "OKP", Crv: "Ed25519", X: base64.RawURLEncoding.EncodeToString(k.private.Public().(ed25519.PublicKey)),
				ID: k.id, Use: "sig", Alg: "EdDSA"})
	}
	return list, err
}

// Issuer issues and verifies the tokens of programs. A log-in starts a family of tokens, which is a session.
type Issuer struct {
	*Accounts
	keys     *keyring
	sessions *Sessions
}

type claims struct {
	jwt.RegisteredClaims
	Session string `json:"sid"`
}

func (s *Issuer) access(ctx context.Context, p *Person) (string, error) {
	keys, err := s.keys.signingKeys(ctx, "")
	if err != nil {
		return "", err
	}
	now := s.now()
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA,
		claims{jwt.RegisteredClaims{Issuer: s.o.PublicURL, Audience: jwt.ClaimStrings{audience}, Subject: p.Account.ID,
			ID:       newID("jti"),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(accessLife))}, p.Session})
	t.Header["kid"], t.Header["typ"] = keys[0].id, "at+jwt"
	return t.SignedString(keys[0].private)
}

// maxToken limits the length of what is parsed.
const maxToken = 8 << 10

// Token returns the owner of an access token. The error is ErrInvalid when the token is not from this service, has
// expired, or its session has ended.
func (s *Issuer) Token(ctx context.Context, text string, from From) (*Person, error) {
	if len(text) > maxToken {
		return nil, ErrInvalid
	}
	var gone error
	var c claims
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithLeeway(jwtcheck.Leeway), jwt.WithIssuer(s.o.PublicURL), jwt.WithAudience(audience), jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(s.now))
	_, err := parser.ParseWithClaims(text, &c, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		if _, critical := t.Header["crit"]; critical || t.Header["typ"] != "at+jwt" || id == "" {
			return nil, ErrInvalid
		}
		keys, err := s.keys.signingKeys(ctx, id)
		if err != nil {
			gone = err
			return nil, err
		}
		for _, k := range keys {
			if k.id == id {
				return k.private.Public(), nil
			}
		}
		return nil, ErrInvalid
	})
	if gone != nil {
		return nil, gone
	}
	if err != nil {
		return nil, refusedToken(jwtcheck.Reason(err, c.RegisteredClaims,
			jwtcheck.Want{Issuer: s.o.PublicURL, Audience: audience, Methods: []string{"EdDSA"}}, s.now()))
	}
	if c.Subject == "" || c.Session == "" {
		return nil, ErrInvalid
	}
	return s.person(ctx, "s.id = $1 AND s.kind = '"+kindToken+"' AND s.account = $2 AND s.expires > $3",
		[]any{c.Session, c.Subject, store.Time(s.now())}, from)
}

// NewTokens starts a family of tokens for a person who has just logged in.
func (s *Issuer) NewTokens(ctx context.Context, p *Person) (Tokens, error) {
	refresh := randomText(32)
	err := s.db.Write(ctx, func(t *store.Tx) (err error) {
		if p.Session, err = s.sessions.insertSession(t, p, kindToken, digest(randomText(32)), tokenLife); err != nil {
			return err
		}
		return s.addRefresh(t, refresh, p.Session)
	})
	if err != nil {
		return Tokens{}, err
	}
	access, err := s.access(ctx, p)
	return Tokens{access, refresh, int(accessLife.Seconds())}, err
}

func (s *Issuer) addRefresh(t *store.Tx, token, session string) error {
	_, err := t.Exec("INSERT INTO refresh_tokens (hash, session, expires) VALUES ($1, $2, $3)", digest(token), session,
		store.Time(s.now().Add(tokenLife)))
	return err
}

// Refresh returns the next pair of tokens for a refresh token, which can be used once. When it is used a second time,
// one of the two senders has stolen it: the whole family ends.
func (s *Issuer) Refresh(ctx context.Context, token string, from From) (Tokens, error) {
	if len(token) > 200 {
		return Tokens{}, ErrInvalid
	}
	next := randomText(32)
	var session, account string
	stolen := false
	err := s.db.Write(ctx, func(t *store.Tx) error {
		var used, expires int64
		err := t.Lock("SELECT session, used, expires FROM refresh_tokens WHERE hash = $1", []any{digest(token)}, &session,
			&used, &expires)
		if errors.Is(err, store.ErrNoRow) || err == nil && expires <= store.Time(s.now()) {
			return ErrInvalid
		}
		if err != nil {
			return err
		}
		if err := t.One("SELECT account FROM sessions WHERE id = $1", []any{session}, &account); err != nil {
			return err
		}
		if stolen = used != 0; stolen {
			if _, err := t.Exec("DELETE FROM sessions WHERE id = $1", session); err != nil {
				return err
			}
			return s.note(t, Entry{Account: account, Actor: account, Action: "token.reuse", Target: session,
				Address: from.Address, Result: "refused"})
		}
		if _, err := t.Exec("UPDATE refresh_tokens SET used = $1 WHERE hash = $2", store.Time(s.now()),
			digest(token)); err != nil {
			return err
		}
		return s.addRefresh(t, next, session)
	})
	if err != nil {
		return Tokens{}, err
	}
	if stolen {
		return Tokens{}, ErrInvalid
	}
	p, err := s.person(ctx, "s.id = $1 AND s.expires > $2", []any{session, store.Time(s.now())}, from)
	if err != nil {
		return Tokens{}, err
	}
	access, err := s.access(ctx, p)
	return Tokens{access, next, int(accessLife.Seconds())}, err
}

// EndTokens ends the family of a refresh token; an unknown one is not an error.
func (s *Issuer) EndTokens(ctx context.Context, token string) error {
	_, err := s.db.Exec(ctx, "DELETE FROM sessions WHERE id = (SELECT session FROM refresh_tokens WHERE hash = $1)",
		digest(token))
	return err
}
