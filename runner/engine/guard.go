package engine

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// guard makes a panic an error: it is a defect of Taproot or of a driver, never of the app.
func guard(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{value: p, stack: debug.Stack()}
		}
	}()
	return call()
}

type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("taproot itself broke down: %v", p.value) }

// stackOf gives where a panic came from, "" for any other error.
func stackOf(err error) string {
	var p *panicked
	if errors.As(err, &p) {
		return string(p.stack)
	}
	return ""
}
