package engine

import (
	"time"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// scene is a film of its own within the recording.
type scene struct {
	name  string
	began time.Time // zero: none is under way
}

// SceneSink is a Sink that can keep parts of the film as films of their own.
type SceneSink interface {
	AddScene(name string, from, to time.Time)
}

// allowScenes lets the steps startRecording and stopRecording do something when there is a film that they can be part of.
func (r *run) allowScenes() {
	if _, ok := r.sink.(SceneSink); ok && r.evidence.film != nil {
		r.session.Film = r.film
	}
}

// film begins a scene, or ends the one under way when the name is empty.
func (r *run) film(name string) error {
	switch {
	case name != "" && !r.scene.began.IsZero():
		return &action.Failure{Problem: event.Problem{Message: "the film " + r.scene.name + " is still under way: end it with stopRecording first"}}
	case name != "":
		r.scene = scene{name, time.Now()}
	case r.scene.began.IsZero():
		return &action.Failure{Problem: event.Problem{Message: "no film is under way: begin one with startRecording"}}
	default:
		r.endScene()
	}
	return nil
}

// endScene ends the scene under way, if there is one.
func (r *run) endScene() {
	if s, ok := r.sink.(SceneSink); ok && !r.scene.began.IsZero() {
		s.AddScene(r.scene.name, r.scene.began, time.Now())
	}
	r.scene = scene{}
}
