package action

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// Failure is what the app, or the test, did wrong.
type Failure struct{ event.Problem }

func (f *Failure) Error() string { return f.Message }

// Mistake is what the test did wrong whatever the app does, such as an expression that cannot be computed. Its result
// is error.
type Mistake struct{ event.Problem }

func (m *Mistake) Error() string { return m.Message }

// WrongExpression returns the error of an expression: a Failure when it lacks a value, which may be the app's fault,
// else a Mistake.
func WrongExpression(err error) error {
	p := event.Problem{Message: err.Error()}
	var place *source.Error
	if !errors.As(err, &place) {
		return &Failure{p}
	}
	if p.Message = place.Msg; place.Hint != "" {
		p.Message += "; " + place.Hint
	}
	if place.Missing {
		return &Failure{p}
	}
	return &Mistake{p}
}

// ProblemOf explains any error of Perform; a Failure and a Mistake explain themselves.
func ProblemOf(err error) event.Problem {
	var f *Failure
	if errors.As(err, &f) {
		return f.Problem
	}
	var m *Mistake
	if errors.As(err, &m) {
		return m.Problem
	}
	problem := event.Problem{Message: err.Error(), Kind: kindOf(err)}
	var several *screen.AmbiguousError
	if errors.As(err, &several) {
		problem.Message = strings.Replace(problem.Message, several.Error(), several.Short(), 1)
		problem.Candidates = several.Named()
	}
	return problem
}

// kindOf is what an error of a driver is for a program that called.
func kindOf(err error) string {
	for _, k := range []struct {
		is   error
		kind string
	}{{drivers.ErrNoPage, event.NoPage}, {screen.ErrNotFound, event.NotFound}, {screen.ErrAmbiguous, event.Ambiguous},
		{drivers.ErrNotActionable, event.NotActionable},
		{drivers.ErrNoApp, event.NoApp}, {drivers.ErrAppCrashed, event.AppCrashed},
		{drivers.ErrUnsupported, event.Unsupported}, {drivers.ErrDeviceLost, event.DeviceLost}} {
		if errors.Is(err, k.is) {
			return k.kind
		}
	}
	return ""
}

// ResultOf returns the result that an error of Perform means.
func ResultOf(err error) event.Result {
	var f *Failure
	switch {
	case err == nil:
		return event.Pass
	case errors.As(err, &f), drivers.AppIsWrong(err):
		return event.Fail
	}
	return event.Error
}

// failureOf is the failure that a problem of a decision is.
func failureOf(p decide.Problem) *Failure {
	f := event.Problem{Message: p.Message, Expected: p.Expected, Actual: p.Actual, Assertion: p.Assertion,
		Candidates: p.Candidates, Rejected: p.Rejected}
	switch p.Kind {
	case decide.NotFound:
		f.Kind = event.NotFound
	case decide.NotActionable:
		f.Kind = event.NotActionable
	}
	return &Failure{f}
}

// crashes are those that the device has reported during one case.
type crashes struct {
	crashed *drivers.Crash // that was reported last
	died    *drivers.Crash // the first one
}

// crashSuspected reports, without a request to the device, whether its log has had a crash that no step has reported.
func crashSuspected(dev drivers.Device) bool {
	h, ok := dev.(drivers.CrashHinter)
	return ok && h.CrashSuspected()
}

// mayHaveDied reports whether a step that passed is a reason to query the device for a crash: where no log reports one,
// each is, for nothing is missing on the screen of an app that is gone, and a sleep looks at nothing.
func mayHaveDied(dev drivers.Device) bool {
	_, watches := dev.(drivers.CrashWatcher)
	_, hints := dev.(drivers.CrashHinter)
	return watches && (!hints || crashSuspected(dev))
}

// crash returns the failure that the app's death is, nil when it lives or was reported dead before.
func (k *crashes) crash(ctx context.Context, dev drivers.Device, otherwise error) (*Failure, error) {
	w, ok := dev.(drivers.CrashWatcher)
	if !ok {
		return nil, nil
	}
	c, err := w.Crashed(ctx)
	if err != nil || c == nil || k.crashed != nil && *k.crashed == *c {
		return nil, err
	}
	k.crashed = c
	if k.died == nil {
		k.died = c
	}
	return deathOf(c, otherwise), nil
}

