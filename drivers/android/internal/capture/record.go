package capture

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
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
)

// Recorder records the screen.
type Recorder struct {
	Phone   *phone.Phone
	Camera  *Camera
	Segment int           // seconds of a part of a recording
	Probe   time.Duration // how long a recording is watched before it counts as started
}

const (
	SegmentSeconds     = 170 // screenrecord ends by itself after 180 below API 34
	recordingBitRate   = 4_000_000
	recordingPidLimit  = 10 * time.Second
	recordingPullLimit = 3 * time.Minute
	// RecordingEndLimit is the time to write the index of a recording: a busy machine that simulates phones needs its time
	RecordingEndLimit = 45 * time.Second
	// recordingGoneLimit is for a recorder of which the phone says that it has ended.
	recordingGoneLimit = 2 * time.Second
	// Probe is how long a recording is watched before it counts as started: an encoder that refuses the screen's
	// size does so at once.
	Probe = 400 * time.Millisecond
)

// StartRecording records with the phone's screenrecord, in segments, at its own size or, where the encoder refuses
// that, at 720x1280. The recording continues until Stop or the end of the device, whatever becomes of ctx.
func (r *Recorder) StartRecording(ctx context.Context, dir string) (drivers.Recording, error) {
	var first *segment
	var size string
	for _, try := range []string{"", r.smallSize()} {
		s, err := r.startSegment(ctx, try)
		if err != nil {
			return nil, err
		}
		if err := s.survives(ctx); err == nil {
			first, size = s, try
			break
		} else if ctx.Err() != nil {
			s.p.Close()
			return nil, r.Phone.Link.Fault(ctx, "screenrecord", err)
		}
		r.Phone.Log.Debug("screenrecord refuses", "size", try, "reason", s.reason())
		r.discard(ctx, s)
		if errors.Is(s.err, drivers.ErrDeviceLost) {
			return nil, s.err
		}
		if try != "" {
			return nil, fmt.Errorf("device %s: %w: screenrecord: %s", r.Phone.Link.Serial, drivers.ErrUnsupported, s.reason())
		}
	}
	made := &recording{recorder: r, dir: dir, size: size, asked: make(chan struct{}), done: make(chan struct{})}
	if err := r.Phone.Life.Go(func() { made.run(first) }); err != nil {
		return nil, fmt.Errorf("device %s: screenrecord: %w", r.Phone.Link.Serial, err)
	}
	return made, nil
}

// smallSize is a size that every encoder takes, lying or standing as the screen does.
func (r *Recorder) smallSize() string {
	if shot := r.Phone.LastShot(); shot.X > shot.Y {
		return "1280x720"
	}
	return "720x1280"
}

// segment is one run of screenrecord.
type segment struct {
	recorder *Recorder
	p        *adb.Process
	file     string
	start    time.Time
	pid      int
	known    chan struct{} // closed once start and pid are set
	ended    chan struct{} // closed with code, err and output final

	said bytes.Buffer
	code int
	err  error
}

// startSegment starts a segment of the recording and waits for its process id.
func (r *Recorder) startSegment(ctx context.Context, size string) (*segment, error) {
	s := &segment{recorder: r, file: r.Phone.TempFile(".mp4"), known: make(chan struct{}), ended: make(chan struct{})}
	line := fmt.Sprintf("echo $$; exec screenrecord --bit-rate %d --time-limit %d", recordingBitRate, r.Segment)
	if size != "" {
		line += " --size " + size
	}
	if display := r.Camera.chosenDisplay(); display != "" {
		line += " --display-id " + display
	}
	var err error
	if s.p, err = r.Phone.Stream(ctx, adb.Command{Name: "screenrecord", Line: line + " " + s.file}); err != nil {
		return nil, err
	}
	if err := r.Phone.Life.Go(s.watch); err != nil {
		s.p.Close()
		return nil, fmt.Errorf("device %s: screenrecord: %w", r.Phone.Link.Serial, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, recordingPidLimit, r.Phone.Link.TooSlow("screenrecord",
		recordingPidLimit))
	defer cancel()
	select {
	case <-s.known:
	case <-s.ended:
	case <-ctx.Done():
		s.p.Close()
		return nil, r.Phone.Link.Fault(ctx, "screenrecord", ctx.Err())
	}
	return s, nil
}

// watch reads what screenrecord says until it ends.
func (s *segment) watch() {
	defer close(s.ended)
	s.code, s.err = s.p.Wait(s, s)
	if s.err != nil {
		s.err = s.recorder.Phone.Link.Fault(s.recorder.Phone.Life, "screenrecord", s.err)
		return
	}
	s.recorder.Phone.ProcessEnded(s.pid)
}

// Write reads the process id from the first line and keeps the rest, as far as it may be a reason. One goroutine calls
// it.
func (s *segment) Write(p []byte) (int, error) {
	if room := adb.StderrLimit - s.said.Len(); room > 0 {
		s.said.Write(p[:min(len(p), room)])
	}
	if s.pid == 0 {
		if line, rest, whole := bytes.Cut(s.said.Bytes(), []byte("\n")); whole {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(line))); err == nil && pid > 1 {
				s.pid, s.start = pid, time.Now()
				s.said = *bytes.NewBuffer(bytes.Clone(rest))
				s.recorder.Phone.ProcessStarted(pid)
				close(s.known)
			}
		}
	}
	return len(p), nil
}

