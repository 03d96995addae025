package server

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// eventStream writes parts of a streaming response. It is safe for concurrent use.
type eventStream struct {
	mu sync.Mutex
	w  http.ResponseWriter
}

// write sends a part at once, and fails when the client does not read it.
func (e *eventStream) write(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := io.WriteString(e.w, text); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}

// beat sends a comment regularly, so that proxies do not close an idle connection; stop waits until no more is sent.
func (e *eventStream) beat(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if e.write(":\n\n") != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
