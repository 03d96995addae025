package server

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// eventStream writes parts of an answer that goes on. Safe for concurrent use.
type eventStream struct {
	mu sync.Mutex
	w  http.ResponseWriter
}

// write sends a part now, or fails when the client does not take it.
func (e *eventStream) write(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := io.WriteString(e.w, text); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}

// beat sends a comment now and then, so that proxies do not take silence for death; stop waits until no more is sent.
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
