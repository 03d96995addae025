// Package action performs the vocabulary: a performer takes one typed argument struct and drives the device until the
// action is done or its condition is met. It returns proof of that, or a Failure with what was there instead.
package action

import (
	"errors"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
	"github.com/taproot-dev/taproot/runner/internal/observe"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// Performer is one device during one case. It is used by one goroutine.
type Performer struct {
	Device drivers.Device
	// Platform that the case runs on.
	Platform dsl.Platform
	Settings
	// Support is what the owner of the steps offers to them.
	Support Support
	// Wanted is what the report lacks of the screen before the next step changes it; set before each step.
	Wanted Wanted
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

	Outcome

	crashes
	foreground
	flow flowState

	kept      map[string]int   // evidence by name, so that none is taken for another
	acted     time.Time        // when the last action that does something on the device ended, or the app took it
	took      time.Time        // when the app took what a step did, of those that watch what becomes of it
	known     *screen.Tree     // the newest of any step, nil when none was read
	before    *screen.Tree     // the newest that was read before the last action touched the device
	neverIdle bool             // the screen was refused because it never stops moving
	aimed     *Tapped          // the screen before the step's tap
	seeds     *rand.Rand       // draws the seeds of random data
	tapped    *screen.Node     // the element that the last tap touched
	reveals   int              // how often an element was scrolled into view
	hadFocus  *screen.Node     // the field with the focus before input touched another element
	touchedOn *touched         // the screen before the touch of the step before; nil: that touched nothing
	capture   *observe.Capture // of the screen before the step, while the elements are read; nil: there is none
	shotTook  time.Duration    // by the newest screenshot for the report; 0: there is none yet
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
	// Exec says where programs on this machine leave their records; nil: exec steps are not allowed.
	Exec *start.Options
	// UpdateBaselines makes assertScreenshot take what it sees as right.
	UpdateBaselines bool
	// Headed opens pages in a browser window, whatever their steps say.
	Headed bool
	// StepPictures says that each step gets a screenshot anyway.
	StepPictures bool
	// NoPictures keeps screenshots out of the report that would show secrets.
	NoPictures bool
	// Mask takes secrets out of texts that leave this machine; nil: there are none.
	Mask *event.Mask
	// Conceal has what screenshots must not show, in addition to passwords; nil: they may show all.
	Conceal *event.Mask
	// States is the folder of the run's browser states, which steps name without an extension; empty: there is none.
	States string
	// BaseURL is the site that paths in openBrowser belong to; empty: none.
	BaseURL string
	// Uses notes the apps that the steps start and install; nil: not needed.
	Uses *UsedApps
	// Mails are what the test knows of mailboxes; nil: nothing is known before the first waitForMail.
	Mails *Mails
	// Seed of the seeds of random data; 0: drawn when it is needed.
	Seed uint64
}

// Outcome is what came of the current step; performers fill it in.
type Outcome struct {
	// Detail for the report.
	Detail *event.Detail
	// Value is what the step returns to the step option as:, nil when it returns nothing.
	Value any
	// Tree is the newest one that was read, nil when there was none.
	Tree *screen.Tree
	// Printed is what a program on this machine has printed.
	Printed string
	// Reading is what was read in the pixels, nil when nothing was.
	Reading *Reading
	// Searches are those of the step: what was wanted, the frames that were seen, and the results.
	Searches []decide.Recording
	// Before is what the report wanted of the screen before the step changed it; nil: the step did not read the screen.
	Before *Picture
	// Own is a screenshot of the step itself, taken while it watched what its action led to; nil: there is none.
	Own image.Image
	// ModelCalls are all that passed between the step and AI models.
	ModelCalls []*drivers.ModelCall
	// Warnings are what the device refused although the step continued; they are also among the warnings of Detail.
	Warnings []string
}

// WriteFrames writes the searches in the format of artifacts/frames.ndjson, as those of one step.
func (r *Outcome) WriteFrames(to io.Writer) error {
	w, err := decide.NewWriter(to)
	for _, search := range r.Searches {
		if err == nil {
			err = w.Add(1, search)
		}
	}
	return err
}

// takeWarnings warns about what the device was kept from.
func (s *Performer) takeWarnings() {
	s.Warnings = drivers.TakeWarnings(s.Device)
	for _, text := range s.Warnings {
		s.doubtOnce("%s", text)
	}
}

// note adds a remark to the step's detail.
func (r *Outcome) note(format string, args ...any) {
	r.Detail.Notes = append(r.Detail.Notes, fmt.Sprintf(format, args...))
}

// noteOnce adds a remark that more than one read may have a reason for.
func (r *Outcome) noteOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Detail.Notes, text) {
		r.Detail.Notes = append(r.Detail.Notes, text)
	}
}

// warn adds a warning: something that the step's result does not cover.
func (r *Outcome) warn(format string, args ...any) {
	r.Detail.Warnings = append(r.Detail.Warnings, fmt.Sprintf(format, args...))
}

// doubtOnce adds a warning that more than one read may have a reason for.
func (r *Outcome) doubtOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Detail.Warnings, text) {
		r.Detail.Warnings = append(r.Detail.Warnings, text)
	}
}

// Support is what the owner of a session, such as the engine, offers to its steps. A part that is nil offers nothing.
// Its methods are called by the goroutine that performs the step.
type Support struct {
	Log      LogReader
	Files    FileKeeper
	Clips    ClipRecorder
	Vars     Evaluator
	Progress ProgressReporter
}

// LogReader returns the device's log since the session started, up to now.
type LogReader interface{ ReadLog() ([]byte, error) }

// FileKeeper moves a file into the report under a name such as artifacts/x.png and returns the name that it got, ""
// when it was not kept.
type FileKeeper interface {
	Keep(name, from string) (string, error)
}

// ClipRecorder starts a clip of a name within the recording, or ends it when the name is "". ErrNoRecording: nothing is
// recorded.
type ClipRecorder interface{ Recording(name string) error }

// Evaluator evaluates an expression over the variables of the test.
type Evaluator interface{ Eval(e dsl.Expr) (any, error) }

// ProgressReporter reports a step that takes long.
type ProgressReporter interface{ Progress(text string) }

// ErrNoRecording says that nothing is recorded.
var ErrNoRecording = errors.New("nothing is recorded in this run")

// log returns the device's log. An error that wraps drivers.ErrUnsupported says that nothing keeps it.
func (o *Support) log() ([]byte, error) {
	if o.Log == nil {
		return nil, fmt.Errorf("the log of this device: %w", drivers.ErrUnsupported)
	}
	return o.Log.ReadLog()
}

func (o *Support) keep(name, from string) (string, error) {
	if o.Files == nil {
		return "", nil
	}
	return o.Files.Keep(name, from)
}

func (o *Support) recording(name string) error {
	if o.Clips == nil {
		return ErrNoRecording
	}
	return o.Clips.Recording(name)
}

func (o *Support) eval(e dsl.Expr) (any, error) {
	if o.Vars == nil {
		return nil, errors.New("there are no variables here")
	}
	return o.Vars.Eval(e)
}

func (o *Support) progress(text string) {
	if o.Progress != nil {
		o.Progress.Progress(text)
	}
}

// onPhone reports whether it is an app on a phone that is tested.
func (s *Performer) onPhone() bool { return s.Platform == dsl.Android || s.Platform == dsl.IOS }
