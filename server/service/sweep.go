package service

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

const (
	sweepEvery = time.Hour
	namesKept  = 2 * 24 * time.Hour   // names of runs: only those of the last hour could be reused
	usageKept  = 400 * 24 * time.Hour // requests by day, key and path: a year and a month
)

// sweepAlways sweeps now and every hour. Several replicas may do so at once.
func (s *Service) sweepAlways(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "expired rows could not be removed", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sweep removes rows that are no longer needed, so that the database does not grow with each address of a client:
// counts of past minutes, sessions and tokens that have ended, expired links of e-mails and invitations, and old usage
// by day.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	for _, q := range []struct {
		query string
		from  any
	}{
		{"DELETE FROM limits WHERE used < $1", store.Time(now.Add(-2 * window))},
		{"DELETE FROM sessions WHERE expires < $1", store.Time(now)},
		{"DELETE FROM refresh_tokens WHERE expires < $1", store.Time(now)},
		{"DELETE FROM letters WHERE expires < $1", store.Time(now)},
		{"DELETE FROM invitations WHERE expires < $1", store.Time(now)},
		{"DELETE FROM hosts WHERE seen < $1", store.Time(now.Add(-hostsKept))},
		{"DELETE FROM run_names WHERE created < $1", store.Time(now.Add(-namesKept))},
		{"DELETE FROM usage_days WHERE day < $1", now.Add(-usageKept).Format(time.DateOnly)},
	} {
		if _, err := s.db.Exec(ctx, q.query, q.from); err != nil {
			return err
		}
	}
	return nil
}
