package server

import (
	"context"
	"time"

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
	host := s.o.Service.NewHost(s.admission.Host, s.o.Version)
	s.beating.Go(func() {
		tick := time.NewTicker(service.HostBeat)
		defer tick.Stop()
		for {
			host.Running, host.Queued = s.tenants.Count()
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

// reportLocalDevices reports the devices of this machine to the hub, until streams end.
func (s *Server) reportLocalDevices() {
	if s.o.Farm == nil {
		return
	}
	s.beating.Go(func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			infos, err := s.tenants.Root().Devices.Live().List(s.streams)
			if err == nil || len(infos) > 0 {
				var ids []string
				for _, info := range infos {
					ids = append(ids, info.ID)
				}
				s.o.Farm.SetLocal(ids)
			}
			select {
			case <-tick.C:
			case <-s.streams.Done():
				return
			}
		}
	})
}
