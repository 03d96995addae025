package devices

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/video"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

const (
	firstImageTimeout = 10 * time.Second
	imageInterval     = 100 * time.Millisecond // minimum between two images of a video
	maxImageBytes     = 256 << 20              // of the images of one video
	encodeTimeout     = 10 * time.Minute       // limit for encoding one video
	videoKept         = time.Hour
	maxVideos         = 20 // of all devices
)

// The states of a recording.
const (
	recordingRunning = "recording"
	recordingWriting = "writing"
	recordingReady   = "ready"
	recordingFailed  = "failed"
)

// Recording is a video of a device's screen, as clients see it.
type Recording struct {
	Device      string    `json:"device"`
	State       string    `json:"state" enum:"recording,writing,ready,failed" doc:"ready: GET …/recording/video returns it."`
	Since       time.Time `json:"since"`
	Until       time.Time `json:"until" doc:"When it ends by itself, or has ended."`
	Screenshots int       `json:"screenshots" doc:"Number of different images of the screen."`
	Size        int64     `json:"size,omitempty" doc:"Bytes of the video."`
	Problem     string    `json:"problem,omitempty" doc:"Why it has ended early, or why there is no video."`
}

// recording is a recording of a device, running or ended.
type recording struct {
	device string
	began  time.Time
	base   context.Context // ends with the server
	life   context.Context
	stop   context.CancelFunc
	ended  chan struct{} // closed when the video is complete, or has failed

	mu     sync.Mutex
	folder string // its own; "" before open
	gone   bool   // it was dropped
	state  Recording
}

func (r *recording) now() Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *recording) change(to func(*Recording)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to(&r.state)
}

func (r *recording) dropped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone
}

// open creates the folder of the images.
func (r *recording) open() error {
	dir, err := os.MkdirTemp("", "taproot-film-")
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return errors.Join(errNoRecording, os.RemoveAll(dir))
	}
	r.folder = dir
	return nil
}

var errNoRecording = rest.Fault(http.StatusNotFound, rest.CodeNotFound, "the recording was deleted")

func (r *recording) file(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return filepath.Join(r.folder, name)
}

func (r *recording) videoFile() string { return r.file("film.mp4") }

// recordings are the recordings of one server, at most one per device.
type recordings struct {
	base context.Context // ends all of them
	work sync.WaitGroup  // counts those that have not ended

	mu       sync.Mutex
	closed   bool
	byDevice map[string]*recording
}

func (s *recordings) of(device string) *recording {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byDevice[device]
}

// start adds a recording of a device and replaces one that has ended. The caller must call make or fail next.
func (s *recordings) start(device string, most time.Duration) (*recording, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, live.ErrClosed
	}
	if before := s.byDevice[device]; before != nil {
		select {
		case <-before.ended:
			s.forget(before)
		default:
			return nil, rest.Fault(http.StatusConflict, rest.CodeConflict,
				"the device is recorded already; POST /devices/{id}/recording/stop ends it")
		}
	}
	s.makeRoom()
	r := &recording{device: device, base: s.base, began: time.Now(), ended: make(chan struct{})}
	r.life, r.stop = context.WithTimeout(s.base, most)
	r.state = Recording{Device: device, State: recordingRunning, Since: r.began.UTC(), Until: r.began.Add(most).UTC()}
	if s.byDevice == nil {
		s.byDevice = map[string]*recording{}
	}
	s.byDevice[device] = r
	s.work.Add(1)
	return r, nil
}

// makeRoom removes the oldest recording that has ended, when there are too many. The caller holds mu.
func (s *recordings) makeRoom() {
	var oldest *recording
	for _, r := range s.byDevice {
		if state := r.now().State; (state == recordingReady || state == recordingFailed) &&
			(oldest == nil || r.began.Before(oldest.began)) {
			oldest = r
		}
	}
	if oldest != nil && len(s.byDevice) >= maxVideos {
		s.forget(oldest)
	}
}

// drop ends a recording and removes its files.
func (s *recordings) drop(r *recording) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(r)
}

// forget is drop for callers that hold mu.
func (s *recordings) forget(r *recording) {
	if s.byDevice[r.device] == r {
		delete(s.byDevice, r.device)
	}
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = true
	select {
	case <-r.ended: // otherwise make, which still writes there, removes it
		_ = os.RemoveAll(r.folder)
	default:
	}
}

