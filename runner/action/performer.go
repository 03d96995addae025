package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

// DefaultTimeout is how long a step waits for what it needs by default.
const DefaultTimeout = 10 * time.Second

// Performer is one device during one case. It is used by one goroutine.
type Performer struct {
	Device drivers.Device
	// Platform that the case runs on.
	Platform dsl.Platform
	Settings
	// Host is what runs the steps; nil: nothing is kept.
	Host Host
	// Timeout of the current step.
	Timeout time.Duration
	// Confirm is asked once an action's element is found, before it is touched; its error ends the action. May be nil.
	Confirm func(*screen.Tree, screen.Match) error
	// Clipboard is what copyText and setClipboard left for paste.
	Clipboard string
	// Base is the folder from which the files of Maestro's flows start: those that say where they lie themselves.
	Base string
	// Copied is Maestro's own clipboard; nil: nothing was copied.
	Copied *string

	Result

	crashes
	foreground
	flow flowState

	kept      map[string]int // evidence by name, so that none is taken for another
	acted     time.Time      // when the last action that does something on the device ended, or the app took it
	took      time.Time      // when the app took what a step did, of those that watch what becomes of it
	known     *screen.Tree   // the newest of any step, nil when none was read
	before    *screen.Tree   // the newest that was read before the last action touched the device
	neverIdle bool           // the screen was refused because it never stops moving
	aimed     *Tapped        // the screen before the step's tap
	seeds     *rand.Rand     // draws the seeds of random data
	tapped    *screen.Node   // the element that the last tap touched
	touchedOn *touched       // the screen before the touch of the step before; nil: that touched nothing
}

// Settings are what holds for all steps of a session.
type Settings struct {
	// Dir is the folder from which paths in the test start; empty: there is none, and a path is an error.
	Dir string
	// Work is a folder for files that are not part of the report yet.
	Work string
	// Access is what steps may touch of this machine.
	Access Access
	// Vision for what no tree has; nil: there is none.
	Vision drivers.Vision
	// AllowShell lets tests run commands on the device.
	AllowShell bool
	// UpdateBaselines makes assertScreenshot take what it sees as right.
	UpdateBaselines bool
	// Headed opens pages in a browser window, whatever their steps say.
	Headed bool
	// StepPictures says that each step gets a screenshot anyway.
	StepPictures bool
	// NoPictures keeps screenshots out of the report that would show secrets.
	NoPictures bool
	// Uses notes the apps that the steps start and install; nil: not needed.
	Uses *UsedApps
	// Seed of the seeds of random data; 0: drawn when it is needed.
	Seed uint64
}

// Result is what came of the current step; performers fill it in.
type Result struct {
	// Detail for the report.
	Detail *event.Detail
	// Value is what the step returns to the step option as:, nil when it returns nothing.
	Value any
	// Tree is the newest one that was read, nil when there was none.
	Tree *screen.Tree
	// Reading is what was read in the pixels, nil when nothing was.
	Reading *Reading
	// Searches are those of the step: what was wanted, the frames that were seen, and the results.
	Searches []decide.Recording
	// Warnings are what the device refused although the step continued; they are also among the warnings of Detail.
	Warnings []string
}

// takeWarnings warns about what the device was kept from.
func (s *Performer) takeWarnings() {
	s.Warnings = drivers.TakeWarnings(s.Device)
	for _, text := range s.Warnings {
		s.doubtOnce("%s", text)
	}
}

// note adds a remark to the step's detail.
func (r *Result) note(format string, args ...any) {
	r.Detail.Notes = append(r.Detail.Notes, fmt.Sprintf(format, args...))
}

// noteOnce adds a remark that more than one read may have a reason for.
func (r *Result) noteOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Detail.Notes, text) {
		r.Detail.Notes = append(r.Detail.Notes, text)
	}
}

// warn adds a warning: something that the step's result does not cover.
func (r *Result) warn(format string, args ...any) {
	r.Detail.Warnings = append(r.Detail.Warnings, fmt.Sprintf(format, args...))
}

// doubtOnce adds a warning that more than one read may have a reason for.
func (r *Result) doubtOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Detail.Warnings, text) {
		r.Detail.Warnings = append(r.Detail.Warnings, text)
	}
}

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
func (s *Performer) host() Host {
	if s.Host == nil {
		return NoHost{}
	}
	return s.Host
}

// onPhone reports whether it is an app on a phone that is tested.
func (s *Performer) onPhone() bool { return s.Platform == dsl.Android || s.Platform == dsl.IOS }
