package live

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/runner/internal/action"
)

// attachment is a background task of an open device, such as copying its log.
type attachment struct {
	stop func() error
	gone chan struct{}
}

// Attach starts a background task of a device, such as copying its log. It keeps the device open until detach is
// called, or until the device is closed for another reason: then stop was called and gone is closed. When start fails,
// the device does not change.
func (d *Devices) Attach(ctx context.Context, id, who string, start func(*action.Performer) (stop func() error,
	err error)) (detach func() error, gone <-chan struct{}, err error) {
	err = d.withDevice(ctx, id, who, func(ctx context.Context, e *entry) error {
		a, err := d.attach(ctx, e, who, start)
		if err != nil {
			return err
		}
		detach, gone = func() error { return d.detach(e, a) }, a.gone
		return nil
	})
	return detach, gone, err
}

// attach is Attach for a caller that has the turn.
func (d *Devices) attach(
	ctx context.Context,
	e *entry,
	who string,
	start func(*action.Performer) (func() error, error),
) (
	*attachment, error) {
	a := &attachment{gone: make(chan struct{})}
	var startErr error
	err := d.use(ctx, e, who, func(_ context.Context, s *action.Performer) error {
		a.stop, startErr = start(s)
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	if startErr != nil {
		return nil, d.texts.maskError(startErr)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.attached == nil {
		e.attached = map[*attachment]bool{}
	}
	e.attached[a] = true
	return a, nil
}

// detach ends an attachment that is still running.
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

// detachAll ends the background tasks of a device that is about to be closed.
func (d *Devices) detachAll(e *entry) (errs []error) {
	d.mu.Lock()
	all := e.attached
	e.attached, e.stream = nil, nil
	d.mu.Unlock()
	for a := range all {
		errs = append(errs, action.Guard(a.stop))
		close(a.gone)
	}
	return errs
}
