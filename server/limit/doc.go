// Package limit implements rate limits. The code is in server/internal/limit; this is what other folders need of it.
package limit
