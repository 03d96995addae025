package wda

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// fault names the device and the call in an error, and sets the kind on which the result depends. What
// WebDriverAgent refuses because of what is on the screen blames the app; a WebDriverAgent that does not answer, or not
// in its language, is lost.
func (w *Client) fault(ctx context.Context, r Request, err error) error {
	if ctx.Err() != nil {
		if cause := context.Cause(ctx); cause != nil {
			return fmt.Errorf("device %s: %s: %w", w.ID, r.What, cause)
		}
	}
	var refused *Error
	switch {
	case errors.As(err, &refused):
		return r.refused(w.ID, refused)
	case errors.Is(err, errSlow):
		return fmt.Errorf("%w: device %s: WebDriverAgent did not answer %s within %v", drivers.ErrDeviceLost, w.ID, r.What,
			r.Limit)
	case errors.Is(err, errBadAnswer):
		return fmt.Errorf("%w: device %s: %s: %w", drivers.ErrDeviceLost, w.ID, r.What, err)
	}
	return fmt.Errorf("%w: device %s: WebDriverAgent at %s cannot be reached for %s: %w", drivers.ErrDeviceLost, w.ID,
		w.Base, r.What, err)
}

// Refused is the error of a request that the WebDriverAgent of a device has refused.
func (r Request) Refused(device, code, message string) error {
	return r.refused(device, &Error{what: r.What, Code: code, Message: message})
}

func (r Request) refused(device string, e *Error) error {
	kind := kindOf(e)
	if r.Look && (e.Code == "stale element reference" || e.Code == "unknown error") {
		kind = drivers.ErrNotReady // the elements could not be read this time: nothing is known to be absent
	}
	if kind != nil {
		return fmt.Errorf("device %s: %w: %w", device, kind, e)
	}
	return fmt.Errorf("device %s: %w", device, e)
}

// kindOf puts WebDriver's error codes into our kinds; nil: none.
func kindOf(e *Error) error {
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
