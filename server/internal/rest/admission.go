package rest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/server/internal/auth"
	"github.com/taproot-dev/taproot/server/internal/limit"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// Admission decides which requests are let through.
type Admission struct {
	OnHost   bool             // on a host of a farm: only requests of hubs
	Service  *service.Service // nil: Auth decides
	Auth     *auth.Gate       // nil: every caller may use everything
	Limiter  limit.Limiter    // nil: no limit
	Guesses  limit.Limiter    // of wrong credentials; nil: no limit
	Origins  []string         // other origins, of which pages may use the server
	Host     string           // name of this machine
	Hosts    []string         // other names of the server
	Proxies  []netip.Prefix   // that may name the client's address
	Problems *Problems
	// SavesTests means that pages can save tests of this machine's user.
	SavesTests bool
	// Session returns who is logged in to Studio; nil: there is no Studio.
	Session func(*http.Request) (auth.Identity, bool)
}

// Admit identifies the caller and decides whether it may make this request now. The checks run in this order: origin
// (before anything else, so that pages of other sites learn nothing), credential, rate limit, scope. With accounts,
// admitMember does the last three; on a host of a farm, admitHub reads the caller from the hub's header.
func (s *Admission) Admit(h http.Header, r *http.Request, a Access) (Caller, *Error) {
	if s.OnHost {
		return admitHub(r)
	}
	c := Caller{Addr: s.Client(r), Lease: r.Header.Get("X-Lease")}
	if fail := s.RejectForeignOrigin(r); fail != nil {
		return c, fail
	}
	if s.Service != nil {
		if strings.HasPrefix(r.URL.Path, authPaths) {
			if fail := s.admitAuth(h, r, c); fail != nil {
				return c, fail
			}
		}
		if a.Scope == "" {
			return c, Count(r.Context(), s.Limiter, h, c, a)
		}
		return s.admitMember(h, r, c, a)
	}
	if s.Auth != nil && a.Scope != "" {
		who, err := s.identify(r)
		if err != nil {
			return c, s.credentialError(h, r, c, err)
		}
		c.Identity = who
	}
	if fail := Count(r.Context(), s.Limiter, h, c, a); fail != nil {
		return c, fail
	}
	if s.Auth != nil && a.Scope != "" && a.Scope != "-" && !c.May(a.Scope) {
		return c, Fault(http.StatusForbidden, CodeForbidden,
			fmt.Sprintf("the token lacks the scope %s; its claim scope names those that it has", a.Scope))
	}
	return c, nil
}

// credentialError returns the 401 for a missing or invalid credential. Invalid ones are also counted against the
// client's address: when there are too many, the error is the 429 instead.
func (s *Admission) credentialError(h http.Header, r *http.Request, c Caller, err error) *Error {
	h.Set("WWW-Authenticate", `Bearer realm="taproot"`)
	if errors.Is(err, auth.ErrMissing) {
		if fail := Count(r.Context(), s.Limiter, h, c, Access{}); fail != nil {
			return fail
		}
		return Fault(http.StatusUnauthorized, CodeMissingToken, auth.ErrMissing.Error())
	}
	if fail := Count(r.Context(), s.Guesses, h, c, Access{}); fail != nil {
		return fail
	}
	h.Set("WWW-Authenticate", `Bearer realm="taproot", error="invalid_token"`)
	return Fault(http.StatusUnauthorized, CodeInvalidToken, err.Error())
}

// Count takes one request from the caller's allowance.
func Count(ctx context.Context, l limit.Limiter, h http.Header, c Caller, a Access) *Error {
	if l == nil || a.Free {
		return nil
	}
	q, err := l.Take(ctx, c.RateKey())
	if err != nil {
		return Fault(http.StatusInternalServerError, CodeInternal, "requests cannot be counted")
	}
	if q.Headers(h); q.Allowed {
		return nil
	}
	return Fault(http.StatusTooManyRequests, CodeRateLimited,
		fmt.Sprintf("more than %d requests per minute; Retry-After says how many seconds to wait", q.Limit))
}

