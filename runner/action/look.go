package action

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
)

// Look reads the screen once and gives what fits the selector, as an assertion would match it on a screen that may still change: by
// whole texts. That nothing fits is no error. It is no part of any step.
func Look(ctx context.Context, s *Session, sel dsl.Selector) ([]drivers.Match, *drivers.Tree, error) {
	asked := *s
	asked.Detail = &reporters.Detail{}
	w := newWatch(&asked)
	if err := w.read(ctx, false); err != nil {
		return nil, nil, err
	}
	matches, err := w.find(ctx, sel, toSee)
	return matches, w.tree, err
}

// Missing explains that nothing on a screen fits the selector, as a failed assertion does.
func Missing(sel dsl.Selector, t *drivers.Tree) reporters.Problem {
	return missing(drivers.Query{Selector: sel}, t)
}

func missing(q drivers.Query, t *drivers.Tree) reporters.Problem {
	sel := q.Selector
	p := reporters.Problem{Expected: drivers.Describe(sel) + " on the screen", Actual: shown(t), Assertion: true, Kind: reporters.NotFound}
	if why := t.Explain(q); why != "" {
		p.Actual = why + "; " + p.Actual
	}
	for _, r := range t.Rejected(q, 3) {
		p.Candidates, p.Rejected = append(p.Candidates, r.Node.String()), append(p.Rejected, r.Why)
	}
	p.Message = drivers.Describe(sel) + " is not on the screen; " + p.Actual
	return p
}
