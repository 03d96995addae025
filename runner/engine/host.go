package engine

import (
	"context"
	"image"
	"os"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// host is the part of a running case that performers use.
type host struct{ r *run }

var _ action.Host = host{}

func (h host) Log() ([]byte, error) {
	return h.r.evidence.device.read()
}

func (h host) Photograph(ctx context.Context, _ drivers.Device) (image.Image, error) {
	return h.r.shots.photograph(ctx)
}

func (h host) OnLook(ctx context.Context, img image.Image) error { return h.r.shots.onLook(ctx, img) }

func (h host) OnHold(ctx context.Context) { h.r.shots.onHold(ctx, h.r.steps.n) }

func (h host) Mask(text string) string { return h.r.sink.Mask().Text(text) }

func (h host) OnModelCall(asked *drivers.ModelCall) { h.r.artifacts.keepModelCall(h.r.steps.n, asked) }

func (h host) Eval(e dsl.Expr) (any, error) { return h.r.vars.eval(e) }

func (h host) Progress(text string) { h.r.log(h.r.steps.n, "%s", text) }

// Recording starts or ends a clip, if there is a recording.
func (h host) Recording(name string) error {
	if _, ok := h.r.sink.(ClipSink); !ok || h.r.evidence.recorder == nil {
		return action.ErrNoRecording
	}
	return h.r.clips.startOrEnd(name)
}

// Keep keeps a file in the report unless it contains a secret.
func (h host) Keep(name, from string) (string, error) {
	clean, err := h.r.sink.Mask().File(from)
	switch {
	case err != nil:
		return "", err
	case !clean:
		h.r.session.Detail.Warnings = append(h.r.session.Detail.Warnings, "the report does not contain "+name+
			": the file contains a secret, or cannot be searched for one")
		return name, os.Remove(from)
	}
	return name, h.r.sink.Add(event.Attachment{Path: name, Kind: event.KindArtifact}, h.r.steps.n, from)
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
