package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/adbd"
)

const adbDoc = `The protocol that adb speaks with a phone, after an upgrade (Connection: Upgrade, Upgrade: adb), for who holds the device by a lease: taproot adb connects adb with it. The
connection ends with the lease. adb can do all that a shell can, therefore shells must be allowed on the machine of the phone.`

const adbUpgrade = "adb"

// adb lets adb speak with a phone that its caller holds.
func (s *Server) adb(w http.ResponseWriter, r *http.Request) error {
	id, c := r.PathValue("id"), callerOf(r.Context())
	info, err := s.device(r.Context(), id)
	if err != nil {
		return err
	}
	s.beginReserved(r.Context(), id, c)
	services, ok := s.pool.Driver(info.Platform).(drivers.Services)
	switch {
	case !ok:
		return &deviceError{fmt.Errorf("speak with %s by adb: %w", id, drivers.ErrUnsupported)}
	case !s.o.Config.AllowShell:
		return fault(http.StatusForbidden, codeForbidden,
			"adb can do all that a shell can, and shells are not allowed there: start it with --allow-shell")
	case !s.holds(id, c):
		return fault(http.StatusConflict, codeBusy,
			"adb is for who holds the device: take a lease (POST /devices/{id}/lease) and send its id as X-Lease")
	case !strings.EqualFold(r.Header.Get("Upgrade"), adbUpgrade):
		e := fault(http.StatusUpgradeRequired, codeInvalid, "ask for an upgrade: Connection: Upgrade, Upgrade: adb")
		e.headers = http.Header{"Upgrade": {adbUpgrade}, "Connection": {"Upgrade"}}
		return e
	}
	features, err := services.Features(r.Context(), id)
	if err != nil {
		return &deviceError{err}
	}
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", adbUpgrade)
	w.WriteHeader(http.StatusSwitchingProtocols)
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.log.InfoContext(r.Context(), "adb", "device", id, "error", err)
		return nil // the answer has begun
	}
	defer conn.Close() // Serve has closed it already, or nothing was said
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil // it has gone
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go s.whileHeld(ctx, id, c, func() { cancel(); _ = conn.Close() })
	err = adbd.Serve(hijacked{buffered.Reader, conn}, adbd.Device{Model: info.Model, Features: features,
		Open: func(name string) (io.ReadWriteCloser, error) { return services.OpenService(ctx, id, name) }})
	if err != nil && ctx.Err() == nil {
		s.log.InfoContext(ctx, "adb", "device", id, "error", err)
	}
	return nil
}

// hijacked is a connection of which a part was read ahead.
type hijacked struct {
	io.Reader
	io.WriteCloser
}

// holds tells whether the caller has the device by a lease.
func (s *Server) holds(id string, c caller) bool {
	h, held := s.devices.Held(id)
	return held && s.leases.holder(id, c) == h.Who
}

// whileHeld calls end when the caller's lease has ended, or streams end.
func (s *Server) whileHeld(ctx context.Context, id string, c caller, end func()) {
	for drivers.Pause(ctx, askAgain) == nil && s.holds(id, c) && !errors.Is(s.streams.Err(), context.Canceled) {
	}
	end()
}
