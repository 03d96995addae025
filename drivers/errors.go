package drivers

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// The kinds of errors on which results depend. The first group means that the app (or the test) is wrong: a fail.
// Everything else that a driver returns means that the device is: an error.
var (
	ErrNotActionable = errors.New("element cannot be acted on")
	ErrNoApp         = errors.New("no such app")
	ErrAppCrashed    = errors.New("app crashed")
	ErrPage          = errors.New("page cannot be opened")

	// ErrNoPage is an ErrPage of a call that needs an open page while none is.
	ErrNoPage = fmt.Errorf("%w: no page is open", ErrPage)

	// ErrMissed says that a touch was blocked, because it would have met something else than the element it was aimed
	// at.
	ErrMissed = fmt.Errorf("%w: something else was in its place when it was to be touched", ErrNotActionable)
	// ErrCovered is an ErrMissed because of what is over the element and takes its touches.
	ErrCovered = fmt.Errorf("%w", ErrMissed)

	// ErrNoFile says that a file of the device is not there, or that no program outside of it may read it.
	ErrNoFile = errors.New("no such file on the device")

	ErrDeviceLost  = errors.New("device lost")
	ErrNotReady    = errors.New("screen cannot be read just now")
	ErrUnsupported = errors.New("not supported by this device")

	// ErrNeverIdle is an ErrNotReady that lasts: no tree can be had while the screen moves, and to ask again costs much.
	// Pixels show what is on it.
	ErrNeverIdle = fmt.Errorf("%w: it never stops moving", ErrNotReady)
)

// NoPage returns an ErrNoPage with its own text, such as "no page is open: start with openBrowser".
func NoPage(text string) error { return &noPageError{text} }

type noPageError struct{ text string }

func (e *noPageError) Error() string { return e.text }
func (e *noPageError) Unwrap() error { return ErrNoPage }

// AppIsWrong reports whether err blames the app or the test, not the device.
func AppIsWrong(err error) bool {
	for _, kind := range []error{screen.ErrNotFound, screen.ErrAmbiguous, ErrNotActionable, ErrNoApp, ErrAppCrashed,
		ErrPage} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// Unavailable says that a platform cannot be used on this machine at all, and what to install.
type Unavailable struct {
	What string // "adb is not installed"
	Fix  string // "run `taproot setup`"
	// Brief is What without what only the owner of the machine may see: the paths of programs. "": there is nothing of
	// that in What.
	Brief string
	// Expected says that most machines are so: it is not shown in a list of all platforms, only when this one is
	// requested.
	Expected bool
}

// UsuallyMissing reports whether err says no more than that a platform is not there, as on most machines.
func UsuallyMissing(err error) bool {
	var missing *Unavailable
	return errors.As(err, &missing) && missing.Expected
}

func (e *Unavailable) Error() string { return fmt.Sprintf("%s: %s", e.What, e.Fix) }

// Public is the error without what is only for the owner of the machine.
func (e *Unavailable) Public() string { return fmt.Sprintf("%s: %s", cmp.Or(e.Brief, e.What), e.Fix) }

// NotStarted says that a program of this machine which a device needs did not start; it wraps ErrDeviceLost.
type NotStarted struct {
	Program string // "Chromium"
	Path    string
	Said    string // by the program, or of it
}

func (e *NotStarted) Error() string {
	return fmt.Sprintf("%s: %s (%s) did not start: %s", ErrDeviceLost, e.Program, e.Path, e.Said)
}

func (e *NotStarted) Unwrap() error { return ErrDeviceLost }

// Public is the error without what is only for the owner of the machine.
func (e *NotStarted) Public() string { return fmt.Sprintf("%s did not start", e.Program) }
