// Package oidc lets users log in with an OpenID Connect provider: it turns the provider's response to a browser into
// an identity. The code is in server/internal/oidc; this is what other folders need of it.
package oidc
