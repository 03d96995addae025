package live

import (
	"context"
	"errors"
	"image"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// ErrGone means that a watched device has been closed.
var ErrGone = errors.New("the device was released")

const (
	changingInterval  = 250 * time.Millisecond // between two screenshots of a device without a stream, while they differ
	unchangedInterval = 500 * time.Millisecond // while they are the same
	retryInterval     = time.Second            // after a failed screenshot
)

// sharedStream is the stream of images of a device, which all its viewers share.
type sharedStream struct {
	*attachment
	viewers int // protected by Devices.mu

	mu      sync.Mutex
	frame   drivers.Frame
	number  int           // of the frame; 0: there is none yet
	changed chan struct{} // closed when there is a newer frame
}

// show replaces the frame, whether or not viewers have received the previous one.
func (s *sharedStream) show(f drivers.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame = f
	s.number++
	close(s.changed)
	s.changed = make(chan struct{})
}

// View is one viewer of a device's screen. Only one goroutine may use it at a time.
type View struct {
	devices *Devices
	entry   *entry
	stream  *sharedStream
	seen    int
	close   sync.Once
}

// View lets a client watch a device, also one that another client has leased. All viewers share one stream, which
// starts with the first viewer and ends with the last; meanwhile the device stays open. The caller must call Close.
func (d *Devices) View(ctx context.Context, id string) (*View, error) {
	d.mu.Lock()
	v := d.join(d.byID[id])
	d.mu.Unlock()
	if v != nil {
		return v, nil
	}
	err := d.withDevice(ctx, id, viewer, func(ctx context.Context, e *entry) error {
		d.mu.Lock()
		v = d.join(e)
		d.mu.Unlock()
		if v != nil { // another viewer has started the stream meanwhile
			return nil
		}
		s := &sharedStream{changed: make(chan struct{})}
		a, err := d.attach(ctx, e, viewer, func(session *action.Performer) (func() error, error) {
			return s.start(ctx, d, e.id, session)
		})
		if err != nil {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		s.attachment, e.stream = a, s
		v = d.join(e)
		return nil
	})
	return v, err
}

// join adds a viewer to an existing stream. The caller holds mu.
func (d *Devices) join(e *entry) *View {
	if e == nil || e.stream == nil {
		return nil
	}
	e.stream.viewers++
	return &View{devices: d, entry: e, stream: e.stream}
}

// start starts the stream of a device: its own screencast, or screenshots between the calls.
func (s *sharedStream) start(ctx context.Context, d *Devices, id string, session *action.Performer) (
	stop func() error, err error) {
	if caster, ok := session.Device.(drivers.Screencaster); ok {
		if stop, err = caster.Screencast(ctx, s.show); !errors.Is(err, drivers.ErrUnsupported) {
			return stop, err
		}
	}
	life, cancel := context.WithCancel(d.base)
	go s.captureScreens(life, d, id)
	// do not wait: the caller may be stills itself, which closes a broken device
	return func() error { cancel(); return nil }, nil
}

// captureScreens takes screenshots between the calls, and shows those that differ from the previous one.
func (s *sharedStream) captureScreens(ctx context.Context, d *Devices, id string) {
	var last image.Image
	pace := drivers.Pace{Fast: changingInterval, Slow: unchangedInterval}
	for ctx.Err() == nil {
		pause := retryInterval
		err := d.Use(ctx, id, viewer, func(ctx context.Context, session *action.Performer) error {
			img, err := session.Device.Screenshot(ctx)
			if err != nil {
				return err
			}
			differs := last == nil || !drivers.SamePixels(last, img)
			if pause, last = pace.Pause(differs), img; !differs {
				return nil
			}
			frame, err := drivers.NewFrame(img, time.Now())
			if err == nil && ctx.Err() == nil {
				s.show(frame)
			}
			return err
		})
		if err != nil {
			pause = retryInterval
		}
		_ = drivers.Pause(ctx, pause) // the loop checks ctx
	}
}

// Next waits for a frame that is newer than the last one it returned, and returns the newest. ErrGone means that the
// device was closed.
func (v *View) Next(ctx context.Context) (drivers.Frame, error) {
	for {
		v.stream.mu.Lock()
		f, number, changed := v.stream.frame, v.stream.number, v.stream.changed
		v.stream.mu.Unlock()
		if number > v.seen {
			v.seen = number
			return f, nil
		}
		select {
		case <-changed:
		case <-v.stream.gone:
			return drivers.Frame{}, ErrGone
		case <-ctx.Done():
			return drivers.Frame{}, context.Cause(ctx)
		}
	}
}

// Close removes the viewer; the last one ends the stream.
func (v *View) Close() (err error) {
	v.close.Do(func() {
		d := v.devices
		d.mu.Lock()
		v.stream.viewers--
		last := v.stream.viewers == 0
		if last && v.entry.stream == v.stream {
			v.entry.stream = nil
		}
		d.mu.Unlock()
		if last {
			err = d.detach(v.entry, v.stream.attachment)
		}
	})
	return err
}
