package devices

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"errors"
	"io"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/adbd"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// logs streams the device's log. It does not lease the device, so that others can use it meanwhile. A client that reads
// slowly misses lines instead of blocking them.
func (s *screens) logs(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if err := checkDeviceID(id); err != nil {
		return err
	}
	ctx, free := drivers.Bound(r.Context(), s.streams)
	defer free()
	lines := newBufferedFile()
	out := s.mask.Writer(lines)
	detach, gone, err := s.devices.Attach(ctx, id, s.leases.holder(id, rest.CallerOf(ctx)),
		func(session *action.Performer) (func() error, error) {
			logger, ok := session.Device.(drivers.Logger)
			if !ok {
				return nil, fmt.Errorf("device %s has no log: %w", id, drivers.ErrUnsupported)
			}
			return logger.StartLog(ctx, out)
		})
	if err != nil {
		return rest.AsDeviceError(err)
	}
	defer func() {
		if err := detach(); err != nil {
			s.log.Info("cannot end a log", "device", id, "error", err)
		}
	}()
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil // to a HEAD request no lines must be sent
	}
	return lines.writeTo(ctx, w, gone)
}

// maxSpill is how many bytes of a log wait for a client that reads slowly.
const maxSpill = 1 << 20

// bufferedFile buffers lines between a device, which must not wait, and a client, which may.
type bufferedFile struct {
	mu     sync.Mutex
	text   bytes.Buffer
	missed int // bytes
	wake   chan struct{}
}

func newBufferedFile() *bufferedFile { return &bufferedFile{wake: make(chan struct{}, 1)} }

// Write never blocks.
func (p *bufferedFile) Write(text []byte) (int, error) {
	p.mu.Lock()
	if p.text.Len()+len(text) > maxSpill {
		p.missed += len(text)
	} else {
		p.text.Write(text) // never fails
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return len(text), nil
}

func (p *bufferedFile) take() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := bytes.Clone(p.text.Bytes())
	p.text.Reset()
	if p.missed > 0 {
		text = fmt.Appendf(text, "--- %d bytes were left out: they came faster than they were read ---\n", p.missed)
		p.missed = 0
	}
	return text
}

// writeTo writes the log until the client or the device disconnects.
func (p *bufferedFile) writeTo(ctx context.Context, w http.ResponseWriter, gone <-chan struct{}) error {
	flush := http.NewResponseController(w)
	for {
		if text := p.take(); len(text) > 0 {
			if _, err := w.Write(text); err != nil {
				return nil // the client does not read any more
			}
		}
		if err := flush.Flush(); err != nil {
			return nil
		}
		select {
		case <-p.wake:
		case <-ctx.Done():
			return nil
		case <-gone:
			_, _ = w.Write(append(p.take(), "--- the device was released ---\n"...))
			return nil
		case <-time.After(rest.Heartbeat): // only writing shows that a connection is lost; an empty write does not
		}
	}
}

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
	case info.Remote != "":
		return &rest.DeviceError{Err: fmt.Errorf("%w: %s is a session at the remote %s, which adb does not reach",
			drivers.ErrUnsupported, id, info.Remote)}
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
