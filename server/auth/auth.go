package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Identity is who sent a request.
type Identity struct {
	// Name goes into logs and leases: "key:" and the first characters of the key's hash, or "jwt:" and the subject. Empty:
	// nobody was asked who they are.
	Name   string
	all    bool
	scopes map[string]bool
}

// May tells whether the credential covers a scope such as "devices:write". API keys cover all.
func (i Identity) May(scope string) bool { return i.all || i.scopes[scope] || i.scopes[Everything] }

// Local is a person at this machine, who may do everything.
func Local(name string) Identity { return Identity{Name: name, all: true} }

// Everything is the scope that covers all others.
const Everything = "*"

// The ways in which a request can lack a credential.
var (
	ErrMissing = errors.New("send a credential: Authorization: Bearer <token or key>, or X-API-Key: <key>")
	ErrInvalid = errors.New("the credential is not valid")
	// ErrToken wraps ErrInvalid. What follows it says what is wrong with the JSON web token.
	ErrToken = fmt.Errorf("%w: the token is refused", ErrInvalid)
	errKey   = fmt.Errorf("%w: it is not one of this server's API keys", ErrInvalid)
)

// Config says which credentials are good.
type Config struct {
	// Keys are the API keys as they are sent, or as sha256:<hex of their SHA-256>.
	Keys []string
	// Secret verifies tokens that are signed with HS256, HS384 or HS512.
	Secret []byte
	// PublicKey, in PEM, verifies tokens that are signed with its private key (RSA, ECDSA, Ed25519).
	PublicKey []byte
	// Issuer and Audience must be those of a token, when they are set.
	Issuer, Audience string
}

// Gate checks credentials. Safe for concurrent use.
type Gate struct {
	keys   [][sha256.Size]byte
	tokens *tokens
	weak   []string
}

// ErrNoCredentials means that nobody could ever be let in.
var ErrNoCredentials = errors.New(
	"authentication is on and there is no credential to accept: set TAPROOT_API_KEYS, TAPROOT_JWT_SECRET or " +
		"TAPROOT_JWT_PUBLIC_KEY_FILE")

const (
	hashPrefix = "sha256:"
	shortKey   = 16 // characters
	shortHMAC  = 32 // bytes, as RFC 7518 asks for
	maxHeader  = 16 << 10
)

// New makes a gate. Keys are kept as hashes only.
func New(c Config) (*Gate, error) {
	g := &Gate{}
	for _, key := range c.Keys {
		if err := g.addKey(strings.TrimSpace(key)); err != nil {
			return nil, err
		}
	}
	var err error
	if g.tokens, err = newTokens(c); err != nil {
		return nil, err
	}
	if len(c.Secret) > 0 && len(c.Secret) < shortHMAC {
		g.weak = append(g.weak, fmt.Sprintf("TAPROOT_JWT_SECRET is shorter than %d bytes and can be guessed", shortHMAC))
	}
	if len(g.keys) == 0 && g.tokens == nil {
		return nil, ErrNoCredentials
	}
	return g, nil
}

func (g *Gate) addKey(key string) error {
	if key == "" {
		return nil
	}
	if text, hashed := strings.CutPrefix(key, hashPrefix); hashed {
		sum, err := hex.DecodeString(text)
		if err != nil || len(sum) != sha256.Size {
			return fmt.Errorf("TAPROOT_API_KEYS: what follows %s must be %d hexadecimal digits", hashPrefix, 2*sha256.Size)
		}
		g.keys = append(g.keys, [sha256.Size]byte(sum))
		return nil
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("TAPROOT_API_KEYS: one of the keys has a character that cannot stand in a header")
	}
	if len(key) < shortKey {
		g.weak = append(g.weak, fmt.Sprintf("a key of TAPROOT_API_KEYS is shorter than %d characters and can be guessed",
			shortKey))
	}
	g.keys = append(g.keys, sha256.Sum256([]byte(key)))
	return nil
}

// Weak tells what is wrong with credentials that are accepted all the same.
func (g *Gate) Weak() []string { return g.weak }

// Identify finds out who sent the request. The error wraps ErrMissing or ErrInvalid. Credentials in the address are
// never looked at: addresses end up in logs.
func (g *Gate) Identify(h http.Header) (Identity, error) {
	bearer, keys := h.Values("Authorization"), h.Values("X-Api-Key")
	switch {
	case len(bearer) > 1 || len(keys) > 1:
		return Identity{}, fmt.Errorf("%w (it was sent twice)", ErrInvalid)
	case len(bearer) == 1:
		scheme, credential, _ := strings.Cut(bearer[0], " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return Identity{}, fmt.Errorf("%w (Authorization must begin with Bearer)", ErrInvalid)
		}
		return g.bearer(strings.TrimSpace(credential))
	case len(keys) == 1:
		return g.key(strings.TrimSpace(keys[0]))
	}
	return Identity{}, ErrMissing
}

// bearer takes a key or a token.
func (g *Gate) bearer(credential string) (Identity, error) {
	if len(credential) > maxHeader {
		return Identity{}, fmt.Errorf("%w: it is longer than %d bytes", ErrInvalid, maxHeader)
	}
	who, err := g.key(credential)
	switch isToken := strings.Count(credential, ".") == 2; {
	case err != nil && g.tokens != nil && (isToken || len(g.keys) == 0):
		return g.tokens.identify(credential)
	case err != nil && isToken && g.tokens == nil:
		return Identity{}, fmt.Errorf("%w: it looks like a JSON web token, and this server takes only API keys: "+
			"set TAPROOT_JWT_SECRET or TAPROOT_JWT_PUBLIC_KEY_FILE", ErrInvalid)
	}
	return who, err
}

// key compares with every key, so that the time tells nothing.
func (g *Gate) key(credential string) (Identity, error) {
	sum := sha256.Sum256([]byte(credential))
	found := 0
	for i := range g.keys {
		found |= subtle.ConstantTimeCompare(sum[:], g.keys[i][:])
	}
	switch {
	case credential == "":
		return Identity{}, fmt.Errorf("%w: it is empty", ErrInvalid)
	case found == 0:
		return Identity{}, errKey
	}
	return Identity{Name: "key:" + hex.EncodeToString(sum[:4]), all: true}, nil
}
