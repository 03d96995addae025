package engine

import (
	"time"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// clip is a requested part of the recording.
type clip struct {
	name  string
	began time.Time // zero: none was started
}

// ClipSink is a Sink that can keep parts of the recording as files of their own.
type ClipSink interface {
	RequestClip(name string, from, to time.Time)
}

// startOrEndClip starts a part of the recording, or ends the current one when the name is empty.
func (r *run) startOrEndClip(name string) error {
	switch {
	case name != "" && !r.clip.began.IsZero():
		return &action.Failure{
			Problem: event.Problem{Message: "the recording " + r.clip.name + " has not ended: end it with stopRecording first"}}
	case name != "":
		r.clip = clip{name, time.Now()}
	case r.clip.began.IsZero():
		return &action.Failure{Problem: event.Problem{Message: "there is no recording to end: start one with startRecording"}}
	default:
		r.endClip()
	}
	return nil
}

// endClip ends the current part, if there is one.
func (r *run) endClip() {
	if s, ok := r.sink.(ClipSink); ok && !r.clip.began.IsZero() {
		s.RequestClip(r.clip.name, r.clip.began, time.Now())
	}
	r.clip = clip{}
}
