package remote

import (
	"errors"
	"sync"
	"time"
)

// Close ends all sessions that are kept, and waits for those that are being opened or ended.
func (l *Sessions) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		l.work.Wait()
		return nil
	}
	l.closed = true
	close(l.closing)
	idle := l.idle
	l.idle = nil
	l.mu.Unlock()
	errs := make([]error, len(idle))
	var all sync.WaitGroup
	for i, e := range idle {
		all.Go(func() { errs[i] = e.End() })
	}
	all.Wait()
	errs = append(errs, l.recall())
	l.work.Wait()
	l.client.Close()
	return errors.Join(errs...)
}

// recall waits until no session is used, and ends those that are still used then.
func (l *Sessions) recall() error {
	limit := time.NewTimer(returnLimit)
	defer limit.Stop()
	for {
		l.mu.Lock()
		var used []*Lease
		for e := range l.used {
			used = append(used, e)
		}
		l.mu.Unlock()
		if len(used) == 0 {
			return nil
		}
		select {
		case <-l.back:
			continue
		case <-limit.C:
		}
		errs := make([]error, len(used))
		var all sync.WaitGroup
		for i, e := range used {
			all.Go(func() { errs[i] = e.End() })
		}
		all.Wait()
		return errors.Join(errs...)
	}
}
