// Package jwtcheck explains why a JSON web token is refused: which claim is wrong, its value and what the server
// requires. It quotes only claims with a valid signature, so an attacker with a forged token learns only that it is
// forged.
package jwtcheck

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Leeway is how much the clocks of signer and verifier may differ, in both directions.
const Leeway = time.Minute

// Want is what a server requires of tokens.
type Want struct {
	Issuer, Audience string   // "" requires none
	Methods          []string // of signing
}

// Reason returns why the parser refused a token. c has the claims that it read, now is the server's time.
func Reason(err error, c jwt.RegisteredClaims, want Want, now time.Time) string {
	switch {
	case errors.Is(err, jwt.ErrTokenMalformed):
		return "it is not a JSON web token"
	case errors.Is(err, jwt.ErrTokenSignatureInvalid), errors.Is(err, jwt.ErrTokenUnverifiable):
		return "it is not signed by a key that this server trusts (" + strings.Join(want.Methods, ", ") + ")"
	case errors.Is(err, jwt.ErrTokenExpired):
		return fmt.Sprintf("it expired %s ago, at %s", apart(now, c.ExpiresAt), stamp(c.ExpiresAt))
	case errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return fmt.Sprintf("it was issued in the future (iat %s, %s ahead of this server's clock): compare the clocks",
			stamp(c.IssuedAt), apart(now, c.IssuedAt))
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return fmt.Sprintf("it is not valid yet (nbf %s, %s ahead of this server's clock): compare the clocks",
			stamp(c.NotBefore), apart(now, c.NotBefore))
	case errors.Is(err, jwt.ErrTokenInvalidIssuer):
		return fmt.Sprintf("its issuer is %q, and this server requires %q", c.Issuer, want.Issuer)
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return fmt.Sprintf("its audience is %q, and this server requires %q", strings.Join(c.Audience, ", "), want.Audience)
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return missing(c, want)
	}
	return "its claims are not valid"
}

// missing names the claim that a token lacks.
func missing(c jwt.RegisteredClaims, want Want) string {
	switch {
	case c.ExpiresAt == nil:
		return "it has no exp claim: a token must expire"
	case want.Issuer != "" && c.Issuer == "":
		return fmt.Sprintf("it has no iss claim, and this server requires %q", want.Issuer)
	case want.Audience != "" && len(c.Audience) == 0:
		return fmt.Sprintf("it has no aud claim, and this server requires %q", want.Audience)
	}
	return "it lacks a claim that this server requires"
}

func apart(now time.Time, t *jwt.NumericDate) time.Duration {
	if t == nil {
		return 0
	}
	return now.Sub(t.Time).Abs().Round(time.Second)
}

func stamp(t *jwt.NumericDate) string {
	if t == nil {
		return "?"
	}
	return t.UTC().Format(time.RFC3339)
}
