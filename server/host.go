package server

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/server/service"
)

// farewellLimit is how long the end of a server may wait for the database.
const farewellLimit = 2 * time.Second

// beat tells the service that this server is there, until streams end; the admins see it among the hosts.
func (s *Server) beat() {
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
				s.log.Debug("this host could not say that it is there", "error", err)
			}
			select {
			case <-tick.C:
			case <-s.streams.Done():
				ctx, cancel := context.WithTimeout(context.Background(), farewellLimit)
				defer cancel()
				if err := s.o.Service.Leave(ctx, host); err != nil {
					s.log.Debug("this host could not say that it ends", "error", err)
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
