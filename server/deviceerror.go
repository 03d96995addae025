package server

import (
	"context"
	"errors"

	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/live"
)

// asDeviceError marks an error of runner/live as the device's, unless it is the caller's, the server's or a timeout.
// The original error stays in the chain.
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

// private is an error with details for the owner of the machine that clients must not see, such as the path of a
// program.
type private interface {
	error
	Public() string
}
