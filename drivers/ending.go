package drivers

import (
	"context"
	"time"
)

// ending is the key under which a context says when the time of a step is over.
type ending struct{}

// WithEnding says when the time of a step is over. It ends nothing by itself: waits end then, and what a device is asked for to look at its
// screen soon after.
func WithEnding(ctx context.Context, end time.Time) context.Context {
	return context.WithValue(ctx, ending{}, end)
}

// Ending tells when the time of the step is over, if that is known.
func Ending(ctx context.Context) (time.Time, bool) {
	end, ok := ctx.Value(ending{}).(time.Time)
	return end, ok
}
