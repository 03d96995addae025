package action

import (
	"context"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

// Look reads the screen once and returns what fits the selector, as an assertion would match it on a screen that may
// still change: by whole texts. That nothing fits is not an error. It is not a part of any step.
func Look(ctx context.Context, s *Session, sel dsl.Selector) ([]screen.Match, *screen.Tree, error) {
	asked := *s
	asked.Detail = &event.Detail{}
	w := newScreenReader(&asked)
	w.readsParts(sel)
	if err := w.read(ctx, false); err != nil {
		return nil, nil, err
	}
	matches, err := w.find(ctx, sel, toSee)
	return matches, w.tree, err
}

// Missing explains that nothing on a screen fits the selector, as a failed assertion does.
func Missing(sel dsl.Selector, t *screen.Tree) event.Problem {
	return missing(screen.Query{Selector: sel}, t)
}

func missing(q screen.Query, t *screen.Tree) event.Problem {
	sel := q.Selector
	p := event.Problem{Expected: screen.Describe(sel) + " on the screen", Actual: shown(t), Assertion: true,
		Kind: event.NotFound}
	if why := t.Explain(q); why != "" {
		p.Actual = why + "; " + p.Actual
	}
	for _, r := range t.Rejected(q, 3) {
		p.Candidates, p.Rejected = append(p.Candidates, r.Node.String()), append(p.Rejected, r.Why)
	}
	p.Message = screen.Describe(sel) + " is not on the screen; " + p.Actual
	return p
}
