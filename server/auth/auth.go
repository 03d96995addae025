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
