// Package tenants finds the project that a request is for: its devices, runs and files.
package tenants

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/service"
	"github.com/taproot-dev/taproot/server/internal/shared"
)

// Router finds the tenant of a request. With accounts each project has one, which is opened when it is used first.
type Router struct {
	o    RouterOptions
	root *Tenant // of everything that belongs to no project

	mu     sync.Mutex
	byID   map[string]*Tenant
	closed bool
}

// RouterOptions configure a Router.
type RouterOptions struct {
	Tenant   Options          // those of the root; projects have their own folders
	Service  *service.Service // nil: there are no projects, or a hub names them
	Projects string           // the folder with a folder for each project
	Bucket   blob.Bucket      // where servers share projects; nil: each server has its own
}

// NewRouter opens the root.
func NewRouter(o RouterOptions) (*Router, error) {
	root, err := Open(o.Tenant)
	return &Router{o: o, root: root, byID: map[string]*Tenant{}}, err
}

// Root returns the tenant of everything that belongs to no project.
func (r *Router) Root() *Tenant { return r.root }

type tenantKey struct{}

// With returns the context of a request for a tenant.
func With(ctx context.Context, t *Tenant) context.Context {
	return context.WithValue(ctx, tenantKey{}, t)
}

// Of returns the tenant that a request is for.
func (r *Router) Of(ctx context.Context) *Tenant {
	if t, ok := ctx.Value(tenantKey{}).(*Tenant); ok {
		return t
	}
	return r.root
}

// within are the scopes of what belongs to one project's space.
var within = []string{rest.ReadDevices, rest.WriteDevices, rest.ReadRuns, rest.WriteRuns, rest.ReadReports,
	rest.WriteReports}

// Find returns the tenant that handles a request: with accounts, that of the caller's project for everything that
// belongs to projects.
func (r *Router) Find(c rest.Caller, a rest.Access) (*Tenant, error) {
	if c.Project != nil {
		return r.open(*c.Project)
	}
	if r.o.Service == nil || c.Member == nil || !slices.Contains(within, a.Scope) {
		return r.root, nil
	}
	p := c.Member.Project
	if p == nil {
		return nil, rest.Fault(http.StatusForbidden, rest.CodeForbidden,
			"you are a member of no project; create one with POST /projects")
	}
	return r.open(p.ProjectInfo)
}

func (r *Router) open(p service.ProjectInfo) (*Tenant, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, rest.Fault(http.StatusServiceUnavailable, rest.CodeUnavailable, "the server is shutting down")
	}
	if own := r.byID[p.ID]; own != nil {
		own.retention.set(p.ReportDays, p.ReportRuns)
		return own, nil
	}
	return r.openLocked(p)
}

// openLocked opens a project. The caller holds the lock.
func (r *Router) openLocked(p service.ProjectInfo) (*Tenant, error) {
	own, err := r.openProject(p)
	if err != nil {
		return nil, fmt.Errorf("open the space of a project: %w", err)
	}
	r.byID[p.ID] = own
	return own, nil
}

// OpenQueued opens the projects with queued runs that an earlier process did not start.
func (r *Router) OpenQueued() error {
	if r.o.Service == nil {
		return nil
	}
	waiting, err := filepath.Glob(filepath.Join(r.o.Projects, "*", reportsFolder))
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, reports := range waiting {
		if !jobs.AnyQueued(reports) {
			continue
		}
		p, err := r.o.Service.Operator().Project(context.Background(), filepath.Base(filepath.Dir(reports)))
		if err == nil {
			_, err = r.openLocked(p)
		}
		if err != nil {
			r.o.Tenant.Log.Warn("cannot open a project with queued runs", "folder", filepath.Dir(reports), "error", err)
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

// openProject opens the folders of a project. The ID was created by the service, never by a client.
func (r *Router) openProject(p service.ProjectInfo) (*Tenant, error) {
	o := r.o.Tenant
	o.project, o.Studio, o.Metrics = p.ID, nil, nil
	dir := filepath.Join(r.o.Projects, p.ID)
	o.Files = filepath.Join(dir, "files")
	o.Config.Dir, o.Config.Reports = o.Files, filepath.Join(dir, reportsFolder)
	for _, folder := range []string{o.Files, o.Config.Reports} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	keep := &retention{}
	keep.set(p.ReportDays, p.ReportRuns)
	o.keep = keep
	o.Config.Getenv = keep.environment(o.Config.Getenv)
	o.share = r.sharing(p, o.Config.Reports, keep)
	return Open(o)
}

// Close closes all tenants; none is opened afterwards.
func (r *Router) Close() error {
	r.mu.Lock()
	r.closed = true
	all := r.byID
	r.byID = nil
	r.mu.Unlock()
	var work sync.WaitGroup
	var ended error
	work.Go(func() { ended = r.root.Close() })
	var errs []error
	for _, t := range all {
		errs = append(errs, t.Close())
	}
	work.Wait()
	return errors.Join(append(errs, ended)...)
}

// dropLimit limits how long a project is removed from the bucket.
const dropLimit = 10 * time.Minute

// Drop closes the tenant of a deleted project, and removes its folders.
func (r *Router) Drop(id string) error {
	r.mu.Lock()
	own := r.byID[id]
	delete(r.byID, id)
	r.mu.Unlock()
	var err error
	if own != nil {
		err = own.Close()
	}
	err = errors.Join(err, os.RemoveAll(filepath.Join(r.o.Projects, id)))
	if r.o.Bucket == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), dropLimit)
	defer cancel()
	return errors.Join(err, shared.New(shared.Options{Bucket: r.o.Bucket, Name: "projects/" + id}).Drop(ctx))
}

// sharing returns what creates the shared part of a project's space; nil without a bucket.
func (r *Router) sharing(p service.ProjectInfo, reports string, keep *retention) func(*upload.Folder) *shared.Project {
	if r.o.Bucket == nil {
		return nil
	}
	return func(tests *upload.Folder) *shared.Project {
		return shared.New(shared.Options{Bucket: r.o.Bucket, Name: "projects/" + p.ID, Reports: reports, Tests: tests,
			Limits: func() history.Limits {
				return history.Limits{Days: int(keep.days.Load()), Runs: int(keep.runs.Load())}
			},
			Claim: func(ctx context.Context, run string) (bool, error) { return r.o.Service.ClaimRun(ctx, p.ID, run) }})
	}
}

// Count counts the runs of all projects.
func (r *Router) Count() (running, queued int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, own := range r.byID {
		n := own.Runs.Count()
		running, queued = running+n[jobs.Running], queued+n[jobs.Queued]
	}
	return running, queued
}

// FarmDevices lists the devices of this host for hubs, with what each project sees of them.
func (r *Router) FarmDevices(ctx context.Context) ([]wire.Device, error) {
	list, err := r.root.Devices.ForHubs(ctx)
	for project, t := range r.all() {
		list = t.Devices.AddTo(list, project)
	}
	return list, err
}

// all returns the tenants by project, with the root.
func (r *Router) all() map[string]*Tenant {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]*Tenant{"": r.root}
	maps.Copy(all, r.byID)
	return all
}
