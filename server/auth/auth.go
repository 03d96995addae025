// Package auth identifies the sender of a request by its headers, which contain an API key or a JSON web token. The
// code is in server/internal/auth; this is what other folders need of it.
package auth

import (
	"github.com/taproot-dev/taproot/server/internal/auth"
)

// Config defines which credentials are accepted.
type Config = auth.Config

// Gate checks credentials. Safe for concurrent use.
type Gate = auth.Gate

// New makes a gate. It keeps keys as hashes only.
func New(c Config) (*Gate, error) {
	return auth.New(c)
}
