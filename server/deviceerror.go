package server

import (
	"context"
	"errors"

	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/live"
)

// asDeviceError marks an error of runner/live as the device's, unless it is the caller's, the server's or the clock's.
// What else is known of it stays to be found in it.
func asDeviceError(err error) error {
	var bad *live.InvalidError
	var broke *action.PanicError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad), errors.Is(err, live.ErrClosed), errors.Is(err, errTooLong),
		errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &broke): // with a stack, which is for the log
		return err
	}
	return &deviceError{err}
}

// private is an error that says more to the owner of the machine than to its clients, such as where a program lies.
type private interface {
	error
	Public() string
}
