package drivers

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is why a call on a device that was closed fails, or one that Close came upon.
var ErrClosed = errors.New("the device was closed")

// Lifetime is the time from a device's Open to its Close, or of something else that is started and ended: a context
// that ends with ErrClosed, and the goroutines that end with it. Safe for concurrent use.
type Lifetime struct {
	context.Context
	end context.CancelCauseFunc

	mu      sync.Mutex // nothing is started once End waits
	running sync.WaitGroup
}

// NewLifetime starts a life.
func NewLifetime() *Lifetime {
	l := &Lifetime{}
	l.Context, l.end = context.WithCancelCause(context.Background())
	return l
}

// Go starts a goroutine that End waits for, so it must not outlast the context. When life has ended nothing is started,
// and the error is ErrClosed.
func (l *Lifetime) Go(work func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Err() != nil {
		return ErrClosed
	}
	l.running.Go(work)
	return nil
}

// End ends the context and waits for the goroutines. It reports whether this call ended it: one that comes
// later, or meanwhile, waits for nothing. No goroutine of its own may call it.
func (l *Lifetime) End() bool {
	l.mu.Lock()
	over := l.Err() != nil
	l.end(ErrClosed)
	l.mu.Unlock()
	if over {
		return false
	}
	l.running.Wait()
	return true
}
