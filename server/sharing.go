package server

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/reporters/history"
	"github.com/taproot-dev/taproot/reporters/pack"
	"github.com/taproot-dev/taproot/server/service"
	"github.com/taproot-dev/taproot/server/shared"
)

const (
	publishLimit = 10 * time.Minute
	// fileAge is how old the list of runs from the bucket may be when a file of a local run is read: a page requests
	// many files at once.
	fileAge = time.Second
)

// sharing returns what creates the shared part of a project's space; nil without a bucket.
func (s *Server) sharing(p service.ProjectInfo, reports string, keep *retention) func(*upload.Folder) *shared.Project {
	if s.o.Bucket == nil {
		return nil
	}
	return func(tests *upload.Folder) *shared.Project {
		return shared.New(shared.Options{Bucket: s.o.Bucket, Name: "projects/" + p.ID, Reports: reports, Tests: tests,
			Limits: func() history.Limits {
				return history.Limits{Days: int(keep.days.Load()), Runs: int(keep.runs.Load())}
			},
			Claim: func(ctx context.Context, run string) (bool, error) { return s.o.Service.ClaimRun(ctx, p.ID, run) }})
	}
}

// share connects the space with the bucket, so that run names are unique among servers.
func (s *Server) share() {
	if s.o.share != nil {
		s.shared = s.o.share(s.files)
		s.o.Config.Claim = s.shared.Claim
	}
}

// publish copies a run to the bucket for the other servers.
func (s *Server) publish(ctx context.Context, run string) error {
	if s.shared == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishLimit)
	defer cancel()
	return s.shared.Publish(ctx, run)
}

func (s *Server) publishEnded(run string) error { return s.publish(context.Background(), run) }

// shares are the scopes of what servers share.
var shares = []string{readRuns, writeRuns, readReports, writeReports}

// fetch downloads what other servers have published, before a request for runs or reports is handled.
func (s *Server) fetch(r *http.Request, a access) error {
	if s.shared == nil || !slices.Contains(shares, a.scope) {
		return nil
	}
	run, file, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/reports/"), "/")
	if r.Method == http.MethodPost || r.Method == http.MethodDelete || file == "" || !pack.IsRunName(run) {
		return s.shared.Sync(r.Context())
	}
	if _, err := os.Lstat(filepath.Join(s.o.Config.Reports, run)); err != nil {
		return s.shared.Sync(r.Context())
	}
	if err := s.shared.SyncSince(r.Context(), fileAge); err != nil {
		s.log.WarnContext(r.Context(), "cannot check whether a report was deleted", "run", run, "error", err)
	}
	return nil
}
