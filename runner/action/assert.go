package action

import (
	"context"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/decide"
)

func assert(ctx context.Context, s *Session, a dsl.Assert) error {
	if byMaestro(a.Selector) {
		return maestroSession{Session: s}.finding(ctx, &a.Selector, nil, s.Timeout)
	}
	r, matches, err := locate(ctx, s, decide.Want{Selector: a.Selector})
	if err != nil {
		return asAssertion(err)
	}
	s.matched(matches[0])
	if len(matches) > 1 {
		s.note("%d elements match", len(matches))
	}
	s.notePart(matches[0])
	notInFront(s, r.tree)
	noteOwner(s, matches[0].Node)
	return nil
}

// locate waits until something on the screen fits a want's selector.
func locate(ctx context.Context, s *Session, w decide.Want) (*reader, []screen.Match, error) {
	w.Purpose = decide.See
	r := newReader(s, w)
	d, err := r.run(ctx)
	if err == nil {
		err = r.result(d)
	}
	return r, d.Matches, err
}