// RejectForeignOrigin rejects requests that a page of another site made a browser send. Such a page chooses the URL,
// but it cannot forge the headers Origin, Sec-Fetch-* and Referer. Without authentication, and where Studio can save
// tests, it also rejects unknown names in Host: a site can let its own domain name resolve to this server (DNS
// rebinding), and its pages then have the server's origin.
func (s *Admission) RejectForeignOrigin(r *http.Request) *Error {
	if (s.Auth == nil && s.Service == nil || s.SavesTests) && !s.ownHost(r.Host) {
		return Fault(http.StatusForbidden, CodeForbidden,
			fmt.Sprintf("the server does not go by the name %.100q; add it to TAPROOT_ALLOWED_HOSTS", hostOnly(r.Host)))
	}
	origin := r.Header.Get("Origin")
	if origin != "" && s.ownOrigin(origin, r.Host) {
		return nil
	}
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case origin != "":
	case site == "" || site == "none" || site == "same-origin":
		return nil
	case r.Header.Get("Sec-Fetch-Mode") == "navigate" && (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		r.Header.Get("Sec-Fetch-Dest") == "document":
		return nil // a link: the other site cannot read the response
	case s.ownReferer(r):
		return nil
	}
	return Fault(http.StatusForbidden, CodeForbidden,
		"pages of other sites may not use this server; add theirs to CORS_ORIGINS")
}

// ownOrigin reports whether pages of the origin may use this server.
func (s *Admission) ownOrigin(origin, host string) bool {
	if slices.Contains(s.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host) && (u.Scheme == "http" || u.Scheme == "https")
}

// ownReferer reports whether a page of a report made the request. Such pages run in a sandbox, so their requests have
// an opaque origin; their Referer still names this server.
func (s *Admission) ownReferer(r *http.Request) bool {
	u, err := url.Parse(r.Referer())
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	return err == nil && safe && u.Host != "" && strings.EqualFold(u.Host, r.Host) &&
		strings.HasPrefix(strings.TrimPrefix(r.URL.Path, "/api"), "/reports/")
}

// ownHost reports whether the Host header names this server: an IP address, localhost, the machine's name or a
// configured name. A foreign site cannot use any of these as its domain.
func (s *Admission) ownHost(host string) bool {
	name := hostOnly(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	own := append([]string{"localhost", s.Host}, s.Hosts...)
	return name != "" &&
		slices.ContainsFunc(own, func(o string) bool { return strings.EqualFold(strings.TrimSuffix(name, "."), o) })
}

func hostOnly(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// Client returns the IP address of the client. It is taken from X-Forwarded-For only as far as trusted proxies have
// added to it.
func (s *Admission) Client(r *http.Request) string {
	addr := hostOnly(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		ip, err := netip.ParseAddr(addr)
		if err != nil || !slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) }) {
			break
		}
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		addr = next.Unmap().String()
	}
	return addr
}

// identify returns the sender of a request, by its credential or by a session of Studio.
func (s *Admission) identify(r *http.Request) (auth.Identity, error) {
	who, err := s.Auth.Identify(r.Header)
	if errors.Is(err, auth.ErrMissing) && s.Session != nil {
		if person, ok := s.Session(r); ok {
			return person, nil
		}
	}
	return who, err
}

// authPaths is the prefix of paths that accept ten requests per minute.
const authPaths = "/auth/"

// admitAuth counts a request to /auth/* against its address, with any content, and also when its path does not exist.
func (s *Admission) admitAuth(h http.Header, r *http.Request, c Caller) *Error {
	q, err := s.Service.TakeAuth(r.Context(), c.RateKey(), "")
	if err != nil {
		return s.Problems.Of(r.Context(), err)
	}
	return QuotaHeaders(h, "auth", q)
}
