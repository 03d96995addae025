// Package oidc lets people in whom a provider of OpenID Connect knows: the answer of the provider to a browser goes in,
// an identity comes out.
package oidc
