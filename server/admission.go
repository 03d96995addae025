package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/server/auth"
	"github.com/taproot-dev/taproot/server/limit"
	"github.com/taproot-dev/taproot/server/service"
	"github.com/taproot-dev/taproot/server/studio"
)

// access is what a route requires of a request.
type access struct {
	scope   string // scope that the credential must have; "": the route is public; "-": any valid credential
	upload  bool   // accepts multipart/form-data of any length
	free    bool   // not counted against rate limits
	stream  bool   // continues until the client disconnects
	pattern string
}

// caller is the sender of a request.
type caller struct {
	auth.Identity
	addr    string
	lease   string               // the ID of the lease that the request shows in X-Lease
	member  *service.Caller      // with accounts: the person or key, and the project
	project *service.ProjectInfo // on a host of a farm: the project that the hub named
	admin   bool                 // on a host of a farm: the hub says that the caller is an admin of the project
}

// isAdmin reports whether the caller is a person who is an admin of the project.
func (c caller) isAdmin() bool {
	return c.admin || c.member != nil && c.member.Person != nil && c.member.Project != nil &&
		c.member.Project.Role.Covers(service.RoleAdmin)
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// who names the caller in logs and leases.
func (c caller) who() string {
	if c.Name == "" {
		return "anonymous"
	}
	return c.Name
}

// serve is the last handler of the chain. It serves the console and Studio itself, and finds the route of all other
// requests. admit then identifies the caller and checks its permission and rate limits; answer checks the request and
// calls the route's handler.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if s.console != nil && isConsole(r.URL.Path) {
		s.serveConsole(w, r)
		return
	}
	if s.screens != nil && studio.IsAsset(r.URL.Path) {
		setLogRoute(r.Context(), "studio")
		s.screens.ServeHTTP(w, r)
		return
	}
	if s.studio != nil && studio.Path(r.URL.Path) {
		s.serveStudio(w, r)
		return
	}
	if s.console != nil && studio.Path(r.URL.Path) { // with accounts, the console opens Studio on a device
		setLogRoute(r.Context(), "studio")
		http.Redirect(w, r, "/console/", http.StatusSeeOther)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/api" {
		r = withoutPrefix(r)
	}
	if s.farmRuns != nil && isFarmRun(r.URL.Path) {
		s.serveFarmRun(w, r)
		return
	}
	h, pattern := s.route(r)
	setLogRoute(r.Context(), pattern)
	a, known := s.access[pattern]
	if !known {
		a.scope = "-" // only callers with a valid credential learn that a path does not exist
	}
	a.pattern = pattern
	c, fail := s.admit(w.Header(), r, a)
	setLogCaller(r.Context(), c)
	if fail == nil && !known {
		fail = s.routeError(w, r, h)
	}
	s.answer(w, r, c, a, fail)
}

// answer responds with fail, if admit has set it. Otherwise it checks the request's headers and query, reads its body
// and calls the handler of the caller's project, here or on the host that has the device.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, c caller, a access, fail *Error) {
	if fail == nil {
		fail = s.checkBody(r, a)
	}
	if fail == nil {
		fail = checkQuery(r)
	}
	if fail != nil {
		if r.ContentLength != 0 {
			w.Header().Set("Connection", "close") // respond without reading the body
		}
		writeError(w, fail)
		return
	}
	if !s.busy.enter(c.rateKey(), s.o.MaxBusy) {
		writeError(w, limited(fmt.Sprintf("more than %d requests at once; wait for some to end", s.o.MaxBusy), time.Second))
		return
	}
	defer s.busy.leave(c.rateKey())
	if !a.upload && r.Method != http.MethodGet && r.Method != http.MethodHead {
		if fail := s.readBody(w, r); fail != nil {
			writeError(w, fail)
			return
		}
	}
	ctx := context.WithValue(r.Context(), callerKey{}, c)
	at, err := s.space(c, a)
	if err == nil {
		err = at.fetch(r, a)
	}
	if err != nil {
		writeError(w, s.problem(ctx, err))
		return
	}
	if a.stream && c.member != nil {
		var stop func()
		ctx, stop = s.whileAllowed(ctx, c.member, a)
		defer stop()
	}
	r = r.WithContext(ctx)
	if there, err := at.forward(w, r, a); err != nil {
		writeError(w, s.problem(ctx, asDeviceError(err)))
	} else if !there {
		at.mux.ServeHTTP(w, r)
	}
	if out, ok := w.(*responseRecorder); ok && (r.Method != http.MethodGet && r.Method != http.MethodHead ||
		strings.HasPrefix(a.pattern, "GET /devices/{id}/")) {
		s.audit(ctx, a.pattern, r.URL.Path, out.status)
	}
}

// rateKey is the key under which the caller's requests are counted for rate limits: the name of its credential, or else
// its IP address. The owner of one IPv6 address can use all 2^64 addresses of its /64 network, so requests are counted
// per network.
func (c caller) rateKey() string {
	if c.Name != "" {
		return c.Name
	}
	if ip, err := netip.ParseAddr(c.addr); err == nil && ip.Is6() {
		return "address " + netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
	}
	return "address " + c.addr
}

