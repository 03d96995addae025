// Package action performs the vocabulary: one typed argument struct goes in, the device is driven until what was asked
// for is done or seen, and the proof of it, or a Failure that says what was there instead, comes out. The code is in
// runner/internal/action; this is what other folders need of it.
package action

import (
	"context"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// ProblemOf explains any error of Perform; a Failure and a Mistake explain themselves.
func ProblemOf(err error) event.Problem {
	return action.ProblemOf(err)
}

// ResultOf returns the result that an error of Perform means.
func ResultOf(err error) event.Result {
	return action.ResultOf(err)
}

// PanicError is a panic that was caught: a defect of Taproot or of a driver, never of the app.
type PanicError = action.PanicError

// NewPanic makes the value that recover returned an error, with the stack of the goroutine that panicked.
func NewPanic(value any) *PanicError {
	return action.NewPanic(value)
}

// StackOf returns where a panic came from, "" for any other error.
func StackOf(err error) string {
	return action.StackOf(err)
}

// Access is what a session may touch of the machine it runs on. The zero value is a local user's: everything.
type Access = action.Access

// The policies: what runs continues (the default), is stopped, or is stopped and loses its data.
const (
	StopAfterUse = action.StopAfterUse
)

// Perform does what args (a struct of the vocabulary, by value) requires. A *Failure means that the app or the test is
// wrong; so does an error for which drivers.AppIsWrong holds; any other error means that the device is. Control actions
// are the engine's.
func Perform(ctx context.Context, s *Performer, args any) error {
	return action.Perform(ctx, s, args)
}

// Performer is one device during one case. It is used by one goroutine.
type Performer = action.Performer

// VisionError says that screenshots could not be read, or that a model returned no response that can be trusted.
// Nothing is wrong with the device.
type VisionError = action.VisionError
