package ios

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// fault names the device and the call in an error, and sets the kind on which the result depends. What
// WebDriverAgent refuses because of what is on the screen blames the app; a WebDriverAgent that does not answer, or not
// in its language, is lost.
func (w *wda) fault(ctx context.Context, r request, err error) error {
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); cause != nil {
			return fmt.Errorf("device %s: %s: %w", w.id, r.what, cause)
		}
	}
	var refused *wdaError
	switch {
	case errors.As(err, &refused):
		kind := kindOf(refused)
		if r.look && (refused.Code == "stale element reference" || refused.Code == "unknown error") {
			kind = drivers.ErrNotReady // the elements could not be read this time: nothing is known to be absent
		}
		if kind != nil {
			return fmt.Errorf("device %s: %w: %w", w.id, kind, err)
		}
		return fmt.Errorf("device %s: %w", w.id, err)
	case errors.Is(err, errSlow):
		return fmt.Errorf("%w: device %s: WebDriverAgent did not answer %s within %v", drivers.ErrDeviceLost, w.id, r.what,
			r.limit)
	case errors.Is(err, errBadAnswer):
		return fmt.Errorf("%w: device %s: %s: %w", drivers.ErrDeviceLost, w.id, r.what, err)
	}
	return fmt.Errorf("%w: device %s: WebDriverAgent at %s cannot be reached for %s: %w", drivers.ErrDeviceLost, w.id,
		w.base, r.what, err)
}

// kindOf puts WebDriver's error codes into our kinds; nil: none.
func kindOf(e *wdaError) error {
	switch e.Code {
	case "invalid element state":
		if strings.Contains(e.Message, "possibly crashed") {
			return drivers.ErrAppCrashed
		}
		return drivers.ErrNotActionable
	case "element not visible", "invalid coordinates", "element click intercepted", "element not interactable":
		return drivers.ErrNotActionable
	case "no such element", "stale element reference", "no such alert", "invalid selector":
		return screen.ErrNotFound
	case "unable to capture screen", "timeout":
		return drivers.ErrNotReady
	case "unknown command", "unknown method", "unsupported operation":
		return drivers.ErrUnsupported
	case "session not created", "invalid session id":
		return drivers.ErrDeviceLost
	}
	return nil
}

// unknownApp reports whether a text, of simctl, devicectl, go-ios or WebDriverAgent, says that an app is not installed.
func unknownApp(text string) bool {
	text = strings.ToLower(text)
	for _, words := range []string{"(fbsapplicationlibrary) returned nil", "unknown to frontboard", "is not installed",
		"not installed",
		"no such app", "bserrorcodedescription = notfound", "bserrorcodedescription=notfound"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// blamesDevice reports whether a text of one of the programs says that the device or this machine is what fails, not
// what it was given.
func blamesDevice(text string) bool {
	text = strings.ToLower(text)
	for _, words := range []string{"current state:", "invalid device", "no space left", "not enough space",
		"insufficient storage", "is locked", "unlocked", "passcode",
		"device was not found", "not found. is it attached", "pairrecord", "not paired", "disconnected", "usbmuxd", "tunnel",
		"timed out", "connection was",
		"connection re"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
