package android

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	segmentSeconds     = 170 // screenrecord ends by itself after 180 below API 34
	recordingBitRate   = 4_000_000
	recordingPidLimit  = 10 * time.Second
	recordingPullLimit = 3 * time.Minute
	// to write the index of a recording: a busy machine that simulates phones needs its time
	recordingEndLimit = 45 * time.Second
	// recordingGoneLimit is for a recorder of which the phone says that it has ended.
	recordingGoneLimit = 2 * time.Second
	// recordingProbe is how long a recording is watched before it counts as started: an encoder that refuses the screen's
	// size does so at once.
	recordingProbe = 400 * time.Millisecond
)

// StartRecording records with the phone's screenrecord, in segments, at its own size or, where the encoder refuses
// that, at 720x1280. The recording continues until Stop or Device.Close, whatever becomes of ctx.
func (d *Device) StartRecording(ctx context.Context, dir string) (drivers.Recording, error) {
	var first *segment
	var size string
	for _, try := range []string{"", d.smallSize()} {
		s, err := d.startSegment(ctx, try)
		if err != nil {
			return nil, err
		}
		if err := s.survives(ctx); err == nil {
			first, size = s, try
			break
		} else if ctx.Err() != nil {
			s.p.close()
			return nil, d.link.fault(ctx, "screenrecord", err)
		}
		d.log.Debug("screenrecord refuses", "size", try, "reason", s.reason())
		d.discard(ctx, s)
		if errors.Is(s.err, drivers.ErrDeviceLost) {
			return nil, s.err
		}
		if try != "" {
			return nil, fmt.Errorf("device %s: %w: screenrecord: %s", d.link.serial, drivers.ErrUnsupported, s.reason())
		}
	}
	r := &recording{d: d, dir: dir, size: size, asked: make(chan struct{}), done: make(chan struct{})}
	if err := d.life.Go(func() { r.run(first) }); err != nil {
		return nil, fmt.Errorf("device %s: screenrecord: %w", d.link.serial, err)
	}
	return r, nil
}

// smallSize is a size that every encoder takes, lying or standing as the screen does.
func (d *Device) smallSize() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shot.X > d.shot.Y {
		return "1280x720"
	}
	return "720x1280"
}

// segment is one run of screenrecord.
type segment struct {
	d     *Device
	p     *process
	file  string
	start time.Time
	pid   int
	known chan struct{} // closed once start and pid are set
	ended chan struct{} // closed with code, err and output final

	said bytes.Buffer
	code int
	err  error
}

// startSegment starts a segment of the recording and waits for its process id.
func (d *Device) startSegment(ctx context.Context, size string) (*segment, error) {
	s := &segment{d: d, file: d.tempFile(".mp4"), known: make(chan struct{}), ended: make(chan struct{})}
	line := fmt.Sprintf("echo $$; exec screenrecord --bit-rate %d --time-limit %d", recordingBitRate, d.segment)
	if size != "" {
		line += " --size " + size
	}
	d.mu.Lock()
	if d.display != "" {
		line += " --display-id " + d.display
	}
	d.mu.Unlock()
	var err error
	if s.p, err = d.stream(ctx, command{name: "screenrecord", line: line + " " + s.file}); err != nil {
		return nil, err
	}
	if err := d.life.Go(s.watch); err != nil {
		s.p.close()
		return nil, fmt.Errorf("device %s: screenrecord: %w", d.link.serial, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, recordingPidLimit, d.link.tooSlow("screenrecord", recordingPidLimit))
	defer cancel()
	select {
	case <-s.known:
	case <-s.ended:
	case <-ctx.Done():
		s.p.close()
		return nil, d.link.fault(ctx, "screenrecord", ctx.Err())
	}
	return s, nil
}

// watch reads what screenrecord says until it ends.
func (s *segment) watch() {
	defer close(s.ended)
	s.code, s.err = s.p.wait(s, s)
	if s.err != nil {
		s.err = s.d.link.fault(s.d.life, "screenrecord", s.err)
		return
	}
	s.d.mu.Lock()
	delete(s.d.pids, s.pid)
	s.d.mu.Unlock()
}

// Write reads the process id from the first line and keeps the rest, as far as it may be a reason. One goroutine calls
// it.
func (s *segment) Write(p []byte) (int, error) {
	if room := stderrLimit - s.said.Len(); room > 0 {
		s.said.Write(p[:min(len(p), room)])
	}
	if s.pid == 0 {
		if line, rest, whole := bytes.Cut(s.said.Bytes(), []byte("\n")); whole {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(line))); err == nil && pid > 1 {
				s.pid, s.start = pid, time.Now()
				s.said = *bytes.NewBuffer(bytes.Clone(rest))
				s.d.mu.Lock()
				s.d.pids[pid] = struct{}{} // for Close to stop
				s.d.mu.Unlock()
				close(s.known)
			}
		}
	}
	return len(p), nil
}

