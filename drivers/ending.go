package drivers

import (
	"context"
	"time"
)

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
