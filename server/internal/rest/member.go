package rest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/server/internal/auth"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// admitMember identifies the caller with the service, counts the request, and checks the permission.
func (s *Admission) admitMember(h http.Header, r *http.Request, c Caller, a Access) (Caller, *Error) {
	ctx := r.Context()
	who, err := s.Service.Identify(ctx, r.Header, service.From{Address: c.Addr, Agent: r.UserAgent()})
	if errors.Is(err, service.ErrInvalid) && a.Pattern == "GET "+MetricsPath {
		var name string
		if name, err = s.Service.MetricsReader(ctx, r.Header); err == nil {
			c.Identity = auth.Identity{Name: name}
			return c, nil
		}
	}
	switch {
	case errors.Is(err, service.ErrMissing):
		return c, s.credentialError(h, r, c, auth.ErrMissing)
	case errors.Is(err, service.ErrInvalid):
		return c, s.credentialError(h, r, c, auth.ErrInvalid)
	case err != nil:
		return c, s.Problems.Of(ctx, err)
	}
	c.Member, c.Identity = who, auth.Identity{Name: who.Name}
	if !a.Free {
		endpoint := a.Pattern
		if endpoint == "" {
			endpoint = "other"
		}
		q, err := s.Service.Take(ctx, who, endpoint)
		if err != nil {
			return c, s.Problems.Of(ctx, err)
		}
		if fail := QuotaHeaders(h, "plan", q); fail != nil {
			return c, fail
		}
	}
	return c, MayMember(who, a)
}

// MetricsPath is where the metrics are read, also by keys that can do nothing else.
const MetricsPath = "/metrics"

// PermissionInterval is how often the permission of a caller of a stream is checked again.
const PermissionInterval = 500 * time.Millisecond

// ErrNotAllowed is the cause of the end of a stream.
var ErrNotAllowed = errors.New("your credential may not do this any more")

// WhileAllowed ends a streaming response when the caller's permission ends: a key was revoked, a person logged out or
// was removed.
func WhileAllowed(ctx context.Context, who *service.Caller, a Access) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var asking sync.WaitGroup
	asking.Go(func() {
		for drivers.Pause(ctx, PermissionInterval) == nil {
			now, err := who.Again(ctx)
			var gone *store.UnavailableError
			if errors.As(err, &gone) || ctx.Err() != nil { // the database is unavailable: keep the stream
				continue
			}
			if err != nil || MayMember(now, a) != nil {
				cancel(ErrNotAllowed)
			}
		}
	})
	return ctx, func() { cancel(nil); asking.Wait() }
}

// MayMember checks that a caller may use a route.
func MayMember(who *service.Caller, a Access) *Error {
	switch {
	case a.Scope == "-", a.Scope == "":
		return nil
	case a.Scope == ScopePerson && who.Person == nil:
		return Fault(http.StatusForbidden, CodeForbidden,
			"this is for people: log in with POST /auth/login and send the access token; an API key cannot do it")
	case a.Scope == ReadServer && (who.Person == nil || !who.Person.Account.Admin):
		return Fault(http.StatusForbidden, CodeForbidden, "this is for admins of the service")
	case a.Scope != ScopePerson && a.Scope != ReadServer && !who.May(a.Scope):
		return Fault(http.StatusForbidden, CodeForbidden,
			fmt.Sprintf("the credential lacks the scope %s, or your role in the project does", a.Scope))
	}
	return nil
}

// QuotaHeaders sets the rate limit headers, and returns the 429 when the quota is used up.
func QuotaHeaders(h http.Header, policy string, q service.Quota) *Error {
	if q.Limit == 0 {
		return nil
	}
	reset := strconv.Itoa(seconds(q.Reset))
	h.Set("RateLimit-Policy", fmt.Sprintf(`%q;q=%d;w=60`, policy, q.Limit))
	h.Set("RateLimit", fmt.Sprintf(`%q;r=%d;t=%s`, policy, q.Remaining, reset))
	h.Set("RateLimit-Limit", strconv.Itoa(q.Limit))
	h.Set("RateLimit-Remaining", strconv.Itoa(q.Remaining))
	h.Set("RateLimit-Reset", reset)
	if q.Allowed {
		return nil
	}
	fail := Fault(http.StatusTooManyRequests, CodeRateLimited,
		fmt.Sprintf("more than %d requests in a minute; Retry-After says how many seconds to wait", q.Limit))
	fail.Headers = http.Header{"Retry-After": {strconv.Itoa(max(seconds(q.RetryAfter), 1))}}
	return fail
}

// seconds rounds up, so that a client that waits this long does not retry too early.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// CountMember counts one request against the plan of the project's owner.
func (s *Admission) CountMember(ctx context.Context, h http.Header, who *service.Caller, a Access) *Error {
	q, err := s.Service.Take(ctx, who, a.Pattern)
	if err != nil {
		return s.Problems.Of(ctx, err)
	}
	return QuotaHeaders(h, "plan", q)
}
