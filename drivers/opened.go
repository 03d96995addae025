package drivers

import (
	"context"
	"errors"
	"io"
	"sync"
)

// OpenDevices are the devices that a driver has open, so that closing it closes them. The zero value is ready; safe for
// concurrent use.
type OpenDevices struct {
	mu     sync.Mutex
	closed bool
	all    map[io.Closer]struct{}
}

// Add keeps a device until its life ends. It is false, and the device is not kept, when Close was called before.
func (o *OpenDevices) Add(dev io.Closer, life context.Context) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	if o.all == nil {
		o.all = map[io.Closer]struct{}{}
	}
	o.all[dev] = struct{}{}
	context.AfterFunc(life, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.all, dev)
	})
	return true
}

// Close closes the devices that are still open, and lets no more in.
func (o *OpenDevices) Close() error {
	o.mu.Lock()
	o.closed = true
	left := make([]io.Closer, 0, len(o.all))
	for dev := range o.all {
		left = append(left, dev)
	}
	o.mu.Unlock()
	var errs []error
	for _, dev := range left {
		errs = append(errs, dev.Close())
	}
	return errors.Join(errs...)
}
