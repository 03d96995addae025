// Package oidc lets users log in with an OpenID Connect provider: it turns the provider's response to a browser into an
// identity.
package oidc
