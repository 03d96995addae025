// Package limit implements rate limits.
package limit

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
)

// Limiter counts requests. Implementations are safe for concurrent use. This package has one with the same limit for
// each name; package service has limits by plan, in a database that servers share.
type Limiter interface {
	// Take counts one request of a client, named by its credential or IP address.
	Take(ctx context.Context, who string) (Quota, error)
}

// Quota is the state of a limit after a request.
type Quota struct {
	Allowed    bool
	Limit      int           // maximum number of requests at once
	Window     time.Duration // time after which Limit requests are possible again
	Remaining  int
	Reset      time.Duration // until Remaining is Limit again
	RetryAfter time.Duration // when not Allowed
}

// maxNames limits the memory: the name that was unused for longest is forgotten first.
const maxNames = 1 << 16

// PerMinute permits n requests per minute for each name, by the generic cell rate algorithm: n at once, and then one
// every minute/n.
func PerMinute(n int) (Limiter, error) {
	store, err := memstore.NewCtx(maxNames)
	if err != nil {
		return nil, fmt.Errorf("rate limit: %w", err)
	}
	gcra, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerMin(n), MaxBurst: n - 1})
	if err != nil {
		return nil, fmt.Errorf("rate limit of %d per minute: %w", n, err)
	}
	return &perMinute{gcra: gcra}, nil
}

type perMinute struct {
	mu   sync.Mutex // the library fails after ten concurrent updates of a name
	gcra *throttled.GCRARateLimiterCtx
}

func (l *perMinute) Take(ctx context.Context, who string) (Quota, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	limited, r, err := l.gcra.RateLimitCtx(ctx, who, 1)
	if err != nil {
		return Quota{}, fmt.Errorf("count a request: %w", err)
	}
	return Quota{Allowed: !limited, Limit: r.Limit, Window: time.Minute, Remaining: r.Remaining, Reset: r.ResetAfter,
		RetryAfter: max(r.RetryAfter, 0)}, nil
}

// Headers sets the response headers of the quota.
func (q Quota) Headers(h http.Header) {
	h.Set("RateLimit-Limit", strconv.Itoa(q.Limit))
	h.Set("RateLimit-Remaining", strconv.Itoa(q.Remaining))
	h.Set("RateLimit-Reset", strconv.Itoa(seconds(q.Reset)))
	h.Set("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d`, q.Limit, seconds(q.Window)))
	if !q.Allowed {
		h.Set("Retry-After", strconv.Itoa(max(seconds(q.RetryAfter), 1)))
	}
}

// seconds rounds up, so that a client that waits so long is not too early.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
