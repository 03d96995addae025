package action

import (
	"context"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
)

// DefaultTimeout is how long a step waits for what it needs when nothing else is said.
const DefaultTimeout = 10 * time.Second

// Session is one device during one case. It is used by one goroutine.
type Session struct {
	Device drivers.Device
	// Timeout of the current step.
	Timeout time.Duration
	// Dir is the folder from which paths in the test start; empty: there is none, and a path is an error.
	Dir string
	// Detail of the current step; performers fill it in.
	Detail *reporters.Detail

	tapped *drivers.Node // the element that the last tap touched
}

// Perform does what args (a struct of the vocabulary, by value) asks for. A *Failure means that the app or the test is wrong; so
// does an error for which drivers.AppIsWrong holds; any other error means that the device is.
func Perform(ctx context.Context, s *Session, args any) error {
	if s.Detail == nil {
		s.Detail = &reporters.Detail{}
	}
	switch a := args.(type) {
	case dsl.Launch:
		return launch(ctx, s, a)
	case dsl.WaitStable:
		return waitStable(ctx, s)
	case dsl.Tap:
		return tap(ctx, s, a)
	case dsl.Input:
		return input(ctx, s, a)
	case dsl.Assert:
		return assert(ctx, s, a)
	case dsl.OpenBrowser:
		return openBrowser(ctx, s, a)
	case dsl.WebType:
		return webType(ctx, s, a)
	case dsl.WebAssert:
		return webAssert(ctx, s, a)
	}
	return fmt.Errorf("no performer for %T", args)
}

// note adds a remark to the step's detail.
func (s *Session) note(format string, args ...any) {
	s.Detail.Notes = append(s.Detail.Notes, fmt.Sprintf(format, args...))
}
