package check

import (
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
)

// WorstCase returns the longest that one run of a test can take, everything late and every wait in vain: time limits,
// loops and retries of steps, hooks included; those of the whole test not. scope knows the variables before the run.
func WorstCase(t *vocabulary.Test, scope *expr.Scope, timeout time.Duration) vocabulary.Cost {
	if t.TimeoutMs != nil {
		timeout = time.Duration(*t.TimeoutMs) * time.Millisecond
	}
	c := costing{scope: scope, timeout: timeout}
	var sum vocabulary.Cost
	for _, steps := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		sum = sum.Plus(c.steps(steps))
	}
	return sum
}

type costing struct {
	scope   *expr.Scope
	timeout time.Duration
}

func (c costing) steps(steps vocabulary.Steps) vocabulary.Cost {
	var sum vocabulary.Cost
	for _, s := range steps {
		sum = sum.Plus(c.step(s))
	}
	return sum
}

func (c costing) step(s *vocabulary.Step) vocabulary.Cost {
	args, opts, err := Bind(s, c.scope)
	unsure := err != nil // a value that only the run knows
	if unsure {
		m, _ := madeOf(s)
		args, opts = withInner(m.args, s), m.options
	}
	limit := opts.Limit(args, c.timeout)
	cost := vocabulary.OwnCost(args, c.steps, limit)
	if run, is := args.(vocabulary.Run); is {
		cost = c.block(s, run)
	}
	if call, is := args.(vocabulary.OwnCall); is {
		cost = c.action(s, call, limit)
	}
	if s.Def.Control() {
		cost.AtMin = cost.AtMin || unsure
		if opts.TimeoutMs != nil {
			cost = c.limited(cost, args, limit)
		}
	}
	cost = cost.Times(1 + opts.Retries)
	for _, e := range s.Exprs() {
		cost.Time += time.Duration(strings.Count(e.Text, "visible(")) * time.Second
	}
	return cost
}

// limited is a cost that a time limit bounds. That of an attempt is for its steps, and not for what deals with their
// failure.
func (c costing) limited(cost vocabulary.Cost, args any, limit time.Duration) vocabulary.Cost {
	try, ok := args.(vocabulary.Try)
	if !ok {
		return vocabulary.Cost{Time: min(cost.Time, limit)}
	}
	steps := vocabulary.Cost{Time: min(c.steps(try.Steps).Time, limit)}
	return steps.Plus(c.steps(try.OnFailure)).Plus(c.steps(try.Always))
}

func (c costing) block(s *vocabulary.Step, run vocabulary.Run) vocabulary.Cost {
	if s.Block == nil {
		return vocabulary.Cost{AtMin: true}
	}
	inner, err := c.scope.Block(s.Block, run.With)
	if err != nil {
		return c.steps(s.Block.Steps).Plus(vocabulary.Cost{AtMin: true})
	}
	return costing{scope: inner, timeout: c.timeout}.steps(s.Block.Steps)
}

// action is the cost of an own action: of its steps, or of its script.
func (c costing) action(s *vocabulary.Step, call vocabulary.OwnCall, limit time.Duration) vocabulary.Cost {
	switch {
	case s.Def.Own.Script != nil:
		return vocabulary.Cost{Time: time.Duration(s.Def.Own.Script.TimeoutMs) * time.Millisecond, AtMin: true} // and http
	case s.Block == nil:
		return vocabulary.Cost{Time: limit, AtMin: true}
	}
	inner, err := c.scope.Action(s.Block, call.Values)
	if err != nil {
		return c.steps(s.Block.Steps).Plus(vocabulary.Cost{AtMin: true})
	}
	return costing{scope: inner, timeout: c.timeout}.steps(s.Block.Steps)
}
