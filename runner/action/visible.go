package action

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

// conditionTime is how long a condition searches for something that is not there; what is there costs one read.
const conditionTime = time.Second

// Visible reports whether a label is on the screen, for conditions: that it is not is a result, not a failure.
func Visible(ctx context.Context, s *Session, label string) (bool, error) {
	asked := *s
	asked.Detail = &event.Detail{} // the search for a condition is not a part of any step
	return sees(ctx, &asked, dsl.Selector{Label: label}, conditionTime)
}

// Holds reports whether an element is there, or gone, within the time, for conditions.
func Holds(ctx context.Context, s *Session, visible, missing *dsl.Selector, wait time.Duration) (bool, error) {
	asked := *s
	asked.Detail, asked.Timeout = &event.Detail{}, wait
	switch {
	case missing != nil && byMaestro(*missing):
		return Misses(ctx, &asked, *missing, wait)
	case missing != nil:
		err := gone(ctx, &asked, *missing)
		var there *Failure
		if errors.As(err, &there) {
			return false, nil
		}
		return err == nil, err
	case byMaestro(*visible):
		return Sees(ctx, &asked, *visible, wait)
	}
	return sees(ctx, &asked, *visible, wait)
}

// sees reports whether an element comes within the time.
func sees(ctx context.Context, s *Session, sel dsl.Selector, wait time.Duration) (bool, error) {
	r := newReader(s, decide.Want{Purpose: decide.See, Selector: sel, Timeout: max(wait, 1)})
	d, err := r.run(ctx)
	switch {
	case err != nil:
		return false, err
	case d.Kind == decide.Fail && d.Problem.Kind == decide.NotFound:
		return false, nil
	}
	err = r.result(d)
	return err == nil, err
}
