package engine

import (
	"os"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// support is what a running case offers to its steps.
func (l *lane) support() action.Support {
	return action.Support{Log: l.evidence.device, Files: &files{report: l.report, steps: l.steps, session: l.session},
		Clips: &recordings{clips: l.clips, evidence: l.evidence}, Vars: l.vars, Progress: l.steps}
}

// Progress logs how far a step is.
func (s *stepper) Progress(text string) { s.log(s.n, "%s", text) }

// Eval evaluates an expression over the variables of the test.
func (v *variables) Eval(e dsl.Expr) (any, error) { return v.eval(e) }

// files keeps those that steps leave in the report.
type files struct {
	*report
	steps   *stepper
	session *action.Performer
}

// Keep keeps a file in the report unless it contains a secret.
func (f *files) Keep(name, from string) (string, error) {
	clean, err := f.sink.Mask().File(from)
	switch {
	case err != nil:
		return "", err
	case !clean:
		f.session.Detail.Warnings = append(f.session.Detail.Warnings, "the report does not contain "+name+
			": the file contains a secret, or cannot be searched for one")
		return name, os.Remove(from)
	}
	return name, f.sink.Add(event.Attachment{Path: name, Kind: event.KindArtifact}, f.steps.n, from)
}

// recordings starts and ends the clips of a recording that runs.
type recordings struct {
	clips    *clips
	evidence *evidence
}

// Recording starts or ends a clip, if there is a recording.
func (r *recordings) Recording(name string) error {
	if _, ok := r.clips.sink.(ClipSink); !ok || r.evidence.recorder == nil {
		return action.ErrNoRecording
	}
	return r.clips.startOrEnd(name)
}

// clips are the parts of the recording that steps ask for: one at a time.
type clips struct {
	sink  Sink
	name  string
	began time.Time // zero: none was started
}

// ClipSink is a Sink that can keep parts of the recording as files of their own.
type ClipSink interface {
	RequestClip(name string, from, to time.Time)
}

// startOrEnd starts a part of the recording, or ends the current one when the name is empty.
func (c *clips) startOrEnd(name string) error {
	switch {
	case name != "" && !c.began.IsZero():
		return &action.Failure{
			Problem: event.Problem{Message: "the recording " + c.name + " has not ended: end it with stopRecording first"}}
	case name != "":
		c.name, c.began = name, time.Now()
	case c.began.IsZero():
		return &action.Failure{Problem: event.Problem{Message: "there is no recording to end: start one with startRecording"}}
	default:
		c.end()
	}
	return nil
}

// end ends the current part, if there is one.
func (c *clips) end() {
	if s, ok := c.sink.(ClipSink); ok && !c.began.IsZero() {
		s.RequestClip(c.name, c.began, time.Now())
	}
	c.name, c.began = "", time.Time{}
}
