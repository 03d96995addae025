// Package fleet has what drivers of several devices share: which of them are open, and what has come and gone.
package fleet

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
)

// Open are the devices that a driver has open, so that closing it closes them. The zero value is ready; safe for
// concurrent use.
type Open struct {
	mu     sync.Mutex
	closed bool
	all    map[io.Closer]struct{}
}

// Add keeps a device until its life ends. It is false, and the device is not kept, when Close was called before.
func (o *Open) Add(dev io.Closer, life context.Context) bool {
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
func (o *Open) Close() error {
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

// Changes lists a Watcher's devices for seen, and returns a function, for one goroutine, that lists them again and
// calls seen when they changed. That there is no first list is an error, unless ctx has ended: then the watch has
// ended.
func Changes(ctx context.Context, list func(context.Context) ([]drivers.Info, error), seen func([]drivers.Info)) (
	look func() error, err error) {
	last, err := list(ctx)
	switch {
	case err == nil:
		seen(last)
	case ctx.Err() == nil:
		return nil, err
	}
	return func() error {
		now, err := list(ctx)
		if err == nil && !slices.Equal(now, last) {
			last = now
			seen(now)
		}
		return err
	}, nil
}
