package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/server/auth"
	"github.com/taproot-dev/taproot/server/service"
	"github.com/taproot-dev/taproot/server/shared"
)

// spaces are the servers of the projects, each with its own folders, runs, pages and leases. Nothing of another project
// can be named in one.
type spaces struct {
	mu     sync.Mutex
	byID   map[string]*Server
	closed bool
}

// within are the scopes of what belongs to one project's space.
var within = []string{readDevices, writeDevices, readRuns, writeRuns, readReports, writeReports}

// space returns the server that handles a request: with accounts, that of the caller's project for everything that
// belongs to projects.
func (s *Server) space(c caller, a access) (*Server, error) {
	if c.project != nil {
		return s.spaceOf(*c.project)
	}
	if s.o.Service == nil || c.member == nil || !slices.Contains(within, a.scope) {
		return s, nil
	}
	p := c.member.Project
	if p == nil {
		return nil, fault(http.StatusForbidden, codeForbidden,
			"you are a member of no project; create one with POST /projects")
	}
	return s.spaceOf(p.ProjectInfo)
}

func (s *Server) spaceOf(p service.ProjectInfo) (*Server, error) {
	s.spaces.mu.Lock()
	defer s.spaces.mu.Unlock()
	if s.spaces.closed {
		return nil, fault(http.StatusServiceUnavailable, codeUnavailable, "the server is shutting down")
	}
	if own := s.spaces.byID[p.ID]; own != nil {
		own.retention.set(p.ReportDays, p.ReportRuns)
		return own, nil
	}
	return s.openSpace(p)
}

// openSpace opens the space of a project. The caller holds the lock of spaces.
func (s *Server) openSpace(p service.ProjectInfo) (*Server, error) {
	own, err := s.newSpace(p)
	if err != nil {
		return nil, fmt.Errorf("open the space of a project: %w", err)
	}
	if s.spaces.byID == nil {
		s.spaces.byID = map[string]*Server{}
	}
	s.spaces.byID[p.ID] = own
	return own, nil
}

// openQueued opens the projects with queued runs that an earlier process did not start.
func (s *Server) openQueued() error {
	if s.o.Service == nil {
		return nil
	}
	waiting, err := filepath.Glob(filepath.Join(s.o.Projects, "*", reportsFolder))
	if err != nil {
		return err
	}
	s.spaces.mu.Lock()
	defer s.spaces.mu.Unlock()
	for _, reports := range waiting {
		if !jobs.AnyQueued(reports) {
			continue
		}
		p, err := s.o.Service.Operator().Project(context.Background(), filepath.Base(filepath.Dir(reports)))
		if err == nil {
			_, err = s.openSpace(p)
		}
		if err != nil {
			s.log.Warn("cannot open a project with queued runs", "folder", filepath.Dir(reports), "error", err)
		}
	}
	return nil
}

// reportsFolder is the name of the folder of reports in a project's folder.
const reportsFolder = "reports"

// retention is how long a project keeps reports. Its admins may change it at any time.
type retention struct{ days, runs atomic.Int64 }

func (r *retention) set(days, runs int) {
	r.days.Store(int64(days))
	r.runs.Store(int64(runs))
}

// environment returns the environment of a project's runs: with the project's own limits, and without the operator's
// chats and repositories.
func (r *retention) environment(getenv func(string) string) func(string) string {
	if getenv == nil {
		getenv = os.Getenv
	}
	return func(name string) string {
		switch {
		case name == "REPORT_MAX_DAYS":
			return strconv.FormatInt(r.days.Load(), 10)
		case name == "REPORT_MAX_RUNS":
			return strconv.FormatInt(r.runs.Load(), 10)
		case strings.HasPrefix(name, "GITHUB_"),
			slices.Contains([]string{"SLACK_WEBHOOK_URL", "FEISHU_WEBHOOK_URL", "NOTIFY_URLS", "TAPROOT_REPORT_URL"}, name):
			return ""
		}
		return getenv(name)
	}
}

// newSpace opens the folders of a project. The ID was created by the service, never by a client.
func (s *Server) newSpace(p service.ProjectInfo) (*Server, error) {
	o := s.o
	o.Service, o.Auth, o.Limiter, o.Guesses, o.ownFiles, o.projectID = nil, nil, nil, nil, true, p.ID
	if s.o.Service != nil {
		o.refused = s.o.Service.Refused
	}
	dir := filepath.Join(s.o.Projects, p.ID)
	o.Files = filepath.Join(dir, "files")
	o.Config.Dir, o.Config.Reports = o.Files, filepath.Join(dir, reportsFolder)
	for _, folder := range []string{o.Files, o.Config.Reports} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	keep := &retention{}
	keep.set(p.ReportDays, p.ReportRuns)
	o.Config.Getenv = keep.environment(o.Config.Getenv)
	o.share = s.sharing(p, o.Config.Reports, keep)
	own, err := New(o)
	if err == nil {
		own.retention = keep
	}
	return own, err
}

