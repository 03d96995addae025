// Package service stores users and their permissions: accounts, projects, API keys, tokens, plans and the audit log.
// The code is in server/internal/service; this is what other folders need of it.
package service

import (
	"context"

	"github.com/taproot-dev/taproot/server/internal/service"
)

// Entry is a line of the audit log. Lines are never changed. They are deleted with their account or project.
type Entry = service.Entry

// Error is a mistake of a caller, or a missing permission.
type Error = service.Error

// The errors for callers.
var (
	ErrNotFound = service.ErrNotFound
)

// NewKey describes a key to make.
type NewKey = service.NewKey

// ScopeAll covers every scope.
const ScopeAll = service.ScopeAll

// Scopes lists the scopes that keys can have, in addition to "*".
func Scopes() []string {
	return service.Scopes()
}

// PlanChange is a new plan for an account; rates of 0 are those of the plan.
type PlanChange = service.PlanChange

// Options are the settings of a service.
type Options = service.Options

// Service is the users and credentials of a database. Safe for concurrent use; several processes may use one database.
// It is made of parts, each of which can be used alone.
type Service = service.Service

// Open connects to the database, brings its schema up to date, and adds what a new database needs. Close ends it.
func Open(ctx context.Context, o Options) (*Service, error) {
	return service.Open(ctx, o)
}
