package action

import (
	"context"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

// Look reads the screen once and returns what fits the selector, as an assertion would match it on a screen that may
// still change: by whole texts. That nothing fits is not an error. It is not a part of any step.
func Look(ctx context.Context, s *Session, sel dsl.Selector) ([]screen.Match, *screen.Tree, error) {
	asked := *s
	asked.Detail = &event.Detail{}
	r := newReader(&asked, decide.Want{Purpose: decide.See, Selector: sel})
	r.readsParts(sel)
	if err := r.read(ctx, false); err != nil {
		return nil, nil, err
	}
	matches, err := r.find(ctx, sel, false)
	return matches, r.tree, err
}

// Missing explains that nothing on a screen fits the selector, as a failed assertion does.
func Missing(sel dsl.Selector, t *screen.Tree) event.Problem {
	return failureOf(decide.Missing(screen.Query{Selector: sel}, t)).Problem
}
