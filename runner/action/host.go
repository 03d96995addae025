package action

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// Host is what runs steps on a session: the engine for a test, a server for a client's single call. Its methods are
// called by the goroutine that performs the step.
type Host interface {
	// Log returns the device's log since the session started, up to now. An error that wraps drivers.ErrUnsupported
	// says that nothing keeps it.
	Log() ([]byte, error)
	// Recording starts a clip of that name within the recording, or ends it when name is "". ErrNoRecording: nothing is
	// recorded.
	Recording(name string) error
	// Photograph takes a screenshot that shows no secrets.
	Photograph(ctx context.Context, dev drivers.Device) (image.Image, error)
	// OnLook receives what a step sees before it changes anything: each screenshot, and, with nil, of elements that were
	// read. The report of the step before may need a screenshot then. Its error ends the step.
	OnLook(ctx context.Context, img image.Image) error
	// OnHold is called when the app took what the step did, and is watched for a moment to see whether it takes that back:
	// time for the screenshot of the step.
	OnHold(ctx context.Context)
	// Mask takes secrets out of a text.
	Mask(text string) string
	// OnModelCall receives all that passes between a performer and a model.
	OnModelCall(asked *drivers.ModelCall)
	// Keep moves a file into the report under a name such as artifacts/x.png and returns the name that it got, "" when it
	// was not kept.
	Keep(name, from string) (string, error)
	// Eval evaluates an expression over the variables of the test.
	Eval(e dsl.Expr) (any, error)
	// Progress reports a step that takes long.
	Progress(text string)
}

// ErrNoRecording says that nothing is recorded.
var ErrNoRecording = errors.New("nothing is recorded in this run")

// NoHost is a Host that keeps and knows nothing: for hosts that need some of the methods, by embedding.
type NoHost struct{}

var _ Host = NoHost{}

func (NoHost) Log() ([]byte, error) {
	return nil, fmt.Errorf("the log of this device: %w", drivers.ErrUnsupported)
}
func (NoHost) Recording(string) error                    { return ErrNoRecording }
func (NoHost) OnLook(context.Context, image.Image) error { return nil }

func (NoHost) OnHold(context.Context)              {}
func (NoHost) Mask(text string) string             { return text }
func (NoHost) OnModelCall(*drivers.ModelCall)      {}
func (NoHost) Keep(string, string) (string, error) { return "", nil }
func (NoHost) Eval(dsl.Expr) (any, error)          { return nil, errors.New("there are no variables here") }
func (NoHost) Progress(string)                     {}

// Photograph takes the device's own screenshot.
func (NoHost) Photograph(ctx context.Context, dev drivers.Device) (image.Image, error) {
	return dev.Screenshot(ctx)
}

// host is the session's, or one that keeps and knows nothing.
func (s *Session) host() Host {
	if s.Host == nil {
		return NoHost{}
	}
	return s.Host
}
