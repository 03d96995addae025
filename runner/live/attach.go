package live

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/runner/action"
)

// attachment is something that goes on beside the calls on an open device.
type attachment struct {
	stop func() error
	gone chan struct{}
}

// Attach begins something that goes on beside the calls on a device, such as copying its log, and keeps the device open until detach is
// called, or the device is closed for another reason: then stop was called and gone is closed. When start fails, the device stays as it is.
func (d *Devices) Attach(ctx context.Context, id, who string, start func(*action.Session) (stop func() error, err error)) (detach func() error, gone <-chan struct{}, err error) {
	a := &attachment{gone: make(chan struct{})}
	err = d.turn(ctx, id, who, func(ctx context.Context, e *entry) error {
		var startErr error
		err := d.use(ctx, e, func(_ context.Context, s *action.Session) error {
			a.stop, startErr = start(s)
			return nil
		}, nil)
		if err != nil {
			return err
		}
		if startErr != nil {
			return d.hide(startErr)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if e.attached == nil {
			e.attached = map[*attachment]bool{}
		}
		e.attached[a] = true
		detach = func() error { return d.detach(e, a) }
		return nil
	})
	return detach, a.gone, err
}

// detach ends an attachment that still goes on.
func (d *Devices) detach(e *entry, a *attachment) error {
	d.mu.Lock()
	there := e.attached[a]
	delete(e.attached, a)
	d.mu.Unlock()
	if !there {
		return nil
	}
	err := action.Guard(a.stop)
	d.mu.Lock()
	defer d.mu.Unlock()
	e.used = time.Now()
	d.watch(e)
	return err
}

// detachAll ends what goes on beside the calls on a device that is about to be closed.
func (d *Devices) detachAll(e *entry) (errs []error) {
	d.mu.Lock()
	all := e.attached
	e.attached = nil
	d.mu.Unlock()
	for a := range all {
		errs = append(errs, action.Guard(a.stop))
		close(a.gone)
	}
	return errs
}
