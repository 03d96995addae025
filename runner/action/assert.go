package action

import (
	"context"
	"errors"

	"github.com/taproot-dev/taproot/dsl"
)

func assert(ctx context.Context, s *Session, a dsl.Assert) error {
	if byMaestro(a.Selector) {
		return s.finding(ctx, &a.Selector, nil, s.Timeout)
	}
	w := newScreenReader(s)
	matches, err := w.locate(ctx, a.Selector, s.Timeout)
	if err == nil {
		s.matched(matches[0])
		if len(matches) > 1 {
			s.note("%d elements match", len(matches))
		}
		s.notePart(matches[0])
		s.notInFront(w.tree)
		s.noteOwner(matches[0].Node)
		return nil
	}
	if errors.Is(err, errWait) {
		return w.missing(a.Selector, true)
	}
	return asAssertion(err)
}
