package action

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

// DefaultTimeout is how long a step waits for what it needs by default.
const DefaultTimeout = 10 * time.Second

// Session is one device during one case. It is used by one goroutine.
type Session struct {
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

	kept      map[string]int         // evidence by name, so that none is taken for another
	acted     time.Time              // when the last action that does something on the device ended, or the app took it
	took      time.Time              // when the app took what a step did, of those that watch what becomes of it
	known     *screen.Tree           // the newest of any step, nil when none was read
	before    *screen.Tree           // the newest that was read before the last action touched the device
	neverIdle bool                   // the screen was refused because it never stops moving
	aimed     *Tapped                // the screen before the step's tap
	seeds     *rand.Rand             // draws the seeds of random data
	tapped    *screen.Node           // the element that the last tap touched
	touchedOn *touched               // the screen before the touch of the step before; nil: that touched nothing
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

// Perform does what args (a struct of the vocabulary, by value) requires. A *Failure means that the app or the test is
// wrong; so does an error for which drivers.AppIsWrong holds; any other error means that the device is. Control actions
// are the engine's.
func Perform(ctx context.Context, s *Session, args any) error {
	if s.Detail == nil {
		s.Detail = &event.Detail{}
	}
	s.touchedOn = s.lastTouch()
	s.Value, s.Tree, s.Reading, s.Searches, s.Warnings, s.aimed = nil, nil, nil, nil, nil, nil
	do, ok := performers()[reflect.TypeOf(args)]
	if !ok {
		return fmt.Errorf("no performer for %T", args)
	}
	if err := s.remember(ctx, s.Device, args); err != nil {
		s.warn("whether the app has crashed before this step could not be found out: %v", err)
	}
	s.noteLaunch(args)
	began := time.Now()
	err := do(drivers.WithStepDeadline(ctx, began.Add(s.Timeout)), s, args)
	if s.Tree != nil {
		s.known = s.Tree
	}
	if _, looks := args.(dsl.ScrollTo); Acts(args) && !looks { // which has seen what it led to
		s.acted, s.before = time.Now(), s.known
		if s.took.After(began) {
			s.acted = s.took
		}
	}
	s.takeWarnings()
	if err != nil && strings.HasPrefix(s.Detail.Proof, event.ProofHit) {
		s.Detail.Proof, s.aimed = "", nil // whether it was touched is not known
	}
	return s.withCrash(ctx, err)
}

// takeWarnings warns about what the device was kept from.
func (s *Session) takeWarnings() {
	s.Warnings = drivers.TakeWarnings(s.Device)
	for _, text := range s.Warnings {
		s.doubtOnce("%s", text)
	}
}

// Performs reports whether an action has a performer.
func Performs(def *dsl.Def) bool {
	_, ok := performers()[reflect.TypeOf(def.Args)]
	return ok
}

type performersTable = map[reflect.Type]performer

type performer func(ctx context.Context, s *Session, args any) error

// performers is the table of all performers, by the type of their argument.
var performers = sync.OnceValue(func() map[reflect.Type]performer {
	table := map[reflect.Type]performer{}
	on(table, launch)
	on(table, stop)
	on(table, clearApp)
	on(table, kill)
	on(table, install)
	on(table, uninstall)
	on(table, setPermissions)
	on(table, openLink)

	on(table, tap)
	on(table, doubleTap)
	on(table, longPress)
	on(table, swipe)
	on(table, scroll)
	on(table, scrollTo)
	on(table, drag)
	on(table, pinch)
	on(table, press)
	on(table, hideKeyboard)

	on(table, input)
	on(table, erase)
	on(table, copyText)
	on(table, paste)
	on(table, setClipboard)

	on(table, waitStable)
	on(table, waitFor)
	on(table, sleep)

	on(table, assert)
	on(table, assertNot)
	on(table, assertElement)
	on(table, assertTrue)
	on(table, assertApp)
	on(table, assertDarkMode)
	on(table, assertScreenshot)
	on(table, assertVisual)
	on(table, assertLog)

	on(table, rotate)
	on(table, darkMode)
	on(table, airplane)
	on(table, notifications)
	on(table, locale)
	on(table, location)
	on(table, shake)
	on(table, biometrics)
	on(table, push)
	on(table, statusBar)
	on(table, background)
	on(table, addMedia)
	on(table, alert)
	on(table, shell)

	on(table, screenshot)
	on(table, startRecording)
	on(table, stopRecording)
	on(table, logMessage)
	on(table, extract)

	on(table, openBrowser)
	on(table, webNavigate)
	on(table, webClick)
	on(table, webType)
	on(table, webPress)
	on(table, webSelect)
	on(table, webCheck)
	on(table, webHover)
	on(table, webDrag)
	on(table, webPage)
	on(table, webDialog)
	on(table, webUpload)
	on(table, webDownload)
	on(table, webWait)
	on(table, webAssert)
	on(table, webRoute)
	on(table, webStorage)
	on(table, webEval)
	on(table, closeBrowser)

	on(table, call)
	maestroPerformers(table)
	return table
})

// on puts the performer of one argument type into the table.
func on[T any](table map[reflect.Type]performer, do func(context.Context, *Session, T) error) {
	table[reflect.TypeFor[T]()] = func(ctx context.Context, s *Session, args any) error { return do(ctx, s, args.(T)) }
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
