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

// poll looks again and again until look returns something else than errWait, or the time ends: its own, or that of the
// step. The end stops new reads, not one under way: a step ends within its time and the length of one read. There is
// at least one, and one more right at the end, so that a result rests on what is there then, unless the one before
// took beyond it. Reading errors that may pass (drivers.ErrNotReady) are waited out; when the last read ends so, that
// error is the answer, for nothing was seen.
func poll(ctx context.Context, timeout time.Duration, look func() error) error {
	return pollWith(ctx, timeout, slowing(), look)
}

func slowing() *backoff.ExponentialBackOff {
	pause := &backoff.ExponentialBackOff{InitialInterval: 20 * time.Millisecond, Multiplier: 1.6,
		MaxInterval: 400 * time.Millisecond}
	pause.Reset()
	return pause
}

// attentiveBackOff is a pace that slows down, but for moments in which it must not miss anything. uneven are moments in
// which its pauses differ, so that what blinks is not seen in the same phase each time.
type attentiveBackOff struct {
	backoff.BackOff
	now, uneven func() bool
	pauses      int // uneven ones so far
}

func (c *attentiveBackOff) NextBackOff() time.Duration {
	next := c.BackOff.NextBackOff()
	switch {
	case c.uneven():
		c.pauses++
		return [...]time.Duration{20, 250, 120}[c.pauses%3] * time.Millisecond
	case c.now():
		return min(next, 60*time.Millisecond)
	}
	return next
}

// holdBackOff is a pace that slows down, and looks again as soon as what has started to hold may have held for long
// enough.
type holdBackOff struct {
	backoff.BackOff
	left time.Duration
}

func (u *holdBackOff) NextBackOff() time.Duration {
	next := u.BackOff.NextBackOff()
	if u.left > 0 {
		return min(next, u.left)
	}
	return next
}

// pollEvery is poll at one pace.
func pollEvery(ctx context.Context, timeout, pace time.Duration, look func() error) error {
	return pollWith(ctx, timeout, backoff.NewConstantBackOff(pace), look)
}

func pollWith(ctx context.Context, timeout time.Duration, pause backoff.BackOff, look func() error) error {
	deadline := time.Now().Add(timeout)
	if end, ok := drivers.StepDeadline(ctx); ok && end.Before(deadline) { // several searches within one step do not add up
		deadline = end
	}
	for {
		err := look()
		if err == nil || !errors.Is(err, errWait) && !errors.Is(err, drivers.ErrNotReady) {
			return err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return err
		}
		if err := drivers.Pause(ctx, min(pause.NextBackOff(), left)); err != nil {
			return err
		}
	}
}