// close closes all spaces; none is opened afterwards.
func (p *spaces) close() error {
	p.mu.Lock()
	p.closed = true
	all := p.byID
	p.byID = nil
	p.mu.Unlock()
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// dropSpace closes the space of a deleted project, and removes its folders.
func (s *Server) dropSpace(id string) error {
	s.spaces.mu.Lock()
	own := s.spaces.byID[id]
	delete(s.spaces.byID, id)
	s.spaces.mu.Unlock()
	var err error
	if own != nil {
		err = own.Close()
	}
	err = errors.Join(err, os.RemoveAll(filepath.Join(s.o.Projects, id)))
	if s.o.Bucket == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), publishLimit)
	defer cancel()
	return errors.Join(err, shared.New(shared.Options{Bucket: s.o.Bucket, Name: "projects/" + id}).Drop(ctx))
}

// scopePerson is the scope of what persons do with their account and projects, which keys cannot.
const scopePerson = "person"

// admitMember identifies the caller with the service, counts the request, and checks the permission.
func (s *Server) admitMember(h http.Header, r *http.Request, c caller, a access) (caller, *Error) {
	ctx := r.Context()
	who, err := s.o.Service.Identify(ctx, r.Header, service.From{Address: c.addr, Agent: r.UserAgent()})
	if errors.Is(err, service.ErrInvalid) && a.pattern == "GET "+metricsPath {
		var name string
		if name, err = s.o.Service.MetricsReader(ctx, r.Header); err == nil {
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
		return c, s.problem(ctx, err)
	}
	c.member, c.Identity = who, auth.Identity{Name: who.Name}
	if !a.free {
		endpoint := a.pattern
		if endpoint == "" {
			endpoint = "other"
		}
		q, err := s.o.Service.Take(ctx, who, endpoint)
		if err != nil {
			return c, s.problem(ctx, err)
		}
		if fail := quotaHeaders(h, "plan", q); fail != nil {
			return c, fail
		}
	}
	return c, mayMember(who, a)
}

// permissionInterval is how often the permission of a caller of a stream is checked again.
const permissionInterval = 500 * time.Millisecond

// errNotAllowed is the cause of the end of a stream.
var errNotAllowed = errors.New("your credential may not do this any more")

// whileAllowed ends a streaming response when the caller's permission ends: a key was revoked, a person logged out or
// was removed.
func (s *Server) whileAllowed(ctx context.Context, who *service.Caller, a access) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var asking sync.WaitGroup
	asking.Go(func() {
		for drivers.Pause(ctx, permissionInterval) == nil {
			now, err := who.Again(ctx)
			var gone *store.UnavailableError
			if errors.As(err, &gone) || ctx.Err() != nil { // the database is unavailable: keep the stream
				continue
			}
			if err != nil || mayMember(now, a) != nil {
				cancel(errNotAllowed)
			}
		}
	})
	return ctx, func() { cancel(nil); asking.Wait() }
}

// mayMember checks that a caller may use a route.
func mayMember(who *service.Caller, a access) *Error {
	switch {
	case a.scope == "-", a.scope == "":
		return nil
	case a.scope == scopePerson && who.Person == nil:
		return fault(http.StatusForbidden, codeForbidden,
			"this is for people: log in with POST /auth/login and send the access token; an API key cannot do it")
	case a.scope == readServer && (who.Person == nil || !who.Person.Account.Admin):
		return fault(http.StatusForbidden, codeForbidden, "this is for admins of the service")
	case a.scope != scopePerson && a.scope != readServer && !who.May(a.scope):
		return fault(http.StatusForbidden, codeForbidden,
			fmt.Sprintf("the credential lacks the scope %s, or your role in the project does", a.scope))
	}
	return nil
}

// quotaHeaders sets the rate limit headers, and returns the 429 when the quota is used up.
func quotaHeaders(h http.Header, policy string, q service.Quota) *Error {
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
	fail := fault(http.StatusTooManyRequests, codeRateLimited,
		fmt.Sprintf("more than %d requests in a minute; Retry-After says how many seconds to wait", q.Limit))
	fail.headers = http.Header{"Retry-After": {strconv.Itoa(max(seconds(q.RetryAfter), 1))}}
	return fail
}

// memberProblem converts errors about accounts and credentials, and of an unavailable database.
func memberProblem(err error) *Error {
	var known *service.Error
	var gone *store.UnavailableError
	switch {
	case errors.As(err, &known):
		e := fault(known.Status, known.Code, known.Message)
		if known.After > 0 {
			e.headers = http.Header{"Retry-After": {strconv.Itoa(seconds(known.After))}}
		}
		return e
	case errors.As(err, &gone) && gone.Full:
		return fault(http.StatusInsufficientStorage, codeFull, "the disk of the service's database is full; nothing was kept")
	case errors.As(err, &gone):
		e := fault(http.StatusServiceUnavailable, codeUnavailable,
			"the database cannot be reached; try again in some seconds")
		e.headers = http.Header{"Retry-After": {"5"}}
		return e
	}
	return nil
}