// survives waits whether screenrecord ends at once.
func (s *segment) survives(ctx context.Context) error {
	timer := time.NewTimer(s.recorder.Probe)
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
	return adb.Output{Errs: s.said.Bytes(), Code: s.code}.Reason()
}

// discard removes a segment's file from the device. What does not work here is done by Close.
func (r *Recorder) discard(ctx context.Context, s *segment) {
	if o, err := r.Phone.Run(ctx, adb.Command{Name: "rm", Line: "rm -f " + s.file}); err == nil && o.Code == 0 {
		r.Phone.Removed(s.file)
	}
}

// recording is a video being made, segment after segment.
type recording struct {
	recorder  *Recorder
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
		return nil, r.recorder.Phone.Link.Fault(ctx, "stop screenrecord", ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortFunc(r.clips, func(a, b drivers.Clip) int { return a.Start.Compare(b.Start) })
	if len(r.clips) == 0 && len(r.errs) == 0 {
		return nil, fmt.Errorf("device %s: screenrecord left no video", r.recorder.Phone.Link.Serial)
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
		case <-r.recorder.Phone.Life.Done():
			<-s.ended
			return
		}
		failed := s.err != nil || s.code != 0 && !asked &&
			time.Since(s.start) < time.Duration(r.recorder.Segment)*time.Second/2
		if s.err != nil {
			r.fail(s.err)
		} else if failed {
			r.fail(fmt.Errorf("device %s: screenrecord: %s", r.recorder.Phone.Link.Serial, s.reason()))
		}
		if s.err == nil {
			r.fetch(s)
		}
		if asked || failed {
			return
		}
		next, err := r.recorder.startSegment(r.recorder.Phone.Life, r.size)
		if err != nil {
			r.fail(err)
		}
		s = next
	}
}

// interrupt sends SIGINT to screenrecord and waits until it has written the index of the video. It returns when the
// segment has ended.
func (r *recording) interrupt(s *segment) {
	limit := RecordingEndLimit
	if !r.signal(s) {
		limit = recordingGoneLimit
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-s.ended:
	case <-timer.C:
		r.fail(fmt.Errorf("device %s: screenrecord did not end within %v", r.recorder.Phone.Link.Serial, limit))
		s.p.Close() // which kills it
		<-s.ended
	}
}

// signal sends SIGINT to screenrecord. It is false when no such process is there any more, under its number or by the
// file that it writes: then there is nothing to wait for but the end of the connection.
func (r *recording) signal(s *segment) bool {
	byFile := "pkill -2 -f " + shellescape.Quote("[s]creenrecord.*"+strings.TrimPrefix(s.file, phone.TempDir))
	line := byFile
	if s.pid != 0 {
		line = fmt.Sprintf("kill -2 %d || %s", s.pid, byFile)
	}
	o, err := r.recorder.Phone.Run(r.recorder.Phone.Life, adb.Command{Name: "stop screenrecord", Line: line})
	if err != nil {
		r.fail(err)
		return false
	}
	return o.Code == 0
}

// fetch pulls a segment while the next one is recorded.
func (r *recording) fetch(s *segment) {
	r.mu.Lock()
	r.made++
	local := filepath.Join(r.dir, fmt.Sprintf("screenrecord-%02d.mp4", r.made))
	r.mu.Unlock()
	r.pulls.Go(func() {
		ctx, cancel := context.WithTimeoutCause(r.recorder.Phone.Life, recordingPullLimit,
			r.recorder.Phone.Link.TooSlow("the pull of its recording",
				recordingPullLimit))
		defer cancel()
		if err := r.recorder.Phone.Link.Pull(ctx, s.file, local); err != nil {
			r.fail(err)
			return
		}
		r.recorder.discard(r.recorder.Phone.Life, s)
		if info, err := os.Stat(local); err != nil || info.Size() == 0 {
			r.fail(errors.Join(err, fmt.Errorf("device %s: screenrecord left an empty video: %s", r.recorder.Phone.Link.Serial,
				s.reason())))
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
