package action

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError is a panic that was caught: a defect of Taproot or of a driver, never of the app.
type PanicError struct {
	Value any
	Stack []byte
}

func (p *PanicError) Error() string { return fmt.Sprintf("taproot itself broke down: %v", p.Value) }

// NewPanic makes the value that recover returned an error, with the stack of the goroutine that panicked.
func NewPanic(value any) *PanicError { return &PanicError{value, debug.Stack()} }

// Guard calls a function and makes a panic a *PanicError.
func Guard(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = NewPanic(p)
		}
	}()
	return call()
}

// StackOf returns where a panic came from, "" for any other error.
func StackOf(err error) string {
	if p, ok := errors.AsType[*PanicError](err); ok {
		return string(p.Stack)
	}
	return ""
}
