package server

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/server/service"
)

// farewellTimeout is how long the shutdown of a server may wait for the database.
const farewellTimeout = 2 * time.Second

// reportRunning reports regularly to the service that this server is running, until streams end. Admins see it among
// the hosts.
func (s *Server) reportRunning() {
	if s.o.Service == nil {
		return
	}
	host := s.o.Service.NewHost(s.host, s.o.Version)
	s.beating.Go(func() {
		tick := time.NewTicker(service.HostBeat)
		defer tick.Stop()
		for {
			host.Running, host.Queued = s.spaces.count()
			if err := s.o.Service.Here(s.streams, host); err != nil && s.streams.Err() == nil {
				s.log.Debug("cannot report that this host is running", "error", err)
			}
			select {
			case <-tick.C:
			case <-s.streams.Done():
				ctx, cancel := context.WithTimeout(context.Background(), farewellTimeout)
				defer cancel()
				if err := s.o.Service.Leave(ctx, host); err != nil {
					s.log.Debug("cannot report that this host ends", "error", err)
				}
				return
			}
		}
	})
}

// count counts the runs of all projects.
func (p *spaces) count() (running, queued int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, own := range p.byID {
		n := own.runs.Count()
		running, queued = running+n[jobs.Running], queued+n[jobs.Queued]
	}
	return running, queued
}
