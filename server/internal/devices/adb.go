package devices

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
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// shells connects adb with phones.
type shells struct{ *desk }

const adbDoc = `The protocol that adb uses with a phone, after an upgrade (Connection: Upgrade, Upgrade: adb), for the
client that has leased the device: taproot adb connects adb with it. The connection ends with the lease. adb can do all
that a shell can, so shells must be allowed on the machine of the phone.`

const adbUpgrade = "adb"

// adb connects adb with a phone that the caller has leased.
func (s *shells) adb(w http.ResponseWriter, r *http.Request) error {
	id, c := r.PathValue("id"), rest.CallerOf(r.Context())
	info, err := s.device(r.Context(), id)
	if err != nil {
		return err
	}
	s.beginReserved(r.Context(), id, c)
	services, ok := s.pool.Driver(info.Platform).(drivers.Services)
	switch {
	case !ok:
		return &rest.DeviceError{Err: fmt.Errorf("speak with %s by adb: %w", id, drivers.ErrUnsupported)}
	case !s.o.Sandbox.Config.AllowShell:
		return rest.Fault(http.StatusForbidden, rest.CodeForbidden,
			"adb can do all that a shell can, and shells are not allowed there: start it with --allow-shell")
	case !s.holds(id, c):
		return rest.Fault(http.StatusConflict, rest.CodeBusy,
			"adb is for who holds the device: take a lease (POST /devices/{id}/lease) and send its id as X-Lease")
	case !strings.EqualFold(r.Header.Get("Upgrade"), adbUpgrade):
		e := rest.Fault(http.StatusUpgradeRequired, rest.CodeInvalid, "ask for an upgrade: Connection: Upgrade, Upgrade: adb")
		e.Headers = http.Header{"Upgrade": {adbUpgrade}, "Connection": {"Upgrade"}}
		return e
	}
	features, err := services.Features(r.Context(), id)
	if err != nil {
		return &rest.DeviceError{Err: err}
	}
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", adbUpgrade)
	w.WriteHeader(http.StatusSwitchingProtocols)
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.log.InfoContext(r.Context(), "adb", "device", id, "error", err)
		return nil // the response has started
	}
	defer conn.Close() // Serve has closed it already, or nothing was sent
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil // the connection was closed
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

// hijacked is a connection from which some bytes are already buffered.
type hijacked struct {
	io.Reader
	io.WriteCloser
}

// holds reports whether the caller has leased the device.
func (s *desk) holds(id string, c rest.Caller) bool {
	h, held := s.devices.Held(id)
	return held && s.leases.holder(id, c) == h.Who
}

// whileHeld waits until the caller's lease or the server's streams end, then calls end.
func (s *shells) whileHeld(ctx context.Context, id string, c rest.Caller, end func()) {
	for drivers.Pause(ctx, rest.PermissionInterval) == nil && s.holds(id, c) &&
		!errors.Is(s.streams.Err(), context.Canceled) {
	}
	end()
}
