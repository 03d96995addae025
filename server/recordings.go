package server

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
	"github.com/taproot-dev/taproot/reporters/video"
	"github.com/taproot-dev/taproot/runner/live"
)

const (
	firstPicture = 10 * time.Second
	filmPause    = 100 * time.Millisecond // between two pictures of a film, at least
	filmBytes    = 256 << 20              // of the pictures of one
	filmWriting  = 10 * time.Minute       // to make one file of them
	filmKept     = time.Hour
	filmsKept    = 20 // of all devices
)

// The states of a recording.
const (
	recordingRuns    = "recording"
	recordingWritten = "writing"
	recordingReady   = "ready"
	recordingFailed  = "failed"
)

// Recording is a film of a device's screen, as clients see it.
type Recording struct {
	Device   string    `json:"device"`
	State    string    `json:"state" enum:"recording,writing,ready,failed" doc:"ready: GET /devices/{id}/recording/film is the film."`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until" doc:"When it ends by itself, or has ended."`
	Pictures int       `json:"pictures" doc:"So many different pictures of the screen were taken."`
	Size     int64     `json:"size,omitempty" doc:"Bytes of the film."`
	Problem  string    `json:"problem,omitempty" doc:"Why it has ended early, or why there is no film."`
}

// recording is a film that is made, or was.
type recording struct {
	device string
	began  time.Time
	base   context.Context // of all
	life   context.Context
	stop   context.CancelFunc
	ended  chan struct{} // closed when there is a film, or a reason why there is none

	mu     sync.Mutex
	folder string // of its own; "" once it was dropped
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

// open makes the folder of the pictures.
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

var errNoRecording = fault(http.StatusNotFound, codeNotFound, "the recording was deleted")

func (r *recording) file(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return filepath.Join(r.folder, name)
}

func (r *recording) filmFile() string { return r.file("film.mp4") }

// recordings are the films of one server, one for a device.
type recordings struct {
	base context.Context // ends all of them
	work sync.WaitGroup  // of those that are made

	mu       sync.Mutex
	closed   bool
	byDevice map[string]*recording
}

func (s *recordings) of(device string) *recording {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byDevice[device]
}

// begin notes the recording of a device, in the place of one that has ended; make or fail must follow.
func (s *recordings) begin(device string, most time.Duration) (*recording, error) {
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
			return nil, fault(http.StatusConflict, codeConflict,
				"the device is filmed already; POST /devices/{id}/recording/stop ends it")
		}
	}
	s.makeRoom()
	r := &recording{device: device, base: s.base, began: time.Now(), ended: make(chan struct{})}
	r.life, r.stop = context.WithTimeout(s.base, most)
	r.state = Recording{Device: device, State: recordingRuns, Since: r.began.UTC(), Until: r.began.Add(most).UTC()}
	if s.byDevice == nil {
		s.byDevice = map[string]*recording{}
	}
	s.byDevice[device] = r
	s.work.Add(1)
	return r, nil
}

// makeRoom forgets the oldest film that has ended, when there are many. The caller holds mu.
func (s *recordings) makeRoom() {
	var oldest *recording
	for _, r := range s.byDevice {
		if state := r.now().State; (state == recordingReady || state == recordingFailed) &&
			(oldest == nil || r.began.Before(oldest.began)) {
			oldest = r
		}
	}
	if oldest != nil && len(s.byDevice) >= filmsKept {
		s.forget(oldest)
	}
}

// drop ends a recording and removes what there is of it.
func (s *recordings) drop(r *recording) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(r)
}

// forget is drop for who holds mu.
func (s *recordings) forget(r *recording) {
	if s.byDevice[r.device] == r {
		delete(s.byDevice, r.device)
	}
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = true
	select {
	case <-r.ended: // else make removes it, which writes to it
		_ = os.RemoveAll(r.folder)
	default:
	}
}

// close ends all recordings and removes their films.
func (s *recordings) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.work.Wait() // for base has ended
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.byDevice {
		s.forget(r)
	}
}

// make keeps the pictures until the recording is to end, and makes a film of them.
func (s *recordings) make(r *recording, view *live.View, ffmpeg string) {
	defer s.work.Done()
	frames, err := r.take(view)
	if closing := view.Close(); err == nil {
		err = closing
	}
	now := time.Now()
	r.change(func(state *Recording) {
		state.State, state.Until = recordingWritten, now.UTC()
		if err != nil {
			state.Problem = plainReason(err)
		}
	})
	size := int64(0)
	if size, err = r.write(s.base, lasting(frames, now), ffmpeg); err == nil {
		r.change(func(state *Recording) { state.State, state.Size = recordingReady, size })
	} else {
		r.change(func(state *Recording) { state.State, state.Problem = recordingFailed, plainReason(err) })
	}
	r.end()
	time.AfterFunc(filmKept, func() { s.drop(r) })
}

// fail ends a recording that could not begin.
func (s *recordings) fail(r *recording, err error) {
	defer s.work.Done()
	r.change(func(state *Recording) { state.State, state.Problem = recordingFailed, plainReason(err) })
	r.end()
	s.drop(r)
}

// end tells that nobody writes to the folder any more.
func (r *recording) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if close(r.ended); r.gone {
		_ = os.RemoveAll(r.folder)
	}
}

// still is a picture of a film.
type still struct {
	path string
	at   time.Time
}

// take keeps each picture that is new. What ends the recording early is the error.
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
		if bytes += len(f.JPEG); bytes > filmBytes {
			return stills, errors.New("it holds as many pictures as a film may have")
		}
		one := still{r.file(fmt.Sprintf("%06d.jpg", len(stills))), f.At}
		if f.At.Before(r.began) {
			one.at = r.began
		}
		if err := os.WriteFile(one.path, f.JPEG, 0o600); err != nil {
			return stills, fmt.Errorf("a picture cannot be kept: %w", err)
		}
		stills = append(stills, one)
		r.change(func(state *Recording) { state.Pictures = len(stills) })
		pause := time.NewTimer(filmPause)
		select {
		case <-pause.C:
		case <-r.life.Done():
			pause.Stop()
		}
	}
}

// next gives the next picture. The first one is waited for also when the recording is to end at once.
func (r *recording) next(view *live.View, first bool) (drivers.Frame, error) {
	f, err := view.Next(r.life)
	if err == nil || !first || errors.Is(err, live.ErrGone) || r.dropped() {
		return f, err
	}
	ctx, cancel := context.WithTimeout(r.base, firstPicture)
	defer cancel()
	return view.Next(ctx)
}

// lasting tells how long each picture was to be seen.
func lasting(stills []still, end time.Time) []video.Frame {
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

// write makes the film, and removes the pictures.
func (r *recording) write(ctx context.Context, frames []video.Frame, ffmpeg string) (size int64, err error) {
	if r.dropped() {
		return 0, errNoRecording
	}
	if len(frames) == 0 {
		return 0, errors.New("nothing was drawn while it was recorded")
	}
	ctx, cancel := context.WithTimeout(ctx, filmWriting)
	defer cancel()
	out := r.filmFile()
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

// plainReason is an error's text without the paths of this machine.
func plainReason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return cut(err.Error(), 500)
}
