package action

import (
	"context"
	"errors"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

func assert(ctx context.Context, s *Session, a dsl.Assert) error {
	w := newWatch(s)
	err := poll(ctx, s.Timeout, func() error {
		if err := w.read(ctx, w.tree != nil); err != nil {
			return err
		}
		matches, err := w.find(ctx, a.Selector, false)
		if err != nil {
			return err
		}
		if len(matches) == 0 {
			return errWait
		}
		s.matched(matches[0])
		if len(matches) > 1 {
			s.note("%d elements match", len(matches))
		}
		return nil
	})
	if errors.Is(err, errWait) {
		return missing(s, a.Selector, w.tree, true)
	}
	var f *Failure
	if errors.As(err, &f) || err != nil && drivers.AppIsWrong(err) {
		p := ProblemOf(err)
		p.Assertion = true
		return &Failure{p}
	}
	return err
}
