package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

const (
	idleLimit       = 2 * time.Minute
	shutdownTimeout = 10 * time.Second // for responses that are being written when the server ends
)

// http creates the HTTP server.
func (s *Server) http() *http.Server {
	return &http.Server{Handler: s.handler, ReadHeaderTimeout: s.o.Patience, IdleTimeout: idleLimit,
		MaxHeaderBytes: rest.MaxHeaders, ConnContext: rest.WithConn, ConnState: rest.ConnState,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
}

// Serve serves the listener until the context ends. Then it closes the server: runs are interrupted and marked as
// interrupted, devices released, browsers closed, and current requests answered. Nothing continues afterwards.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := s.http()
	served := make(chan error, 1)
	go func() { served <- h.Serve(rest.StrictListener{Listener: l}) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	s.log.Info("shutting down")
	s.closing.Store(true)
	s.hangUp()
	bye, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	gone := make(chan error, 1)
	go func() { gone <- h.Shutdown(bye) }() // accepts no new connections from now on
	closed := s.Close()
	timer := time.AfterFunc(shutdownTimeout, cancel)
	defer timer.Stop()
	if shut := <-gone; shut != nil {
		_ = h.Close() // disconnects clients that still do not read
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, closed)
}

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