// deathOf is the failure that a crash is; what else was seen comes behind it.
func deathOf(c *drivers.Crash, otherwise error) *Failure {
	words := map[string]string{drivers.CrashException: "crashed", drivers.CrashNative: "crashed in native code",
		drivers.CrashANR:  "does not respond",
		drivers.CrashDied: "died"}
	f := &Failure{event.Problem{Message: fmt.Sprintf("%s %s: %s", c.App, words[c.Kind], c.Reason), Expected: c.App +
		" to run",
		Actual: c.Reason, Stack: c.Report, Kind: event.AppCrashed}}
	var seen *Failure
	switch {
	case errors.As(otherwise, &seen):
		f.Message += "; " + seen.Message
		f.Assertion, f.Candidates = seen.Assertion, seen.Candidates
	case otherwise != nil:
		f.Message += "; " + otherwise.Error()
	}
	return f
}

// Died looks once more whether the app has died at any time of the case, also within a step that was allowed to fail,
// and also when another start came behind it. otherwise is what else the case failed of, or nil. The error says why
// that is unknown.
func (s *Performer) Died(ctx context.Context, otherwise error) (*Failure, error) {
	w, ok := s.Device.(drivers.CrashWatcher)
	if !ok {
		return nil, nil
	}
	c, err := w.Crashed(ctx)
	switch {
	case s.died != nil:
		c = s.died
	case err != nil || c == nil:
		return nil, err
	}
	return deathOf(c, otherwise), nil
}

// remember keeps a crash of the app that a launch or a stop would make the device forget. The error says why that is
// unknown.
func (k *crashes) remember(ctx context.Context, dev drivers.Device, args any) error {
	switch args.(type) {
	case dsl.Launch, dsl.Stop, dsl.ClearApp, dsl.Uninstall, dsl.Install:
	default:
		return nil
	}
	w, ok := dev.(drivers.CrashWatcher)
	if _, hints := dev.(drivers.CrashHinter); !ok || k.died != nil || hints && !crashSuspected(dev) {
		return nil
	}
	c, err := w.Crashed(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		return err
	case c != nil:
		k.died = c
	}
	return nil
}

// withCrash makes the app's death what a step failed of: a button need not be searched in an app that is gone. A step
// that went well fails, too, when the app died meanwhile. What is wrong with the device stays what it is.
func (s *Performer) withCrash(ctx context.Context, err error) error {
	var dead *Failure
	if ctx.Err() == nil && ResultOf(err) == event.Error && errors.Is(err, drivers.ErrNotReady) {
		return unlessObstructed(ctx, s.Device, err)
	}
	if errors.As(err, &dead) && dead.Kind == event.AppCrashed || ResultOf(err) == event.Error || ctx.Err() != nil {
		return err
	}
	if err == nil && !mayHaveDied(s.Device) {
		return nil
	}
	f, askErr := s.crash(ctx, s.Device, err)
	switch {
	case askErr != nil:
		s.warn("whether the app has crashed could not be found out: %v", askErr)
		return err
	case f != nil:
		return f
	case err != nil && s.crashed == nil:
		return unlessObstructed(ctx, s.Device, err)
	}
	return err
}

// unlessObstructed makes a failure an error of the device when something of the system's own is over the app, and
// reports that where the screen could not be read.
func unlessObstructed(ctx context.Context, dev drivers.Device, failure error) error {
	d, ok := dev.(drivers.ObstacleReporter)
	if !ok {
		return failure
	}
	if what, err := d.Obstacle(ctx); err == nil && what != "" {
		return fmt.Errorf("device %s: %s; %v", dev.Info().ID, what, failure) // not wrapped: the app is not to blame
	}
	return failure
}

// stillRuns ends a wait for something on the screen of an app that has died.
func (s *Performer) stillRuns(ctx context.Context) error {
	if !crashSuspected(s.Device) {
		return nil
	}
	f, err := s.crash(ctx, s.Device, nil)
	if err != nil || f == nil {
		return nil // the screen itself will show it
	}
	return f
}

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
