package devices

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
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
		func(session *action.Session) (func() error, error) {
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
