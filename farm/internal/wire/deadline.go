package wire

import (
	"sync"
	"time"
)

// deadline is a moment to wait for. It can be moved while a goroutine waits.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	past  chan struct{} // closed when the deadline has passed
}

func newDeadline() *deadline { return &deadline{past: make(chan struct{})} }

// set moves the deadline; the zero time means never.
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

// wait returns the channel that is closed when the deadline passes.
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
