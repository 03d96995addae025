// Package limit implements rate limits. The code is in server/internal/limit; this is what other folders need of it.
package limit

import (
	"github.com/taproot-dev/taproot/server/internal/limit"
)

// PerMinute permits n requests per minute for each name, by the generic cell rate algorithm: n at once, and then one
// every minute/n.
func PerMinute(n int) (limit.Limiter, error) {
	return limit.PerMinute(n)
}
