package ios

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	recordingStart = 20 * time.Second // for the first image to be taken
	// recordingEnd is how long recordVideo may take to write its video once it was interrupted. Killed, it leaves a broken
	// video and a simulator that records no more.
	recordingEnd = 30 * time.Second
	streamRate   = 10 // images per second of WebDriverAgent's stream
)

// StartRecording records a simulator with simctl, an iPhone by the images that WebDriverAgent sends.
func (d *Device) StartRecording(ctx context.Context, dir string) (drivers.Recording, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f, ok := d.host.(filmer)
	if !ok {
		return d.startStream(ctx, filepath.Join(dir, "film.mkv"))
	}
	file := filepath.Join(dir, "film.mp4")
	b, err := f.film(file)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", d.info.ID, err)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, recordingStart, fmt.Errorf("it did not start to record within %v",
		recordingStart))
	defer cancel()
	if err := b.says(waiting, "Recording started"); err != nil {
		go endRecording(b)
		return nil, fmt.Errorf("device %s: %s: %w", d.info.ID, b.name, err)
	}
	film := &simRecording{b: b, clip: drivers.Clip{Path: file, Start: time.Now()}, over: make(chan struct{}), d: d,
		wide: d.landscape()}
	if err := d.life.Go(func() { film.watch(d.life) }); err != nil {
		go endRecording(b)
		return nil, fmt.Errorf("device %s: %w", d.info.ID, err)
	}
	return film, nil
}

// simRecording is a recording that simctl makes.
type simRecording struct {
	b    *background
	clip drivers.Clip
	over chan struct{} // closed by Stop
	d    *Device
	wide bool // the app lay on its side when the recording started
}

// watch ends the recording when the device is closed before the recording was stopped.
func (f *simRecording) watch(life context.Context) {
	select {
	case <-f.over:
	case <-f.b.done:
	case <-life.Done():
		endRecording(f.b)
	}
}

// endRecording interrupts recordVideo. It is never killed.
func endRecording(b *background) {
	ctx, cancel := context.WithTimeout(context.Background(), recordingEnd)
	defer cancel()
	_ = b.interrupt(ctx)
}

// Stop interrupts simctl and waits until it has written the video.
func (f *simRecording) Stop(ctx context.Context) ([]drivers.Clip, error) {
	select {
	case <-f.b.done:
		return f.clips(f.b.ended())
	default:
	}
	defer close(f.over)
	ctx, cancel := context.WithTimeout(ctx, recordingEnd)
	defer cancel()
	if err := f.b.interrupt(ctx); err != nil {
		return nil, err
	}
	f.upright(ctx)
	return f.clips(nil)
}

// upright rotates a video to the orientation of the app, when that was the same from the start to the end.
func (f *simRecording) upright(ctx context.Context) {
	if !f.wide || !f.d.landscape() {
		return
	}
	clockwise, err := f.d.liesRight(ctx)
	if err == nil {
		err = rotateVideo(f.clip.Path, clockwise)
	}
	if err != nil {
		f.d.log.Warn("the video is on its side", "film", f.clip.Path, "error", err)
	}
}

// clips returns the video if there is something in it.
func (f *simRecording) clips(err error) ([]drivers.Clip, error) {
	info, statErr := os.Stat(f.clip.Path)
	switch {
	case statErr != nil || info.Size() == 0:
		return nil, fmt.Errorf("%s left no video: %s", f.b.name, f.b.last())
	case err != nil:
		return []drivers.Clip{f.clip}, err
	}
	return []drivers.Clip{f.clip}, nil
}

// StartLog copies the system's log: of a simulator by simctl, of an iPhone by go-ios.
func (d *Device) StartLog(ctx context.Context, w io.Writer) (func() error, error) {
	l, ok := d.host.(logger)
	if !ok {
		return nil, d.unsupported("its log needs xcrun on a Mac for a simulator, or go-ios for an iPhone")
	}
	first := &firstWrite{w: w, seen: make(chan struct{})}
	b, err := l.log(first)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", d.info.ID, err)
	}
	if err := first.await(ctx, b); err != nil {
		b.stop(logGrace)
		return nil, fmt.Errorf("device %s: %w", d.info.ID, err)
	}
	stopped := make(chan struct{})
	if err := d.life.Go(func() {
		select {
		case <-d.life.Done():
			b.stop(logGrace)
		case <-stopped:
		}
	}); err != nil {
		b.stop(logGrace)
		return nil, fmt.Errorf("device %s: %w", d.info.ID, err)
	}
	return func() error {
		defer close(stopped)
		select {
		case <-b.done:
			return b.ended()
		default:
			b.stop(logGrace)
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
func (f *firstWrite) await(ctx context.Context, b *background) error {
	timer := time.NewTimer(logStart)
	defer timer.Stop()
	select {
	case <-f.seen:
	case <-timer.C:
	case <-b.done:
		return b.ended()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// logStart is how long the first line of a log may take.
const logStart = 3 * time.Second

// logGrace is how long the program that reads the log may take to end.
const logGrace = 3 * time.Second
