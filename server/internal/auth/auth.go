// Package auth identifies the sender of a request by its headers, which contain an API key or a JSON web token.
package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Identity is the sender of a request.
type Identity struct {
	// Name is for logs and leases: "key:" and the first characters of the key's hash, or "jwt:" and the subject. Empty:
	// authentication is off.
	Name   string
	all    bool
	scopes map[string]bool
}

// May reports whether the credential covers a scope such as "devices:write". API keys cover all.
func (i Identity) May(scope string) bool { return i.all || i.scopes[scope] || i.scopes[Everything] }

// Local returns the identity of a person at this machine, who may do everything.
func Local(name string) Identity { return Identity{Name: name, all: true} }

// Everything is the scope that covers all others.
const Everything = "*"

// The errors of a request without a valid credential.
var (
	ErrMissing = errors.New("send a credential: Authorization: Bearer <token or key>, or X-API-Key: <key>")
	ErrInvalid = errors.New("the credential is not valid")
	// ErrToken wraps ErrInvalid. The text after it says what is wrong with the JSON web token.
	ErrToken = fmt.Errorf("%w: the token is refused", ErrInvalid)
	errKey   = fmt.Errorf("%w: it is not one of this server's API keys", ErrInvalid)
)

// Config defines which credentials are accepted.
type Config struct {
	// Keys are the API keys as they are sent, or as sha256:<hex of their SHA-256>.
	Keys []string
	// Secret verifies tokens that are signed with HS256, HS384 or HS512.
	Secret []byte
	// PublicKey, in PEM, verifies tokens that are signed with its private key (RSA, ECDSA, Ed25519).
	PublicKey []byte
	// Issuer and Audience are required of a token, if set.
	Issuer, Audience string
}

// Gate checks credentials. Safe for concurrent use.
type Gate struct {
	keys   [][sha256.Size]byte
	tokens *tokens
	weak   []string
}

// ErrNoCredentials means that no credential could ever be accepted.
var ErrNoCredentials = errors.New(
	"authentication is on and there is no credential to accept: set TAPROOT_API_KEYS, TAPROOT_JWT_SECRET or " +
		"TAPROOT_JWT_PUBLIC_KEY_FILE")

const (
	hashPrefix = "sha256:"
	shortKey   = 16 // characters
	shortHMAC  = 32 // bytes, the minimum in RFC 7518
	maxHeader  = 16 << 10
)

// New makes a gate. It keeps keys as hashes only.
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
		return errors.New("TAPROOT_API_KEYS: one of the keys has a character that is not possible in a header")
	}
	if len(key) < shortKey {
		g.weak = append(g.weak, fmt.Sprintf("a key of TAPROOT_API_KEYS is shorter than %d characters and can be guessed",
			shortKey))
	}
	g.keys = append(g.keys, sha256.Sum256([]byte(key)))
	return nil
}

// Weak returns warnings about accepted credentials.
func (g *Gate) Weak() []string { return g.weak }

// Identify returns the sender of a request. The error wraps ErrMissing or ErrInvalid. Credentials in the URL are
// ignored, since URLs are logged.
func (g *Gate) Identify(h http.Header) (Identity, error) {
	bearer, keys := h.Values("Authorization"), h.Values("X-Api-Key")
	switch {
	case len(bearer) > 1 || len(keys) > 1:
		return Identity{}, fmt.Errorf("%w (it was sent twice)", ErrInvalid)
	case len(bearer) == 1:
		scheme, credential, _ := strings.Cut(bearer[0], " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return Identity{}, fmt.Errorf("%w (Authorization must start with Bearer)", ErrInvalid)
		}
		return g.bearer(strings.TrimSpace(credential))
	case len(keys) == 1:
		return g.key(strings.TrimSpace(keys[0]))
	}
	return Identity{}, ErrMissing
}

// bearer verifies a key or a token.
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

// key compares with every key, so that the time reveals nothing.
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

// list is a claim that is a text with blanks between its words, or a list of texts.
type list []string

// UnmarshalJSON reads either form.
func (l *list) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l = strings.Fields(text)
		return nil
	}
	var words []string
	if json.Unmarshal(data, &words) != nil {
		return errors.New("scopes are a text or a list of texts")
	}
	*l = words
	return nil
}
