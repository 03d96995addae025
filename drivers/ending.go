package drivers

import (
	"context"
	"time"
)

// ending is the key under which a context says when the time of a step is over.
type ending struct{}

// WithEnding says when the time of a step is over. It ends nothing by itself: waits end then, and what a device is
// asked for to look at its screen soon after.
func WithEnding(ctx context.Context, end time.Time) context.Context {
	return context.WithValue(ctx, ending{}, end)
}

// prompt is the key under which a context says that somebody waits for the answer of this one call.
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

// Ending tells when the time of the step is over, if that is known.
func Ending(ctx context.Context) (time.Time, bool) {
	end, ok := ctx.Value(ending{}).(time.Time)
	return end, ok
}