// withoutPrefix removes /api from the path: the same API is served with and without it.
func withoutPrefix(r *http.Request) *http.Request {
	u := *r.URL
	cut := func(p string) string {
		if p = strings.TrimPrefix(p, "/api"); p == "" {
			return "/"
		}
		return p
	}
	u.Path = cut(u.Path)
	if u.RawPath != "" {
		u.RawPath = cut(u.RawPath)
	}
	out := *r
	out.URL = &u
	return &out
}

// route finds the handler of a request and its pattern. Paths with empty or dot segments have no handler; http.ServeMux
// would redirect them.
func (s *Server) route(r *http.Request) (http.Handler, string) {
	if clean := path.Clean(r.URL.Path); r.URL.Path != clean && (r.URL.Path != clean+"/" || clean == "/") ||
		strings.ContainsFunc(r.URL.Path, isControl) {
		return http.NotFoundHandler(), ""
	}
	h, pattern := s.mux.Handler(r)
	if _, known := s.access[pattern]; !known {
		return h, ""
	}
	return h, pattern
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// routeError returns the error of a path or method without a route. It calls the mux's own handler to find out which of
// the two it is, and which methods the path allows.
func (s *Server) routeError(w http.ResponseWriter, r *http.Request, h http.Handler) *Error {
	said := headersOnly{h: http.Header{}}
	h.ServeHTTP(&said, r)
	if said.status == http.StatusMethodNotAllowed {
		allow := said.h.Get("Allow")
		w.Header().Set("Allow", allow)
		return fault(http.StatusMethodNotAllowed, codeMethod, fmt.Sprintf("%s does not work here; use %s", r.Method, allow))
	}
	return fault(http.StatusNotFound, codeNotFound, "there is nothing at this path; /openapi.json lists all paths")
}

// headersOnly is a ResponseWriter that keeps the status and the headers and drops the body.
type headersOnly struct {
	h      http.Header
	status int
}

func (o *headersOnly) Header() http.Header { return o.h }
func (o *headersOnly) WriteHeader(status int) {
	if o.status == 0 {
		o.status = status
	}
}
func (o *headersOnly) Write(p []byte) (int, error) {
	o.WriteHeader(http.StatusOK)
	return len(p), nil
}

// admit identifies the caller and decides whether it may make this request now. The checks run in this order: origin
// (before anything else, so that pages of other sites learn nothing), credential, rate limit, scope. With accounts,
// admitMember does the last three; on a host of a farm, admitHub reads the caller from the hub's header.
func (s *Server) admit(h http.Header, r *http.Request, a access) (caller, *Error) {
	if s.o.FarmHost {
		return s.admitHub(r)
	}
	c := caller{addr: s.client(r), lease: r.Header.Get("X-Lease")}
	if fail := s.rejectForeignOrigin(r); fail != nil {
		return c, fail
	}
	if s.o.Service != nil {
		if strings.HasPrefix(r.URL.Path, authPaths) {
			if fail := s.admitAuth(h, r, c); fail != nil {
				return c, fail
			}
		}
		if a.scope == "" {
			return c, count(r.Context(), s.o.Limiter, h, c, a)
		}
		return s.admitMember(h, r, c, a)
	}
	if s.o.Auth != nil && a.scope != "" {
		who, err := s.identify(r)
		if err != nil {
			return c, s.credentialError(h, r, c, err)
		}
		c.Identity = who
	}
	if fail := count(r.Context(), s.o.Limiter, h, c, a); fail != nil {
		return c, fail
	}
	if s.o.Auth != nil && a.scope != "" && a.scope != "-" && !c.May(a.scope) {
		return c, fault(http.StatusForbidden, codeForbidden,
			fmt.Sprintf("the token lacks the scope %s; its claim scope names those that it has", a.scope))
	}
	return c, nil
}

// credentialError returns the 401 for a missing or invalid credential. Invalid ones are also counted against the
// client's address: when there are too many, the error is the 429 instead.
func (s *Server) credentialError(h http.Header, r *http.Request, c caller, err error) *Error {
	h.Set("WWW-Authenticate", `Bearer realm="taproot"`)
	if errors.Is(err, auth.ErrMissing) {
		if fail := count(r.Context(), s.o.Limiter, h, c, access{}); fail != nil {
			return fail
		}
		return fault(http.StatusUnauthorized, codeMissingToken, auth.ErrMissing.Error())
	}
	if fail := count(r.Context(), s.o.Guesses, h, c, access{}); fail != nil {
		return fail
	}
	h.Set("WWW-Authenticate", `Bearer realm="taproot", error="invalid_token"`)
	return fault(http.StatusUnauthorized, codeInvalidToken, err.Error())
}

// count takes one request from the caller's allowance.
func count(ctx context.Context, l limit.Limiter, h http.Header, c caller, a access) *Error {
	if l == nil || a.free {
		return nil
	}
	q, err := l.Take(ctx, c.rateKey())
	if err != nil {
		return fault(http.StatusInternalServerError, codeInternal, "requests cannot be counted")
	}
	if q.Headers(h); q.Allowed {
		return nil
	}
	return fault(http.StatusTooManyRequests, codeRateLimited,
		fmt.Sprintf("more than %d requests per minute; Retry-After says how many seconds to wait", q.Limit))
}

// rejectForeignOrigin rejects requests that a page of another site made a browser send. Such a page chooses the URL,
// but it cannot forge the headers Origin, Sec-Fetch-* and Referer. Without authentication, and where Studio can save
// tests, it also rejects unknown names in Host: a site can let its own domain name resolve to this server (DNS
// rebinding), and its pages then have the server's origin.
func (s *Server) rejectForeignOrigin(r *http.Request) *Error {
	if (s.o.Auth == nil && s.o.Service == nil || s.project != nil) && !s.ownHost(r.Host) {
		return fault(http.StatusForbidden, codeForbidden,
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
	return fault(http.StatusForbidden, codeForbidden,
		"pages of other sites may not use this server; add theirs to CORS_ORIGINS")
}

// ownOrigin reports whether pages of the origin may use this server.
func (s *Server) ownOrigin(origin, host string) bool {
	if slices.Contains(s.o.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host) && (u.Scheme == "http" || u.Scheme == "https")
}

// ownReferer reports whether a page of a report made the request. Such pages run in a sandbox, so their requests have
// an opaque origin; their Referer still names this server.
func (s *Server) ownReferer(r *http.Request) bool {
	u, err := url.Parse(r.Referer())
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	return err == nil && safe && u.Host != "" && strings.EqualFold(u.Host, r.Host) &&
		strings.HasPrefix(strings.TrimPrefix(r.URL.Path, "/api"), "/reports/")
}

// ownHost reports whether the Host header names this server: an IP address, localhost, the machine's name or a
// configured name. A foreign site cannot use any of these as its domain.
func (s *Server) ownHost(host string) bool {
	name := hostOnly(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	own := append([]string{"localhost", s.host}, s.o.Hosts...)
	return name != "" &&
		slices.ContainsFunc(own, func(o string) bool { return strings.EqualFold(strings.TrimSuffix(name, "."), o) })
}

func hostOnly(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// client returns the IP address of the client. It is taken from X-Forwarded-For only as far as trusted proxies have
// added to it.
func (s *Server) client(r *http.Request) string {
	addr := hostOnly(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		ip, err := netip.ParseAddr(addr)
		if err != nil || !slices.ContainsFunc(s.o.Proxies, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) }) {
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

// checkBody checks the headers of the body before it is read. HTML forms of other sites cannot send Content-Type:
// application/json.
func (s *Server) checkBody(r *http.Request, a access) *Error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	kind := r.Header.Get("Content-Type")
	if kind == "" && r.ContentLength == 0 {
		return nil
	}
	media, params, err := mime.ParseMediaType(kind)
	want := "application/json"
	if a.upload {
		want = "multipart/form-data"
	}
	charset := params["charset"]
	switch {
	case err != nil || media != want:
		return fault(http.StatusUnsupportedMediaType, codeMediaType, "send the body with Content-Type: "+want)
	case charset != "" && !strings.EqualFold(charset, "utf-8") && !a.upload:
		return fault(http.StatusUnsupportedMediaType, codeMediaType, "send the body in UTF-8")
	case r.Header.Get("Content-Encoding") != "":
		return fault(http.StatusUnsupportedMediaType, codeMediaType, "send the body without Content-Encoding")
	case r.ContentLength > s.o.MaxBody && !a.upload:
		return fault(http.StatusRequestEntityTooLarge, codeTooLarge, fmt.Sprintf("a body has at most %d bytes", s.o.MaxBody))
	}
	return nil
}

// readBody reads the whole body before the handler runs, so that a client that sends slowly occupies only its
// connection.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) *Error {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.o.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return fault(http.StatusRequestEntityTooLarge, codeTooLarge, fmt.Sprintf("a body has at most %d bytes", s.o.MaxBody))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault(http.StatusGatewayTimeout, codeTimeout, "the request did not arrive in time")
	case err != nil:
		return invalid("the body was cut off")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the body has arrived; the handler may take longer
	r.Body = io.NopCloser(bytes.NewReader(data))
	return nil
}

// busy counts the current requests of each caller.
type busy struct {
	mu sync.Mutex
	n  map[string]int
}

func (b *busy) enter(name string, most int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n == nil {
		b.n = map[string]int{}
	}
	if b.n[name] >= most {
		return false
	}
	b.n[name]++
	return true
}

func (b *busy) leave(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n[name]--; b.n[name] == 0 {
		delete(b.n, name)
	}
}
