package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// streamRecording is a recording of the images that WebDriverAgent sends.
type streamRecording struct {
	cancel context.CancelFunc
	done   chan struct{}  // closed when the last image is written
	err    error          // read it after done
	file   string         // of the first clip
	clips  []drivers.Clip // one for each way in which the screen was held

	images atomic.Int64 // that are written
}

// startStream reads WebDriverAgent's images and writes each with its time into a Matroska file. It returns when the
// first one came.
func (r *Recorder) startStream(ctx context.Context, file string) (drivers.Recording, error) {
	life, cancel := context.WithCancel(r.link.Life)
	f := &streamRecording{cancel: cancel, done: make(chan struct{}), file: file}
	first := make(chan struct{})
	if err := r.link.Life.Go(func() {
		defer close(f.done)
		f.err = f.read(life, r, first)
	}); err != nil {
		cancel()
		return nil, fmt.Errorf("device %s: %w", r.link.ID, err)
	}
	waiting, stop := context.WithTimeoutCause(ctx, recordingStart, fmt.Errorf("no image came within %v", recordingStart))
	defer stop()
	select {
	case <-first:
		return f, nil
	case <-f.done:
		cancel()
		return nil, fmt.Errorf("device %s: recording from %s: %w", r.link.ID, r.Film, f.err)
	case <-waiting.Done():
		cancel()
		<-f.done
		return nil, fmt.Errorf("device %s: recording from %s: %w", r.link.ID, r.Film, context.Cause(waiting))
	}
}

func (f *streamRecording) read(ctx context.Context, r *Recorder, first chan<- struct{}) error {
	parts, end, err := r.imageStream(ctx)
	if err != nil {
		return err
	}
	defer end()
	var out *matroska
	for {
		frame, err := parts.next()
		if err != nil {
			if out != nil {
				err = errors.Join(err, out.close())
			}
			return err
		}
		if out, err = f.clipFor(out, frame); err != nil {
			return err
		}
		if len(f.clips) == 1 && f.images.Load() == 0 {
			close(first)
		}
		if err := out.write(frame); err != nil {
			return errors.Join(err, out.close())
		}
		f.images.Add(1)
	}
}

// clipFor returns the clip of an image: a new one when the screen was rotated, for all images of a clip
// have one size.
func (f *streamRecording) clipFor(out *matroska, frame []byte) (*matroska, error) {
	size, err := jpeg.DecodeConfig(bytes.NewReader(frame))
	if err != nil {
		return out, fmt.Errorf("an image: %w", err)
	}
	if out != nil {
		if (out.size.X > out.size.Y) == (size.Width > size.Height) {
			return out, nil
		}
		if err := out.close(); err != nil {
			return nil, err
		}
	}
	file := f.file
	if n := len(f.clips); n > 0 {
		file = fmt.Sprintf("%s-%d.mkv", strings.TrimSuffix(file, ".mkv"), n+1)
	}
	if out, err = newMatroska(file, image.Pt(size.Width, size.Height)); err != nil {
		return nil, err
	}
	f.clips = append(f.clips, drivers.Clip{Path: file, Start: out.start})
	return out, nil
}

// Images returns how many images are written.
func (f *streamRecording) Images() int64 { return f.images.Load() }

// Stop ends the recording.
func (f *streamRecording) Stop(ctx context.Context) ([]drivers.Clip, error) {
	select {
	case <-f.done: // broke off by itself
		return f.clips, fmt.Errorf("the recording breaks off: %w", f.err)
	default:
	}
	f.cancel()
	select {
	case <-f.done:
		return f.clips, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// castAgain is how long a stream of images that broke off is left alone.
const castAgain = time.Second

var _ drivers.Screencaster = (*Recorder)(nil)

// Screencast shows the images that WebDriverAgent sends.
func (r *Recorder) Screencast(ctx context.Context, show func(drivers.Frame)) (stop func() error, err error) {
	if r.Film == "" {
		return nil, r.link.Unsupported("the address of WebDriverAgent's images is not known")
	}
	life, cancel := context.WithCancel(r.link.Life)
	untie := context.AfterFunc(ctx, cancel)
	parts, end, err := r.imageStream(life)
	if err == nil && !untie() {
		end()
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		return nil, r.link.Unsupported(fmt.Sprintf("WebDriverAgent sends no images: %v", err))
	}
	done := make(chan struct{})
	if err := r.link.Life.Go(func() { defer close(done); r.cast(life, parts, end, show) }); err != nil {
		end()
		cancel()
		return nil, err
	}
	return func() error { cancel(); <-done; return nil }, nil
}

// cast shows a stream, and the next one when it broke off: WebDriverAgent may be starting again.
func (r *Recorder) cast(ctx context.Context, parts *frames, end func(), show func(drivers.Frame)) {
	var last []byte
	for {
		for {
			frame, err := parts.next()
			if err != nil || ctx.Err() != nil {
				break
			}
			config, err := jpeg.DecodeConfig(bytes.NewReader(frame))
			if err != nil || bytes.Equal(frame, last) {
				continue
			}
			last = frame
			show(drivers.Frame{JPEG: frame, Size: r.geometry.Measure(image.Pt(config.Width, config.Height)), At: time.Now()})
		}
		end()
		for again := true; again; {
			if drivers.Pause(ctx, castAgain) != nil {
				return
			}
			var err error
			parts, end, err = r.imageStream(ctx)
			again = err != nil
		}
	}
}

// imageStream requests the stream of WebDriverAgent; end must be called.
func (r *Recorder) imageStream(ctx context.Context) (parts *frames, end func(), err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.Film, nil)
	if err != nil {
		return nil, nil, err
	}
	res, err := r.http.Do(req)
	if err != nil {
		return nil, nil, err
	}
	if parts, err = newFrames(res); err != nil {
		_ = res.Body.Close()
		return nil, nil, err
	}
	return parts, func() { _ = res.Body.Close() }, nil
}
