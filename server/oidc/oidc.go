// Package oidc lets users log in with an OpenID Connect provider: it turns the provider's response to a browser into
// an identity. The code is in server/internal/oidc; this is what other folders need of it.
package oidc

import (
	"github.com/taproot-dev/taproot/server/internal/oidc"
)

// Options identify the provider, and this service as its client.
type Options = oidc.Options

// Provider is a provider. It is queried at the first use, so the service starts even if it is down. Safe for concurrent
// use.
type Provider = oidc.Provider

// New checks the options.
func New(o Options) (*Provider, error) {
	return oidc.New(o)
}
