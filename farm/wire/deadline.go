package wire

import (
	"sync"
	"time"
)

// deadline is a moment that can be waited for, and moved while somebody waits.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	past  chan struct{} // closed when it is over
}

func newDeadline() *deadline { return &deadline{past: make(chan struct{})} }

// set moves it; the zero time means never.
func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil && !d.timer.Stop() {
		<-d.past // the timer is closing it
	}
	d.timer = nil
	over := false
	select {
	case <-d.past:
		over = true
	default:
	}
	left := time.Until(t)
	switch {
	case t.IsZero() || left > 0:
		if over {
			d.past = make(chan struct{})
		}
		if past := d.past; left > 0 {
			d.timer = time.AfterFunc(left, func() { close(past) })
		}
	case !over:
		close(d.past)
	}
}

// wait gives what is closed when the deadline is over.
func (d *deadline) wait() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.past
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
