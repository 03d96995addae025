package action

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/taproot-dev/taproot/drivers"
)

// errWait says that what is waited for is not there (any more or yet).
var errWait = errors.New("not there yet")

// poll looks again and again until look gives something else than errWait. The deadline stops new looks, not one under way, and
// there is at least one: a verdict always rests on a whole, fresh look. Reading errors that may pass (drivers.ErrNotReady) are
// waited out; when the last look ends so, that error is the answer, for nothing was seen.
func poll(ctx context.Context, timeout time.Duration, look func() error) error {
	pause := backoff.ExponentialBackOff{InitialInterval: 20 * time.Millisecond, Multiplier: 1.6, MaxInterval: 400 * time.Millisecond}
	pause.Reset()
	return pollWith(ctx, timeout, &pause, look)
}

// pollEvery is poll at one pace.
func pollEvery(ctx context.Context, timeout, pace time.Duration, look func() error) error {
	return pollWith(ctx, timeout, backoff.NewConstantBackOff(pace), look)
}

func pollWith(ctx context.Context, timeout time.Duration, pause backoff.BackOff, look func() error) error {
	deadline := time.Now().Add(timeout)
	for {
		last := !time.Now().Before(deadline)
		err := look()
		if err == nil || !errors.Is(err, errWait) && !errors.Is(err, drivers.ErrNotReady) {
			return err
		}
		if last {
			return err
		}
		if err := drivers.Pause(ctx, min(pause.NextBackOff(), max(time.Until(deadline), 0))); err != nil {
			return err
		}
	}
}
