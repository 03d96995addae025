package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/taproot-dev/taproot/internal/jwtcheck"
)

// tokens verifies JSON web tokens with the algorithms of the keys that it has, and no others.
type tokens struct {
	parser *jwt.Parser
	want   jwtcheck.Want
	secret []byte
	public any
}

func newTokens(c Config) (*tokens, error) {
	t := &tokens{secret: c.Secret}
	var methods []string
	if len(c.Secret) > 0 {
		methods = append(methods, "HS256", "HS384", "HS512")
	}
	if len(c.PublicKey) > 0 {
		own, key, err := readPublicKey(c.PublicKey)
		if err != nil {
			return nil, fmt.Errorf("TAPROOT_JWT_PUBLIC_KEY_FILE: %w", err)
		}
		methods, t.public = append(methods, own...), key
	}
	if len(methods) == 0 {
		return nil, nil
	}
	o := []jwt.ParserOption{jwt.WithValidMethods(methods), jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithLeeway(jwtcheck.Leeway), jwt.WithStrictDecoding()}
	if c.Issuer != "" {
		o = append(o, jwt.WithIssuer(c.Issuer))
	}
	if c.Audience != "" {
		o = append(o, jwt.WithAudience(c.Audience))
	}
	t.parser = jwt.NewParser(o...)
	t.want = jwtcheck.Want{Issuer: c.Issuer, Audience: c.Audience, Methods: methods}
	return t, nil
}

// readPublicKey returns the algorithms that the key can verify.
func readPublicKey(text []byte) (methods []string, key any, err error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, nil, errors.New("the file contains no PEM block")
	}
	switch block.Type {
	case "PUBLIC KEY":
		key, err = x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		key, err = x509.ParsePKCS1PublicKey(block.Bytes)
	case "CERTIFICATE":
		var cert *x509.Certificate
		if cert, err = x509.ParseCertificate(block.Bytes); err == nil {
			key = cert.PublicKey
		}
	default:
		return nil, nil, fmt.Errorf("the file contains a %q; a PUBLIC KEY is needed", block.Type)
	}
	if err != nil {
		return nil, nil, err
	}
	switch k := key.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() < 2048 {
			return nil, nil, errors.New("the RSA key has less than 2048 bits")
		}
		return []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}, key, nil
	case *ecdsa.PublicKey:
		method, ok := map[int]string{256: "ES256", 384: "ES384", 521: "ES512"}[k.Curve.Params().BitSize]
		if !ok {
			return nil, nil, errors.New("the key's curve is not one of P-256, P-384, P-521")
		}
		return []string{method}, key, nil
	case ed25519.PublicKey:
		return []string{"EdDSA"}, key, nil
	}
	return nil, nil, fmt.Errorf("a key of type %T cannot verify tokens", key)
}

// claims are the claims that are used. Scopes are a text with blanks, or a list, under either name.
type claims struct {
	jwt.RegisteredClaims
	Scope  list `json:"scope"`
	Scopes list `json:"scopes"`
	SCP    list `json:"scp"`
}

func (t *tokens) identify(credential string) (Identity, error) {
	var c claims
	token, err := t.parser.ParseWithClaims(credential, &c, t.key)
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %s", ErrToken, jwtcheck.Reason(err, c.RegisteredClaims, t.want, time.Now()))
	}
	if _, critical := token.Header["crit"]; critical { // extensions that the verifier must support, and does not
		return Identity{}, fmt.Errorf("%w: its header names extensions (crit) that this server does not know", ErrToken)
	}
	who := Identity{Name: "jwt:" + subject(c.Subject), scopes: map[string]bool{}}
	for _, scope := range append(append(c.Scope, c.Scopes...), c.SCP...) {
		who.scopes[scope] = true
	}
	return who, nil
}

// key returns the key for a token's algorithm; the parser has refused every other algorithm.
func (t *tokens) key(token *jwt.Token) (any, error) {
	if _, hmac := token.Method.(*jwt.SigningMethodHMAC); hmac {
		return t.secret, nil
	}
	return t.public, nil
}

const maxSubject = 100

// subject makes a name suitable for a line of a log.
func subject(s string) string {
	if s == "" {
		return "-"
	}
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > maxSubject {
		s = string(r[:maxSubject])
	}
	return s
}
