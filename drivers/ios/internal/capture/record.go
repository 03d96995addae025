package capture

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/geometry"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

const (
	recordingStart = 20 * time.Second // for the first image to be taken
	// recordingEnd is how long recordVideo may take to write its video once it was interrupted. Killed, it leaves a broken
	// video and a simulator that records no more.
	recordingEnd = 30 * time.Second
)

// Recorder records the screen of one device, copies its log and shows its screen as it changes. Its methods are called
// one at a time.
type Recorder struct {
	link     *wda.Link
	host     host.Host
	geometry *geometry.Screen
	Film     string // address of WebDriverAgent's stream; "": unknown
	http     *http.Client
}

// Stream is where the images come from that WebDriverAgent sends.
type Stream struct {
	URL  string
	HTTP *http.Client
}

// NewRecorder returns a Recorder of the images that WebDriverAgent sends.
func NewRecorder(l *wda.Link, h host.Host, g *geometry.Screen, from Stream) *Recorder {
	return &Recorder{link: l, host: h, geometry: g, Film: from.URL, http: from.HTTP}
}

// StartRecording records a simulator with simctl, an iPhone by the images that WebDriverAgent sends.
func (r *Recorder) StartRecording(ctx context.Context, dir string) (drivers.Recording, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f, ok := r.host.(host.Filmer)
	if !ok {
		return r.startStream(ctx, filepath.Join(dir, "film.mkv"))
	}
	file := filepath.Join(dir, "film.mp4")
	b, err := f.Film(file)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", r.link.ID, err)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, recordingStart, fmt.Errorf("it did not start to record within %v",
		recordingStart))
	defer cancel()
	if err := b.Says(waiting, "Recording started"); err != nil {
		go endRecording(b)
		return nil, fmt.Errorf("device %s: %s: %w", r.link.ID, b.Name, err)
	}
	film := &simRecording{b: b, clip: drivers.Clip{Path: file, Start: time.Now()}, over: make(chan struct{}), link: r.link,
		geometry: r.geometry, wide: r.geometry.Landscape()}
	if err := r.link.Life.Go(func() { film.watch(r.link.Life) }); err != nil {
		go endRecording(b)
		return nil, fmt.Errorf("device %s: %w", r.link.ID, err)
	}
	return film, nil
}

// simRecording is a recording that simctl makes.
type simRecording struct {
	b        *host.Process
	clip     drivers.Clip
	over     chan struct{} // closed by Stop
	link     *wda.Link
	geometry *geometry.Screen
	wide     bool // the app lay on its side when the recording started
}

// watch ends the recording when the device is closed before the recording was stopped.
func (f *simRecording) watch(life context.Context) {
	select {
	case <-f.over:
	case <-f.b.Done:
	case <-life.Done():
		endRecording(f.b)
	}
}

// endRecording interrupts recordVideo. It is never killed.
func endRecording(b *host.Process) {
	ctx, cancel := context.WithTimeout(context.Background(), recordingEnd)
	defer cancel()
	_ = b.Interrupt(ctx)
}

// Stop interrupts simctl and waits until it has written the video.
func (f *simRecording) Stop(ctx context.Context) ([]drivers.Clip, error) {
	select {
	case <-f.b.Done:
		return f.clips(f.b.Ended())
	default:
	}
	defer close(f.over)
	ctx, cancel := context.WithTimeout(ctx, recordingEnd)
	defer cancel()
	if err := f.b.Interrupt(ctx); err != nil {
		return nil, err
	}
	f.upright(ctx)
	return f.clips(nil)
}

// upright rotates a video to the orientation of the app, when that was the same from the start to the end.
func (f *simRecording) upright(ctx context.Context) {
	if !f.wide || !f.geometry.Landscape() {
		return
	}
	clockwise, err := f.link.LiesRight(ctx)
	if err == nil {
		err = rotateVideo(f.clip.Path, clockwise)
	}
	if err != nil {
		f.link.Log.Warn("the video is on its side", "film", f.clip.Path, "error", err)
	}
}

// clips returns the video if there is something in it.
func (f *simRecording) clips(err error) ([]drivers.Clip, error) {
	info, statErr := os.Stat(f.clip.Path)
	switch {
	case statErr != nil || info.Size() == 0:
		return nil, fmt.Errorf("%s left no video: %s", f.b.Name, f.b.Last())
	case err != nil:
		return []drivers.Clip{f.clip}, err
	}
	return []drivers.Clip{f.clip}, nil
}

// StartLog copies the system's log: of a simulator by simctl, of an iPhone by go-ios.
func (r *Recorder) StartLog(ctx context.Context, w io.Writer) (func() error, error) {
	l, ok := r.host.(host.Logger)
	if !ok {
		return nil, r.link.Unsupported("its log needs xcrun on a Mac for a simulator, or go-ios for an iPhone")
	}
	first := &firstWrite{w: w, seen: make(chan struct{})}
	b, err := l.Log(first)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", r.link.ID, err)
	}
	if err := first.await(ctx, b); err != nil {
		b.Stop(logGrace)
		return nil, fmt.Errorf("device %s: %w", r.link.ID, err)
	}
	stopped := make(chan struct{})
	if err := r.link.Life.Go(func() {
		select {
		case <-r.link.Life.Done():
			b.Stop(logGrace)
		case <-stopped:
		}
	}); err != nil {
		b.Stop(logGrace)
		return nil, fmt.Errorf("device %s: %w", r.link.ID, err)
	}
	return func() error {
		defer close(stopped)
		select {
		case <-b.Done:
			return b.Ended()
		default:
			b.Stop(logGrace)
			return nil
		}
	}, nil
}

// firstWrite signals when the log starts: what an app writes before that is lost.
type firstWrite struct {
	w    io.Writer
	once sync.Once
	seen chan struct{}
}

func (f *firstWrite) Write(p []byte) (int, error) {
	f.once.Do(func() { close(f.seen) })
	return f.w.Write(p)
}

// await waits for the first line, but not for long: a phone without output is not a mistake.
func (f *firstWrite) await(ctx context.Context, b *host.Process) error {
	timer := time.NewTimer(logStart)
	defer timer.Stop()
	select {
	case <-f.seen:
	case <-timer.C:
	case <-b.Done:
		return b.Ended()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// logStart is how long the first line of a log may take.
const logStart = 3 * time.Second

// logGrace is how long the program that reads the log may take to end.
const logGrace = 3 * time.Second
