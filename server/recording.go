package server

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/taproot-dev/taproot/runner/run"
)

const recordDoc = `Records the screen until POST /devices/{id}/recording/stop, or for maxSeconds. The video consists of
the images of GET /devices/{id}/live: a device that another client has leased can be recorded, too; the device stays
open meanwhile. GET /devices/{id}/recording/video returns the video. It is kept for an hour, until the next recording of
the device, DELETE, or the end of the server. Nothing is recorded while variables are exposed to callers, because a
video cannot hide secrets.`

const defaultRecording = 10 * time.Minute

type recordingInput struct {
	ID   string `path:"id" doc:"Serial of the phone, or id of the page, as GET /devices lists it." example:"emulator-5554"`
	Body *struct {
		MaxSeconds int `json:"maxSeconds,omitempty" minimum:"1" maximum:"1800" default:"600" doc:"Maximum duration."`
	}
}

type oneRecording struct{ Body Recording }

// recordingRoutes registers the routes of recordings on demand.
func (s *Server) recordingRoutes() {
	register(s, op{Get: "/devices/{id}/recording", ID: "get-recording", Tag: "devices", Scope: readDevices,
		Summary: "Show the recording of the device", Codes: []int{404, 502}}, s.getRecording)
	register(s, op{Post: "/devices/{id}/recording", ID: "start-recording", Tag: "devices", Scope: writeDevices,
		Summary: "Start a recording of the screen", Doc: recordDoc,
		Status: http.StatusCreated, Codes: deviceCodes()}, s.startRecording)
	register(s, op{Post: "/devices/{id}/recording/stop", ID: "stop-recording", Tag: "devices", Scope: writeDevices,
		Summary: "End the recording",
		Doc:     "Responds when the video is complete. A recording that has ended already does not change.",
		Status:  http.StatusOK,
		Codes:   deviceCodes()}, s.stopRecording)
	video := op{Get: "/devices/{id}/recording/video", ID: "get-video", Tag: "devices", Scope: readDevices,
		Summary: "Get the video of a recording that has ended", Type: "video/mp4",
		Also: fileCodes(), Codes: append(deviceCodes(), http.StatusRequestedRangeNotSatisfiable)}
	s.raw(video, s.getRecordingVideo)
	video.Get, video.ID, video.Undocumented = "/devices/{id}/recording/film", "get-film", true
	s.raw(video, s.getRecordingVideo)
	register(s, op{Delete: "/devices/{id}/recording", ID: "delete-recording", Tag: "devices", Scope: writeDevices,
		Summary: "Delete the recording; one that still runs is aborted",
		Status:  http.StatusNoContent, Codes: []int{404, 502}}, s.deleteRecording)
}

// recorded returns the recording of a device. A page that was closed may still have one.
func (s *Server) recorded(ctx context.Context, id string) (*recording, error) {
	if rec := s.recordings.of(id); rec != nil {
		return rec, nil
	}
	if _, err := s.device(ctx, id); err != nil {
		return nil, err
	}
	return nil, fault(http.StatusNotFound, codeNotFound,
		"the device has no recording; POST /devices/{id}/recording starts one")
}

func (s *Server) getRecording(ctx context.Context, in *deviceInput) (*oneRecording, error) {
	rec, err := s.recorded(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &oneRecording{rec.now()}, nil
}

func (s *Server) startRecording(ctx context.Context, in *recordingInput) (*oneRecording, error) {
	if _, err := s.device(ctx, in.ID); err != nil {
		return nil, err
	}
	if len(s.o.Exposed) > 0 {
		return nil, fault(http.StatusUnprocessableEntity, codeUnsupported,
			"nothing is recorded while variables are exposed to callers: a video cannot hide secrets")
	}
	ffmpeg := run.FindFFmpeg(ctx, s.o.Config)
	if ffmpeg == "" {
		return nil, fault(http.StatusUnprocessableEntity, codeUnsupported,
			"no video can be recorded: ffmpeg is not installed on the server; `taproot setup` installs it")
	}
	most := defaultRecording
	if in.Body != nil && in.Body.MaxSeconds > 0 {
		most = time.Duration(in.Body.MaxSeconds) * time.Second
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
		return nil, asDeviceError(err)
	}
	go s.recordings.make(rec, view, ffmpeg)
	return &oneRecording{rec.now()}, nil
}

func (s *Server) stopRecording(ctx context.Context, in *deviceInput) (*oneRecording, error) {
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
		return nil, fault(http.StatusBadGateway, codeDevice, "there is no video: "+now.Problem)
	}
	return &oneRecording{now}, nil
}

func (s *Server) deleteRecording(ctx context.Context, in *deviceInput) (*struct{}, error) {
	rec, err := s.recorded(ctx, in.ID)
	if err == nil {
		s.recordings.drop(rec)
	}
	return nil, err
}

// getRecordingVideo sends the video of a device's last recording.
func (s *Server) getRecordingVideo(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.recorded(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	switch now := rec.now(); now.State {
	case recordingFailed:
		return fault(http.StatusNotFound, codeNotFound, "there is no video: "+now.Problem)
	case recordingRunning, recordingWriting:
		return fault(http.StatusConflict, codeConflict,
			"the recording has not ended; POST /devices/{id}/recording/stop ends it")
	}
	f, err := os.Open(rec.videoFile())
	if err != nil { // it was deleted meanwhile
		return fault(http.StatusNotFound, codeNotFound, "the device has no recording any more")
	}
	defer f.Close() // only read
	h := w.Header()
	h.Set("Content-Type", "video/mp4")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", plainName(rec.device)+"-"+
		rec.began.UTC().Format("2006-01-02T15-04-05")+".mp4"))
	http.ServeContent(&fileHeader{ResponseWriter: w}, r, "", rec.began, f)
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
