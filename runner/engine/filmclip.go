package engine

import (
	"time"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// filmClip is a film of its own within the recording.
type filmClip struct {
	name  string
	began time.Time // zero: none is under way
}

// FilmClipSink is a Sink that can keep parts of the film as films of their own.
type FilmClipSink interface {
	AddFilmClip(name string, from, to time.Time)
}

// film begins a scene, or ends the one under way when the name is empty.
func (r *run) film(name string) error {
	switch {
	case name != "" && !r.scene.began.IsZero():
		return &action.Failure{Problem: event.Problem{Message: "the film " + r.scene.name + " is still under way: end it with stopRecording first"}}
	case name != "":
		r.scene = filmClip{name, time.Now()}
	case r.scene.began.IsZero():
		return &action.Failure{Problem: event.Problem{Message: "no film is under way: begin one with startRecording"}}
	default:
		r.endFilmClip()
	}
	return nil
}

// endFilmClip ends the scene under way, if there is one.
func (r *run) endFilmClip() {
	if s, ok := r.sink.(FilmClipSink); ok && !r.scene.began.IsZero() {
		s.AddFilmClip(r.scene.name, r.scene.began, time.Now())
	}
	r.scene = filmClip{}
}
