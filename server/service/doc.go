// Package service stores users and their permissions: accounts, projects, API keys, tokens, plans and the audit log.
// The code is in server/internal/service; this is what other folders need of it.
package service
