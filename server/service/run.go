package service

import (
	"context"

	"github.com/taproot-dev/taproot/internal/store"
)

// ClaimRun reserves the name of a run in a project: of all replicas, one succeeds.
func (s *Service) ClaimRun(ctx context.Context, project, run string) (bool, error) {
	n, err := s.db.Exec(ctx,
		"INSERT INTO run_names (project, run, created) VALUES ($1, $2, $3) ON CONFLICT (project, run) DO "+
			"NOTHING", project, run, store.Time(s.now()))
	return n == 1, err
}