// close ends all recordings and removes their files.
func (s *recordings) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.work.Wait() // they end because base has ended
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.byDevice {
		s.forget(r)
	}
}

// make collects images until the recording ends, and encodes them as a video.
func (s *recordings) make(r *recording, view *live.View, ffmpeg string) {
	defer s.work.Done()
	frames, err := r.take(view)
	if closing := view.Close(); err == nil {
		err = closing
	}
	now := time.Now()
	r.change(func(state *Recording) {
		state.State, state.Until = recordingWriting, now.UTC()
		if err != nil {
			state.Problem = publicReason(err)
		}
	})
	size := int64(0)
	if size, err = r.write(s.base, withDurations(frames, now), ffmpeg); err == nil {
		r.change(func(state *Recording) { state.State, state.Size = recordingReady, size })
	} else {
		r.change(func(state *Recording) { state.State, state.Problem = recordingFailed, publicReason(err) })
	}
	r.end()
	time.AfterFunc(videoKept, func() { s.drop(r) })
}

// fail ends a recording that could not start.
func (s *recordings) fail(r *recording, err error) {
	defer s.work.Done()
	r.change(func(state *Recording) { state.State, state.Problem = recordingFailed, publicReason(err) })
	r.end()
	s.drop(r)
}

// end marks the recording as ended: nothing writes to the folder any more.
func (r *recording) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if close(r.ended); r.gone {
		_ = os.RemoveAll(r.folder)
	}
}

// still is an image of a video.
type still struct {
	path string
	at   time.Time
}

// take saves each new image until the recording ends. The error is the reason of an early end.
func (r *recording) take(view *live.View) (stills []still, err error) {
	bytes := 0
	for {
		f, err := r.next(view, len(stills) == 0)
		switch {
		case errors.Is(err, live.ErrGone):
			return stills, err
		case err != nil:
			return stills, nil
		}
		if bytes += len(f.JPEG); bytes > maxImageBytes {
			return stills, errors.New("it has the maximum number of images")
		}
		one := still{r.file(fmt.Sprintf("%06d.jpg", len(stills))), f.At}
		if f.At.Before(r.began) {
			one.at = r.began
		}
		if err := os.WriteFile(one.path, f.JPEG, 0o600); err != nil {
			return stills, fmt.Errorf("an image cannot be saved: %w", err)
		}
		stills = append(stills, one)
		r.change(func(state *Recording) { state.Screenshots = len(stills) })
		pause := time.NewTimer(imageInterval)
		select {
		case <-pause.C:
		case <-r.life.Done():
			pause.Stop()
		}
	}
}

// next returns the next image. It waits for the first one also when the recording is to end at once.
func (r *recording) next(view *live.View, first bool) (drivers.Frame, error) {
	f, err := view.Next(r.life)
	if err == nil || !first || errors.Is(err, live.ErrGone) || r.dropped() {
		return f, err
	}
	ctx, cancel := context.WithTimeout(r.base, firstImageTimeout)
	defer cancel()
	return view.Next(ctx)
}

// withDurations returns the images with the time for which each was visible.
func withDurations(stills []still, end time.Time) []video.Frame {
	var frames []video.Frame
	for i, one := range stills {
		until := end
		if i+1 < len(stills) {
			until = stills[i+1].at
		}
		frames = append(frames, video.Frame{Path: one.path, Duration: until.Sub(one.at)})
	}
	return frames
}

// write encodes the video and removes the images.
func (r *recording) write(ctx context.Context, frames []video.Frame, ffmpeg string) (size int64, err error) {
	if r.dropped() {
		return 0, errNoRecording
	}
	if len(frames) == 0 {
		return 0, errors.New("nothing was drawn while it was recorded")
	}
	ctx, cancel := context.WithTimeout(ctx, encodeTimeout)
	defer cancel()
	out := r.videoFile()
	err = video.Maker{FFmpeg: ffmpeg}.SlideShow(ctx, frames, time.Time{}, out)
	for _, f := range frames {
		err = errors.Join(err, os.Remove(f.Path))
	}
	info, statErr := os.Stat(out)
	if err = errors.Join(err, statErr); err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// publicReason returns an error's text without paths of this machine.
func publicReason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return rest.Cut(err.Error(), 500)
}
