package drivers

import (
	"context"
	"slices"
)

// Changes lists a Watcher's devices for seen, and returns a function, for one goroutine, that lists them again and
// calls seen when they changed. That there is no first list is an error, unless ctx has ended: then the watch has
// ended.
func Changes(ctx context.Context, list func(context.Context) ([]Info, error), seen func([]Info)) (look func() error,
	err error) {
	last, err := list(ctx)
	switch {
	case err == nil:
		seen(last)
	case ctx.Err() == nil:
		return nil, err
	}
	return func() error {
		now, err := list(ctx)
		if err == nil && !slices.Equal(now, last) {
			last = now
			seen(now)
		}
		return err
	}, nil
}
