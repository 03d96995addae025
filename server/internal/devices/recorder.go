package devices

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// recorder records screens on demand.
type recorder struct {
	*desk
	recordings *recordings
}

const recordDoc = `Records the screen until POST /devices/{id}/recording/stop, or for the time of max. The video
consists of the images of GET /devices/{id}/live: a device that another client has leased can be recorded, too; the
device stays open meanwhile. GET /devices/{id}/recording/video returns the video. It is kept for an hour, until the
next recording of the device, DELETE, or the end of the server. Nothing is recorded while variables are exposed to
callers, because a video cannot hide secrets.`

const (
	defaultRecording = 10 * time.Minute
	longestRecording = 30 * time.Minute
)

type recordingInput struct {
	ID   string `path:"id" doc:"Serial of the phone, or id of the page, as GET /devices lists it." example:"emulator-5554"`
	Body *struct {
		Max        *rest.Span `json:"max,omitempty" doc:"Its longest duration, from 1s to 30m. Default: 10m."`
		MaxSeconds int        `json:"maxSeconds,omitempty" minimum:"1" maximum:"1800" deprecated:"true" doc:"The same in seconds."`
	}
}

type oneRecording struct{ Body Recording }

// recorded returns the recording of a device. A page that was closed may still have one.
func (s *recorder) recorded(ctx context.Context, id string) (*recording, error) {
	if rec := s.recordings.of(id); rec != nil {
		return rec, nil
	}
	if _, err := s.device(ctx, id); err != nil {
		return nil, err
	}
	return nil, rest.Fault(http.StatusNotFound, rest.CodeNotFound,
		"the device has no recording; POST /devices/{id}/recording starts one")
}

func (s *recorder) getRecording(ctx context.Context, in *deviceInput) (*oneRecording, error) {
	rec, err := s.recorded(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &oneRecording{rec.now()}, nil
}

func (s *recorder) startRecording(ctx context.Context, in *recordingInput) (*oneRecording, error) {
	if _, err := s.device(ctx, in.ID); err != nil {
		return nil, err
	}
	most := defaultRecording
	if in.Body != nil {
		given, err := rest.SpanOr("max", in.Body.Max, "maxSeconds", in.Body.MaxSeconds, time.Second, longestRecording)
		if err != nil {
			return nil, err
		}
		most = cmp.Or(given, most)
	}
	if len(s.o.Sandbox.Exposed) > 0 {
		return nil, rest.Fault(http.StatusUnprocessableEntity, rest.CodeUnsupported,
			"nothing is recorded while variables are exposed to callers: a video cannot hide secrets")
	}
	ffmpeg := run.FindFFmpeg(ctx, s.o.Sandbox.Config)
	if ffmpeg == "" {
		return nil, rest.Fault(http.StatusUnprocessableEntity, rest.CodeUnsupported,
			"no video can be recorded: ffmpeg is not installed on the server; `taproot setup` installs it")
	}
	rec, err := s.recordings.start(in.ID, most)
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	view, err := s.devices.View(ctx, in.ID)
	if err == nil {
		err = rec.open()
	}
	if err != nil {
		if view != nil {
			_ = view.Close()
		}
		s.recordings.fail(rec, err)
		return nil, rest.AsDeviceError(err)
	}
	go s.recordings.make(rec, view, ffmpeg)
	return &oneRecording{rec.now()}, nil
}

func (s *recorder) stopRecording(ctx context.Context, in *deviceInput) (*oneRecording, error) {
	rec, err := s.recorded(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	rec.stop()
	select {
	case <-rec.ended:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	now := rec.now()
	if now.State == recordingFailed {
		return nil, rest.Fault(http.StatusBadGateway, rest.CodeDevice, "there is no video: "+now.Problem)
	}
	return &oneRecording{now}, nil
}

func (s *recorder) deleteRecording(ctx context.Context, in *deviceInput) (*struct{}, error) {
	rec, err := s.recorded(ctx, in.ID)
	if err == nil {
		s.recordings.drop(rec)
	}
	return nil, err
}

// getRecordingVideo sends the video of a device's last recording.
func (s *recorder) getRecordingVideo(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.recorded(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	switch now := rec.now(); now.State {
	case recordingFailed:
		return rest.Fault(http.StatusNotFound, rest.CodeNotFound, "there is no video: "+now.Problem)
	case recordingRunning, recordingWriting:
		return rest.Fault(http.StatusConflict, rest.CodeConflict,
			"the recording has not ended; POST /devices/{id}/recording/stop ends it")
	}
	f, err := os.Open(rec.videoFile())
	if err != nil { // it was deleted meanwhile
		return rest.Fault(http.StatusNotFound, rest.CodeNotFound, "the device has no recording any more")
	}
	defer f.Close() // only read
	h := w.Header()
	h.Set("Content-Type", "video/mp4")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", plainName(rec.device)+"-"+
		rec.began.UTC().Format("2006-01-02T15-04-05")+".mp4"))
	http.ServeContent(&rest.FileHeader{ResponseWriter: w}, r, "", rec.began, f)
	return nil
}

// plainName converts the ID of a device to a part of a file name.
func plainName(id string) string {
	name := []byte(id)
	for i, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' {
			name[i] = '_'
		}
	}
	return string(name)
}
