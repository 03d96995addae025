package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/server/internal/rest"
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
