package engine

import (
	"context"
	"image"
	"os"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// host is the part of a running case that performers use.
type host struct{ *run }

var _ action.Host = host{}

func (h host) Log() ([]byte, error) {
	return h.evidence.read()
}

func (h host) Photograph(ctx context.Context, _ drivers.Device) (image.Image, error) {
	return h.photograph(ctx)
}

func (h host) OnLook(ctx context.Context, img image.Image) error { return h.onLook(ctx, img) }

func (h host) OnHold(ctx context.Context) { h.onHold(ctx) }

func (h host) Mask(text string) string { return h.sink.Mask().Text(text) }

func (h host) OnModelCall(asked *drivers.ModelCall) { h.keepModelCall(asked) }

func (h host) Eval(e dsl.Expr) (any, error) { return h.eval(e) }

func (h host) Progress(text string) { h.log(h.n, "%s", text) }

// Recording starts or ends a clip, if there is a recording.
func (h host) Recording(name string) error {
	if _, ok := h.sink.(ClipSink); !ok || h.evidence.recorder == nil {
		return action.ErrNoRecording
	}
	return h.startOrEndClip(name)
}

// Keep keeps a file in the report unless it contains a secret.
func (h host) Keep(name, from string) (string, error) {
	clean, err := h.sink.Mask().File(from)
	switch {
	case err != nil:
		return "", err
	case !clean:
		h.session.Detail.Warnings = append(h.session.Detail.Warnings, "the report does not contain "+name+
			": the file contains a secret, or cannot be searched for one")
		return name, os.Remove(from)
	}
	return name, h.sink.Add(event.Attachment{Path: name, Kind: event.KindArtifact}, h.n, from)
}