// survives waits whether screenrecord ends at once.
func (s *segment) survives(ctx context.Context) error {
	timer := time.NewTimer(s.d.probe)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.ended:
		return errors.New("it ended at once")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reason is what an ended segment printed.
func (s *segment) reason() string {
	if s.err != nil {
		return s.err.Error()
	}
	return output{errs: s.said.Bytes(), code: s.code}.reason()
}

// discard removes a segment's file from the device. What does not work here is done by Close.
func (d *Device) discard(ctx context.Context, s *segment) {
	if o, err := d.run(ctx, command{name: "rm", line: "rm -f " + s.file}); err == nil && o.code == 0 {
		d.removed(s.file)
	}
}

// recording is a video being made, segment after segment.
type recording struct {
	d         *Device
	dir, size string
	ask       sync.Once
	asked     chan struct{} // to stop
	done      chan struct{} // clips and errs are final
	pulls     sync.WaitGroup

	mu    sync.Mutex
	made  int
	clips []drivers.Clip
	errs  []error
}

var _ drivers.Recording = (*recording)(nil)

// Stop ends the recording in the way that leaves it whole (SIGINT), fetches what is still on the phone and removes it
// there. Of a recording that broke in the middle it returns the existing parts, with the error.
func (r *recording) Stop(ctx context.Context) ([]drivers.Clip, error) {
	r.ask.Do(func() { close(r.asked) })
	select {
	case <-r.done:
	case <-ctx.Done():
		return nil, r.d.link.fault(ctx, "stop screenrecord", ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(r.clips, func(a, b drivers.Clip) int { return a.Start.Compare(b.Start) })
	if len(r.clips) == 0 && len(r.errs) == 0 {
		return nil, fmt.Errorf("device %s: screenrecord left no video", r.d.link.serial)
	}
	return r.clips, errors.Join(r.errs...)
}

func (r *recording) run(s *segment) {
	defer close(r.done)
	defer r.pulls.Wait()
	for s != nil {
		asked := false
		select {
		case <-s.ended:
		case <-r.asked:
			asked = true
			r.interrupt(s)
		case <-r.d.life.Done():
			<-s.ended
			return
		}
		failed := s.err != nil || s.code != 0 && !asked && time.Since(s.start) < time.Duration(r.d.segment)*time.Second/2
		if s.err != nil {
			r.fail(s.err)
		} else if failed {
			r.fail(fmt.Errorf("device %s: screenrecord: %s", r.d.link.serial, s.reason()))
		}
		if s.err == nil {
			r.fetch(s)
		}
		if asked || failed {
			return
		}
		next, err := r.d.startSegment(r.d.life, r.size)
		if err != nil {
			r.fail(err)
		}
		s = next
	}
}

// interrupt sends SIGINT to screenrecord and waits until it has written the index of the video. It returns when the
// segment has ended.
func (r *recording) interrupt(s *segment) {
	limit := recordingEndLimit
	if !r.signal(s) {
		limit = recordingGoneLimit
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-s.ended:
	case <-timer.C:
		r.fail(fmt.Errorf("device %s: screenrecord did not end within %v", r.d.link.serial, limit))
		s.p.close() // which kills it
		<-s.ended
	}
}

// signal sends SIGINT to screenrecord. It is false when no such process is there any more, under its number or by the
// file that it writes: then there is nothing to wait for but the end of the connection.
func (r *recording) signal(s *segment) bool {
	byFile := "pkill -2 -f " + shellescape.Quote("[s]creenrecord.*"+strings.TrimPrefix(s.file, tempDir))
	line := byFile
	if s.pid != 0 {
		line = fmt.Sprintf("kill -2 %d || %s", s.pid, byFile)
	}
	o, err := r.d.run(r.d.life, command{name: "stop screenrecord", line: line})
	if err != nil {
		r.fail(err)
		return false
	}
	return o.code == 0
}

// fetch pulls a segment while the next one is recorded.
func (r *recording) fetch(s *segment) {
	r.mu.Lock()
	r.made++
	local := filepath.Join(r.dir, fmt.Sprintf("screenrecord-%02d.mp4", r.made))
	r.mu.Unlock()
	r.pulls.Go(func() {
		ctx, cancel := context.WithTimeoutCause(r.d.life, recordingPullLimit, r.d.link.tooSlow("the pull of its recording",
			recordingPullLimit))
		defer cancel()
		if err := r.d.link.pull(ctx, s.file, local); err != nil {
			r.fail(err)
			return
		}
		r.d.discard(r.d.life, s)
		if info, err := os.Stat(local); err != nil || info.Size() == 0 {
			r.fail(errors.Join(err, fmt.Errorf("device %s: screenrecord left an empty video: %s", r.d.link.serial, s.reason())))
			_ = os.Remove(local)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.clips = append(r.clips, drivers.Clip{Path: local, Start: s.start})
	})
}

func (r *recording) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}
