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

// film begins a part of the film, or ends the one under way when the name is empty.
func (r *run) film(name string) error {
	switch {
	case name != "" && !r.clip.began.IsZero():
		return &action.Failure{
			Problem: event.Problem{Message: "the film " + r.clip.name + " is still under way: end it with stopRecording first"}}
	case name != "":
		r.clip = filmClip{name, time.Now()}
	case r.clip.began.IsZero():
		return &action.Failure{Problem: event.Problem{Message: "no film is under way: begin one with startRecording"}}
	default:
		r.endFilmClip()
	}
	return nil
}

// endFilmClip ends the part under way, if there is one.
func (r *run) endFilmClip() {
	if s, ok := r.sink.(FilmClipSink); ok && !r.clip.began.IsZero() {
		s.AddFilmClip(r.clip.name, r.clip.began, time.Now())
	}
	r.clip = filmClip{}
}
