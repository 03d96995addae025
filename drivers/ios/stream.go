package ios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/mjpeg"
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
func (d *Device) startStream(ctx context.Context, file string) (drivers.Recording, error) {
	life, cancel := context.WithCancel(d.life)
	f := &streamRecording{cancel: cancel, done: make(chan struct{}), file: file}
	first := make(chan struct{})
	if err := d.life.Go(func() {
		defer close(f.done)
		f.err = f.read(life, d, first)
	}); err != nil {
		cancel()
		return nil, fmt.Errorf("device %s: %w", d.info.ID, err)
	}
	waiting, stop := context.WithTimeoutCause(ctx, recordingStart, fmt.Errorf("no image came within %v", recordingStart))
	defer stop()
	select {
	case <-first:
		return f, nil
	case <-f.done:
		cancel()
		return nil, fmt.Errorf("device %s: recording from %s: %w", d.info.ID, d.film, f.err)
	case <-waiting.Done():
		cancel()
		<-f.done
		return nil, fmt.Errorf("device %s: recording from %s: %w", d.info.ID, d.film, context.Cause(waiting))
	}
}

func (f *streamRecording) read(ctx context.Context, d *Device, first chan<- struct{}) error {
	parts, end, err := d.imageStream(ctx)
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

// frames returns the images that WebDriverAgent sends upright.
type frames struct {
	sent *mjpeg.Reader

	raw, turned []byte // the last one, as it came and upright
}

func newFrames(res *http.Response) (*frames, error) {
	kind, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || res.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "multipart/") {
		return nil, fmt.Errorf("HTTP status %d with %s is not a video", res.StatusCode,
			screen.Quote(res.Header.Get("Content-Type")))
	}
	return &frames{sent: mjpeg.New(res.Body, params["boundary"])}, nil
}

// next returns the next image, upright.
func (f *frames) next() ([]byte, error) {
	frame, err := f.sent.Next()
	if err != nil || bytes.Equal(frame, f.raw) {
		return f.turned, err
	}
	turned, err := uprightJPEG(frame)
	if err != nil {
		return nil, err
	}
	f.raw, f.turned = frame, turned
	return turned, nil
}
