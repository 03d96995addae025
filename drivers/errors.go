package drivers

import (
	"errors"
	"fmt"
)

// The kinds of errors on which verdicts depend. The first group means that the app (or the test) is wrong: a fail. Everything
// else that a driver returns means that the device is: an error.
var (
	ErrNotFound      = errors.New("element not found")
	ErrAmbiguous     = errors.New("several elements match")
	ErrNotActionable = errors.New("element cannot be acted on")
	ErrNoApp         = errors.New("no such app")
	ErrAppCrashed    = errors.New("app crashed")
	ErrPage          = errors.New("page cannot be opened")

	ErrDeviceLost  = errors.New("device lost")
	ErrNotReady    = errors.New("screen cannot be read just now")
	ErrUnsupported = errors.New("not supported by this device")
)

// AppIsWrong tells whether err blames the app or the test, not the device.
func AppIsWrong(err error) bool {
	for _, kind := range []error{ErrNotFound, ErrAmbiguous, ErrNotActionable, ErrNoApp, ErrAppCrashed, ErrPage} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// Unavailable says that a platform cannot be used on this machine at all, and what to install.
type Unavailable struct {
	What string // "adb is not installed"
	Mend string // "run `taproot doctor --install`"
}

func (e *Unavailable) Error() string { return fmt.Sprintf("%s: %s", e.What, e.Mend) }
