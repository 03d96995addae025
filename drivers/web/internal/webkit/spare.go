package webkit

import (
	"context"
	"errors"
	"sync"
	"time"
)

// spareLife is how long a browser that was started ahead is kept for a caller.
const spareLife = time.Minute

// spares has at most one browser that was started ahead. It is for a caller that opens one page after the other: the
// next one is started while the last is used, from the second on.
type spares struct {
	mu     sync.Mutex
	opened int
	one    *spare
	closed bool
	work   sync.WaitGroup
	errs   []error // of browsers that were not used, at their end
}

// spare is a browser that is started, or starts.
type spare struct {
	kind  kind
	ready chan struct{} // closed when the other two are known
	made  *instance
	err   error
	timer *time.Timer
}

// take returns the browser that was started ahead, nil when there is none of this kind.
func (s *spares) take(ctx context.Context, k kind) *instance {
	s.mu.Lock()
	s.opened++
	one := s.one
	s.one = nil
	if one != nil && one.kind != k {
		s.drop(one)
		one = nil
	}
	s.mu.Unlock()
	if one == nil {
		return nil
	}
	one.timer.Stop()
	select {
	case <-one.ready:
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drop(one)
		return nil
	}
	if one.err != nil {
		return nil // a new one says why, if it does not start either
	}
	if !one.made.lives() {
		_ = one.made.Close() // it has ended by itself
		return nil
	}
	return one.made
}

// drop ends a browser that is not used. The caller holds the lock.
func (s *spares) drop(one *spare) {
	one.timer.Stop()
	s.work.Go(func() {
		<-one.ready
		if one.err != nil {
			return
		}
		if err := one.made.Close(); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.errs = append(s.errs, err)
		}
	})
}

// ahead starts a browser for the caller to come, unless this was the first.
func (s *spares) ahead(p *Product, k kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.one != nil || s.opened < 2 {
		return
	}
	one := &spare{kind: k, ready: make(chan struct{})}
	one.timer = time.AfterFunc(spareLife, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.one == one {
			s.one = nil
			s.drop(one)
		}
	})
	s.one = one
	s.work.Go(func() {
		defer close(one.ready)
		one.made, one.err = p.start(k)
	})
}

// close ends what was started ahead.
func (s *spares) close() error {
	s.mu.Lock()
	s.closed = true
	if s.one != nil {
		s.drop(s.one)
		s.one = nil
	}
	s.mu.Unlock()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.errs...)
}

// start starts a browser for a caller to come.
func (p *Product) start(k kind) (*instance, error) {
	ctx, cancel := context.WithTimeout(p.life, startLimit)
	defer cancel()
	return open(ctx, p, k)
}
