package drivers

import (
	"context"
	"time"
)

// Bound returns a context that ends with ctx or with life, whichever is first; its cause is theirs. Under a life that
// is ended already, it has ended when Bound returns. The function releases its resources and must be called.
func Bound(ctx, life context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if life.Err() != nil { // context.AfterFunc would report it from another goroutine, after the caller has started
		cancel(context.Cause(life))
		return ctx, func() {}
	}
	untie := context.AfterFunc(life, func() { cancel(context.Cause(life)) })
	return ctx, func() { untie(); cancel(nil) }
}

// ending is the key under which a context has the end of a step's time.
type ending struct{}

// WithStepDeadline returns a context with the end of a step's time. It ends nothing by itself: waits end then, and what
// a device is asked for to look at its screen soon after.
func WithStepDeadline(ctx context.Context, end time.Time) context.Context {
	return context.WithValue(ctx, ending{}, end)
}

// prompt is the key under which a context says that a client waits for the response of this one call.
type prompt struct{}

// WithPromptAnswers returns a context for a single call of an interactive client: a device that does not answer a read
// fails the call when its time has ended, or soon after. In a run of tests a read has more time, because a slow machine
// must not end a test.
func WithPromptAnswers(ctx context.Context) context.Context {
	return context.WithValue(ctx, prompt{}, true)
}

// PromptAnswers reports whether the context is of a single call of an interactive client.
func PromptAnswers(ctx context.Context) bool {
	return ctx.Value(prompt{}) != nil
}

// StepDeadline returns when the time of the step ends, if that is known.
func StepDeadline(ctx context.Context) (time.Time, bool) {
	end, ok := ctx.Value(ending{}).(time.Time)
	return end, ok
}

// Pause waits for d, unless ctx ends first: then the error is its cause.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
